// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package batch

import (
	"container/heap"
	"math"
)

// A span is of numbers of [−1, 1].
type span struct{ lo, hi float64 }

func (s span) halves() (span, span) {
	m := (s.lo + s.hi) / 2
	return span{s.lo, m}, span{m, s.hi}
}

// across is the greatest √(1 − a²), rounded up: 1 − a and 1 + a are exact, as spans end at numbers of few bits.
func (s span) across() float64 {
	if s.lo <= 0 && s.hi >= 0 {
		return 1
	}
	a := min(math.Abs(s.lo), math.Abs(s.hi))
	return math.Sqrt(float64((1-a)*(1+a))) * (1 + 0x1p-50)
}

// shares are those of the weights at 0 and at v₁ + v₂: of the first, how much is for the record alone, and how much of
// the rest for v₁ + x; of the second, how much is for v₁ + x. What is left is for v₂ + x.
type shares struct{ alone, zero, two float64 }

// A cell is of places of the others: of the inner products of v₁ and v₂ with the record, in units of mu².
type cell struct {
	first, second span
	shares        shares
	bound         float64
	depth         int
}

type cells []cell // a heap, the greatest bound first

func (c cells) Len() int           { return len(c) }
func (c cells) Less(i, j int) bool { return c[i].bound > c[j].bound }
func (c cells) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *cells) Push(x any)        { *c = append(*c, x.(cell)) }
func (c *cells) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// weights of P − αQ, α ≥ 1, are those of Gaussians at 0, v₁ and v₂, v₁ + v₂, x, v₁ + x and v₂ + x. The last three are
// positive: rounded up; those of the others are negative: without the sign, and rounded down.
type weights struct {
	rest, restZero    float64 // of the sample with room for more: (rest·q)N(x) − restZero·N(0)
	joins, kept       float64 // at x, and at each v + x
	zero, single, two float64 // at 0, at each v, and at v₁ + v₂
}

// A search is for the worst cell of places.
type search struct {
	weights
	fine, rough *table
}

// bound bounds the positive part of P − αQ for all places in a cell, whatever the shares are.
//
// Seen from v₁ + x, v₁ is at −x, 0 at −v₁ − x, and v₁ + v₂ at v₂ − x. With the record along, that is 1, 1 + a and 1 − b
// along it, and at most √(1 − a²) and √(1 − b²) across it.
func (s *search) bound(t *table, c *cell) float64 {
	h := c.shares
	left := s.zero * (1 - h.alone)
	one := func(first, second span, zero, two float64) float64 {
		return t.mean(lone{s.kept, [3]float64{s.single, two, zero},
			[2]far{{1 - second.lo, second.across()}, {1 + first.hi, first.across()}}})
	}
	return t.single(s.joins, s.zero*h.alone) + one(c.first, c.second, left*h.zero, s.two*h.two) +
		one(c.second, c.first, left*(1-h.zero), s.two*(1-h.two))
}

// usual are shares to try: all alike, and for others of which one is opposite to the record.
var usual = []shares{{.7, .5, .5}, {.9, .5, .5}, {.85, .8, .2}, {.9, .9, .02}, {.7, .6, .3}, {.8, .3, .1},
	{.8, .1, .02}, {.5, .5, .05}, {.9, .95, 0}, {.6, .3, 0}}

// choose looks for good shares.
func (s *search) choose(c *cell) {
	best := s.bound(s.rough, c)
	try := func(h shares) bool {
		d := *c
		d.shares = h
		y := s.bound(s.rough, &d)
		if y < best {
			best, c.shares = y, h
			return true
		}
		return false
	}
	if c.depth%4 == 0 {
		for _, h := range usual {
			try(h)
		}
	}
	part := func(x float64) float64 { return max(0, min(1, x)) }
	step := 0.2 / float64(1+c.depth/2)
	moves := [3]func(*shares, float64){
		func(h *shares, d float64) { h.alone = part(h.alone + d) },
		func(h *shares, d float64) { h.zero = part(h.zero + d) },
		func(h *shares, d float64) { h.two = part(h.two + d) },
	}
	for i, move := range moves {
		if c.depth%2 != 0 && i != c.depth%3 {
			continue
		}
		up, down := c.shares, c.shares
		move(&up, step)
		move(&down, -step)
		if !try(up) {
			try(down)
		}
	}
}

// greatest bounds the positive part for all places, and the sample with room for more. The cells cover all a ≤ b, and
// so all places: v₁ and v₂ are alike. Each halving leaves that as it is.
func (s *search) greatest(halvings int) float64 {
	const start = 4
	var q cells
	add := func(c cell, most float64) {
		if c.first.lo >= c.second.hi {
			return // a ≥ b
		}
		s.choose(&c)
		c.bound = min(most, s.bound(s.fine, &c))
		heap.Push(&q, c)
	}
	side := func(i int) span { return span{-1 + 2*float64(i)/start, -1 + 2*float64(i+1)/start} }
	for i := range start {
		for j := i; j < start; j++ {
			add(cell{first: side(i), second: side(j), shares: usual[0]}, math.Inf(1))
		}
	}
	for range halvings {
		c := heap.Pop(&q).(cell)
		most := c.bound
		c.depth++
		one, two := c, c
		if c.first.hi-c.first.lo >= c.second.hi-c.second.lo {
			one.first, two.first = c.first.halves()
		} else {
			one.second, two.second = c.second.halves()
		}
		add(one, most)
		add(two, most)
	}
	return (q[0].bound + s.fine.single(s.rest, s.restZero)) / spare
}
