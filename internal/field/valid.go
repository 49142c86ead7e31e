// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package field

import (
	"math/big"
	"slices"

	"dpverify/internal/number"
)

// A Validation looks at one event as a decoding does at its document. It accepts nothing that would not be read back.
type Validation struct {
	Depth   int
	Digits  int  // left of MaxDigits
	Shallow bool // events inside and sums are taken for what they should be
}

// plainBits is a size, in bits, up to which the text of a number keeps all limits of one.
const plainBits = 4096

// Number reports whether x is a number of the domain that has a text. With b bits it has no more
// than 2b + 4 digits and powers of ten.
func (v *Validation) Number(x *big.Rat, in number.Domain) bool {
	if x == nil || !in.Contains(x) {
		return false
	}
	bits := x.Num().BitLen() + x.Denom().BitLen()
	if v.Digits -= 2*bits + 4; v.Digits < 0 {
		return false
	}
	if bits <= plainBits {
		return true
	}
	_, err := number.Parse(number.Format(x))
	return err == nil
}

// Numbers is Number for each element of a list.
func (v *Validation) Numbers(xs []*big.Rat, in number.Domain) bool {
	return IsListLength(len(xs)) && !slices.ContainsFunc(xs, func(x *big.Rat) bool { return !v.Number(x, in) })
}

// IsListLength reports whether a list may have n elements.
func IsListLength(n int) bool { return 1 <= n && n <= MaxListLen }

// Distribution reports whether numbers are probabilities with sum 1.
func (v *Validation) Distribution(ps []*big.Rat) bool {
	if !v.Numbers(ps, number.NonNegative) {
		return false
	}
	if v.Shallow {
		return true
	}
	total, err := number.Sum(ps)
	return err == nil && total.IsOne()
}
