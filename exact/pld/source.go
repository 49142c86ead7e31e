package pld

import (
	"context"
	"math/big"
	"sync"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// A source is a factor whose loss can be put on a grid: it has the upper tails of
// its loss in closed form, or finitely many outcomes, or is a sample of a product of
// sources, or only has an upper bound of its
// profile. A pair and its reverse have the same source but for a flag, and are cut
// into the same cells.
type source struct {
	pair     pair.Pair // as cut
	reversed bool      // the factor is its reverse
	count    int64
	tails    closed.Tails // in closed form, or nil
	sample   *sample      // of a composition, or nil
	bound    profile.Func // of a factor with nothing of these
	// top is the largest finite loss, where it is known exactly.
	top    pair.Loss
	hasTop bool
}

// maxOutcomes bounds the outcomes of a discrete pair on a grid.
const maxOutcomes = 1 << 16

func newSource(t pair.Term, bounds func(pair.Pair) profile.Func) (*source, bool) {
	s := &source{pair: t.Pair, count: t.Count}
	switch x := t.Pair.(type) {
	case pair.Sampled:
		s.reversed = x.Reversed
	case pair.ClampedLaplace:
		s.reversed = x.Reversed
	case pair.GaussianMixture:
		s.reversed = x.Reversed
	case pair.Binomial:
		s.reversed = x.Reversed
	}
	if s.reversed {
		s.pair = t.Pair.Reverse()
	}
	s.top, s.hasTop = pair.MaxLoss(pair.Product{{Pair: s.pair, Count: 1}})
	if tails, ok := closed.PairTails(s.pair); ok {
		s.tails = tails
		return s, true
	}
	if _, _, ok := pair.Outcomes(s.pair, 32, maxOutcomes); ok {
		return s, true
	}
	if x, ok := newSample(t.Pair); ok {
		s.pair, s.reversed, s.hasTop, s.sample = t.Pair, false, false, x
		return s, true
	}
	if x, ok := t.Pair.(pair.Maximum); ok {
		if f, ok := maximumBound(x); ok {
			s.pair, s.reversed, s.hasTop, s.bound = t.Pair, false, false, f
			return s, true
		}
	}
	if bounds == nil {
		return nil, false
	}
	// The bound is one of this orientation.
	s.pair, s.reversed, s.hasTop = t.Pair, false, false
	s.bound = bounds(t.Pair)
	return s, s.bound != nil
}

// maximumBound is the largest of the profiles of products, each a single pair with tails or
// with losses on lattices. Their cancellation does not matter here: masses count
// absolutely.
func maximumBound(x pair.Maximum) (profile.Func, bool) {
	var fs []profile.Func
	for _, o := range x.Of {
		if f, ok := tailsBound(o); ok {
			fs = append(fs, f)
		} else if f, ok := latticeBound(o); ok {
			fs = append(fs, f)
		} else {
			return nil, false
		}
	}
	return profile.Max(fs...), true
}

// tailsBound is the profile of a single pair with tails.
func tailsBound(prod pair.Product) (profile.Func, bool) {
	if len(prod) != 1 || prod[0].Count != 1 {
		return nil, false
	}
	t, ok := closed.PairTails(prod[0].Pair)
	return func(_ context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
		e := closed.Arg{Interval: eps(w)}
		p, q := t(w, e)
		y := w.Sub(p, w.Mul(w.Exp(e.Interval), q))
		return interval.Clamp(interval.Min(y, interval.Int(1)), 0, 1), nil
	}, ok
}

// latticeBound is the profile of a product with losses on lattices, which are summed up
// when it is needed first. It is [0, 1] if that exceeds its limits.
func latticeBound(prod pair.Product) (profile.Func, bool) {
	const prec = 62*6 - 1
	limits := Limits{Points: 1 << 16, Words: 1 << 18, Terms: 1 << 8}
	var mu sync.Mutex
	var d *PLD
	tried := false
	return func(ctx context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
		mu.Lock()
		defer mu.Unlock()
		if !tried {
			x, ok, err := New(ctx, prod, prec, limits)
			if err != nil {
				return profile.Unit(), err
			}
			if tried = true; ok {
				d = x
			}
		}
		if d == nil {
			return profile.Unit(), nil
		}
		return d.Delta(ctx, w, eps)
	}, OnLattice(prod, limits)
}

// Gridded reports whether every factor of a product can be put on a grid for both
// bounds.
func Gridded(prod pair.Product) bool {
	for _, t := range prod {
		if s, ok := newSource(t, nil); !ok || s.bound != nil {
			return false
		}
	}
	return len(prod) > 0
}

// collapse merges Gaussians into one factor, which costs one leaf and no
// composition.
func collapse(prod pair.Product) pair.Product {
	mu2 := new(big.Rat)
	var out pair.Product
	for _, t := range prod {
		if g, ok := t.Pair.(pair.Gaussian); ok {
			mu2.Add(mu2, new(big.Rat).Mul(g.Mu2, new(big.Rat).SetInt64(t.Count)))
			continue
		}
		out = append(out, t)
	}
	if mu2.Sign() > 0 {
		out = append(out, pair.Term{Pair: pair.Gaussian{Mu2: mu2}, Count: 1})
	}
	return out
}

// An extent is a range of losses outside of which a source has next to no mass, and
// the variance of its loss under P or Q, whichever is larger, roughly: numbers that
// steer the choice of grids and bound nothing.
type extent struct {
	lo, hi   *big.Rat
	variance interval.Interval
}

// extent of a source: the P-mass of finite losses above hi and the Q-mass of those
// below lo are at most 2^−bits. No grid reaches losses of ±∞, which truncated noise has.
// (The other two are smaller still: Q-mass is e^−L times P-mass.)
func (s *source) extent(bits int) extent {
	w := interval.Prec(bits + 32)
	var e extent
	switch {
	case s.bound != nil:
		return s.boundExtent(w, bits)
	case s.sample != nil:
		return discreteExtent(s.sample.dominating(w))
	case s.tails == nil:
		os, _, _ := pair.Outcomes(s.pair, w, maxOutcomes)
		return discreteExtent(os)
	}
	cut := w.Scale(interval.Int(1), -bits)
	infinite, _ := s.tails(w, closed.RatArg(w, pow2(maxExtent+1)))
	_, finite := s.tails(w, closed.RatArg(w, new(big.Rat).Neg(pow2(maxExtent+1))))
	above := func(x *big.Rat) bool { // is P(x < L < ∞) > cut?
		p, _ := s.tails(w, closed.RatArg(w, x))
		return w.Sub(p, infinite).LessEq(cut) != interval.True
	}
	below := func(x *big.Rat) bool { // is Q(−∞ < L ≤ x) > cut?
		_, q := s.tails(w, closed.RatArg(w, x))
		return w.Sub(finite, q).LessEq(cut) != interval.True
	}
	e.hi = edge(above, +1)
	if s.hasTop {
		if t := ceilLoss(s.top); t.Cmp(e.hi) < 0 {
			e.hi = t
		}
	}
	e.lo = edge(below, -1)
	if e.lo.Cmp(e.hi) >= 0 {
		e.lo = new(big.Rat).Sub(e.hi, big.NewRat(1, 1<<20))
	}
	s.moments(&e)
	return e
}

// maxExtent is log2 of the largest losses that extents tell from ±∞.
const maxExtent = 40

// edge returns a point beyond which far(x) is false, to about 3 %, to the right for
// sign = +1 and to the left for −1.
func edge(far func(*big.Rat) bool, sign int64) *big.Rat {
	at := func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, new(big.Rat).SetInt64(sign)) }
	const least, most = -40, maxExtent
	k := 0
	if far(at(pow2(0))) {
		for k < most && far(at(pow2(k))) {
			k++
		}
	} else {
		for k > least && !far(at(pow2(k-1))) {
			k--
		}
	}
	if k == least && !far(new(big.Rat)) {
		// Everything lies on the other side of 0, or close to 0.
		j := least
		for j < most && !far(at(new(big.Rat).Neg(pow2(j)))) {
			j++
		}
		if j == least {
			return at(pow2(least))
		}
		return at(new(big.Rat).Neg(pow2(j - 1)))
	}
	// far(2^(k−1)) holds, or k is the least; refine between 2^(k−1) and 2^k.
	x, step := pow2(k), pow2(k-2)
	for range 4 {
		y := new(big.Rat).Sub(x, step)
		if !far(at(y)) {
			x = y
		}
		step = new(big.Rat).Mul(step, big.NewRat(1, 2))
	}
	return at(x)
}

