// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"slices"

	"dpverify/exact/crossing"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// Epsilon returns an enclosure of ε(δ) = inf{ε ∈ ℝ : δ(ε) ≤ delta}, in nats. It is
// negative where even δ(0) < delta, +∞ where delta is below the mass of infinite
// loss, and −∞ for delta ≥ 1.
//
// The enclosure has about bits settled leading bits if the effort allows it.
//
// A delta that is nil or negative is a *mechanism.ParamError, and so are negative bits.
func Epsilon(ctx context.Context, q Question, delta *big.Rat, bits int, e Effort) (Result, error) {
	if q.Scale == nil {
		q.Scale = delta
	}
	p, err := Prepare(ctx, q, e)
	if err != nil {
		return Result{}, err
	}
	return p.Epsilon(ctx, delta, bits)
}

// Epsilon is the function Epsilon on a prepared profile.
//
// The maximum of several profiles is ≤ delta where all of them are, so ε is the
// maximum over the orientations; a lower bound of the profile gives a lower bound
// of ε, and an upper bound an upper one.
func (p *Profile) Epsilon(ctx context.Context, delta *big.Rat, bits int) (Result, error) {
	if err := cmp.Or(mechanism.CheckNumber("delta", delta, new(big.Rat), nil), checkBits(bits)); err != nil {
		return Result{}, err
	}
	ctx = p.question.limit(ctx)
	if p.solver.draft != Settled {
		bits = min(bits, draftBits)
	}
	r := p.result()
	if delta.Cmp(big.NewRat(1, 1)) >= 0 {
		r.Interval = negInf
		return r, nil
	}
	command := "epsilon --delta=" + number.Format(delta)
	exact := true
	var value *big.Rat
	y, err := p.greatest(byNearness(ctx, p.bounds, delta), negInf, " of ε", nil, func(b bound, lower interval.Interval) (interval.Interval, error) {
		if out, err := p.leftOut(ctx, b, delta, bits, lower); out || err != nil {
			return negInf, err
		}
		y, v, err := p.epsilon(ctx, b, delta, bits)
		switch {
		case !b.lower || !b.upper || v == nil:
			exact = false
		case value == nil || v.Cmp(value) > 0:
			value = v
		}
		return y, err
	})
	if err != nil {
		return r, p.reproducible(err, command)
	}
	r.Interval = y
	if exact && value != nil {
		r.Value = value
	}
	return r, nil
}

// byNearness sorts bounds by about their ε, the greatest first, where all have one: the others
// are then likely to be left out.
func byNearness(ctx context.Context, bounds []bound, delta *big.Rat) []bound {
	if len(bounds) < 2 {
		return bounds
	}
	near := make(map[string]*big.Rat)
	for _, b := range bounds {
		if b.sol.short.Near == nil {
			return bounds
		}
		// A product without one has small losses only, or some that no number is near to.
		eps, ok := b.sol.short.Near(ctx, delta)
		if !ok {
			eps = new(big.Rat)
		}
		near[b.prod.String()] = eps
	}
	sorted := slices.Clone(bounds)
	slices.SortStableFunc(sorted, func(a, b bound) int { return near[b.prod.String()].Cmp(near[a.prod.String()]) })
	return sorted
}

// leftOut reports whether a bound does not matter for a maximum that is at least lower's lower
// end e: its own ε is at most e, because its profile falls and is at most delta at e. Beyond its losses that is known; else it is asked of
// its shortcut, and then of one value of moderate precision.
func (p *Profile) leftOut(ctx context.Context, b bound, delta *big.Rat, bits int, lower interval.Interval) (bool, error) {
	e, _, ok := interval.Point(lower.Lo()).Rationals()
	if !ok || b.sol.short.Above == nil {
		return false, nil
	}
	if v, ok := exactDelta(p.solver.effort.Bits(), b.prod, e); ok {
		return v.Cmp(delta) <= 0, nil
	}
	eps := interval.RealRat(e)
	if b.sol.short.Above(eps).LessEqRat(delta) == interval.True {
		return true, nil
	}
	y, err := p.solver.delta(ctx, b.sol, p.solver.crossing(b, delta, bits).Coarse(), eps)
	return err == nil && y.LessEqRat(delta) == interval.True, err
}

// An epsilonRoute encloses ε(δ) of one product, with its value where that is known to be rational. It reports false where it does not apply.
type epsilonRoute struct {
	route
	of func(s *solver, ctx context.Context, b bound, delta *big.Rat, bits int) (interval.Interval, *big.Rat, bool, error)
}

// epsilonRoutes are all of them; the first one that applies answers.
var epsilonRoutes = []epsilonRoute{
	{route{"infinite loss", bothSides, "δ at or below the mass of infinite loss", "next to nothing"}, (*solver).atInfiniteMass},
	{route{"one search", bothSides, "attained products with a method that bounds from both sides", "a few values"}, (*solver).oneSearch},
	{route{"a search for each end", bothSides, "all others", "a few values for each end"}, (*solver).searchEnds},
}

// searchRoutes make the search for the ε of a product shorter. Each is named as its field of [crossing.Problem].
var searchRoutes = []route{
	{"Exact", bothSides, "an ε beyond all finite losses, and ε = 0 of finite pairs", "next to nothing"},
	{"Decide", bothSides, "products with several methods", "values of one method"},
	{"Above", fromAbove, "products with a method that has a quick bound", "next to nothing"},
	{"Near", neither, "products with a method that has a quick guess", "next to nothing"},
	{"Rough", neither, "products whose methods are costly", "effort 0"},
}

