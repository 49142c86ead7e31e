// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package selection

import (
	"context"
	"math/big"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// Settings say how closely a selection is looked at.
type Settings struct {
	Prec   interval.Prec
	Least  *big.Rat // a δ that is next to nothing
	Losses int64    // how many losses are told apart
}

// A Repeated is what is known of the profile of one selection.
type Repeated struct {
	Settings
	mean        *big.Rat
	there, back side
}

// A side is one orientation.
type side struct {
	base   profile.Func
	bound  Bound
	growth interval.Interval
	cells  *Base // nil if nothing is known from below
}

// NewRepeated prepares a selection, whatever its aim is. It reports false if nothing is known of the number of runs.
// profileOf encloses profiles.
func NewRepeated(ctx context.Context, x pair.Repeated, set Settings, profileOf func(context.Context,
	pair.Product) (profile.Func, error)) (*Repeated, bool, error) {
	r := &Repeated{Settings: set, mean: x.Mean}
	law, ok := NewLaw(r.Prec, x.Mean, x.Shape)
	if !ok {
		return nil, false, nil
	}
	there, err := profileOf(ctx, x.Base)
	if err != nil {
		return nil, false, err
	}
	back := there
	if !x.Base.SelfDual() {
		if back, err = profileOf(ctx, x.Base.Reverse()); err != nil {
			return nil, false, err
		}
	}
	if r.there, err = set.side(ctx, law, x.Base, there, back); err != nil {
		return nil, false, err
	}
	if r.back = r.there; !x.Base.SelfDual() {
		if r.back, err = set.side(ctx, law, x.Base.Reverse(), back, there); err != nil {
			return nil, false, err
		}
	}
	return r, true, nil
}

// InOrder returns a finite pair that the selection dominates, whose order is the best for the moment of order 1 + t;
// false if none is known.
func (r *Repeated) InOrder(t *big.Rat) (pair.Finite, bool) {
	if r.there.cells == nil {
		return pair.Finite{}, false
	}
	return r.there.cells.Pair(r.there.cells.BestMoment(near(r.Prec.Rat(t))))
}

// chords is the number of chords of each sign of ε.
const chords = 24

func (s Settings) side(ctx context.Context, law Law, base pair.Product, there, back profile.Func) (side, error) {
	p := s.Prec
	out := side{base: there}
	small := new(big.Rat).Mul(law.Mean(), law.Mean())
	end, err := profile.Extent(ctx, back, p, small.Inv(small.Mul(small, big.NewRat(64, 1))))
	if err != nil {
		return out, err
	}
	var known []Chord
	for i := int64(-chords); i <= chords; i++ {
		eps := new(big.Rat).Mul(end, big.NewRat(i, chords))
		d, err := back(ctx, p, interval.RealRat(eps))
		if err != nil {
			return out, err
		}
		known = append(known, Chord{Slope: p.Exp(p.Rat(eps)), More: d.Upper()})
	}
	out.bound = NewBound(law, known)
	out.growth = out.bound.Growth(known)
	if base.IsGuarantee() {
		return out, nil
	}
	if os, _, ok := pair.ProductOutcomes(base, p, 512); ok {
		out.cells = NewBase(law, os)
		return out, nil
	}
	if x, ok := pair.Single[pair.Pair](base); ok {
		if tails, ok := closed.PairTails(x); ok {
			os, err := s.thresholds(ctx, tails, there, back, p)
			out.cells = NewBase(law, os)
			return out, err
		}
	}
	low, ok, err := s.below(ctx, there, back, p)
	if !ok || err != nil {
		return out, err
	}
	os, _, ok := low.Outcomes(p, 1<<12)
	if ok {
		out.cells = NewBase(law, os)
	}
	return out, nil
}

// losses are ε between which losses are not told apart, from where the reverse is next to nothing to where the profile
// is.
func (s Settings) losses(ctx context.Context, f, back profile.Func, p interval.Prec) ([]*big.Rat, error) {
	up, err := profile.Extent(ctx, f, p, s.Least)
	if err != nil {
		return nil, err
	}
	down, err := profile.Extent(ctx, back, p, s.Least)
	if err != nil {
		return nil, err
	}
	n := s.Losses
	out := make([]*big.Rat, n+1)
	for i := range out {
		out[i] = new(big.Rat).Mul(new(big.Rat).Add(up, down), big.NewRat(int64(i), n))
		out[i].Sub(out[i], down)
	}
	return out, nil
}

// thresholds returns the outcomes of a post-processing: between which losses the output's is.
func (s Settings) thresholds(ctx context.Context, tails closed.Tails, f, back profile.Func,
	p interval.Prec) ([]pair.Outcome, error) {
	es, err := s.losses(ctx, f, back, p)
	if err != nil {
		return nil, err
	}
	one, zero := interval.Int(1), interval.Int(0)
	lastP, lastQ := one, one
	var out []pair.Outcome
	add := func(x, y interval.Interval) {
		o := pair.Outcome{P: interval.Max(zero, p.Sub(lastP, x)), Q: interval.Max(zero, p.Sub(lastQ, y))}
		if !o.P.IsZero() || !o.Q.IsZero() {
			out = append(out, o)
		}
		lastP, lastQ = x, y
	}
	for _, e := range es {
		add(tails(p, closed.RatArg(p, e)))
	}
	add(zero, zero)
	return out, nil
}

// alphaBits is how many bits an α has at which a profile is looked at.
const alphaBits interval.Prec = 48

// below returns a finite pair that one with the profile f dominates.
func (s Settings) below(ctx context.Context, f, back profile.Func, p interval.Prec) (pair.Finite, bool, error) {
	es, err := s.losses(ctx, f, back, p)
	if err != nil {
		return pair.Finite{}, false, err
	}
	var vs []profile.Value
	for _, eps := range es {
		a, _, finite := alphaBits.Exp(p.Rat(eps)).Rationals()
		if !finite || a.Sign() <= 0 || len(vs) > 0 && a.Cmp(vs[len(vs)-1].Alpha) <= 0 {
			continue
		}
		d, err := f(ctx, p, func(w interval.Prec) interval.Interval { return w.Log(w.Rat(a)) })
		if err != nil {
			return pair.Finite{}, false, err
		}
		lo, hi, finite := d.Rationals()
		if !finite {
			return pair.Finite{}, false, nil
		}
		vs = append(vs, profile.Value{Alpha: a, Lo: lo, Hi: hi})
	}
	out, ok := profile.Below(vs, p)
	return out, ok, nil
}

// Above is a profile.Func that bounds the profile from above.
func (r *Repeated) Above(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	y, err := r.either(ctx, p, eps, func(ctx context.Context, x side, p interval.Prec,
		eps interval.Real) (interval.Interval, error) {
		return x.above(ctx, p, r.mean, eps)
	})
	return interval.Union(interval.Int(0), y), err
}

// Below is a profile.Func that bounds the profile from below.
func (r *Repeated) Below(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	y, err := r.either(ctx, p, eps, func(_ context.Context, x side, p interval.Prec,
		eps interval.Real) (interval.Interval, error) {
		return x.below(p, eps), nil
	})
	return interval.Union(y, interval.Int(1)), err
}

// either is a bound at ε ≥ 0 on the one side, and at ε < 0 by H_α = 1 − α + α·H_{1/α} of the reverse.
func (r *Repeated) either(ctx context.Context, p interval.Prec, eps interval.Real,
	bound func(context.Context, side, interval.Prec,
		interval.Real) (interval.Interval, error)) (interval.Interval, error) {
	w := p + 32
	e := eps(w)
	switch {
	case !e.IsFinite():
		return profile.Unit(), nil
	case e.Negative() == interval.False:
		y, err := bound(ctx, r.there, w, eps)
		return interval.Clamp(p.Round(y), 0, 1), err
	case e.Negative() == interval.True:
		d, err := bound(ctx, r.back, w, eps.Neg())
		y := w.Add(w.Expm1(e).Neg(), w.Mul(w.Exp(e), d))
		return interval.Clamp(p.Round(y), 0, 1), err
	}
	return profile.Unit(), nil
}

// below bounds H_α from below at ε ≥ 0, by the best order that is found.
func (x side) below(p interval.Prec, eps interval.Real) interval.Interval {
	w := p + 32
	e := eps(w)
	alpha := w.Exp(e)
	if x.cells == nil || alpha.LessRat(maxAlpha) != interval.True {
		return interval.Int(0)
	}
	return x.cells.Delta(x.cells.Best(e), alpha)
}

// maxAlpha bounds the α at which an order is looked for in float64.
var maxAlpha = interval.Pow2(990)

// above bounds H_α from above at ε ≥ 0: by the places of outputs, and by the mean number of runs and how much losses
// grow.
func (x side) above(ctx context.Context, p interval.Prec, mean *big.Rat, eps interval.Real) (interval.Interval, error) {
	w := p + 32
	d, err := x.base(ctx, w, func(v interval.Prec) interval.Interval { return v.Sub(eps(v), x.growth) })
	if err != nil {
		return profile.Unit(), err
	}
	best := w.Mul(w.Rat(mean), d).Upper()
	best = interval.Min(best, interval.Int(1))
	if len(x.bound.Parts) == 0 {
		return best, nil
	}
	sum := interval.Int(0)
	for _, part := range x.bound.Parts {
		d, err := x.base(ctx, w, func(v interval.Prec) interval.Interval {
			return v.Add(eps(v), v.Log(v.Rat(part.Ratio)))
		})
		if err != nil {
			return profile.Unit(), err
		}
		sum = w.Add(sum, w.Mul(w.Rat(part.Weight), d))
	}
	return interval.Min(best, sum.Upper()), nil
}
