// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
)

// An end says which end of the enclosures of δ a search goes by. Each end is
// itself a non-increasing function of ε, so that a search with the lower end yields a lower
// bound of ε(δ), and one with the upper end an upper bound.
type end int

const (
	bothEnds end = iota
	lowerEnd
	upperEnd
)

// A search encloses inf{ε : δ(ε) ≤ delta} for one profile.
//
// Every point that moves lo or hi is decided by an enclosure of δ there, so that the
// result is right whatever the points are; how they are proposed, and the precision
// of their evaluation, only matters for the number of steps.
type search struct {
	ctx    context.Context
	solver *solver
	b      bound
	delta  *big.Rat
	bits   int
	end    end

	lo, hi *big.Rat // δ(lo) > delta and δ(hi) ≤ delta for certain; nil: none found
	dlo    interval.Interval
	dhi    interval.Interval
	recent []sample // the last points, newest first, at most three

	previewed bool // lo and hi come from a lower effort
}

// A sample is a point and about log(δ(x)/delta).
type sample struct {
	x *big.Rat
	g interval.Interval
}

// A side says on which side of the searched ε a point lies.
type side int

const (
	open  side = iota // the enclosure of δ(ε) contains delta
	left              // δ(ε) > delta: ε is to the left
	right             // δ(ε) ≤ delta
)

// coarse is a precision that tells points far from the searched ε apart. Where each precision
// has a price of its own, it is the one that the wanted bits take.
func (s *search) coarse() interval.Prec {
	p := interval.Prec(64)
	if s.b.sol.short.Near != nil {
		p = interval.Prec(s.bits + 8)
	}
	return min(p, s.solver.effort.Bits())
}

// at evaluates the profile at ε, first with p bits and then with all, and moves lo
// or hi there if that is certain.
func (s *search) at(eps *big.Rat, p interval.Prec) (side, interval.Interval, error) {
	if above := s.b.sol.short.Above; above != nil && s.hi == nil {
		if y := above(interval.RealRat(eps)); y.LessEqRat(s.delta) == interval.True {
			s.hi, s.dhi = eps, interval.Union(interval.Int(0), y)
			return right, s.dhi, nil
		}
	}
	full := s.solver.effort.Bits()
	at, y, err := s.decide(eps, min(p, full))
	if err == nil && at == open && p < full {
		at, y, err = s.decide(eps, full)
	}
	if err != nil {
		return open, y, err
	}
	s.remember(eps, y)
	switch at {
	case left:
		if s.lo == nil || eps.Cmp(s.lo) > 0 {
			s.lo, s.dlo = eps, y
		}
	case right:
		if s.hi == nil || eps.Cmp(s.hi) < 0 {
			s.hi, s.dhi = eps, y
		}
	}
	return at, y, nil
}

// decide compares δ(eps) with delta.
func (s *search) decide(eps *big.Rat, p interval.Prec) (side, interval.Interval, error) {
	var y interval.Interval
	var err error
	if s.end == bothEnds {
		y, err = s.solver.decide(s.ctx, s.b.sol, p, interval.RealRat(eps), s.delta)
	} else { // an end by itself is as good as all methods make it
		y, err = s.solver.delta(s.ctx, s.b.sol, p, interval.RealRat(eps))
	}
	if err != nil {
		return open, y, err
	}
	switch s.end {
	case lowerEnd:
		y = interval.Point(y.Lo())
	case upperEnd:
		y = interval.Point(y.Hi())
	}
	t := y.LessEqRat(s.delta)
	if v, ok := exactDelta(s.solver.effort.Bits(), s.b.prod, eps); ok && s.end == bothEnds {
		t = interval.False
		if v.Cmp(s.delta) <= 0 {
			t = interval.True
		}
	}
	switch t {
	case interval.False:
		return left, y, nil
	case interval.True:
		return right, y, nil
	}
	return open, y, nil
}

// remember keeps a point for interpolation.
func (s *search) remember(x *big.Rat, y interval.Interval) {
	p := interval.Prec(s.bits + 64)
	d, m := p.Rat(s.delta), p.Mid(y)
	if d.Positive() != interval.True || m.Positive() != interval.True {
		return
	}
	g := p.Mid(p.Log(p.Div(m, d)))
	if !g.IsFinite() {
		return
	}
	s.recent = append([]sample{{x, g}}, s.recent[:min(len(s.recent), 2)]...)
}

