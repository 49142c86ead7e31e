// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// A Subset bounds an allocation to several steps from below.
//
// Number the ratios of a step, the same way in all steps. The sum of the numbers is a post-processing,
// and its law does not depend on which steps are selected: with a and b the masses of the numbers
// under P and Q it is a^{*k} * b^{*(t−k)} for every set of k steps, hence for their mean, and b^{*t} under Q^t.
//
// The number of a ratio y is about log(1 + (k/t)·(y − 1)) over a spacing: the sum is the log of the
// ratio of t steps each of which has the record with probability k/t, and what the ratio of an
// allocation depends on, nearly.
type Subset struct {
	prec                   uint
	pDown, pUp, qDown, qUp convolve.Vector
	down, up               []*big.Int        // sums of pDown and qUp from each number on
	backDown, backUp       []*big.Int        // of qDown and pUp up to it
	special, without       interval.Interval // as in a Law
}

// most bounds the numbers of all steps together.
const most = 1 << 18

// NewSubset bounds an allocation to selected of steps steps. It reports false if the base has neither tails
// nor outcomes, or if there are too many steps.
func NewSubset(ctx context.Context, base pair.Pair, selected, steps int64, set Settings) (*Subset, bool, error) {
	w := interval.Prec(set.Prec) + 32
	m, ok := newBase(base, w)
	n := min(most/steps, 1<<12)
	if !ok || n < 2 {
		return nil, false, nil
	}
	const rough = interval.Prec(64) // ranges may be any
	reach, _ := m.reach(set.Cut)
	theta, one := rough.Rat(big.NewRat(selected, steps)), interval.Int(1)
	top := rough.Rat(reach)
	low := rough.Log(rough.Sub(one, theta))
	high := rough.Log(rough.Add(one, rough.Mul(theta, rough.Sub(top, one))))
	width := rough.Div(rough.Sub(high, low), interval.Int(n))
	g := groups{0, convolve.NewVector(int(n), set.Prec), convolve.NewVector(int(n), set.Prec), convolve.NewVector(int(n), set.Prec), convolve.NewVector(int(n), set.Prec)}
	p, q := interval.Int(1), interval.Int(1)
	inf, infQ := m.above(w, nil)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		nextP, nextQ := inf, infQ
		if i < n-1 {
			y := rough.Add(one, rough.Div(rough.Expm1(rough.Add(low, rough.Mul(width, interval.Int(i+1)))), theta))
			end, ok := y.UpperRat()
			if !ok || end.Sign() <= 0 {
				continue // the range so far goes to the next number
			}
			nextP, nextQ = m.above(w, end)
		}
		a, b := mass(w, p, nextP), mass(w, q, nextQ)
		g.pDown.Set(int(i), interval.FloorScaled(a, set.Prec))
		g.qDown.Set(int(i), interval.FloorScaled(b, set.Prec))
		g.pUp.Set(int(i), interval.CeilScaled(interval.Min(a, interval.Int(1)), set.Prec))
		g.qUp.Set(int(i), interval.CeilScaled(interval.Min(b, interval.Int(1)), set.Prec))
		p, q = nextP, nextQ
	}
	s := &Subset{prec: set.Prec, special: pair.UnionPower(w, inf, selected)}
	most := interval.Min(interval.Int(1), w.Mul(interval.Int(steps), infQ.Upper()))
	s.without = interval.Union(interval.Int(0), most)
	s.special = interval.Union(s.special, interval.Min(interval.Int(1), w.Add(s.special, most)))
	for _, x := range []struct {
		to    *convolve.Vector
		a, b  convolve.Vector
		k     int64
		round convolve.Rounding
	}{
		{&s.pDown, g.pDown, g.qDown, selected, convolve.Down}, {&s.qUp, g.pUp, g.qUp, 0, convolve.Up},
		{&s.pUp, g.pUp, g.qUp, selected, convolve.Up}, {&s.qDown, g.pDown, g.qDown, 0, convolve.Down},
	} {
		v, err := powers(ctx, x.a, x.k, x.b, steps-x.k, x.round)
		if err != nil {
			return nil, false, err
		}
		*x.to = v
	}
	from := func(v convolve.Vector) []*big.Int { return sumsFrom(v) }
	upTo := func(v convolve.Vector) []*big.Int {
		out := make([]*big.Int, v.Len()+1)
		out[0] = new(big.Int)
		for i := range v.Len() {
			out[i+1] = new(big.Int).Add(out[i], v.At(i))
		}
		return out
	}
	s.down, s.up, s.backDown, s.backUp = from(s.pDown), from(s.qUp), upTo(s.qDown), upTo(s.pUp)
	return s, true, nil
}

