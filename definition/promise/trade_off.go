// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package promise

import (
	"math/big"
	"slices"

	"dpverify/definition/masses"
	"dpverify/mechanism"
)

// linear is slope·x + start.
type linear struct{ slope, start *big.Rat }

func (l linear) at(x *big.Rat) *big.Rat {
	y := new(big.Rat).Mul(l.slope, x)
	return y.Add(y, l.start)
}

// upper returns the corners of the greatest of several lines on [0, 1], from left to right.
func upper(lines []linear) []corner {
	value := func(x *big.Rat) *big.Rat {
		best := lines[0].at(x)
		for _, l := range lines[1:] {
			if y := l.at(x); y.Cmp(best) > 0 {
				best = y
			}
		}
		return best
	}
	places := []*big.Rat{new(big.Rat), big.NewRat(1, 1)}
	for i, a := range lines {
		for _, b := range lines[:i] {
			if d := new(big.Rat).Sub(a.slope, b.slope); d.Sign() != 0 {
				x := new(big.Rat).Sub(b.start, a.start)
				if x.Quo(x, d); x.Sign() > 0 && x.Cmp(big.NewRat(1, 1)) < 0 {
					places = append(places, x)
				}
			}
		}
	}
	slices.SortFunc(places, (*big.Rat).Cmp)
	var out []corner
	for _, x := range slices.CompactFunc(places, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }) {
		c := corner{x, value(x)}
		if n := len(out); n > 1 && !below(out[n-2], out[n-1], c) { // on a line
			out = out[:n-1]
		}
		out = append(out, c)
	}
	return out
}

// tradeOff promises errors above a broken line.
type tradeOff []corner

// NewTradeOff returns the lower convex hull of points, of (0, 1) and of (1, 0).
func NewTradeOff(points []mechanism.TradeOffPoint) tradeOff {
	all := []corner{{new(big.Rat), big.NewRat(1, 1)}, {big.NewRat(1, 1), new(big.Rat)}}
	for _, x := range points {
		all = append(all, corner{x.Alpha, x.Beta})
	}
	slices.SortFunc(all, func(a, b corner) int {
		if n := a.alpha.Cmp(b.alpha); n != 0 {
			return n
		}
		return a.beta.Cmp(b.beta)
	})
	var hull tradeOff
	for _, x := range all {
		if n := len(hull); n > 0 && hull[n-1].alpha.Cmp(x.alpha) == 0 {
			continue // above the one before
		}
		for len(hull) > 1 && !below(hull[len(hull)-2], hull[len(hull)-1], x) {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, x)
	}
	return hull
}

// below reports whether b is below the line from a to c.
func below(a, b, c corner) bool {
	x := new(big.Rat).Mul(new(big.Rat).Sub(b.beta, a.beta), new(big.Rat).Sub(c.alpha, a.alpha))
	y := new(big.Rat).Mul(new(big.Rat).Sub(c.beta, a.beta), new(big.Rat).Sub(b.alpha, a.alpha))
	return x.Cmp(y) < 0
}

func (f tradeOff) at(x *big.Rat) *big.Rat {
	for i := 1; i < len(f); i++ {
		if a, b := f[i-1], f[i]; x.Cmp(b.alpha) <= 0 {
			t := new(big.Rat).Sub(x, a.alpha)
			t.Quo(t, new(big.Rat).Sub(b.alpha, a.alpha))
			y := new(big.Rat).Sub(b.beta, a.beta)
			return y.Add(y.Mul(y, t), a.beta)
		}
	}
	return f[len(f)-1].beta
}

// Kept compares the corners of the errors of the best tests with the line: between two of them they are straight, and
// the line is convex.
func (f tradeOff) Kept(p, q []*big.Rat) bool {
	return f.above(p, q) && f.above(q, p)
}

func (f tradeOff) seems(p, q []*big.Rat) bool { return f.Kept(p, q) }

func (f tradeOff) above(p, q []*big.Rat) bool {
	ok := true
	masses.Pair{P: masses.Exactly(p), Q: masses.Exactly(q)}.Tests(func(alpha, beta, _, _ *big.Rat) bool {
		ok = beta.Cmp(f.at(alpha)) >= 0
		return ok
	})
	return ok
}

// Line is the least convex function that is at least f and at least its mirror image: the promise holds in both
// orientations.
func (f tradeOff) Line() []corner {
	lines := []linear{{new(big.Rat), new(big.Rat)}}
	add := func(a, b corner) {
		if a.alpha.Cmp(b.alpha) != 0 {
			slope := new(big.Rat).Sub(b.beta, a.beta)
			slope.Quo(slope, new(big.Rat).Sub(b.alpha, a.alpha))
			lines = append(lines, linear{slope, new(big.Rat).Sub(a.beta, new(big.Rat).Mul(slope, a.alpha))})
		}
	}
	for i := 1; i < len(f); i++ {
		a, b := f[i-1], f[i]
		add(a, b)
		add(corner{b.beta, b.alpha}, corner{a.beta, a.alpha})
	}
	return upper(lines)
}