// run returns the enclosure. For a one-ended search only that end of the result is meaningful.
func (s *search) run() (interval.Interval, error) {
	if err := s.begin(); err != nil {
		return interval.Entire(), err
	}
	if err := s.preview(); err != nil {
		return interval.Entire(), err
	}
	if err := s.bracket(); err != nil {
		return interval.Entire(), err
	}
	if s.lo != nil && s.hi != nil {
		if err := s.narrow(); err != nil {
			return interval.Entire(), err
		}
	}
	w := s.solver.effort.Bits() + 64
	lo, hi := negInf, posInf
	if s.lo != nil {
		lo = w.Rat(s.lo)
	}
	if s.hi != nil {
		hi = w.Rat(s.hi)
	}
	return interval.Bounds(lo.Lo(), hi.Hi()), nil
}

// begin finds lo and hi next to where a shortcut says that ε is: on either side of it, at
// distances that grow. If they have to grow far, it was no good, and is forgotten.
func (s *search) begin() error {
	if s.b.sol.short.Near == nil || s.delta.Sign() <= 0 {
		return nil
	}
	x, ok := s.b.sol.short.Near(s.ctx, s.delta)
	if !ok {
		return nil
	}
	step := new(big.Rat).Abs(x)
	if floor := pow2(-10); step.Cmp(floor) < 0 {
		step = floor
	}
	step.Mul(step, pow2(-18))
	const most = 6
	for range most {
		at, _, err := s.at(x, s.coarse())
		if err != nil || s.lo != nil && s.hi != nil {
			return err
		}
		switch at {
		case left:
			x = new(big.Rat).Add(x, step)
		case right:
			x = new(big.Rat).Sub(x, step)
		default: // ε is here: what is next to it is decided
			if s.lo == nil {
				x = new(big.Rat).Sub(x, step)
			} else {
				x = new(big.Rat).Add(x, step)
			}
		}
		step = new(big.Rat).Mul(step, big.NewRat(16, 1))
	}
	return nil
}

// preview finds lo and hi at the lowest effort where the methods of this one are
// costly. What those methods say about the two is compared in the end, see confirm.
func (s *search) preview() error {
	if s.end != bothEnds || s.solver.effort == 0 || s.b.sol.cost <= cheap || s.lo != nil && s.hi != nil {
		return nil
	}
	rough := s.solver.rough(s.delta)
	sol, err := rough.solve(s.ctx, s.b.prod)
	if err != nil || !sol.twoSided {
		return err
	}
	t := search{ctx: s.ctx, solver: rough, b: s.b, delta: s.delta, bits: min(s.bits, 20)}
	t.b.sol = sol
	if err := t.bracket(); err != nil || t.lo == nil || t.hi == nil {
		return err
	}
	if err := t.narrow(); err != nil {
		return err
	}
	s.lo, s.hi, s.dlo, s.dhi, s.recent = t.lo, t.hi, t.dlo, t.dhi, t.recent
	s.previewed = true
	return nil
}

// atInfiniteMass answers for delta at or below the mass m of infinite loss: no ε
// is enough below it, and the largest finite loss is at it. Where m is not known as a
// rational, it is the value of the profile at any bound of the finite losses.
func (s *search) atInfiniteMass() (interval.Interval, *big.Rat, bool, error) {
	var none interval.Interval
	if !s.b.lower {
		return none, nil, false, nil
	}
	m, ok := pair.InfMass(s.b.prod)
	if !ok {
		l, bounded := pair.LossBound(s.b.prod)
		if !bounded {
			return none, nil, false, nil
		}
		y, err := s.solver.delta(s.ctx, s.b.sol, s.solver.effort.Bits(), l.Enclose)
		return posInf, nil, y.LessEqRat(s.delta) == interval.False, err
	}
	switch m.Cmp(s.delta) {
	case 1:
		return posInf, nil, true, nil
	case -1:
		return none, nil, false, nil
	}
	if l, bounded := pair.MaxLoss(s.b.prod); bounded {
		y := l.Enclose(s.solver.effort.Bits() + 64)
		if r, ok := l.Rat(); ok {
			return y, r, true, nil
		}
		return y, nil, true, nil
	}
	if pair.Unbounded(s.b.prod) {
		return posInf, nil, true, nil
	}
	y := renyi.GreatestLoss(s.solver.effort.Bits()+64, s.b.prod)
	return y, nil, y.IsFinite(), nil
}