func pow2(k int) *big.Rat {
	n := new(big.Int).Lsh(big.NewInt(1), uint(max(k, -k)))
	if k >= 0 {
		return new(big.Rat).SetInt(n)
	}
	return new(big.Rat).SetFrac(big.NewInt(1), n)
}

// ceilLoss returns a rational a little above a loss.
func ceilLoss(l pair.Loss) *big.Rat {
	if r, ok := l.Rat(); ok {
		return r
	}
	x := l.Enclose(64)
	hi, ok := interval.Prec(64).Add(x, interval.Prec(64).Scale(x.Abs(), -50)).UpperRat()
	if !ok || x.Negative() == interval.True {
		return new(big.Rat)
	}
	return hi
}

// moments integrates the variance of the loss over its extent, at 64 bits on a
// coarse grid.
func (s *source) moments(e *extent) {
	const p, n = interval.Prec(64), 512
	width := new(big.Rat).Sub(e.hi, e.lo)
	width.Mul(width, big.NewRat(1, n))
	last := [2]interval.Interval{interval.Int(1), interval.Int(1)}
	var m1, m2 [2]interval.Interval
	for i := int64(1); i <= n; i++ {
		x := new(big.Rat).Add(e.lo, new(big.Rat).Mul(width, new(big.Rat).SetInt64(i)))
		var tail [2]interval.Interval
		if i < n {
			tail[0], tail[1] = s.tails(p, closed.RatArg(p, x))
		}
		mid := p.Rat(new(big.Rat).Sub(x, new(big.Rat).Mul(width, big.NewRat(1, 2))))
		for k := range tail {
			a := p.Mid(p.Sub(last[k], tail[k]))
			last[k] = p.Mid(tail[k])
			m1[k] = p.Mid(p.Add(m1[k], p.Mul(a, mid)))
			m2[k] = p.Mid(p.Add(m2[k], p.Mul(a, p.Sqr(mid))))
		}
	}
	for k := range m1 {
		e.variance = interval.Max(e.variance, p.Mid(p.Sub(m2[k], p.Sqr(m1[k]))))
	}
}

