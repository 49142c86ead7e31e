// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"dpverify/exact/crossing"
	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/internal/number"
	"dpverify/mechanism/argument"
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
	return p.epsilonTo(ctx, delta, accuracy{bits: bits})
}

// EpsilonTo is Epsilon to so many decimal digits, which both ends have in common when they are rounded outward to them
// or to those of a quote, but for a unit of the last one.
func (p *Profile) EpsilonTo(ctx context.Context, delta *big.Rat, digits int) (Result, error) {
	return p.epsilonTo(ctx, delta, accuracy{DigitBits(digits), digits})
}

// An accuracy is what is wanted of ε: leading bits, and, if not 0, no more digits than so many.
type accuracy struct{ bits, digits int }

// DigitBits is the leading bits that digits take, and some more: log2 10 < 3.322.
func DigitBits(digits int) int { return digits*33220/10000 + 10 }

// alike is [crossing.Problem.Alike]: about an ε near x, between which numbers an answer may lie.
//
// Its ends are printed with so many digits, rounded outward, and the number to quote is its upper end, rounded up to
// [number.QuotedDigits]. For lo above the greatest decimal of that length below x, and hi below the least one above x,
// no closer enclosure of x is printed or quoted otherwise. And hi − lo ≤ 0.9·10^−digits·|x|.
func (a accuracy) alike() func(x *big.Rat) (from, to *big.Rat) {
	if a.digits == 0 {
		return nil
	}
	last := number.PowerOfTen(-a.digits)
	wide := new(big.Rat).Mul(last, big.NewRat(9, 20))
	return func(x *big.Rat) (from, to *big.Rat) {
		size := new(big.Rat).Abs(x)
		if size.Cmp(last) < 0 {
			return nil, nil
		}
		below := func(digits int) (at, unit *big.Rat) {
			unit = number.In{Digits: digits}.Unit(size)
			q := new(big.Rat).Quo(x, unit)
			at = new(big.Rat).SetInt(new(big.Int).Div(q.Num(), q.Denom()))
			return at.Mul(at, unit), unit
		}
		from, _ = below(a.digits)
		to, unit := below(max(a.digits, number.QuotedDigits))
		to.Add(to, unit)
		size.Mul(size, wide)
		if least := new(big.Rat).Sub(x, size); from.Cmp(least) < 0 {
			from = least
		}
		if most := size.Add(x, size); to.Cmp(most) > 0 {
			to = most
		}
		return from, to
	}
}

