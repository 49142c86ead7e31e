// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/exact/selection"
)

// placesMethod and ordersMethod: the best of several runs. One selection is bounded from above by the places that outputs may
// have, and from below by orders of finitely many outputs; see exact/selection. In a product an order is a finite pair.
type (
	placesMethod struct{}
	ordersMethod struct{}
)

func (placesMethod) Name() string { return "places" }
func (ordersMethod) Name() string { return "orders" }

func (placesMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	return s.planRepeated(prod, (*repeated).upper)
}

func (ordersMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	if p := s.planRepeated(prod, (*repeated).lower); p != nil {
		return p
	}
	if worst, chosen := repeatedFactors(prod); worst || !chosen {
		return nil
	}
	return &plan{Cost: 0.24, Prepare: func(ctx context.Context) (profile.Func, error) {
		finite, ok, err := s.inOrder(ctx, prod)
		if !ok || err != nil {
			return nil, err
		}
		f, _, err := s.profileOf(ctx, finite)
		return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			y, err := f(ctx, p, eps)
			return interval.Union(y, interval.Int(1)), err
		}, err
	}}
}

// planRepeated is the plan for one selection.
func (s *solver) planRepeated(prod pair.Product, one func(*repeated, context.Context, interval.Prec, interval.Real) (interval.Interval, error)) *plan {
	x, ok := pair.Single[pair.Repeated](prod)
	if !ok || x.Aim > 0 {
		return nil
	}
	return &plan{Cost: 0.2, Draft: Instant, Prepare: func(ctx context.Context) (profile.Func, error) {
		r, ok, err := s.newRepeated(ctx, x)
		if !ok || err != nil {
			return nil, err
		}
		return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			return one(r, ctx, p, eps)
		}, nil
	}}
}

// repeatedFactors reports whether some factor is the worst selection at each ε, and whether some is one of a chosen order.
func repeatedFactors(prod pair.Product) (worst, chosen bool) {
	for _, t := range prod {
		if x, ok := t.Pair.(pair.Repeated); ok {
			worst, chosen = worst || x.Aim == 0, chosen || x.Aim > 0
			continue // its base is its own affair
		}
		for _, p := range pair.Parts(t.Pair) {
			w, c := repeatedFactors(p)
			worst, chosen = worst || w, chosen || c
		}
	}
	return worst, chosen
}

// inOrder replaces each selection of a chosen order by a finite pair that it dominates.
func (s *solver) inOrder(ctx context.Context, prod pair.Product) (pair.Product, bool, error) {
	out := make(pair.Product, 0, len(prod))
	for _, t := range prod {
		switch x := t.Pair.(type) {
		case pair.Repeated:
			y, ok, err := s.oneInOrder(ctx, x)
			if !ok || err != nil {
				return nil, false, err
			}
			t.Pair = y
		case pair.Sampled:
			base, ok, err := s.inOrder(ctx, x.Base)
			if !ok || err != nil {
				return nil, false, err
			}
			x.Base = base
			t.Pair = x
		case pair.Mixed:
			base, ok, err := s.inOrder(ctx, x.Base)
			if !ok || err != nil {
				return nil, false, err
			}
			x.Base = base
			t.Pair = x
		default:
			if worst, chosen := repeatedFactors(pair.Product{t}); worst || chosen {
				return nil, false, nil
			}
		}
		out = append(out, t)
	}
	return out, true, nil
}

// oneInOrder returns a finite pair that a selection of a chosen order dominates.
func (s *solver) oneInOrder(ctx context.Context, x pair.Repeated) (pair.Pair, bool, error) {
	r, ok, err := s.newRepeated(ctx, x)
	if !ok || err != nil || r.there.cells == nil {
		return nil, false, err
	}
	eps, err := r.epsOf(ctx, interval.Pow2(-x.Aim))
	if err != nil {
		return nil, false, err
	}
	f, ok := r.there.cells.Pair(r.there.cells.Best(r.prec.Rat(eps)))
	return f, ok, nil
}

// chordPoints is the number of values on each side of 0 that a bound by chords takes.
const chordPoints = 64

