// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package argument checks numbers that Go programs hand over.
package argument

import (
	"fmt"
	"math/big"

	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// Number returns a *mechanism.ParamError for an argument that is nil or outside [lo, hi]; an end
// that is nil bounds nothing.
func Number(field string, x, lo, hi *big.Rat) error {
	want := "a number"
	switch {
	case lo != nil && hi != nil:
		want = fmt.Sprintf("a number in [%s, %s]", number.Format(lo), number.Format(hi))
	case lo != nil:
		want = "a number >= " + number.Format(lo)
	case hi != nil:
		want = "a number <= " + number.Format(hi)
	}
	if x == nil || lo != nil && x.Cmp(lo) < 0 || hi != nil && x.Cmp(hi) > 0 {
		return &mechanism.ParamError{Field: field, Value: show.Cut(number.Format(x)), Want: want}
	}
	return nil
}

// Integer returns a *mechanism.ParamError for an argument outside [lo, hi].
func Integer(field string, x, lo, hi int64) error {
	if x < lo || x > hi {
		return &mechanism.ParamError{Field: field, Value: fmt.Sprint(x), Want: fmt.Sprintf("an integer in [%d, %d]", lo, hi)}
	}
	return nil
}
