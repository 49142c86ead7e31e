// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"

	"dpverify/mechanism"
)

// group is what a group sees of noise: the noise, for values that are as many times as far apart.
func group(e mechanism.Group) (mechanism.Event, error) {
	k := new(big.Rat).SetInt64(e.Size)
	over := func(x *big.Rat) *big.Rat { return new(big.Rat).Quo(x, k) }
	refuse := &UnsupportedError{e.ClassName(), "a group and " + e.Event.ClassName() +
		" is not covered by the fast path"}
	switch x := e.Event.(type) {
	case mechanism.NonPrivate:
		return x, nil
	case mechanism.Gaussian:
		return x.Scaled(over(big.NewRat(1, 1))), nil
	case mechanism.Laplace:
		return mechanism.Laplace{NoiseMultiplier: over(x.NoiseMultiplier)}, nil
	case mechanism.DiscreteLaplace:
		if x.Sensitivity > mechanism.MaxCount/e.Size {
			return nil, refuse
		}
		x.Sensitivity *= e.Size
		return x, nil
	case mechanism.Truncated:
		x.Sensitivity = new(big.Rat).Mul(x.Sensitivity, k)
		return x, nil
	case mechanism.SingleEpochTreeAggregation:
		x.NoiseMultiplier = over(x.NoiseMultiplier)
		return x, nil
	}
	return nil, refuse
}
