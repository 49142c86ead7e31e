package exact

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Epsilon returns an enclosure of ε(δ) = inf{ε ∈ ℝ : δ(ε) ≤ delta}, in nats. It is
// negative where even δ(0) < delta, +∞ where delta is below the mass of infinite
// loss, and −∞ for delta ≥ 1.
//
// The enclosure has about bits settled leading bits if the effort allows it.
//
// Requires: delta ≥ 0.
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
	r := p.result()
	if delta.Cmp(big.NewRat(1, 1)) >= 0 {
		r.Interval = negInf
		return r, nil
	}
	lower, upper := negInf, negInf
	exact := true
	var value *big.Rat
	for _, b := range p.bounds {
		y, v, err := p.epsilon(ctx, b, delta, bits)
		if err != nil {
			return r, p.reproducible(err)
		}
		if b.lower {
			lower = interval.Max(lower, y)
		}
		if b.upper {
			upper = interval.Max(upper, y)
		}
		switch {
		case !b.lower || !b.upper || v == nil:
			exact = false
		case value == nil || v.Cmp(value) > 0:
			value = v
		}
	}
	if lower.Lo().Cmp(upper.Hi()) > 0 {
		e := &InconsistencyError{First: "lower bounds of ε", Second: "upper bounds of ε", Product: p.problem.Product.String(), Effort: p.solver.effort}
		e.FirstLo, e.FirstHi = lower.Decimal(30)
		e.SecondLo, e.SecondHi = upper.Decimal(30)
		return r, p.reproducible(e)
	}
	r.Interval = interval.Bounds(lower.Lo(), upper.Hi())
	if exact && value != nil {
		r.Value = value
	}
	return r, nil
}

// epsilon encloses ε(delta) for one bound: by one search if enclosures of its profile
// shrink to points, and otherwise by one for each end that counts.
func (p *Profile) epsilon(ctx context.Context, b bound, delta *big.Rat, bits int) (interval.Interval, *big.Rat, error) {
	s := search{ctx: ctx, solver: p.solver, b: b, delta: delta, bits: bits}
	if y, v, ok := s.atInfiniteMass(); ok {
		return y, v, nil
	}
	if b.sol.twoSided && b.lower && b.upper {
		y, err := s.run()
		return y, nil, err
	}
	lo, hi := negInf, posInf
	if b.lower {
		t := s
		t.end = lowerEnd
		y, err := t.run()
		if err != nil {
			return y, nil, err
		}
		lo = y
	}
	if b.upper {
		t := s
		t.end = upperEnd
		y, err := t.run()
		if err != nil {
			return y, nil, err
		}
		hi = y
	}
	return interval.Bounds(lo.Lo(), hi.Hi()), nil, nil
}

var (
	posInf = extended(false)
	negInf = extended(true)
)

// extended returns the point ±∞ of the extended reals.
func extended(negative bool) interval.Interval {
	f := new(big.Float).SetInf(negative)
	return interval.Bounds(f, f)
}

// An end says which end of the enclosures of δ a search goes by. The function that
// one end is of ε falls like δ itself; a search by the lower end finds a lower bound
// of ε, one by the upper end an upper bound.
type end int

const (
	bothEnds end = iota
	lowerEnd
	upperEnd
)

// A search encloses inf{ε : δ(ε) ≤ delta} for one profile.
type search struct {
	ctx    context.Context
	solver *Solver
	b      bound
	delta  *big.Rat
	bits   int
	end    end

	lo, hi *big.Rat // δ(lo) > delta and δ(hi) ≤ delta for certain; nil: none found
	dlo    interval.Interval
	dhi    interval.Interval
}

// A side says on which side of the searched ε a point lies.
type side int

const (
	open  side = iota // the enclosure of δ(ε) contains delta
	left              // δ(ε) > delta: ε is to the left
	right             // δ(ε) ≤ delta
)

// at evaluates the profile at ε and moves lo or hi there if that is certain.
func (s *search) at(eps *big.Rat) (side, interval.Interval, error) {
	y, err := s.solver.delta(s.ctx, s.b.sol, s.solver.effort.Bits(), interval.RealRat(eps))
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
	if v, ok := exactDelta(s.b.prod, eps); ok && s.end == bothEnds {
		t = interval.False
		if v.Cmp(s.delta) <= 0 {
			t = interval.True
		}
	}
	switch t {
	case interval.False:
		if s.lo == nil || eps.Cmp(s.lo) > 0 {
			s.lo, s.dlo = eps, y
		}
		return left, y, nil
	case interval.True:
		if s.hi == nil || eps.Cmp(s.hi) < 0 {
			s.hi, s.dhi = eps, y
		}
		return right, y, nil
	}
	return open, y, nil
}