// discreteExtent covers all outcomes of finite loss.
func discreteExtent(os []pair.Outcome) extent {
	var e extent
	const p = interval.Prec(64)
	var m1, m2 [2]interval.Interval
	for _, o := range os {
		if o.P.IsZero() || o.Q.IsZero() {
			continue
		}
		l := outcomeLoss(p, o)
		hi, lo := ceilRat(l), new(big.Rat).Neg(ceilRat(l.Neg()))
		if e.hi == nil || hi.Cmp(e.hi) > 0 {
			e.hi = hi
		}
		if e.lo == nil || lo.Cmp(e.lo) < 0 {
			e.lo = lo
		}
		for k, a := range []interval.Interval{o.P, o.Q} {
			m1[k] = p.Mid(p.Add(m1[k], p.Mul(a, l)))
			m2[k] = p.Mid(p.Add(m2[k], p.Mul(a, p.Sqr(l))))
		}
	}
	if e.hi == nil {
		e.lo, e.hi = new(big.Rat), new(big.Rat)
	}
	for k := range m1 {
		e.variance = interval.Max(e.variance, p.Mid(p.Sub(m2[k], p.Sqr(m1[k]))))
	}
	return e
}

func outcomeLoss(p interval.Prec, o pair.Outcome) interval.Interval {
	if o.Exact {
		return o.Loss.Enclose(p)
	}
	return p.Log(p.Div(o.P, o.Q))
}

// ceilRat returns a rational ≥ x for a finite x of either sign.
func ceilRat(x interval.Interval) *big.Rat {
	if _, hi, ok := x.Rationals(); ok {
		return hi
	}
	return new(big.Rat)
}
