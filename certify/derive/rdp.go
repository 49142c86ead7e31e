// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"context"
	"math/big"
	"slices"

	"dpverify/exact"
	"dpverify/exact/conversion"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/internal/number"
)

// realBits is the precision of an optimum over all real orders.
const realBits = interval.Prec(44)

// curveBy returns the Rényi curve of the event, for a guarantee the stated one, to be converted.
func curveBy(c conversion.Conversion) func(*deriver) (curve, error) {
	return func(d *deriver) (curve, error) { return d.curve(c) }
}

// renyiEpsilon converts the curve at the orders that are asked for.
func (d *deriver) renyiEpsilon(r curve, delta *big.Rat) (exact.Enclosure, error) {
	if delta.Sign() == 0 {
		return infinite(), nil // log(1/δ) = ∞
	}
	return d.over(r, noOptimum, func() conversion.Converted {
		return r.by.RealEpsilon(realBits, r.stated, spare(delta))
	},
		func(orders []*big.Rat) conversion.Converted {
			return r.by.Epsilon(Bits, r.stated, spare(delta), orders)
		})
}

// renyiDelta is renyiEpsilon for the δ at an ε.
func (d *deriver) renyiDelta(r curve, eps *big.Rat) (exact.Enclosure, error) {
	return d.over(r, noOptimumDelta, func() conversion.Converted {
		return r.by.RealDelta(realBits, r.stated, spare(eps))
	}, func(orders []*big.Rat) conversion.Converted { return r.by.Delta(Bits, r.stated, spare(eps), orders) })
}

// Why there is no ε, and no δ, over all real orders.
const (
	noOptimum      = "a sampled guarantee has no optimum over real orders, want a list"
	noOptimumDelta = "this version has no δ over all real orders here, want a list"
)

// over converts over all real orders or over a list, as it is asked for; reals may be nil, and none is why there is no
// optimum.
func (d *deriver) over(r curve, none NotModelledError, reals func() conversion.Converted,
	list func(orders []*big.Rat) conversion.Converted) (exact.Enclosure, error) {
	var y conversion.Converted
	switch {
	case d.RealOrders && len(r.listed) == 0 && (reals == nil || r.steps):
		return exact.Enclosure{}, none
	case d.RealOrders && len(r.listed) == 0:
		y = reals()
	default:
		y = list(r.orders())
	}
	d.remark(y)
	return enclosed(y.Interval), d.ctx.Err()
}

// A curve is the Rényi curve of an event, and how it is converted.
type curve struct {
	by     conversion.Conversion
	stated renyi.Divergence
	listed []*big.Rat // the orders that the event itself lists
	asked  []*big.Rat // the orders that were asked for
	steps  bool       // (α − 1)·R_α need not be convex
}

func (d *deriver) curve(c conversion.Conversion) (curve, error) {
	x, err := renyi.NewCurve(d.prob, d.Direction)
	if err != nil {
		return curve{}, err
	}
	prod := d.prob.Dominating()
	all := curveOrders(prod)
	listed := slices.DeleteFunc(slices.Clone(all), func(a *big.Rat) bool { return a.Cmp(one) <= 0 })
	if len(listed) == 0 && len(all) > 0 {
		return curve{}, notModelled("no order above 1 is stated")
	}
	r := curve{by: c, stated: whileTime(d.ctx, d.Kept.of("stated", x.Stated)), listed: listed, asked: d.Orders}
	if r.steps = len(r.listed) > 0 || sampledGuarantee(prod); r.steps {
		r.by = c.Exhaustive()
	}
	return r, nil
}

// orders returns the orders to convert at.
func (r curve) orders() []*big.Rat {
	switch {
	case len(r.asked) > 0:
		return r.asked
	case len(r.listed) > 0:
		return r.listed
	}
	return conversion.DefaultOrders()
}

// remark notes which order is the best one.
func (d *deriver) remark(y conversion.Converted) {
	switch {
	case y.Order == nil:
	case d.RealOrders && y.Order.Cmp(big.NewRat(1<<40, 1)) > 0:
		d.note = "the larger the order, the less is derived"
	default:
		d.note = "the best order is " + shortNumber(y.Order)
	}
}

// whileTime returns f until the end of ctx. From then on all is unknown, so that no order
// is computed that nobody waits for.
func whileTime(ctx context.Context, f renyi.Divergence) renyi.Divergence {
	return func(p interval.Prec, alpha renyi.Order) interval.Interval {
		if ctx.Err() != nil {
			return interval.Max(interval.Int(0), interval.Entire())
		}
		return f(p, alpha)
	}
}

// sampledGuarantee reports whether a factor is a sample of a guarantee in Rényi divergences:
// what is known of it between integer orders need not be convex.
func sampledGuarantee(prod pair.Product) bool {
	return slices.ContainsFunc(prod, func(t pair.Term) bool {
		if x, ok := t.Pair.(pair.Sampled); ok && x.Base.IsGuarantee() {
			return true
		}
		return slices.ContainsFunc(pair.Parts(t.Pair), sampledGuarantee)
	})
}

// curveOrders returns the orders of a Rényi curve among the factors: between them it
// says no more than at the next, and nothing beyond.
func curveOrders(prod pair.Product) []*big.Rat {
	var out []*big.Rat
	for _, t := range prod {
		if c, ok := t.Pair.(pair.RenyiCurve); ok {
			out = append(out, c.Orders...)
		}
		for _, part := range pair.Parts(t.Pair) {
			out = append(out, curveOrders(part)...)
		}
	}
	slices.SortFunc(out, (*big.Rat).Cmp)
	return slices.CompactFunc(out, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
}

// shortNumber writes a number in a few digits.
func shortNumber(r *big.Rat) string {
	if s := number.Format(r); len(s) <= 8 {
		return s
	}
	lo, _ := interval.Prec(64).Rat(r).Decimal(5)
	return "about " + lo
}

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
