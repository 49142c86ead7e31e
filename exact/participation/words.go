// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package participation

import (
	"fmt"
	"math/big"
)

// Between says that a number lies between lo ≥ 0 and hi, to 6 digits after the point.
func Between(lo, hi *big.Rat) string {
	low, _ := millionths(lo)
	high, exact := millionths(hi)
	if !exact {
		high.Add(high, big.NewInt(1))
	}
	return "between " + fromMillionths(low) + " and " + fromMillionths(high)
}

const million = 1_000_000

// millionths returns ⌊10⁶·x⌋, and whether it is 10⁶·x.
func millionths(x *big.Rat) (n *big.Int, exact bool) {
	y := new(big.Rat).Mul(x, big.NewRat(million, 1))
	n, rest := new(big.Int).QuoRem(y.Num(), y.Denom(), new(big.Int))
	return n, rest.Sign() == 0
}

func fromMillionths(n *big.Int) string {
	whole, rest := new(big.Int).QuoRem(n, big.NewInt(million), new(big.Int))
	return fmt.Sprintf("%d.%06d", whole, rest)
}
