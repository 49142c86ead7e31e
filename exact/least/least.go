// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package least finds about where a function of one number is least, or the least number with which a condition holds,
// in float64: for choices that nothing rests on.
//
// The functions fall up to their least value and rise from there on, and may be ∞.
package least

import (
	"math"
	"sync"
)

// A Curve is a function of which the values at evenly spaced numbers are remembered: what does not change among the
// functions whose least values are looked for. It may be used by several goroutines.
type Curve struct {
	f           func(x float64) float64
	first, step float64

	mu    sync.Mutex
	known []float64 // NaN where it is not known yet
}

// NewCurve returns a curve that remembers the values of f at n numbers, from the first on.
func NewCurve(f func(x float64) float64, first, step float64, n int) *Curve {
	c := &Curve{f: f, first: first, step: step, known: make([]float64, n)}
	for i := range c.known {
		c.known[i] = math.NaN()
	}
	return c
}

// At returns the value at the number with an index.
func (c *Curve) At(i int) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if math.IsNaN(c.known[i]) {
		c.known[i] = c.f(c.number(i))
	}
	return c.known[i]
}

func (c *Curve) number(i int) float64 { return c.first + float64(i)*c.step }

// Least returns about the x at which g(x, f(x)) is least: the first or the last number that is remembered, or one next
// to the least of them. It does not depend on what is remembered.
func (c *Curve) Least(g func(x, f float64) float64) float64 {
	at := func(i int) float64 { return g(c.number(i), c.At(i)) }
	i := Index(len(c.known), at)
	x := c.number(i)
	if i == 0 || i == len(c.known)-1 {
		return x
	}
	value := func(x float64) float64 { return g(x, c.f(x)) }
	if y, ok := vertex(value, x, c.step, at(i-1), at(i), at(i+1)); ok {
		return y
	}
	return Section(value, x-c.step, x+c.step, 48)
}

// Index returns the index of the least of n values. Where neighbours are equal, what is right of them is taken to be no
// less.
func Index(n int, f func(i int) float64) int {
	lo, hi := 0, n-1
	for lo < hi {
		if mid := lo + (hi-lo)/2; f(mid) <= f(mid+1) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// vertex returns a point near the least value of a smooth f: by the vertices of three parabolas through points that are
// ever closer, the first of which are at x and h beside it, where f has the values left, mid and right, and a last step
// by the slope there. It reports false unless all parabolas bend upwards, the last two alike, and each vertex is where
// the one before said: a function with a kink has none.
//
// The last points are 2^−13 beside the vertex. Central differences miss the slope by 2^−26/6 of the third derivative,
// so that the vertex is off by that times f‴/f″, and the value by about the square of that; the rounding of f, some
// 2^−53 of it, moves the vertex by some 2^−40 of f/f″.
func vertex(f func(float64) float64, x, h, left, mid, right float64) (float64, bool) {
	const wide, close = 0x1p-6, 0x1p-13
	bend := 0.
	vertex := func(most float64) bool {
		bend = (left - 2*mid + right) / (h * h)
		move := (left - right) / (2 * h * bend)
		x += move
		return bend > 0 && math.Abs(move) <= most
	}
	if !vertex(h) {
		return 0, false
	}
	h, left, mid, right = wide, f(x-wide), f(x), f(x+wide)
	if !vertex(8 * wide) {
		return 0, false
	}
	before := bend
	h, left, mid, right = close, f(x-close), f(x), f(x+close)
	if !vertex(wide) || bend < before/2 || bend > 2*before {
		return 0, false
	}
	move := (f(x-close) - f(x+close)) / (2 * close * bend)
	return x + move, math.Abs(move) <= wide/8
}

// Halved returns the ends of [lo, hi] after so many halvings, each of which goes on to the right of where left holds,
// and else to the left.
func Halved(lo, hi float64, rounds int, left func(x float64) bool) (from, to float64) {
	for range rounds {
		if mid := (lo + hi) / 2; left(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, hi
}

// Section returns a point near the least value of f on [lo, hi], by so many golden sections. Where two values are
// equal, the least is taken to be left of the right one.
func Section(f func(float64) float64, lo, hi float64, rounds int) float64 {
	const golden = 0.6180339887498949
	x1, x2 := hi-golden*(hi-lo), lo+golden*(hi-lo)
	f1, f2 := f(x1), f(x2)
	for range rounds {
		if f2 < f1 {
			lo, x1, f1 = x1, x2, f2
			x2 = lo + golden*(hi-lo)
			f2 = f(x2)
		} else {
			hi, x2, f2 = x2, x1, f1
			x1 = hi - golden*(hi-lo)
			f1 = f(x1)
		}
	}
	return (lo + hi) / 2
}
