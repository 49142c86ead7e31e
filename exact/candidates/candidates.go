// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package candidates bounds compositions whose steps are selections of one of some candidates, chosen in view of all
// earlier outputs, by backward induction: the worst steps are choices between two candidates. See package adversary.
package candidates

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/profile"
)

// A Selection is a mechanism that selects one of some candidates, whose worst steps are choices between two of them.
type Selection int

const (
	// Exponential is the exponential mechanism.
	Exponential Selection = iota
	// PermuteAndFlip is report noisy max with exponential noise.
	PermuteAndFlip
)

// Selected are the bounds of V of steps each of which is a selection, of candidates and scores that are chosen in view
// of earlier outputs. See docs/theorems.md, *Chosen steps of a selection*.
//
// From above V is known at the points of a grid; from below by tests: of each of them, a policy with a set of outputs,
// what P of the set is at least, and Q of it at most.
type Selected struct {
	delta        *big.Rat
	first        int
	above        []float64
	power, level []float64
}

// SelectionGrid is the points first·Δ, …, (first + points − 1)·Δ of ε, and the number of parts of [0, x] between whose
// ends t is bounded by what is at the ends.
type SelectionGrid struct {
	Delta         *big.Rat
	First, Points int
	Parts         int
}

// NewSelected runs the induction over so many steps with ε = x.
func NewSelected(ctx context.Context, of Selection, x *big.Rat, steps int64, g SelectionGrid) (*Selected, error) {
	s := newSelecting(of, x, g)
	for range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.step()
	}
	n := s.pad
	return &Selected{g.Delta, g.First, s.above[n : n+s.n], s.power[n : n+s.n], s.level[n : n+s.n]}, nil
}

// wide is the precision of constants.
const wide = interval.Prec(96)

// slack covers the roundings of a handful of operations on numbers ≥ 0.
const slack = 0x1p-48

// A duel is a choice between two candidates, for one t. V is needed at α divided by the ratio of each candidate.
type duel struct {
	lowA, lowB   int        // the points before these ratios, relative to that of α
	mass         [4]float64 // from above the P-masses of the points lowA, lowA + 1, lowB and lowB + 1
	nearA, nearB int        // the nearest points
	least, most  [2]float64 // the P-masses of both candidates, rounded down, and the Q-masses, rounded up
}

// selecting is the state of the induction, at the points of a grid with pad further ones on both sides: before it V is
// at most the chord from V(0) = 1, after it at most its last value; tests before it are always passed, after it never.
type selecting struct {
	n, pad       int
	duels        []duel
	above, up    []float64
	policy       []int // which duel is the best at a point
	power, level []float64
	more, less   []float64 // room for the next power and level
	bend, turn   []float64 // how much the chords of V turn from a point on, and how much of that against convexity
	ratio        []float64 // about the α of a point: chooses which of some sound tests is kept
	corners      []int     // room for those of the convex hull
	growth       []float64 // e^(iΔ) − 1, rounded down, as far as a float64 has them
	window       int       // how many points a duel reaches over
	before       []float64 // ratios of the points before the grid to the first one
	spread       float64   // 1/(e^Δ − 1)
	curved       float64   // what a turn adds to V between two duels, and a turn against convexity
	kinked       float64
}