// chordsOf bounds a convex profile from above by its chords: a grid asks for thousands of values.
func (s *solver) chordsOf(ctx context.Context, f profile.Func) (profile.Func, error) {
	p := s.effort.Bits() + 64
	end, err := extent(ctx, f, p, s.least())
	if err != nil {
		return nil, err
	}
	type point struct{ eps, alpha, value interval.Interval }
	var points []point
	for i := int64(-chordPoints); i <= chordPoints; i++ {
		// closer together around 0
		x := new(big.Rat).Mul(end, big.NewRat(i*(max(i, -i)+chordPoints), 2*chordPoints*chordPoints))
		d, err := f(ctx, p, interval.RealRat(x))
		if err != nil {
			return nil, err
		}
		eps := p.Rat(x)
		points = append(points, point{eps, p.Exp(eps), d.Upper()})
	}
	return func(_ context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
		e := eps(p)
		left, right := -1, len(points)
		for i, x := range points {
			if x.eps.LessEq(e) == interval.True {
				left = i
			}
			if right == len(points) && e.LessEq(x.eps) == interval.True {
				right = i
			}
		}
		switch {
		case left < 0:
			return profile.Unit(), nil
		case right == len(points) || right <= left:
			return interval.Union(interval.Int(0), points[left].value), nil
		}
		a, b := points[left], points[right]
		share := interval.Clamp(p.Div(p.Sub(p.Exp(e), a.alpha), p.Sub(b.alpha, a.alpha)), 0, 1)
		y := p.Add(a.value, p.Mul(share, p.Sub(b.value, a.value)))
		return interval.Union(interval.Int(0), interval.Clamp(w.Round(y), 0, 1)), nil
	}, nil
}

// least is a δ that is next to nothing.
func (s *solver) least() *big.Rat { return interval.Pow2(-max(s.scale, 40) - 16) }

// A repeated is what is known of one selection.
type repeated struct {
	prec        interval.Prec
	mean        *big.Rat
	there, back side
}

// A side is one orientation.
type side struct {
	base   profile.Func
	bound  selection.Bound
	growth interval.Interval
	cells  *selection.Base // nil if nothing is known from below
}

// newRepeated prepares a selection, once for the methods that ask for it.
func (s *solver) newRepeated(ctx context.Context, x pair.Repeated) (*repeated, bool, error) {
	x.Aim = 0
	key := x.String()
	if r := s.selections[key]; r != nil {
		return r, true, nil
	}
	r := &repeated{prec: s.effort.Bits() + 64, mean: x.Mean}
	law, ok := selection.NewLaw(r.prec, x.Mean, x.Shape)
	if !ok {
		return nil, false, nil
	}
	there, _, err := s.profileOf(ctx, x.Base)
	if err != nil {
		return nil, false, err
	}
	back := there
	if !x.Base.SelfDual() {
		if back, _, err = s.profileOf(ctx, x.Base.Reverse()); err != nil {
			return nil, false, err
		}
	}
	if r.there, err = s.side(ctx, law, x.Base, there, back, r.prec); err != nil {
		return nil, false, err
	}
	if r.back = r.there; !x.Base.SelfDual() {
		if r.back, err = s.side(ctx, law, x.Base.Reverse(), back, there, r.prec); err != nil {
			return nil, false, err
		}
	}
	if s.selections == nil {
		s.selections = make(map[string]*repeated)
	}
	s.selections[key] = r
	return r, true, nil
}

// chords is the number of chords of each sign of ε.
const chords = 24

func (s *solver) side(ctx context.Context, law selection.Law, base pair.Product, there, back profile.Func, p interval.Prec) (side, error) {
	out := side{base: there}
	small := new(big.Rat).Mul(law.Mean(), law.Mean())
	end, err := extent(ctx, back, p, small.Inv(small.Mul(small, big.NewRat(64, 1))))
	if err != nil {
		return out, err
	}
	var known []selection.Chord
	for i := int64(-chords); i <= chords; i++ {
		eps := new(big.Rat).Mul(end, big.NewRat(i, chords))
		d, err := back(ctx, p, interval.RealRat(eps))
		if err != nil {
			return out, err
		}
		known = append(known, selection.Chord{Slope: p.Exp(p.Rat(eps)), More: d.Upper()})
	}
	out.bound = selection.NewBound(law, known)
	out.growth = out.bound.Growth(known)
	if base.IsGuarantee() {
		return out, nil
	}
	if os, _, ok := pair.ProductOutcomes(base, p, 512); ok {
		out.cells = selection.NewBase(law, os)
		return out, nil
	}
	if x, ok := pair.Single[pair.Pair](base); ok {
		if tails, ok := closed.PairTails(x); ok {
			os, err := s.thresholds(ctx, tails, there, back, p)
			out.cells = selection.NewBase(law, os)
			return out, err
		}
	}
	low, ok, err := s.below(ctx, there, back, p)
	if !ok || err != nil {
		return out, err
	}
	os, _, ok := low.Outcomes(p, 1<<12)
	if ok {
		out.cells = selection.NewBase(law, os)
	}
	return out, nil
}

