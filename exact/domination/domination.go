// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package domination decides whether a distribution of the privacy loss, as an accountant computes it, bounds the
// profile of an event at all ε ≥ 0.
package domination

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpverify/exact"
	"dpverify/exact/interval"
)

// Losses is a distribution of the privacy loss: the mass Mass(i) at the loss
// (MinKey + i)·Interval for 0 ≤ i < Count, in nats, and Infinite at ∞. It stands for
// the profile
//
//	D(ε) = Infinite + Σ_{l_i > ε} Mass(i)·(1 − e^{ε − l_i}).
type Losses struct {
	Interval *big.Rat // > 0
	MinKey   int64
	Count    int                    // ≥ 1
	Mass     func(i int) *big.Float // of any sign: programs leave the noise of their sums
	Infinite *big.Float
}

// A Result says whether D(ε) ≥ δ(ε) for all ε ≥ 0.
type Result struct {
	Holds interval.Truth
	// Eps is where δ exceeds D most, for certain, if Holds is False; where it could not
	// be told if Holds is Unknown; where the margin is least of the ε that were looked
	// at if Holds is True.
	Eps *big.Rat
	// Event and Bound enclose δ and D at Eps.
	Event, Bound interval.Interval
	// Excess is a lower bound of δ − D at Eps if Holds is False; nil otherwise.
	Excess *interval.Interval
	// Points is the number of ε at which δ was enclosed, by Methods.
	Points  int
	Methods []string
}

// Decide says whether the profile of losses is at least the profile of p, which was prepared at e, for all ε ≥ 0.
//
// Lemma. Let K be 0 and all l_i > 0. If δ(ε) ≤ D(ε) for every ε in K, then for all
// ε ≥ 0.
//
// Proof. As functions of α = e^ε, every term m·(1 − α/e^{l_i})₊ of D is affine on both
// sides of e^{l_i}, whatever the sign of m: between neighbours of K, D is affine. δ is convex in
// α, as the supremum of the affine P(S) − αQ(S) over events S and orientations. So δ − D
// is convex between neighbours, and its maximum is at one of them. Beyond the largest
// point of K, D is constant and δ does not grow. ∎
//
// Not every point needs its own enclosure: between two points of K the chord of upper
// bounds of δ is an upper bound, again by convexity, and where it is below D at all
// points of K in between they are settled. Blocks are halved until that is so.
//
// Rounding: D is enclosed with outward rounding from exact masses; δ as [exact.Profile.Delta] does. The
// verdict True rests on upper ends of δ and lower ends of D, False on the opposite ends
// at one point.
func Decide(ctx context.Context, p *exact.Profile, e exact.Effort, l Losses) (Result, error) {
	d := newDecision(p, e, l)
	last := len(d.bound) - 1
	if err := d.event(ctx, 0); err != nil {
		return d.out, err
	}
	if last > 0 {
		if err := d.event(ctx, last); err != nil {
			return d.out, err
		}
		if err := d.block(ctx, 0, last); err != nil {
			return d.out, err
		}
	}
	d.out.Excess = d.worst
	if d.out.Holds == interval.Unknown && !d.open {
		d.out.Holds = interval.True
	}
	return d.out, nil
}

// A decision is one run of Decide. Index k stands for the k-th point of K.
type decision struct {
	p     *exact.Profile
	prec  interval.Prec
	eps   []*big.Rat          // the points of K, ascending
	alpha []interval.Interval // e^eps
	bound []interval.Interval // D(eps)
	delta map[int]interval.Interval

	out   Result
	worst *interval.Interval // δ − D at out.Eps, where that is > 0 for certain
	open  bool
	least *interval.Interval // margin D − δ at out.Eps while nothing is violated or open
}

