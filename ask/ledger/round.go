// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"math/big"

	"dpverify/exact"
)

// up and down write a number rounded.
func up(x *big.Rat, digits int) string {
	_, hi := rational(x).Decimal(digits)
	return hi
}

func down(x *big.Rat, digits int) string {
	lo, _ := rational(x).Decimal(digits)
	return lo
}

// rational is a number that is known.
func rational(x *big.Rat) exact.Enclosure {
	return exact.Enclosure{Interval: bits.Rat(x), Value: x, Lower: x, Upper: x}
}
