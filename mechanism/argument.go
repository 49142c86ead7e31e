// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"

	"dpverify/internal/number"
	"dpverify/internal/show"
)

// CheckQuestion returns an error for an event, a relation or a direction that a Go program
// made up: all that decoders return passes. The engines ask before they look any further.
func CheckQuestion(e Event, r Relation, d Direction) error {
	if err := Validate(e); err != nil {
		return err
	}
	if _, err := ParseRelation(r.String()); err != nil {
		return err
	}
	_, err := ParseDirection(d.String())
	return err
}

// CheckNumber returns a *ParamError for an argument that is nil or outside [lo, hi]; an end
// that is nil bounds nothing.
func CheckNumber(field string, x, lo, hi *big.Rat) error {
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
		return &ParamError{Field: field, Value: show.Cut(number.Format(x)), Want: want}
	}
	return nil
}

// CheckInteger returns a *ParamError for an argument outside [lo, hi].
func CheckInteger(field string, x, lo, hi int64) error {
	if x < lo || x > hi {
		return &ParamError{Field: field, Value: fmt.Sprint(x), Want: fmt.Sprintf("an integer in [%d, %d]", lo, hi)}
	}
	return nil
}
