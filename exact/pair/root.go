// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import "math/big"

// SqrtBelow returns a rational at most √x, x ≥ 0, and above √x − 2^−192: an integer square root.
func SqrtBelow(x *big.Rat) *big.Rat {
	const bits = 192
	n := new(big.Int).Lsh(x.Num(), 2*bits)
	n.Quo(n, x.Denom())
	return new(big.Rat).SetFrac(n.Sqrt(n), new(big.Int).Lsh(big.NewInt(1), bits))
}