const (
	// maxDoublings bounds the |ε| = 2^k for which every k is tried in the search for a bracket.
	maxDoublings = 40
	// maxExponent bounds |ε| by 2^maxExponent.
	maxExponent = maxDoublings << 6
)

// bracket looks for points on either side, from 0 outwards in powers of two, whose exponents
// double beyond 2^maxDoublings and are then bisected.
func (s *search) bracket() error {
	if s.lo != nil && s.hi != nil {
		return nil
	}
	first, _, err := s.at(new(big.Rat), s.coarse())
	if err != nil {
		return err
	}
	for sign := int64(1); sign >= -1; sign -= 2 {
		// To the right until δ ≤ delta, to the left until δ > delta.
		if sign > 0 && first == right || sign < 0 && s.lo != nil {
			continue
		}
		found := func(k int) (bool, error) {
			eps := pow2(k)
			if sign < 0 {
				eps.Neg(eps)
			}
			at, _, err := s.at(eps, s.coarse())
			return sign > 0 && at == right || sign < 0 && at == left, err
		}
		if err := outwards(found); err != nil {
			return err
		}
	}
	return nil
}

// outwards asks for exponents k until one is found, as told by found, and the one below it is not.
func outwards(found func(k int) (bool, error)) error {
	below, k := -7, -6
	for {
		ok, err := found(k)
		if err != nil || !ok && k >= maxExponent {
			return err
		}
		if ok {
			break
		}
		below = k
		if k < maxDoublings {
			k++
		} else {
			k *= 2
		}
	}
	for k-below > 1 {
		middle := (below + k) / 2
		ok, err := found(middle)
		if err != nil {
			return err
		}
		if ok {
			k = middle
		} else {
			below = middle
		}
	}
	return nil
}

func pow2(k int) *big.Rat {
	r := big.NewRat(1, 1)
	if k >= 0 {
		return r.SetInt(new(big.Int).Lsh(big.NewInt(1), uint(k)))
	}
	return r.SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(-k)))
}

// narrow moves lo and hi towards each other until they agree in the wanted
// leading bits or the enclosures of δ do not tell any more.
//
// Points come from inverse interpolation of log δ through the last three; where that
// does not shrink log δ − log delta by much, or for some steps not the gap between lo
// and hi, the middle is taken: log δ of a δ near 1 is flat on one side and steep on the
// other, and the points then creep along from both ends. Once
// a proposal comes next to one end, points are tried a little further on, so that the
// other end follows. Where the answer is open, the open zone is walked out from the
// point in steps that grow from the size that the enclosure's width suggests.
func (s *search) narrow() error {
	const maxSteps = 400
	s.recent = s.recent[:min(len(s.recent), 2)]
	slow, shift := 0, 0
	wide, stalled := s.gap(), 0 // the last gap that was half of the one before, and the steps since
	for range maxSteps {
		if s.settled() {
			break
		}
		if gap := s.gap(); new(big.Rat).Add(gap, gap).Cmp(wide) <= 0 {
			wide, stalled = gap, 0
		}
		stalled++
		x, ok := s.interpolate()
		switch {
		case !ok || slow >= 3 || stalled > 6:
			x, slow, stalled = s.middle(), 0, 0
		case s.b.sol.short.Near != nil:
			x = s.off(x)
		default:
			x, shift = s.beside(x, shift)
		}
		if x.Cmp(s.lo) <= 0 || x.Cmp(s.hi) >= 0 {
			x = s.middle()
		}
		was := s.residue()
		at, y, err := s.at(x, s.precision(x))
		if err != nil {
			return err
		}
		if at == open {
			if err := s.walkOut(x, y); err != nil {
				return err
			}
			break
		}
		if is := s.residue(); interval.Prec(64).Scale(is, 2).Less(was) == interval.True {
			slow = 0
		} else {
			slow++
		}
	}
	return s.confirm()
}

