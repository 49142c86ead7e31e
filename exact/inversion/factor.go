// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/fall"
	"dpverify/exact/pair"
	"dpverify/exact/quadrature"
)

// A factor is a pair through its moment transform
//
//	M(s) = Σ_{p,q>0} p^{1−s}·q^s = E_P[e^{−sL}; L finite],  s = −λ + it, λ ≥ 0.
type factor interface {
	// logMoment is near log M(−λ), or no finite number. Only parameters are chosen by it.
	logMoment(lambda float64) float64
	// moment encloses M(−λ).
	moment(p interval.Prec, lambda *big.Rat) interval.Interval
	// line encloses M(−λ + ijh), j = 0 … n, with errors of about 2^−p·M(−λ). It is nil if that costs too much.
	line(ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int) ([]interval.Complex, error)
	// decay prepares bounds of |M(−λ + it)| at one λ.
	decay(lambda *big.Rat) decay
	// sizes bounds log(|M(−λ + ijh)|/M(−λ)) from above, j = 0 … n, at little cost.
	sizes(lambda *big.Rat, h double.Interval, n int) []float64
	// points returns numbers near M(−λ + ijh), j = 0 … n, up to a common factor, for starts of searches.
	// It reports false if it has none.
	points(ctx context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool)
	// infinite encloses the P-mass of infinite loss, and bounds the P-mass of outcomes that the transform leaves out.
	infinite() (inf, lost interval.Interval)
	// at returns the factor for a working precision.
	// moment, line, decay and infinite of one such factor are about the same transform.
	at(p interval.Prec) factor
}

// A decay returns an upper bound of log(|M(−λ + it)|/M(−λ)) for all |t| ∈ [a, b], or for all |t| ≥ a if b is +∞.
// The bound is at most 0.
type decay func(a, b float64) float64

// constant is the decay of a transform about which only |M(−λ + it)| ≤ M(−λ) is used.
func constant(_, _ float64) float64 { return 0 }

// discrete is a pair with countably many outcomes: M(s) = Σ p·e^{−sL} over the outcomes of finite loss.
//
// The outcomes are enclosed, and for some pairs chosen, at one precision.
// Outcomes beyond the limits of pair.Outcomes are left out of the transform.
// Each of them would add to δ between 0 and its P-mass.
type discrete struct {
	pair      pair.Pair
	outcomes  []outcome // of finite loss
	inf, lost interval.Interval
}

// An outcome has a finite loss.
type outcome struct {
	p, loss interval.Interval
	logP, l float64 // near log p and loss
}

// maxOutcomes bounds the outcomes of one pair.
const maxOutcomes = 4096

func newDiscrete(x pair.Pair, p interval.Prec) (discrete, bool) {
	d := discrete{pair: x}
	os, lost, ok := x.Outcomes(p, maxOutcomes)
	add := func(mass, loss interval.Interval) {
		d.outcomes = append(d.outcomes, outcome{mass, loss, double.Of(coarse.Log(mass)).Mid(), double.Of(loss).Mid()})
	}
	for _, o := range os {
		switch {
		case o.P.IsZero():
		case o.Q.IsZero():
			d.inf = p.Add(d.inf, o.P)
		case o.Exact:
			add(o.P, o.Loss.Enclose(p))
		default:
			add(o.P, p.Log(p.Div(o.P, o.Q)))
		}
	}
	d.lost = lost
	return d, ok && len(d.outcomes) > 0
}

func (d discrete) at(p interval.Prec) factor {
	if e, ok := newDiscrete(d.pair, p+64); ok {
		return e
	}
	return d
}

func (d discrete) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	w := p + 64
	l, sum := w.Rat(lambda), interval.Int(0)
	for _, o := range d.outcomes {
		sum = w.Add(sum, w.Mul(o.p, w.Exp(w.Mul(l, o.loss))))
	}
	return p.Round(sum)
}

func (d discrete) line(
	ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int,
) ([]interval.Complex, error) {
	w := p + 64
	a, theta := make([]interval.Interval, len(d.outcomes)), make([]interval.Interval, len(d.outcomes))
	l := w.Rat(lambda)
	for k, o := range d.outcomes {
		a[k] = w.Mul(o.p, w.Exp(w.Mul(l, o.loss)))
		theta[k] = w.Mul(h, o.loss)
	}
	return quadrature.Sum(ctx, p, a, theta, n)
}

// decay is constant: atoms keep |M| from falling.
func (d discrete) decay(*big.Rat) decay { return constant }

func (d discrete) sizes(_ *big.Rat, h double.Interval, n int) []float64 {
	return fall.Sizes(constant, h, n)
}

func (d discrete) infinite() (inf, lost interval.Interval) { return d.inf, d.lost }

// coarse is the precision at which errors are bounded.
const coarse = interval.Prec(64)

var one = interval.Int(1)

// upper returns the upper end of x as a point.
func upper(x interval.Interval) interval.Interval { return interval.Point(x.Hi()) }
