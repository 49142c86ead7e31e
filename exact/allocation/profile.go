// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"errors"
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// sums are the sums of a vector from each entry on, and of its entries times their index.
type sums struct{ mass, mean []*big.Int }

func (r run) sums() sums {
	n := r.v.Len()
	s := sums{make([]*big.Int, n+1), make([]*big.Int, n+1)}
	s.mass[n], s.mean[n] = new(big.Int), new(big.Int)
	x, index := new(big.Int), new(big.Int)
	for i := n - 1; i >= 0; i-- {
		r.v.Load(x, i)
		s.mass[i] = new(big.Int).Add(s.mass[i+1], x)
		s.mean[i] = new(big.Int).Mul(x, index.SetInt64(r.first+int64(i)))
		s.mean[i].Add(s.mean[i], s.mean[i+1])
	}
	return s
}

// Profile returns the profile of the allocation, or of its reverse.
//
// Above. The law that is larger has masses that are rounded down; what it lacks has a mass of η = 1 −
// Σv and a mean of ζ = 1 − Σv·s, both ≥ 0. As (s − α)₊ ≤ s and (1 − αs)₊ ≤ 1 for s ≥ 0, it adds at most ζ to
// E(S − α)₊ + (1 − E S) and η to E(1 − αS)₊.
//
// Below. For any set of groups: those from one on for P, those up to one for Q.
func (l *Law) Profile(reversed bool) profile.Func {
	above := l.upper.sums()
	from := func(v convolve.Vector) []*big.Int { return run{l.lower.first, v}.sums().mass }
	var ps, qs []*big.Int
	if reversed {
		ps, qs = from(l.lower.pUp), from(l.lower.qDown)
	} else {
		ps, qs = from(l.lower.pDown), from(l.lower.qUp)
	}
	return func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + interval.Prec(l.prec) + 32
		e := eps(w)
		if !e.IsFinite() {
			return profile.Unit(), nil
		}
		unit, one := w.Rat(l.unit), interval.Int(1)
		scaled := func(n *big.Int) interval.Interval { return w.Scale(w.BigInt(n), -int(l.prec)) }
		alpha := w.Exp(e)
		ratio := alpha // of S to where the sign changes
		if reversed {
			ratio = w.Exp(e.Neg())
		}
		t := w.Div(ratio, unit)
		// Any index is sound below, and above those next to the ratio are looked at apart.
		i0, i1 := indexBelow(w.Sub(t, interval.Int(l.upper.first)), l.upper.v.Len())
		zero := interval.Int(0)
		u := zero
		if reversed {
			mass := new(big.Int).Sub(above.mass[0], above.mass[i0])
			mean := new(big.Int).Sub(above.mean[0], above.mean[i0])
			u = interval.Max(zero, w.Sub(scaled(mass), w.Mul(w.Mul(alpha, unit), scaled(mean))))
		} else {
			u = interval.Max(zero, w.Sub(w.Mul(unit, scaled(above.mean[i1])), w.Mul(alpha, scaled(above.mass[i1]))))
		}
		for i := i0; i < i1; i++ {
			s := w.Mul(unit, interval.Int(l.upper.first+int64(i)))
			d := w.Sub(s, alpha)
			if reversed {
				d = w.Sub(one, w.Mul(alpha, s))
			}
			u = w.Add(u, w.Mul(scaled(l.upper.v.At(i)), interval.Max(zero, d)))
		}
		missing := w.Sub(one, w.Mul(unit, scaled(above.mean[0])))
		if reversed {
			missing = w.Sub(one, scaled(above.mass[0]))
		}
		u = w.Add(u, interval.Max(zero, missing))

		best := greatest(l.lower.len(), func(i int) interval.Interval {
			if reversed {
				q, p := new(big.Int).Sub(qs[0], qs[i]), new(big.Int).Sub(ps[0], ps[i])
				return w.Sub(scaled(q), w.Mul(alpha, scaled(p)))
			}
			return w.Sub(scaled(ps[i]), w.Mul(alpha, scaled(qs[i])))
		})
		best = interval.Max(best, zero)
		if !reversed {
			best = w.Add(best, interval.Max(zero, w.Sub(l.special.Lower(), w.Mul(alpha, l.without.Upper()))))
		}
		lo, hi := best.Lo(), interval.Min(u, one).Hi()
		if lo.Cmp(hi) > 0 {
			return profile.Unit(), errCrossed
		}
		return p.Round(interval.Bounds(lo, hi)), nil
	}
}

// errCrossed says that two sound bounds crossed.
var errCrossed = errors.New("allocation: internal error: a lower bound exceeds an upper bound")

// greatest returns the greatest value that it finds of f on 0 … n: the ends of stretches that get
// shorter, about the best so far. It is the greatest of all where f rises and then falls.
func greatest(n int, f func(int) interval.Interval) interval.Interval {
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

// indexBelow returns indices with all of i < i0 certainly below t, and all of i ≥ i1 certainly above.
func indexBelow(t interval.Interval, n int) (i0, i1 int) {
	i0, i1 = interval.IndexAbove(t.Lo(), n), interval.IndexAbove(t.Hi(), n)
	if i0 > 0 && t.Lo().IsInt() {
		i0--
	}
	return min(i0, i1), i1
}

// Dominating returns the outcomes of a pair that dominates the allocation, and Dominated
// the outcomes of a post-processing of it, each without the reverse.
func (l *Law) Dominating(w interval.Prec) []pair.Outcome {
	var out []pair.Outcome
	unit := w.Rat(l.unit)
	missingP, missingQ := interval.Int(1), interval.Int(1)
	for i := range l.upper.v.Len() {
		if l.upper.v.IsZero(i) {
			continue
		}
		q := w.Scale(w.BigInt(l.upper.v.At(i)), -int(l.prec))
		p := w.Mul(q, w.Mul(unit, interval.Int(l.upper.first+int64(i))))
		missingP, missingQ = w.Sub(missingP, p), w.Sub(missingQ, q)
		out = append(out, pair.Outcome{P: p, Q: q})
	}
	zero := interval.Int(0)
	return append(out, pair.Outcome{P: interval.Max(zero, missingP)}, pair.Outcome{Q: interval.Max(zero, missingQ)})
}

// Dominated returns the outcomes of a post-processing: the groups, the outcomes of infinite ratio, and all that
// is dropped as one.
func (l *Law) Dominated(w interval.Prec) []pair.Outcome {
	out := l.lower.outcomes(w, l.prec)
	if l.special.Positive() == interval.True {
		out = append(out, pair.Outcome{P: l.special, Q: l.without})
	}
	return out
}

func (g groups) outcomes(w interval.Prec, prec uint) []pair.Outcome {
	var out []pair.Outcome
	between := func(lo, hi *big.Int) interval.Interval {
		return w.Scale(interval.Union(w.BigInt(lo), w.BigInt(hi)), -int(prec))
	}
	for i := range g.len() {
		o := pair.Outcome{P: between(g.pDown.At(i), g.pUp.At(i)), Q: between(g.qDown.At(i), g.qUp.At(i))}
		if o.P.Positive() == interval.True && o.Q.Positive() == interval.True {
			out = append(out, o)
		}
	}
	return out
}