// losses are ε between which losses are not told apart, from where the reverse is next to nothing to where the profile is.
func (s *solver) losses(ctx context.Context, f, back profile.Func, p interval.Prec) ([]*big.Rat, error) {
	up, err := extent(ctx, f, p, s.least())
	if err != nil {
		return nil, err
	}
	down, err := extent(ctx, back, p, s.least())
	if err != nil {
		return nil, err
	}
	n := int64(96 + 48*min(int(s.effort), 4))
	out := make([]*big.Rat, n+1)
	for i := range out {
		out[i] = new(big.Rat).Mul(new(big.Rat).Add(up, down), big.NewRat(int64(i), n))
		out[i].Sub(out[i], down)
	}
	return out, nil
}

// thresholds returns the outcomes of a post-processing: between which losses the output's is.
func (s *solver) thresholds(ctx context.Context, tails closed.Tails, f, back profile.Func, p interval.Prec) ([]pair.Outcome, error) {
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
func (s *solver) below(ctx context.Context, f, back profile.Func, p interval.Prec) (pair.Finite, bool, error) {
	es, err := s.losses(ctx, f, back, p)
	if err != nil {
		return pair.Finite{}, false, err
	}
	var vs []selection.Value
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
		vs = append(vs, selection.Value{Alpha: a, Lo: lo, Hi: hi})
	}
	out, ok := selection.Below(vs)
	return out, ok, nil
}

// extent returns an ε > 0 at which a profile is at most least, or far out.
func extent(ctx context.Context, f profile.Func, p interval.Prec, least *big.Rat) (*big.Rat, error) {
	last := interval.Int(2)
	for eps := big.NewRat(1, 64); ; eps = new(big.Rat).Add(eps, eps) {
		d, err := f(ctx, p, interval.RealRat(eps))
		if err != nil {
			return nil, err
		}
		x := d.Upper()
		if x.LessEqRat(least) == interval.True || eps.Cmp(big.NewRat(600, 1)) > 0 || eps.Cmp(big.NewRat(64, 1)) > 0 && last.LessEq(x) == interval.True {
			return eps, nil
		}
		last = x
	}
}

// epsOf returns about the ε where the bound from above is delta.
func (r *repeated) epsOf(ctx context.Context, delta *big.Rat) (*big.Rat, error) {
	end, err := extent(ctx, r.above, r.prec, delta)
	if err != nil {
		return nil, err
	}
	lo, hi := new(big.Rat), end
	for range 10 {
		mid := new(big.Rat).Add(lo, hi)
		mid.Mul(mid, big.NewRat(1, 2))
		d, err := r.above(ctx, r.prec, interval.RealRat(mid))
		if err != nil {
			return nil, err
		}
		if d.Upper().LessEqRat(delta) != interval.True {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi, nil
}

// above encloses the greater of the bounds of both orientations at an ε ≥ 0.
func (r *repeated) above(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	y, err := r.there.above(ctx, p, r.mean, eps)
	if err != nil {
		return y, err
	}
	z, err := r.back.above(ctx, p, r.mean, eps)
	return interval.Max(y, z), err
}

// upper bounds the profile from above.
func (r *repeated) upper(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	y, err := r.either(ctx, p, eps, func(ctx context.Context, x side, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		return x.above(ctx, p, r.mean, eps)
	})
	return interval.Union(interval.Int(0), y), err
}

// lower bounds the profile from below.
func (r *repeated) lower(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	y, err := r.either(ctx, p, eps, func(_ context.Context, x side, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		return x.below(p, eps), nil
	})
	return interval.Union(y, interval.Int(1)), err
}

// either is a bound at ε ≥ 0 on the one side, and at ε < 0 by H_α = 1 − α + α·H_{1/α} of the reverse.
func (r *repeated) either(ctx context.Context, p interval.Prec, eps interval.Real, bound func(context.Context, side, interval.Prec, interval.Real) (interval.Interval, error)) (interval.Interval, error) {
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

// above bounds H_α from above at ε ≥ 0: by the places of outputs, and by the mean number of runs and how much losses grow.
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
		d, err := x.base(ctx, w, func(v interval.Prec) interval.Interval { return v.Add(eps(v), v.Log(v.Rat(part.Ratio))) })
		if err != nil {
			return profile.Unit(), err
		}
		sum = w.Add(sum, w.Mul(w.Rat(part.Weight), d))
	}
	return interval.Min(best, sum.Upper()), nil
}