func newSelecting(of Selection, x *big.Rat, g SelectionGrid) *selecting {
	s := &selecting{n: g.Points}
	one := interval.Int(1)
	kappa := wide.Exp(wide.Rat(x).Neg())
	scale := wide.Scale(one, -1) // of e^(t−x) in P and of e^−t in Q
	if of == Exponential {
		scale = wide.Inv(wide.Expm1(wide.Rat(x).Neg()).Neg())
	}
	for i := range g.Parts + 1 {
		exactly := new(big.Rat).Mul(x, big.NewRat(int64(i), int64(g.Parts)))
		t := wide.Rat(exactly)
		down := wide.Sub(t, wide.Rat(x))
		// The masses of the first candidate under Q and of the second one under P, and the losses of both.
		qA, pB := wide.Mul(scale, wide.Exp(t.Neg())), wide.Mul(scale, wide.Exp(down))
		var up interval.Interval // the losses of both, in units of Δ
		if of == Exponential {
			qA, pB = wide.Sub(qA, wide.Mul(scale, kappa)), wide.Sub(pB, wide.Mul(scale, kappa))
			up = wide.Rat(new(big.Rat).Quo(exactly, g.Delta))
			down = wide.Rat(exactly.Quo(exactly.Sub(exactly, x), g.Delta))
		} else {
			unit := wide.Rat(g.Delta)
			up = wide.Div(wide.Add(t, wide.Log(wide.Sub(interval.Int(2), wide.Exp(down)))), unit)
			down = wide.Div(wide.Sub(down, wide.Log(wide.Sub(interval.Int(2), wide.Exp(t.Neg())))), unit)
		}
		s.duels = append(s.duels, newDuel(g.Delta, wide.Sub(one, pB), qA, up, down))
	}
	for k, p := range s.duels {
		s.pad = max(s.pad, -p.lowA, p.lowB+2)
		if k > 0 { // for any t between
			s.window = max(s.window, s.duels[k-1].lowB+1-p.lowA)
		}
	}
	s.room(g)
	part := wide.Rat(new(big.Rat).Quo(x, big.NewRat(int64(g.Parts), 1)))
	reach := wide.Exp(wide.Mul(wide.Rat(g.Delta), interval.Int(int64(s.pad))))
	s.curved = double.Of(wide.Scale(wide.Mul(wide.Mul(scale, wide.Mul(part, part)), wide.Add(one, reach)), -3)).Hi
	s.kinked = double.Of(wide.Scale(part, -2)).Hi
	return s
}

// newDuel is a duel with the losses up·Δ and down·Δ, of which the first is not negative and the second not positive.
func newDuel(delta *big.Rat, pA, qA, up, down interval.Interval) duel {
	one := interval.Int(1)
	pA, qA = interval.Clamp(pA, 0, 1), interval.Clamp(qA, 0, 1)
	pB, qB := wide.Sub(one, pA), wide.Sub(one, qA)
	var p duel
	cut := func(x, mass interval.Interval) (low, near int, left, right float64) { // x is where V is needed; V falls
		at := x.Lower()
		low = int(math.Floor(double.Of(at).Lo))
		for interval.Int(int64(low)).LessEq(at) != interval.True {
			low--
		}
		off := wide.Mul(wide.Sub(at, interval.Int(int64(low))), wide.Rat(delta))
		share := interval.Clamp(wide.Div(wide.Expm1(off), wide.Expm1(wide.Rat(delta))), 0, 1)
		near = low
		if 2*double.Of(wide.Sub(at, interval.Int(int64(low)))).Mid() > 1 {
			near++
		}
		return low, near, double.Of(wide.Mul(mass, wide.Sub(one, share))).Hi, double.Of(wide.Mul(mass, share)).Hi
	}
	p.lowA, p.nearA, p.mass[0], p.mass[1] = cut(up.Neg(), pA)
	p.lowB, p.nearB, p.mass[2], p.mass[3] = cut(down.Neg(), pB)
	p.least = [2]float64{max(double.Of(pA).Lo, 0), max(double.Of(pB).Lo, 0)}
	p.most = [2]float64{double.Of(qA).Hi, double.Of(qB).Hi}
	return p
}

// powers calls f for i = 0, …, n − 1 with an enclosure of e^((first + i)·Δ): a product with the one before, which takes
// a hundredth of the time of an exponential, and an exponential each 64, or the rounding would add up.
func (g SelectionGrid) powers(first, n int, f func(i int, y interval.Interval)) {
	unit, y := wide.Exp(wide.Rat(g.Delta)), interval.Interval{}
	for i := range n {
		if i%64 == 0 {
			y = wide.Exp(wide.Mul(wide.Rat(g.Delta), interval.Int(int64(first+i))))
		} else {
			y = wide.Mul(y, unit)
		}
		f(i, y)
	}
}

// room makes V of no steps.
func (s *selecting) room(g SelectionGrid) {
	m := s.n + 2*s.pad
	for _, v := range []*[]float64{&s.above, &s.up, &s.power, &s.level, &s.more, &s.less, &s.bend, &s.turn} {
		*v = make([]float64, m)
	}
	s.policy = make([]int, m)
	one := interval.Int(1)
	g.powers(g.First-s.pad, min(m, max(0, s.pad-g.First)), func(i int, y interval.Interval) { // 0 from ε = 0 on
		s.above[i] = double.Of(wide.Sub(one, y)).AtLeastZero().Hi
		s.power[i], s.level[i] = 1, 1
	})
	delta := double.Of(wide.Rat(g.Delta)).Mid()
	for i := range s.n {
		s.ratio = append(s.ratio, double.Exp64(min(float64(g.First+i)*delta, 700)))
	}
	g.powers(-s.pad, s.pad, func(i int, y interval.Interval) {
		s.before = append(s.before, double.Of(y).Lo)
		s.more[i], s.less[i] = 1, 1
	})
	g.powers(0, 4*s.pad+2, func(_ int, y interval.Interval) {
		if e := double.Of(wide.Sub(y, one)); e.Hi <= math.MaxFloat64 { // or no quotient of two of them says anything
			s.growth = append(s.growth, e.Lo)
		}
	})
	s.spread = double.Of(wide.Inv(wide.Expm1(wide.Rat(g.Delta)))).Hi
	s.beside(s.above)
}

