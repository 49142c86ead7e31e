// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"slices"

	"dpverify/mechanism"
)

// RenyiCurve stands for every pair with R_α ≤ Values[i] at α = Orders[i] > 0 in both
// orientations. It is a guarantee, not a pair. The values do not fall.
type RenyiCurve struct {
	guarantee
	Orders, Values []*big.Rat
}

// NewRenyiCurve lowers each value to the least one of a later order: R_α rises with α [van Erven
// & Harremoës 2014, Theorem 3], so that R_α ≤ R_β ≤ Values[j] at β = Orders[j] ≥ α.
func NewRenyiCurve(e mechanism.RenyiCurve) RenyiCurve {
	values := slices.Clone(e.Values)
	for i := len(values) - 2; i >= 0; i-- {
		if values[i+1].Cmp(values[i]) < 0 {
			values[i] = values[i+1]
		}
	}
	return RenyiCurve{Orders: e.Orders, Values: values}
}

func (r RenyiCurve) String() string {
	return fmt.Sprintf("RenyiCurve(%s; %s)", ratList(r.Orders), ratList(r.Values))
}

// It holds for both orientations.
func (r RenyiCurve) Reverse() Pair { return r }
func (RenyiCurve) reach() reach    { return unknownReach() }
