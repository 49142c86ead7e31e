// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// An Arg is a real number ε by its enclosure, and exactly where it is known to be
// rational: only then can it be told from an atom of the loss.
type Arg struct {
	interval.Interval
	Rat *big.Rat // nil if not known
}

// RatArg returns the argument r at precision w.
func RatArg(w interval.Prec, r *big.Rat) Arg { return Arg{w.Rat(r), r} }

// less answers ε < r, exactly if possible.
func (a Arg) less(w interval.Prec, r *big.Rat) interval.Truth {
	if a.Rat != nil {
		if a.Rat.Cmp(r) < 0 {
			return interval.True
		}
		return interval.False
	}
	return a.Less(w.Rat(r))
}

// Tails encloses P(L > ε) and Q(L > ε), the upper tails of the privacy loss L under
// either distribution; outcomes with Q = 0 have L = ∞. Then
//
//	δ(ε) = P(L > ε) − e^ε·Q(L > ε),
//
// and the masses of a cell (x, y] of losses are differences of tails.
type Tails func(w interval.Prec, eps Arg) (p, q interval.Interval)

// single returns the one pair that a product is: Gaussians collapse.
func single(prod pair.Product) (pair.Pair, bool) {
	if mu2, others := prod.Gaussians(); len(others) == 0 {
		return pair.Gaussian{Mu2: mu2}, len(prod) > 0
	}
	return pair.Single[pair.Pair](prod)
}

// Delta returns δ(ε) = P(L > ε) − e^ε·Q(L > ε) with about p settled bits: the
// difference cancels for large ε, and the precision is raised until it does not
// matter.
//
// Next to an atom of the loss, where neither tail is known, δ is enclosed by its
// values at the two ends of the enclosure of ε, which are rational numbers: δ does not
// rise with ε.
func (t Tails) Delta(p interval.Prec, eps interval.Real) interval.Interval {
	return p.Refine(p+32, limit(p), func(w interval.Prec) interval.Interval {
		e := eps(w)
		d := t.delta(w, Arg{Interval: e})
		if e.IsPoint() || d.RelativeBits(int(p)) >= int(p) {
			return d
		}
		lo, hi, ok := e.Rationals()
		if !ok {
			return d
		}
		above := t.delta(w, Arg{Interval: e.Lower(), Rat: lo})
		below := t.delta(w, Arg{Interval: e.Upper(), Rat: hi})
		return interval.Bounds(below.Lo(), above.Hi())
	})
}

// delta evaluates the difference with w bits.
func (t Tails) delta(w interval.Prec, e Arg) interval.Interval {
	a, b := t(w, e)
	d := w.Sub(a, w.Mul(w.Exp(e.Interval), b))
	return interval.Clamp(interval.Max(d, interval.Int(0)), 0, 1)
}

// limit bounds the working precision for p settled bits.
func limit(p interval.Prec) interval.Prec { return min(8*p+4096, interval.MaxPrec/4) }

var (
	zero   = interval.Int(0)
	one    = interval.Int(1)
	ratOne = big.NewRat(1, 1)
)
