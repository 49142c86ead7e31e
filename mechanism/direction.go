// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"strconv"

	"dpverify/internal/show"
)

// A Direction says which orientation of the pair (P, Q) is meant.
type Direction int

const (
	Both   Direction = iota // the maximum of the two, taken after composition
	Remove                  // δ(P‖Q)
	Add                     // δ(Q‖P)
)

// String returns the direction as it is written in queries and claims.
func (d Direction) String() string {
	switch d {
	case Both:
		return "both"
	case Remove:
		return "remove"
	case Add:
		return "add"
	}
	return "Direction(" + strconv.Itoa(int(d)) + ")"
}

// ParseDirection reads what String writes. The error is a *ParamError.
func ParseDirection(s string) (Direction, error) {
	for _, d := range []Direction{Both, Remove, Add} {
		if s == d.String() {
			return d, nil
		}
	}
	return 0, &ParamError{Field: "direction", Value: show.Value(s), Want: "remove, add or both"}
}