// confirm evaluates all methods at both ends: the search itself asks only as many
// as it needs, and may have started from what a lower effort found. A single method has been asked.
func (s *search) confirm() error {
	if len(s.b.sol.funcs) == 1 && !s.previewed {
		return nil
	}
	for _, end := range []struct {
		x     *big.Rat
		wrong interval.Truth // of δ(x) ≤ delta
	}{{s.lo, interval.True}, {s.hi, interval.False}} {
		y, err := s.solver.delta(s.ctx, s.b.sol, s.solver.effort.Bits(), interval.RealRat(end.x))
		if err != nil {
			return err
		}
		if _, exact := exactDelta(s.solver.effort.Bits(), s.b.prod, end.x); s.end != bothEnds || exact || y.LessEqRat(s.delta) != end.wrong {
			continue
		}
		e := &InconsistencyError{First: "effort 0, or a single method", Second: "all methods", Product: s.b.prod.String(), Eps: end.x.RatString(), Effort: s.solver.effort}
		e.FirstLo, e.FirstHi = "0", s.delta.RatString()
		if end.wrong == interval.True {
			e.FirstLo, e.FirstHi = s.delta.RatString(), "1"
		}
		e.SecondLo, e.SecondHi = y.Decimal(30)
		return e
	}
	return nil
}

// residue is |log δ − log delta| at the last point.
func (s *search) residue() interval.Interval {
	if len(s.recent) == 0 {
		return interval.Int(1)
	}
	return s.recent[0].g.Abs()
}

// precision is one that tells x from the searched ε, if it lies as far off as the
// last step was long, squared.
func (s *search) precision(x *big.Rat) interval.Prec {
	if len(s.recent) == 0 || x.Sign() == 0 || s.b.sol.short.Near != nil {
		return s.coarse()
	}
	d := new(big.Rat).Sub(x, s.recent[0].x)
	if d.Sign() == 0 {
		return interval.Prec(s.bits + 64)
	}
	d.Quo(x, d)
	return max(s.coarse(), interval.Prec(2*max(0, d.Num().BitLen()-d.Denom().BitLen())))
}

// tolerance is 2^−bits·max(|hi|, 2^−bits).
func (s *search) tolerance() *big.Rat {
	m := new(big.Rat).Abs(s.hi)
	if floor := pow2(-s.bits); m.Cmp(floor) < 0 {
		m = floor
	}
	return m.Mul(m, pow2(-s.bits))
}

// gap is hi − lo.
func (s *search) gap() *big.Rat { return new(big.Rat).Sub(s.hi, s.lo) }

// settled reports that hi − lo is within the tolerance.
func (s *search) settled() bool { return s.gap().Cmp(s.tolerance()) <= 0 }

func (s *search) middle() *big.Rat {
	x := new(big.Rat).Add(s.lo, s.hi)
	return s.short(x.Mul(x, big.NewRat(1, 2)))
}

// short rounds a point down to a few bits more than the tolerance needs.
func (s *search) short(x *big.Rat) *big.Rat {
	t := s.tolerance()
	k := max(0, t.Denom().BitLen()-t.Num().BitLen()+16)
	n := new(big.Int).Lsh(x.Num(), uint(k))
	n.Div(n, x.Denom())
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), uint(k)))
}

// interpolate proposes where log δ is log delta, if the inverse function were a
// polynomial through the last points.
func (s *search) interpolate() (*big.Rat, bool) {
	if len(s.recent) < 2 {
		return nil, false
	}
	// Lagrange: x = Σ x_i Π_{j≠i} g_j/(g_j − g_i).
	p := interval.Prec(s.bits + 64)
	sum := interval.Int(0)
	for i, a := range s.recent {
		t := p.Rat(a.x)
		for j, b := range s.recent {
			if j == i {
				continue
			}
			d := p.Sub(b.g, a.g)
			if d.Positive() == d.Negative() {
				return nil, false
			}
			t = p.Mul(t, p.Div(b.g, d))
		}
		sum = p.Add(sum, t)
	}
	x, _, ok := p.Mid(sum).Rationals()
	if !ok {
		return nil, false
	}
	return s.short(x), true
}