// run returns the enclosure; of a search by one end, only that end means anything.
func (s *search) run() (interval.Interval, error) {
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

// atInfiniteMass answers for delta at or below the mass m of infinite loss: no ε
// is enough below it, and the largest finite loss is at it.
func (s *search) atInfiniteMass() (interval.Interval, *big.Rat, bool) {
	m, ok := pair.InfMass(s.b.prod)
	if !ok || !s.b.lower {
		return interval.Interval{}, nil, false
	}
	switch m.Cmp(s.delta) {
	case 1:
		return posInf, nil, true
	case -1:
		return interval.Interval{}, nil, false
	}
	if l, ok := pair.MaxLoss(s.b.prod); ok {
		y := l.Enclose(s.solver.effort.Bits() + 64)
		if r, ok := l.Rat(); ok {
			return y, r, true
		}
		return y, nil, true
	}
	if pair.Unbounded(s.b.prod) {
		return posInf, nil, true
	}
	return interval.Interval{}, nil, false
}

// maxDoublings bounds |ε| by 2^40 in the search for a bracket.
const maxDoublings = 40

// bracket looks for points on either side, from 0 outwards in powers of two.
func (s *search) bracket() error {
	first, _, err := s.at(new(big.Rat))
	if err != nil {
		return err
	}
	for sign := int64(1); sign >= -1; sign -= 2 {
		// To the right until δ ≤ delta, to the left until δ > delta.
		if sign > 0 && first == right || sign < 0 && s.lo != nil {
			continue
		}
		for k := -6; k <= maxDoublings; k++ {
			eps := pow2(k)
			if sign < 0 {
				eps.Neg(eps)
			}
			at, _, err := s.at(eps)
			if err != nil {
				return err
			}
			if sign > 0 && at == right || sign < 0 && at == left {
				break
			}
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
// Points are proposed by interpolating log δ between the two ends, alternating
// with bisection; where the answer is open, the open zone is walked out from the
// point in steps that grow from the size that the enclosure's width suggests.
func (s *search) narrow() error {
	const maxSteps = 400
	stalled := 0
	for step := range maxSteps {
		if s.settled() {
			return nil
		}
		x := s.middle()
		if stalled < 2 && step%4 != 3 {
			if y, ok := s.interpolate(); ok {
				x = y
			}
		}
		lo, hi := s.lo, s.hi
		at, y, err := s.at(x)
		if err != nil {
			return err
		}
		if at == open {
			return s.walkOut(x, y)
		}
		// Interpolation that moves one end only by little is slower than bisection.
		was, is := new(big.Rat).Sub(hi, lo), new(big.Rat).Sub(s.hi, s.lo)
		if is.Mul(is, big.NewRat(2, 1)).Cmp(was) > 0 {
			stalled++
		} else {
			stalled = 0
		}
	}
	return nil
}

// settled reports hi − lo ≤ 2^−bits·max(|hi|, 2^−bits).
func (s *search) settled() bool {
	d := new(big.Rat).Sub(s.hi, s.lo)
	m := new(big.Rat).Abs(s.hi)
	if floor := pow2(-s.bits); m.Cmp(floor) < 0 {
		m = floor
	}
	return d.Cmp(m.Mul(m, pow2(-s.bits))) <= 0
}

func (s *search) middle() *big.Rat {
	x := new(big.Rat).Add(s.lo, s.hi)
	return s.short(x.Mul(x, big.NewRat(1, 2)))
}

// short rounds a point between lo and hi to a few more bits than the gap needs.
func (s *search) short(x *big.Rat) *big.Rat {
	gap := new(big.Rat).Sub(s.hi, s.lo)
	k := gap.Denom().BitLen() - gap.Num().BitLen() + 40
	if k < 40 {
		k = 40
	}
	n := new(big.Int).Lsh(x.Num(), uint(k))
	n.Quo(n, x.Denom())
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), uint(k)))
}

// interpolate proposes where log δ is log delta, if it were linear between lo and
// hi. The proposal is a guess: only evaluation decides.
func (s *search) interpolate() (*big.Rat, bool) {
	const p = interval.Prec(96)
	f := func(d interval.Interval) (interval.Interval, bool) {
		m := p.Mid(d)
		if m.Positive() != interval.True {
			return m, false
		}
		return p.Mid(p.Log(m)), true
	}
	a, ok1 := f(s.dlo)
	b, ok2 := f(s.dhi)
	c, ok3 := f(p.Rat(s.delta))
	if !ok1 || !ok2 || !ok3 {
		return nil, false
	}
	t, _, ok := p.Mid(p.Div(p.Sub(a, c), p.Sub(a, b))).Rationals()
	if !ok || t.Sign() <= 0 || t.Cmp(big.NewRat(1, 1)) >= 0 {
		return nil, false
	}
	x := new(big.Rat).Sub(s.hi, s.lo)
	x.Add(x.Mul(x, t), s.lo)
	x = s.short(x)
	if x.Cmp(s.lo) <= 0 || x.Cmp(s.hi) >= 0 {
		return nil, false
	}
	return x, true
}

// walkOut finds decided points close to the open point x, at which δ was enclosed
// in y.
func (s *search) walkOut(x *big.Rat, y interval.Interval) error {
	gap := new(big.Rat).Sub(s.hi, s.lo)
	for _, sign := range []int64{-1, 1} {
		h := s.openWidth(gap, y)
		for {
			if err := s.ctx.Err(); err != nil {
				return err
			}
			z := new(big.Rat).Add(x, new(big.Rat).Mul(h, big.NewRat(sign, 1)))
			if z.Cmp(s.lo) <= 0 || z.Cmp(s.hi) >= 0 {
				break
			}
			at, _, err := s.at(s.short(z))
			if err != nil {
				return err
			}
			if at != open {
				break
			}
			h = new(big.Rat).Mul(h, big.NewRat(4, 1))
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
