// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"math/big"

	"dpverify/exact"
	"dpverify/exact/renyi"
)

// extended is the ε of the extended moments accountant, which counts infinite losses apart.
func (d *deriver) extended(delta *big.Rat) (exact.Enclosure, error) {
	e, r, err := d.extendedAccountant()
	if err != nil {
		return exact.Enclosure{}, err
	}
	if delta.Sign() == 0 {
		return infinite(), nil // log(1/δ) = ∞
	}
	var y renyi.Converted
	switch {
	case d.RealOrders && r.steps && len(r.listed) == 0:
		return exact.Enclosure{}, notModelled("a sampled guarantee has no optimum over real orders, want a list")
	case d.RealOrders && len(r.listed) == 0:
		y = e.RealEpsilon(realBits, spare(delta))
	default:
		y = e.Epsilon(Bits, spare(delta), r.orders())
	}
	d.remark(y)
	return enclosed(y.Interval), d.ctx.Err()
}

// extendedDelta is extended for the δ at an ε, by lists of orders only.
func (d *deriver) extendedDelta(eps *big.Rat) (exact.Enclosure, error) {
	e, r, err := d.extendedAccountant()
	if err != nil {
		return exact.Enclosure{}, err
	}
	if d.RealOrders && len(r.listed) == 0 {
		return exact.Enclosure{}, notModelled("this version has no δ over all real orders, want a list")
	}
	y := e.Delta(Bits, spare(eps), r.orders())
	d.remark(y)
	return enclosed(y.Interval), d.ctx.Err()
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