// powers returns a^{*k} * b^{*n}.
func powers(ctx context.Context, a convolve.Vector, k int64, b convolve.Vector, n int64, round convolve.Rounding) (convolve.Vector, error) {
	out := convolve.NewVector(1, a.Prec())
	out.Set(0, new(big.Int).Lsh(big.NewInt(1), a.Prec()))
	for _, x := range []struct {
		v convolve.Vector
		n int64
	}{{a, k}, {b, n}} {
		for sq, left := x.v, x.n; left > 0; {
			var err error
			if left&1 == 1 {
				if out, err = convolve.Window(ctx, out, sq, 0, out.Len()+sq.Len()-1, round); err != nil {
					return out, err
				}
			}
			if left >>= 1; left > 0 {
				if sq, err = convolve.Window(ctx, sq, sq, 0, 2*sq.Len()-1, round); err != nil {
					return out, err
				}
			}
		}
	}
	return out, nil
}

// Profile returns a lower bound of the profile of the allocation, or of its reverse, as [bound, 1]: of
// the sets of numbers from one on, for P, or up to one, for Q, the best near to where the ratio
// passes e^ε.
func (s *Subset) Profile(reversed bool) profile.Func {
	return func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + interval.Prec(s.prec)
		e := eps(w)
		if !e.IsFinite() {
			return profile.Unit(), nil
		}
		alpha := w.Exp(e)
		a, b := s.down, s.up
		if reversed {
			a, b = s.backDown, s.backUp
		}
		best := greatestOf(s.pDown.Len(), func(i int) interval.Interval {
			return w.Sub(w.BigInt(a[i]), w.Mul(alpha, w.BigInt(b[i])))
		})
		best = w.Scale(interval.Max(best, interval.Int(0)), -int(s.prec))
		if !reversed {
			best = w.Add(best, interval.Max(interval.Int(0), w.Sub(s.special.Lower(), w.Mul(alpha, s.without.Upper()))))
		}
		return interval.Union(interval.Clamp(p.Round(best).Lower(), 0, 1), interval.Int(1)), nil
	}
}

// Dominated returns the outcomes of a post-processing.
func (s *Subset) Dominated(w interval.Prec) []pair.Outcome {
	out := groups{0, s.pDown, s.pUp, s.qDown, s.qUp}.outcomes(w, s.prec)
	if s.special.Positive() == interval.True {
		out = append(out, pair.Outcome{P: s.special, Q: s.without})
	}
	return out
}

func sumsFrom(v convolve.Vector) []*big.Int {
	out := make([]*big.Int, v.Len()+1)
	out[v.Len()] = new(big.Int)
	for i := v.Len() - 1; i >= 0; i-- {
		out[i] = new(big.Int).Add(out[i+1], v.At(i))
	}
	return out
}

func greatestOf(n int, f func(int) interval.Interval) interval.Interval {
	best, at := f(n), n
	const parts = 32
	for lo, hi, step := 0, n, max(n/parts, 1); ; step = max(step/parts, 1) {
		for i := lo; i <= hi; i += step {
			if y := f(i); best.Less(y) == interval.True {
				best, at = y, i
			}
		}
		if step == 1 {
			return best
		}
		lo, hi = max(at-step, 0), min(at+step, n)
	}
}