// beside moves a proposal that is next to one end, or beyond it, off that end by
// about the tolerance, and by more each time that this happens again.
func (s *search) beside(x *big.Rat, shift int) (*big.Rat, int) {
	t := s.tolerance()
	quarter := new(big.Rat).Mul(t, big.NewRat(1, 4))
	off := t.Mul(t, new(big.Rat).Mul(big.NewRat(3, 4), pow2(2*shift)))
	switch {
	case new(big.Rat).Sub(x, s.lo).Cmp(quarter) < 0:
		return s.short(off.Add(s.lo, off)), shift + 1
	case new(big.Rat).Sub(s.hi, x).Cmp(quarter) < 0:
		return s.short(off.Sub(s.hi, off)), shift + 1
	}
	return x, 0
}

// off moves a proposal off the searched ε, where more precision has its price: by less than half of
// the tolerance, down until lo is as near, and then up.
func (s *search) off(x *big.Rat) *big.Rat {
	t := s.tolerance()
	d := new(big.Rat).Mul(t, big.NewRat(3, 8))
	if new(big.Rat).Sub(x, s.lo).Cmp(t.Mul(t, big.NewRat(1, 2))) > 0 {
		d.Neg(d)
	}
	return s.short(d.Add(d, x))
}

// walkOut finds decided points close to the open point x, at which δ was enclosed
// in y, on either side.
func (s *search) walkOut(x *big.Rat, y interval.Interval) error {
	h := s.openWidth(s.gap(), y)
	if err := s.walk(x, h, -1); err != nil {
		return err
	}
	return s.walk(x, h, 1)
}

// walk finds the decided point next to the open point x on the side of the sign, up to a
// sixteenth of the step from the last open point to it: from a distance h it goes on while
// points are open, or comes back while they are decided, by factors of 4, and then halves
// what is in between. The end of the range is decided.
func (s *search) walk(x, h *big.Rat, sign int64) error {
	far := new(big.Rat).Sub(s.hi, x)
	if sign < 0 {
		far = new(big.Rat).Sub(x, s.lo)
	}
	near := new(big.Rat)
	try := func(h *big.Rat) error {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		z := new(big.Rat).Add(x, new(big.Rat).Mul(h, big.NewRat(sign, 1)))
		at, _, err := s.at(s.short(z), s.solver.effort.Bits())
		if at == open {
			near = h
		} else {
			far = h
		}
		return err
	}
	four, quarter, half := big.NewRat(4, 1), big.NewRat(1, 4), big.NewRat(1, 2)
	if h.Cmp(far) >= 0 {
		h = new(big.Rat).Mul(far, quarter)
	}
	for h.Cmp(near) > 0 && h.Cmp(far) < 0 {
		if err := try(h); err != nil {
			return err
		}
		switch {
		case near == h:
			h = new(big.Rat).Mul(h, four)
		case h.Cmp(s.tolerance()) <= 0:
			return nil
		default:
			h = new(big.Rat).Mul(h, quarter)
		}
	}
	for range 4 {
		h := new(big.Rat).Add(near, far)
		h.Mul(h, half)
		if new(big.Rat).Sub(far, near).Cmp(s.tolerance()) <= 0 {
			break
		}
		if err := try(h); err != nil {
			return err
		}
	}
	return nil
}

// openWidth estimates the width of the zone of ε in which δ's enclosure contains
// delta: the enclosure's width over the slope between lo and hi.
func (s *search) openWidth(gap *big.Rat, y interval.Interval) *big.Rat {
	const p = interval.Prec(64)
	rise := p.Mid(p.Sub(s.dlo, s.dhi))
	width := p.Sub(interval.Point(y.Hi()), interval.Point(y.Lo()))
	w, _, ok := p.Mid(p.Mul(p.Rat(gap), p.Div(width, rise))).Rationals()
	least := new(big.Rat).Mul(gap, pow2(-s.bits-8))
	if !ok || w.Cmp(least) < 0 {
		return least
	}
	return w
}