func (p *Profile) epsilonTo(ctx context.Context, delta *big.Rat, a accuracy) (Result, error) {
	if err := cmp.Or(argument.Number("delta", delta, new(big.Rat), nil), checkBits(a.bits)); err != nil {
		return Result{}, err
	}
	ctx = p.question.limit(ctx)
	if p.solver.Draft != Settled {
		a = accuracy{bits: min(a.bits, method.DraftBits)}
	}
	r := p.result()
	if delta.Cmp(big.NewRat(1, 1)) >= 0 {
		r.Interval = negInf
		return r, nil
	}
	command := "epsilon --delta=" + number.Format(delta)
	exact := true
	var value *big.Rat
	y, err := p.greatest(byNearness(ctx, p.bounds, delta), negInf, " of ε", nil,
		func(b method.Bound, lower interval.Interval) (interval.Interval, error) {
			if out, err := p.leftOut(ctx, b, delta, a, lower); out || err != nil {
				return negInf, err
			}
			y, v, err := p.epsilon(ctx, b, delta, a)
			switch {
			case !b.Lower || !b.Upper || v == nil:
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
func byNearness(ctx context.Context, bounds []method.Bound, delta *big.Rat) []method.Bound {
	if len(bounds) < 2 {
		return bounds
	}
	if sorted, ok := byAbout(bounds, delta); ok {
		return sorted
	}
	near := make(map[string]*big.Rat)
	for _, b := range bounds {
		if b.Sol.Short.Near == nil {
			return bounds
		}
		// A product without one has small losses only, or some that no number is near to.
		eps, ok := b.Sol.Short.Near(ctx, delta)
		if !ok {
			eps = new(big.Rat)
		}
		near[b.Prod.String()] = eps
	}
	sorted := slices.Clone(bounds)
	slices.SortStableFunc(sorted, func(a, b method.Bound) int {
		return near[b.Prod.String()].Cmp(near[a.Prod.String()])
	})
	return sorted
}

// byAbout is byNearness by guesses of less cost, where one of them is far above the others.
func byAbout(bounds []method.Bound, delta *big.Rat) (sorted []method.Bound, ok bool) {
	about := make(map[string]*big.Rat)
	for _, b := range bounds {
		if b.Sol.Short.About == nil {
			return nil, false
		}
		eps, ok := b.Sol.Short.About(delta)
		if !ok {
			return nil, false
		}
		about[b.Prod.String()] = eps
	}
	sorted = slices.Clone(bounds)
	slices.SortStableFunc(sorted, func(a, b method.Bound) int {
		return about[b.Prod.String()].Cmp(about[a.Prod.String()])
	})
	first, second := about[sorted[0].Prod.String()], about[sorted[1].Prod.String()]
	apart := big.NewRat(21, 20)
	return sorted, first.Sign() > 0 && first.Cmp(apart.Mul(apart, second)) > 0
}

// leftOut reports whether a bound does not matter for a maximum that is at least lower's lower
// end e: its own ε is at most e, because its profile falls and is at most delta at e. Beyond its losses that is known;
// else it is asked of its shortcut, and then of one value of moderate precision.
func (p *Profile) leftOut(ctx context.Context, b method.Bound, delta *big.Rat, a accuracy,
	lower interval.Interval) (bool, error) {
	e, _, ok := interval.Point(lower.Lo()).Rationals()
	if !ok || b.Sol.Short.Above == nil {
		return false, nil
	}
	if v, ok := method.ExactDelta(p.solver.Effort.Bits(), b.Prod, e); ok {
		return v.Cmp(delta) <= 0, nil
	}
	eps := interval.RealRat(e)
	if b.Sol.Short.Above(eps).LessEqRat(delta) == interval.True {
		return true, nil
	}
	full := search(p.solver, b, delta, a).Coarse()
	for _, w := range []interval.Prec{min(apartBits, full), max(full-apartBits, interval.MinPrec), full} {
		y, err := p.solver.Delta(ctx, b.Sol, w, eps)
		if out := y.LessEqRat(delta); err != nil || out != interval.Unknown {
			return err == nil && out == interval.True, err
		}
	}
	return false, nil
}

// apartBits tell two directions apart, but where they are nearly the same.
const apartBits = 8

// An epsilonRoute encloses ε(δ) of one product, with its value where that is known to be rational. It reports false
// where it does not apply.
type epsilonRoute struct {
	method.Route
	of func(ctx context.Context, s *method.Solver, b method.Bound, delta *big.Rat,
		a accuracy) (interval.Interval, *big.Rat, bool, error)
}

// epsilonRoutes are all of them; the first one that applies answers.
var epsilonRoutes = []epsilonRoute{
	{method.Route{Name: "infinite loss", Bounds: method.BothSides, Applies: "δ at or below the mass of infinite loss",
		Cost: "next to nothing"}, atInfiniteMass},
	{method.Route{Name: "one search", Bounds: method.BothSides, Applies: "attained products with a method that bounds " +
		"from both sides", Cost: "a few values"}, oneSearch},
	{method.Route{Name: "a search for each end", Bounds: method.BothSides, Applies: "all others",
		Cost: "a few values for each end"}, searchEnds},
}

// epsilon encloses ε(delta) for one bound.
func (p *Profile) epsilon(ctx context.Context, b method.Bound, delta *big.Rat,
	a accuracy) (interval.Interval, *big.Rat, error) {
	for _, r := range epsilonRoutes {
		if y, v, ok, err := r.of(ctx, p.solver, b, delta, a); ok || err != nil {
			return y, v, err
		}
	}
	panic("exact: no route to ε")
}

// oneSearch encloses ε(delta) where enclosures of the profile shrink to points.
func oneSearch(ctx context.Context, s *method.Solver, b method.Bound, delta *big.Rat,
	a accuracy) (y interval.Interval, v *big.Rat, ok bool, err error) {
	if b.Sol.TwoSided && b.Lower && b.Upper {
		y, err = search(s, b, delta, a).Solve(ctx)
		return y, nil, true, err
	}
	return y, nil, false, nil
}

// searchEnds encloses ε(delta) by one search for each end that counts.
func searchEnds(ctx context.Context, s *method.Solver, b method.Bound, delta *big.Rat,
	a accuracy) (interval.Interval, *big.Rat, bool, error) {
	// δ(ε) ≥ 1 − e^ε says that ε(δ) ≥ log(1 − δ).
	w := s.Effort.Bits() + 64
	lo, hi := w.Log1p(w.Rat(delta).Neg()), posInf
	one := func(side method.Sides, end crossing.End, bound *interval.Interval) error {
		sol, ok := b.Sol.On(side)
		if !ok {
			return nil
		}
		of := b
		of.Sol = sol
		one := search(s, of, delta, a)
		one.End = end
		y, err := one.Solve(ctx)
		*bound = y
		return err
	}
	if b.Lower {
		if err := one(method.FromBelow, crossing.LowerEnd, &lo); err != nil {
			return lo, nil, true, err
		}
	}
	if b.Upper {
		if err := one(method.FromAbove, crossing.UpperEnd, &hi); err != nil {
			return hi, nil, true, err
		}
		if l, ok := renyi.LossEnough(w, b.Prod, delta); ok {
			hi = interval.Min(hi, l)
		}
	}
	return interval.Bounds(lo.Lo(), hi.Hi()), nil, true, nil
}

// search is the search for inf{ε : δ(ε) ≤ delta} of one bound.
func search(s *method.Solver, b method.Bound, delta *big.Rat, a accuracy) *crossing.Problem {
	p := &crossing.Problem{Level: delta, Bits: a.bits, Full: s.Effort.Bits(), Alike: a.alike()}
	p.Value = func(ctx context.Context, w interval.Prec, eps *big.Rat) (interval.Interval, error) {
		return s.Delta(ctx, b.Sol, w, interval.RealRat(eps))
	}
	if b.Sol.Short.Near != nil { // each precision has its price
		const spare = 64
		p.Full = min(p.Full, interval.Prec(2*a.bits+spare))
	}
	p.Exact = func(eps *big.Rat) (*big.Rat, bool) { return method.ExactDelta(s.Effort.Bits(), b.Prod, eps) }
	if above := b.Sol.Short.Above; above != nil {
		p.Above = func(eps *big.Rat) interval.Interval { return above(interval.RealRat(eps)) }
	}
	if near := b.Sol.Short.Near; near != nil {
		p.Near = func(ctx context.Context) (*big.Rat, bool) { return near(ctx, delta) }
	}
	return p
}

// atInfiniteMass answers for delta at or below the mass m of infinite loss: no ε
// is enough below it, and the largest finite loss is at it. Where m is not known as a
// rational, it is the value of the profile at any bound of the finite losses. Another mechanism at each ε has no losses
// of the product that it is told by: one of them may have greater ones.
func atInfiniteMass(ctx context.Context, s *method.Solver, b method.Bound, delta *big.Rat,
	_ accuracy) (interval.Interval, *big.Rat, bool, error) {
	var none interval.Interval
	if !b.Lower || b.Pointwise {
		return none, nil, false, nil
	}
	m, ok := pair.InfMass(b.Prod)
	if !ok {
		l, bounded := pair.LossBound(b.Prod)
		if !bounded {
			return none, nil, false, nil
		}
		y, err := s.Delta(ctx, b.Sol, s.Effort.Bits(), l.Enclose)
		return posInf, nil, y.LessEqRat(delta) == interval.False, err
	}
	switch m.Cmp(delta) {
	case 1:
		return posInf, nil, true, nil
	case -1:
		return none, nil, false, nil
	}
	if l, bounded := pair.MaxLoss(b.Prod); bounded {
		y := l.Enclose(s.Effort.Bits() + 64)
		if r, ok := l.Rat(); ok {
			return y, r, true, nil
		}
		return y, nil, true, nil
	}
	if pair.Unbounded(b.Prod) {
		return posInf, nil, true, nil
	}
	y := renyi.GreatestLoss(s.Effort.Bits()+64, b.Prod)
	return y, nil, y.IsFinite(), nil
}

var posInf, negInf = interval.PosInf(), interval.NegInf()
