// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"math/big"

	"dpverify/exact"
	"dpverify/exact/conversion"
)

// An extended is the extended moments accountant of an event, which counts infinite losses apart.
type extended struct {
	curve
	*conversion.Extended
}

func (d *deriver) extended() (x extended, err error) {
	if x.curve, err = d.curve(conversion.Mironov); err != nil {
		return x, err
	}
	e, ok, err := conversion.NewExtended(d.prob, d.Direction, x.steps)
	switch {
	case err != nil:
		return x, err
	case !ok:
		return x, notModelled("the moments of the finite losses, or the mass of the infinite ones, are not known")
	}
	x.Extended = e.Through(d.Kept.of).While(func() bool { return d.ctx.Err() == nil })
	return x, nil
}

// extendedEpsilon is the ε of the accountant.
func (d *deriver) extendedEpsilon(x extended, delta *big.Rat) (exact.Enclosure, error) {
	if delta.Sign() == 0 {
		return infinite(), nil // log(1/δ) = ∞
	}
	return d.over(x.curve, noOptimum, func() conversion.Converted { return x.RealEpsilon(realBits, spare(delta)) },
		func(orders []*big.Rat) conversion.Converted { return x.Epsilon(Bits, spare(delta), orders) })
}

// extendedDelta is the δ at an ε, by lists of orders only.
func (d *deriver) extendedDelta(x extended, eps *big.Rat) (exact.Enclosure, error) {
	return d.over(x.curve, noOptimumDelta, nil, func(orders []*big.Rat) conversion.Converted {
		return x.Delta(Bits, spare(eps), orders)
	})
}