// newDecision computes the points of K and D there, from the last to the first:
// with S = Σ_{l_i > ε} m_i and U = Σ_{l_i > ε} m_i·e^{ε − l_i}, D(ε) = Infinite + S − U,
// and stepping down by one interval adds the mass m of the point just left and turns U
// into (U + m)·e^{−Interval}.
func newDecision(p *exact.Profile, e exact.Effort, l Losses) *decision {
	d := &decision{p: p, prec: e.Bits() + 64, delta: make(map[int]interval.Interval)}
	w := d.prec
	step := w.Exp(w.Rat(l.Interval))
	shrink := w.Inv(step)
	inf := interval.Point(l.Infinite)
	s, u := interval.Int(0), interval.Int(0)
	add := func(eps *big.Rat) {
		d.eps = append(d.eps, eps)
		d.alpha = append(d.alpha, w.Exp(w.Rat(eps)))
		d.bound = append(d.bound, w.Add(inf, w.Sub(s, u)))
	}
	for i := l.Count - 1; i >= 0 && l.MinKey+int64(i) > 0; i-- {
		eps := new(big.Rat).Mul(l.Interval, new(big.Rat).SetInt64(l.MinKey+int64(i)))
		add(eps)
		m := interval.Point(l.Mass(i))
		s = w.Add(s, m)
		u = w.Mul(w.Add(u, m), shrink) // at the next grid point below
	}
	// The step to ε = 0. Without a positive loss the sums are empty, and 0 is the only
	// point.
	if len(d.eps) > 0 {
		// u is at the key below the smallest positive one, which is 0 if the grid goes
		// on to it, and MinKey − 1 otherwise; from there to 0 it is e^{−(MinKey − 1)·Interval}.
		below := max(l.MinKey, 1) - 1
		u = w.Mul(u, w.Exp(w.Rat(new(big.Rat).Mul(l.Interval, new(big.Rat).SetInt64(-below)))))
	}
	add(new(big.Rat))
	slices.Reverse(d.eps)
	slices.Reverse(d.alpha)
	slices.Reverse(d.bound)
	return d
}

// event encloses δ at point k, compares it with D there, and keeps what is worst.
func (d *decision) event(ctx context.Context, k int) error {
	r, err := d.p.Delta(ctx, d.eps[k])
	if err != nil {
		return err
	}
	y := r.Interval
	if r.Value != nil {
		y = d.prec.Rat(r.Value)
	}
	d.delta[k], d.out.Methods = y, r.Methods
	d.out.Points++
	take := func() { d.out.Eps, d.out.Event, d.out.Bound = d.eps[k], y, d.bound[k] }
	excess := d.prec.Sub(y, d.bound[k])
	switch y.LessEq(d.bound[k]) {
	case interval.False:
		if lo := excess.Lower(); d.worst == nil || d.worst.Less(lo) == interval.True {
			d.worst, d.out.Holds = &lo, interval.False
			take()
		}
	case interval.Unknown:
		if d.worst == nil && !d.open {
			d.open = true
			take()
		}
	default:
		margin := interval.Point(excess.Neg().Lo())
		if d.worst == nil && !d.open && (d.least == nil || margin.Less(*d.least) == interval.True) {
			d.least = &margin
			take()
		}
	}
	return nil
}

// block settles the points strictly between i and j, at which δ is enclosed. Once there
// is a violation, only points that may exceed it are looked at.
func (d *decision) block(ctx context.Context, i, j int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if j-i < 2 || d.settled(i, j) {
		return nil
	}
	k := (i + j) / 2
	if err := d.event(ctx, k); err != nil {
		return err
	}
	if err := d.block(ctx, i, k); err != nil {
		return err
	}
	return d.block(ctx, k, j)
}

// settled reports that the chord of upper bounds of δ is at most D, or exceeds it by
// less than what is known to be exceeded, at all points between i and j.
func (d *decision) settled(i, j int) bool {
	w := d.prec
	yi, yj := d.delta[i].Upper(), d.delta[j].Upper()
	slope := w.Div(w.Sub(yj, yi), w.Sub(d.alpha[j], d.alpha[i]))
	for k := i + 1; k < j; k++ {
		chord := w.Add(yi, w.Mul(slope, w.Sub(d.alpha[k], d.alpha[i])))
		bound := d.bound[k]
		if d.worst != nil {
			bound = w.Add(bound, *d.worst)
		}
		if chord.LessEq(bound) != interval.True {
			return false
		}
	}
	return true
}

// String describes a result for people.
func (r Result) String() string {
	lo, hi := r.Event.Decimal(12)
	blo, bhi := r.Bound.Decimal(12)
	s := fmt.Sprintf("δ in [%s, %s], the distribution gives [%s, %s]", lo, hi, blo, bhi)
	if r.Excess != nil {
		least, _ := r.Excess.Decimal(3)
		s += ", too little by at least " + least
	}
	return s
}