// beside continues V before the grid by the chord from V(0) = 1, and after it by its last value.
//
// Rounding. What is taken from 1 is made too small before the subtraction, as a is rounded down and 2·slack is more
// than the roundings of two factors; the subtraction itself is off by 2^−53 of its result.
func (s *selecting) beside(v []float64) {
	first, last := v[s.pad], v[s.pad+s.n-1]
	for i, a := range s.before {
		v[i] = min(1, float64(1-float64(a*(1-first))*(1-2*slack))*(1+slack))
	}
	for i := s.pad + s.n; i < len(v); i++ {
		v[i] = last
	}
}

// lost covers what products lose below 2^−1022.
const lost = 0x1p-1000

// step replaces V by the greatest of what the duels make of it, with what is between them, and the tests by those of
// the policy that was the best.
//
// Rounding. A sum of products ≥ 0 is off by less than 8 units of 2^−53 of itself and by lost, which slack = 2^−48
// covers. bend and turn are sums of numbers ≥ 0, fewer than 2^22 by GridOf: each is off by less than 2^−31 of itself,
// so that differences are off by less than 2^−30 of the greater one, at from. Terms have their own errors: see turns.
func (s *selecting) step() {
	s.turns()
	v, up := s.above, s.up
	clear(up)
	lo, hi := s.pad, s.pad+s.n
	for k, p := range s.duels {
		a, b, c, d := v[lo+p.lowA:], v[lo+p.lowA+1:], v[lo+p.lowB:], v[lo+p.lowB+1:]
		most, policy := up[lo:hi], s.policy[lo:hi]
		n := len(most)
		a, b, c, d, policy = a[:n], b[:n], c[:n], d[:n], policy[:n]
		m0, m1, m2, m3 := p.mass[0], p.mass[1], p.mass[2], p.mass[3]
		if m1 == 0 && m3 == 0 { // both are points of the grid
			for i := range most {
				if x := float64(m0*a[i]) + float64(m2*c[i]); x > most[i] {
					most[i], policy[i] = x, k
				}
			}
			continue
		}
		for i := range most {
			x := float64(m0*a[i]) + float64(m1*b[i]) + float64(m2*c[i]) + float64(m3*d[i])
			if x > most[i] {
				most[i], policy[i] = x, k
			}
		}
	}
	for m := lo; m < hi; m++ {
		curve, kink := 0.0, 0.0
		for i := range windows + 1 { // of which one has both points at which V is needed
			from := m - s.pad + i*s.pad/windows
			to := min(from+s.window+s.pad/windows+1, len(v)-1)
			curve = max(curve, s.bend[from]-s.bend[to]+float64(0x1p-30*s.bend[from]))
			kink = max(kink, s.turn[from]-s.turn[to]+float64(0x1p-30*s.turn[from]))
		}
		x := up[m] + float64(s.kinked*kink) + lost
		if curve != 0 { // curved may be ∞
			x += float64(s.curved * curve)
		}
		if up[m] = x * (1 + slack); !(up[m] <= 1) { // nor is it a number then, perhaps: V is at most 1
			up[m] = 1
		}
		s.more[m], s.less[m] = s.test(m)
	}
	s.beside(up)
	s.hull(up)
	s.above, s.up = up, v
	s.power, s.more = s.more, s.power
	s.level, s.less = s.less, s.level
}

// windows is how many there are in which the points are looked for at which a duel needs V.
const windows = 4