// epsilon encloses ε(delta) for one bound.
func (p *Profile) epsilon(ctx context.Context, b bound, delta *big.Rat, bits int) (interval.Interval, *big.Rat, error) {
	for _, r := range epsilonRoutes {
		if y, v, ok, err := r.of(p.solver, ctx, b, delta, bits); ok || err != nil {
			return y, v, err
		}
	}
	panic("exact: no route to ε")
}

// oneSearch encloses ε(delta) where enclosures of the profile shrink to points.
func (s *solver) oneSearch(ctx context.Context, b bound, delta *big.Rat, bits int) (y interval.Interval, v *big.Rat, ok bool, err error) {
	if b.sol.twoSided && b.lower && b.upper {
		y, err = s.crossing(b, delta, bits).Solve(ctx)
		return y, nil, true, s.contradicted(err, b)
	}
	return y, nil, false, nil
}

// searchEnds encloses ε(delta) by one search for each end that counts.
func (s *solver) searchEnds(ctx context.Context, b bound, delta *big.Rat, bits int) (interval.Interval, *big.Rat, bool, error) {
	// δ(ε) ≥ 1 − e^ε says that ε(δ) ≥ log(1 − δ).
	w := s.effort.Bits() + 64
	lo, hi := w.Log1p(w.Rat(delta).Neg()), posInf
	one := func(side sides, end crossing.End, bound *interval.Interval) error {
		sol, ok := b.sol.on(side)
		if !ok {
			return nil
		}
		of := b
		of.sol = sol
		search := s.crossing(of, delta, bits)
		search.Decide, search.Rough, search.End = nil, nil, end
		y, err := search.Solve(ctx)
		*bound = y
		return err
	}
	if b.lower {
		if err := one(fromBelow, crossing.LowerEnd, &lo); err != nil {
			return lo, nil, true, err
		}
	}
	if b.upper {
		if err := one(fromAbove, crossing.UpperEnd, &hi); err != nil {
			return hi, nil, true, err
		}
		if l, ok := renyi.LossEnough(w, b.prod, delta); ok {
			hi = interval.Min(hi, l)
		}
	}
	return interval.Bounds(lo.Lo(), hi.Hi()), nil, true, nil
}

// crossing is the search for inf{ε : δ(ε) ≤ delta} of one bound, by searchRoutes.
func (s *solver) crossing(b bound, delta *big.Rat, bits int) *crossing.Problem {
	p := &crossing.Problem{Level: delta, Bits: bits, Full: s.effort.Bits()}
	p.Value = func(ctx context.Context, w interval.Prec, eps *big.Rat) (interval.Interval, error) {
		return s.delta(ctx, b.sol, w, interval.RealRat(eps))
	}
	if len(b.sol.used) > 1 {
		p.Decide = func(ctx context.Context, w interval.Prec, eps *big.Rat) (interval.Interval, error) {
			return s.decide(ctx, b.sol, w, interval.RealRat(eps), delta)
		}
	}
	p.Exact = func(eps *big.Rat) (*big.Rat, bool) { return exactDelta(p.Full, b.prod, eps) }
	if above := b.sol.short.Above; above != nil {
		p.Above = func(eps *big.Rat) interval.Interval { return above(interval.RealRat(eps)) }
	}
	if near := b.sol.short.Near; near != nil {
		p.Near = func(ctx context.Context) (*big.Rat, bool) { return near(ctx, delta) }
	}
	if s.effort > 0 && b.sol.cost > cheap {
		p.Rough = func(ctx context.Context) (*crossing.Problem, error) {
			rough := s.rough(delta)
			sol, err := rough.solve(ctx, b.prod)
			if err != nil || !sol.twoSided {
				return nil, err
			}
			return rough.crossing(bound{prod: b.prod, sol: sol}, delta, bits), nil
		}
	}
	return p
}

// contradicted reports what a search found to contradict itself as what it is here: some method
// is wrong.
func (s *solver) contradicted(err error, b bound) error {
	var c *crossing.Contradiction
	if !errors.As(err, &c) {
		return err
	}
	w := s.effort.Bits()
	said := interval.Union(interval.Int(0), w.Rat(c.Level))
	if c.Above {
		said = interval.Union(w.Rat(c.Level), interval.Int(1))
	}
	e := Contradiction("effort 0, or a single method", said, "all methods", c.Value)
	e.Product, e.Eps, e.Effort = b.prod.String(), c.X.RatString(), s.effort
	return e
}

// atInfiniteMass answers for delta at or below the mass m of infinite loss: no ε
// is enough below it, and the largest finite loss is at it. Where m is not known as a
// rational, it is the value of the profile at any bound of the finite losses.
func (s *solver) atInfiniteMass(ctx context.Context, b bound, delta *big.Rat, _ int) (interval.Interval, *big.Rat, bool, error) {
	var none interval.Interval
	if !b.lower {
		return none, nil, false, nil
	}
	m, ok := pair.InfMass(b.prod)
	if !ok {
		l, bounded := pair.LossBound(b.prod)
		if !bounded {
			return none, nil, false, nil
		}
		y, err := s.delta(ctx, b.sol, s.effort.Bits(), l.Enclose)
		return posInf, nil, y.LessEqRat(delta) == interval.False, err
	}
	switch m.Cmp(delta) {
	case 1:
		return posInf, nil, true, nil
	case -1:
		return none, nil, false, nil
	}
	if l, bounded := pair.MaxLoss(b.prod); bounded {
		y := l.Enclose(s.effort.Bits() + 64)
		if r, ok := l.Rat(); ok {
			return y, r, true, nil
		}
		return y, nil, true, nil
	}
	if pair.Unbounded(b.prod) {
		return posInf, nil, true, nil
	}
	y := renyi.GreatestLoss(s.effort.Bits()+64, b.prod)
	return y, nil, y.IsFinite(), nil
}

var posInf, negInf = interval.PosInf(), interval.NegInf()
