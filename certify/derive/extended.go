// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
)

// extended is the ε of the extended moments accountant, which counts infinite losses apart.
func (d *deriver) extended(delta *big.Rat) (exact.Enclosure, error) {
	e, r, err := d.extendedAccountant()
	if err != nil {
		return exact.Enclosure{}, err
	}
	return d.epsilonOver(r, delta,
		func(delta interval.Interval) renyi.Converted { return e.RealEpsilon(realBits, delta) },
		func(delta interval.Interval, orders []*big.Rat) renyi.Converted {
			return e.Epsilon(Bits, delta, orders)
		})
}

// extendedDelta is extended for the δ at an ε, by lists of orders only.
func (d *deriver) extendedDelta(eps *big.Rat) (exact.Enclosure, error) {
	e, r, err := d.extendedAccountant()
	if err != nil {
		return exact.Enclosure{}, err
	}
	return d.deltaOver(r, nil, func(orders []*big.Rat) renyi.Converted { return e.Delta(Bits, spare(eps), orders) })
}

func (d *deriver) extendedAccountant() (*renyi.Extended, curve, error) {
	r, err := d.curve(renyi.Mironov)
	if err != nil {
		return nil, curve{}, err
	}
	e, ok, err := renyi.NewExtended(d.prob, d.Direction, r.steps)
	if err == nil && !ok {
		err = notModelled("the moments of the finite losses, or the mass of the infinite ones, are not known")
	}
	if err != nil {
		return nil, curve{}, err
	}
	return e.While(func() bool { return d.ctx.Err() == nil }), r, nil
}