// hull lowers values to their convex hull, as far as that has corners near each other: V falls, and is convex.
//
// Rounding. As in beside: the share is made too small by slack, which is more than the roundings of the two growths and
// of the quotient, and what is taken from v[a] once more, before it is subtracted.
func (s *selecting) hull(v []float64) {
	share := func(i, a, b int) float64 { // what the chord from a to b has of v[b] at i, rounded down
		return float64(s.growth[i-a]/s.growth[b-a]) * (1 - slack)
	}
	c := s.corners[:0]
	for j := range v {
		if j > 0 {
			v[j] = min(v[j], v[j-1])
		}
		for len(c) > 1 {
			a, i := c[len(c)-2], c[len(c)-1]
			if j-a >= len(s.growth) || v[i] < v[a]-float64(share(i, a, j)*(v[a]-v[j])) {
				break
			}
			c = c[:len(c)-1]
		}
		c = append(c, j)
	}
	for k := range len(c) - 1 {
		a, b := c[k], c[k+1]
		for i := a + 1; i < b; i++ {
			v[i] = min(v[i], float64(v[a]-float64(share(i, a, b)*(v[a]-v[b]))*(1-slack))*(1+slack))
		}
	}
	s.corners = c
}

// test returns the power and the level of the best test at a point whose first step is the duel that is the best from
// above, or one beside it: there a step may gain by what chords are too large.
func (s *selecting) test(m int) (power, level float64) {
	best := math.Inf(-1)
	for k := max(s.policy[m]-1, 0); k < min(s.policy[m]+2, len(s.duels)); k++ {
		d := &s.duels[k]
		i, j := m+d.nearA, m+d.nearB
		c := max(0, float64((float64(d.least[0]*s.power[i])+float64(d.least[1]*s.power[j]))*(1-slack))-lost)
		e := float64((float64(d.most[0]*s.level[i])+float64(d.most[1]*s.level[j]))*(1+slack)) + lost
		if gain := c - float64(e*s.ratio[m-s.pad]); gain > best {
			power, level, best = c, e, gain
		}
	}
	return power, level
}

// turns adds up from the last point on how much the values at 0 of the chords of V change at each point, which is
// downward where V is convex, and how much of that is upward.
func (s *selecting) turns() {
	v := s.above
	n := len(v)
	start, wrong := v[n-1], 0.0 // the value at 0 of the chord from a point on, and its rounding
	bend, turn := 0.0, 0.0
	s.bend[n-1], s.turn[n-1] = 0, 0
	for j := n - 2; j >= 0; j-- {
		fall := v[j] - v[j+1]
		c := v[j] + float64(s.spread*fall)
		e := 0x1p-50 * (v[j] + float64(s.spread*(v[j]+v[j+1])))
		change, unsure := c-start, e+wrong
		bend += max(change, -change) + unsure
		turn += max(0, -change) + unsure
		s.bend[j], s.turn[j] = bend, turn
		start, wrong = c, e
	}
}

// Above is the upper bound, by the chord between two points: [0, u].
func (b *Selected) Above(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	w := max(p, 64)
	x := eps(w)
	i := b.before(x)
	switch {
	case i < 0:
		return profile.Unit(), nil
	case i >= len(b.above)-1:
		return interval.Union(interval.Int(0), double.Exactly(b.above[len(b.above)-1])), nil
	}
	lo, hi := double.Exactly(b.above[i]), double.Exactly(b.above[i+1])
	at := w.Div(w.Expm1(w.Sub(x, b.point(i))), w.Expm1(w.Rat(b.delta)))
	y := w.Sub(lo, w.Mul(interval.Clamp(at, 0, 1), w.Sub(lo, hi)))
	return interval.Union(interval.Int(0), interval.Min(interval.Int(1), y.Upper())), nil
}

// Below is the lower bound, by the tests of some points around: [l, 1].
func (b *Selected) Below(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	w := max(p, 64)
	alpha := w.Exp(eps(w))
	most := interval.Int(0)
	i := b.before(eps(w))
	for j := max(i-1, 0); j < min(i+3, len(b.power)); j++ {
		most = interval.Max(most, w.Sub(double.Exactly(b.power[j]), w.Mul(alpha, double.Exactly(b.level[j]))))
	}
	return interval.Bounds(interval.Min(most, interval.Int(1)).Lo(), interval.Int(1).Hi()), nil
}

func (b *Selected) point(i int) interval.Interval {
	return interval.Prec(128).Mul(interval.Prec(128).Rat(b.delta), interval.Int(int64(b.first+i)))
}

// before returns the last point that is certainly not after x, −1 if there is none.
func (b *Selected) before(x interval.Interval) int {
	lo, hi := -1, len(b.above)
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		if b.point(mid).LessEq(x.Lower()) == interval.True {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
