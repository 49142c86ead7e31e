// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package number

import (
	"fmt"
	"math"
	"math/big"

	"dpverify/internal/show"
)

// Binary64 returns the exact value of the float64 that is nearest to r, ties to
// even: the number that a library working in float64 had when it was given r.
// A value that rounds to infinity is a *Error.
func Binary64(r *big.Rat) (*big.Rat, error) {
	if r == nil {
		return nil, &Error{Format(r), noNumber}
	}
	f, _ := r.Float64()
	if math.IsInf(f, 0) {
		return nil, &Error{show.Cut(Format(r)), "a number in the range of binary64"}
	}
	return new(big.Rat).SetFloat64(f), nil
}

// ParseFormat reads the name of a number format and reports whether it is binary64.
func ParseFormat(s string) (binary64 bool, err error) {
	switch s {
	case "binary64":
		return true, nil
	case "decimal":
		return false, nil
	}
	return false, fmt.Errorf("number_format = %s, want binary64 or decimal", show.Value(s))
}

// Float64 is the nearest float64, infinite beyond the greatest one.
func Float64(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}
