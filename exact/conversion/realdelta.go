// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/renyi"
)

// scanBits is the precision at which the powers of 2 are compared.
const scanBits = interval.Prec(24)

// RealDelta encloses the infimum over all real α > 1 of the conversion's δ at eps, at most 1: of exp(N(t)),
// N(t) = K(t) + c(t) − tε, t = α − 1. It is 0 where R_∞ < ε.
//
// N is convex, and 0 in the limit t → 0. So for a < b < c with N(b) below both other values, the infimum is attained
// between a and c, and there N lies above the prolonged chords: on [b, c] above the line through a and b, which at c is
// its least, and on [a, b] above that through b and c. Before the first t that was tried the line through the first two
// bounds from below, and beyond the last nothing does.
func (c Conversion) RealDelta(p interval.Prec, f renyi.Divergence, eps interval.Interval) Converted {
	w := p + 32
	if f(w, renyi.Infinity).Less(eps) == interval.True {
		return Converted{Interval: zero}
	}
	near := func(w interval.Prec, t *big.Rat) sample {
		y := w.Sub(c.at(w, f, new(big.Rat).Add(ratOne, t)), w.Mul(w.Rat(t), eps))
		return sample{t, y, y}
	}
	at := func(t *big.Rat) sample { return near(w, t) }
	finite := func(x sample) bool { return x.n.IsFinite() }
	// A few digits say which power is the best: only it and those next to it need more.
	s := infimumSearch{w: w, list: powers(func(t *big.Rat) sample { return near(scanBits, t) }, finite)}
	best := 0
	if len(s.list) > 0 {
		best = s.best()
		s.list = s.list[max(0, best-1):min(len(s.list), best+2)]
		for i, x := range s.list {
			s.list[i] = at(x.t)
		}
		best = s.best()
	}
	if !s.certain(best) {
		if s.list = powers(at, finite); len(s.list) == 0 {
			return Converted{Interval: one}
		}
		best = s.best()
	}
	if s.certain(best) {
		best = s.narrow(best, int(p)/2+24, offMiddle, at)
	}
	b := s.list[best]
	low := interval.Entire().Lower()
	switch {
	case s.certain(best):
		a, c := s.list[best-1], s.list[best+1]
		low = interval.Min(b.n, interval.Min(prolonged(w, a, b, c.t), prolonged(w, b, c, a.t)))
	case best == 0 && len(s.list) > 1 && b.n.Less(s.list[1].n) == interval.True:
		low = interval.Min(b.n, prolonged(w, b, s.list[1], new(big.Rat)))
	}
	y := w.Exp(interval.Bounds(interval.Min(low, b.n).Lo(), b.n.Hi()))
	return Converted{p.Round(interval.Min(one, y)), new(big.Rat).Add(ratOne, b.t)}
}

// offMiddle returns a number between a and b that is not their middle: two values that are equal by symmetry would not
// tell where the least is.
func offMiddle(a, b *big.Rat) *big.Rat {
	d := new(big.Rat).Sub(b, a)
	return d.Add(a, d.Mul(d, big.NewRat(7, 16)))
}

// prolonged is the line through x and y at t.
func prolonged(w interval.Prec, x, y sample, t *big.Rat) interval.Interval {
	slope := w.Div(w.Sub(y.n, x.n), w.Rat(new(big.Rat).Sub(y.t, x.t)))
	return w.Add(y.n, w.Mul(slope, w.Rat(new(big.Rat).Sub(t, y.t))))
}
