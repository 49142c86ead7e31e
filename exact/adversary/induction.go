// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math"
	"slices"

	"dpverify/exact/double"
)

// A grid is the points (first + m)·Δ of ε, 0 ≤ m < n. The value at point k is kept times e^(tilt·k).
type grid struct {
	first, n    int
	delta, tilt float64
	t, few      *double.Transform // of all points and of every sparse-th one
}

// weight encloses e^(tilt·k).
func (g *grid) weight(k int) double.Interval {
	return double.Int(int64(k)).Mul(double.Interval{Lo: g.tilt, Hi: g.tilt}).Exp()
}

// alpha encloses e^(kΔ).
func (g *grid) alpha(k int) double.Interval {
	return double.Int(int64(k)).Mul(double.Interval{Lo: g.delta, Hi: g.delta}).Exp()
}

// A move is a pair on the grid, as a step of the induction takes it.
type move struct {
	mass   []float64 // times the weight of the loss, at the loss modulo the length of the transform
	norm2  float64   // about the sum of their squares
	under  []float64 // what V at ratios before the first point contributes, times the weight of the point
	rising []float64 // from above, of what is less by the fall of V from 0 to the first point, of under: times that
	beyond []float64 // the mass that meets V after the last point, times the weight
	early  int       // from this point on rising is 0
	late   int       // before this point beyond is 0
}

// fits reports whether transforms are long enough for a table: no mass comes around to a point that it does not reach.
func (g *grid) fits(t Table) bool {
	return t.first > g.n-g.t.Length() && t.first+len(t.mass)-1 < g.t.Length()-g.n
}

// above is a table as a step from above takes it: before the first point V is at most its chord from V(0) = 1, and
// after the last one at most what it is there.
func (g *grid) above(t Table) *move {
	m := g.move(t, func(x double.Interval) float64 { return x.Hi })
	m.rising = make([]float64, g.n)
	sum, part := double.Point(t.infinite), double.Interval{} // as below, and times α of the point before
	at := len(t.mass)
	shrink := g.alpha(-1)
	for k := g.n - 1; k >= 0; k-- { // losses above k steps lead before the first point
		part = part.Mul(shrink)
		for ; at > 0 && t.first+at-1 > k; at-- {
			p := double.Point(t.mass[at-1])
			sum, part = sum.Add(p), part.Add(p.Mul(g.alpha(k-(t.first+at-1))))
		}
		m.under[k] = g.weight(g.first + k).Mul(sum).Hi
		m.rising[k] = max(0, g.weight(g.first+k).Mul(part).Lo)
		if m.early == 0 && m.rising[k] > 0 {
			m.early = k + 1
		}
	}
	sum, at, m.late = double.Interval{}, 0, g.n
	for k := range g.n { // and losses below k − (n − 1) after the last
		for ; at < len(t.mass) && t.first+at < k-(g.n-1); at++ {
			sum = sum.Add(double.Point(t.mass[at]))
		}
		if m.beyond[k] = g.weight(g.first + k).Mul(sum).Hi; m.late == g.n && m.beyond[k] > 0 {
			m.late = k
		}
	}
	return m
}

// below is a table as a step from below takes it: before the first point V ≥ 1 − α, and after the last one V ≥ 0.
func (g *grid) below(t Table) *move {
	m := g.move(t, func(x double.Interval) float64 { return max(x.Lo, 0) })
	// Σ of the masses p_i at losses i above k and of p_i·e^(−iΔ).
	sum, part := double.Point(t.infinite), double.Interval{}
	at := len(t.mass)
	for k := g.n - 1; k >= 0; k-- {
		for ; at > 0 && t.first+at-1 > k; at-- {
			p := double.Point(t.mass[at-1])
			sum, part = sum.Add(p), part.Add(p.Mul(g.alpha(-(t.first + at - 1))))
		}
		m.under[k] = max(0, g.weight(g.first+k).Mul(sum.Sub(part.Mul(g.alpha(g.first+k)))).Lo)
	}
	return m
}

// move places the masses of a table, rounded as end says.
func (g *grid) move(t Table, end func(double.Interval) float64) *move {
	m := &move{mass: make([]float64, g.t.Length()), under: make([]float64, g.n), beyond: make([]float64, g.n)}
	for i, p := range t.mass {
		k := t.first + i
		x := end(g.weight(k).Mul(double.Point(p)))
		m.mass[(k+g.t.Length())%g.t.Length()] = x
		m.norm2 += float64(x * x)
	}
	return m
}

// A family is the moves of one side, with the transforms of their masses: of two moves one is the real part, the other
// the imaginary one.
type family struct {
	moves    []*move
	spectra  [][]complex128
	norms    []float64 // bounds of the norms of the pairs of moves
	relative float64
	sparse   *family // nil, or moves of which V is computed at every sparse-th point
}

// sparse is how many points from one point to the next there are where sparse moves are computed.
const sparse = 4

func (g *grid) family(moves []*move) *family {
	f := &family{moves: moves, relative: g.t.Relative()}
	for i := 0; i < len(moves); i += 2 {
		x := make([]complex128, g.t.Length())
		norm2 := moves[i].norm2
		for k, p := range moves[i].mass {
			x[k] = complex(p, 0)
		}
		if i+1 < len(moves) {
			norm2 += moves[i+1].norm2
			for k, p := range moves[i+1].mass {
				x[k] += complex(0, p)
			}
		}
		g.t.Forward(x)
		f.spectra, f.norms = append(f.spectra, x), append(f.norms, math.Sqrt(norm2)*generous)
	}
	return f
}

// with adds sparse moves, if there are any.
func (f *family) with(g *grid, moves []*move) *family {
	if len(moves) == 0 {
		return f
	}
	f.sparse = g.family(slices.Clone(moves))
	for i, m := range moves {
		f.sparse.moves[i] = m.sparse()
	}
	return f
}

// sparse is the move at some points. Its masses are those of all.
func (m *move) sparse() *move {
	out := &move{mass: m.mass, norm2: m.norm2, early: (m.early + sparse - 1) / sparse, late: m.late / sparse}
	for i := 0; i < len(m.under); i += sparse {
		out.under, out.rising = append(out.under, m.under[i]), append(out.rising, m.rising[i])
		out.beyond = append(out.beyond, m.beyond[i])
	}
	return out
}

// generous covers the rounding of a few operations, and of sums of fewer than 2^30 numbers ≥ 0.
const generous = 1 + 0x1p-20

// slack covers the roundings of a handful of operations on numbers ≥ 0.
const slack = 0x1p-48

// convolve calls each with every move and, for all points, a bound of the error and the convolution of its masses with
// v times the length of the transform: with sparse moves for some points, and a bound of the same error.
//
// Of what the first two levels of Backward make every fourth number is a sum of four, and the other levels are those of
// a transform of these alone.
func (g *grid) convolve(f *family, v []float64, room *[2][]complex128, each func(m *move, err float64, c []complex128,
	imaginary bool)) {
	x, y := room[0], room[1]
	clear(x[len(v):])
	norm2 := 0.0
	for i, a := range v {
		x[i] = complex(a, 0)
		norm2 += float64(a * a)
	}
	g.t.Forward(x)
	norm := math.Sqrt(norm2) * generous
	pass := func(f *family, s int, c []complex128) {
		err := float64(float64(float64(f.relative*norm)*f.norms[s])*generous) + tiny
		each(f.moves[2*s], err, c, false)
		if 2*s+1 < len(f.moves) {
			each(f.moves[2*s+1], err, c, true)
		}
	}
	for s, spectrum := range f.spectra {
		double.Products(y, x, spectrum)
		g.t.Backward(y)
		pass(f, s, y[:g.n])
	}
	if f.sparse == nil {
		return
	}
	few := y[:len(y)/sparse]
	for s, spectrum := range f.sparse.spectra {
		double.Products(y, x, spectrum)
		for i := range few {
			z := y[sparse*i:][:sparse]
			few[i] = z[0] + z[1] + (z[2] + z[3])
		}
		g.few.Backward(few)
		pass(f.sparse, s, few[:(g.n-1)/sparse+1])
	}
}

// tiny covers what is lost below the least normal float64, 2^−1022: all weights are between 2^−200 and 2^200.
const tiny = 0x1p-500

// A side is V from one side at the points, times their weights.
type side struct {
	g     *grid
	v     []float64
	bound []float64 // from above the weights, as V ≤ 1; from below 1 − α times them
	room  [2][]complex128
	// next and part are room for the next V, and for what a move makes of it, and some for what sparse ones do.
	next, part, some []float64
	above            bool
	last             double.Interval // the weight of the last point
	kept             *recorder       // of the choices, from below, or nil
}

// newSide starts with (1 − α)₊.
func (g *grid) newSide(above bool) *side {
	s := &side{g: g, v: make([]float64, g.n), bound: make([]float64, g.n), above: above}
	s.next, s.part, s.some = make([]float64, g.n), make([]float64, g.n), make([]float64, g.n/sparse+1)
	s.room = [2][]complex128{make([]complex128, g.t.Length()), make([]complex128, g.t.Length())}
	s.last = g.weight(g.first + g.n - 1)
	for i := range s.v {
		k := g.first + i
		w := g.weight(k)
		plain := double.Interval{}
		if k < 0 {
			plain = double.Int(1).Sub(g.alpha(k)).AtLeastZero().Mul(w)
		}
		if above {
			s.v[i], s.bound[i] = plain.Hi, w.Hi
		} else {
			s.v[i], s.bound[i] = max(plain.Lo, 0), max(plain.Lo, 0)
		}
	}
	return s
}

// step replaces V by the greatest of what the moves make of it.
//
// Rounding. From above, what a move makes of V is at most x + err, which is at least 0, and numbers ≥ 0. Roundings
// that are of the size of err are covered by what err is generous by, and all others by slack.
func (s *side) step(f *family) {
	next := s.next
	clear(next)
	clear(s.some)
	n := s.g.n
	end := double.Point(s.v[n-1]).Div(s.last).Hi // V at the last point
	// 1 − V at the first point, from where V is at most its chord.
	fall := max(0, double.Int(1).Sub(double.Point(s.v[0]).Div(s.g.weight(s.g.first))).Lo)
	scale := 1 / float64(s.g.t.Length())
	if s.kept != nil {
		s.kept.start(n)
	}
	s.g.convolve(f, s.v, &s.room, func(m *move, err float64, c []complex128, imaginary bool) {
		x := s.part[:len(c)]
		if imaginary {
			for i, a := range c {
				x[i] = imag(a) * scale
			}
		} else {
			for i, a := range c {
				x[i] = real(a) * scale
			}
		}
		if s.above {
			next := next[:len(x)]
			if len(x) < n {
				next = s.some[:len(x)]
			}
			m.raise(next, x, err, fall, end)
			return
		}
		if s.kept == nil {
			next, under := next[:len(x)], m.under[:len(x)]
			for i, a := range x {
				if y := (a - err + under[i]) * (1 - slack); y > next[i] {
					next[i] = y
				}
			}
			return
		}
		for i, a := range x {
			y := (a - err + m.under[i]) * (1 - slack)
			if y > next[i] {
				next[i], s.kept.now[i] = y, int8(s.kept.moves)
			}
			s.kept.least[i] = min(s.kept.least[i], y)
		}
		s.kept.moves++
	})
	if s.kept != nil {
		s.kept.end(next, s.bound)
	}
	if f.sparse != nil {
		s.chords(next)
	}
	for i, x := range next {
		if s.above {
			next[i] = min(x*(1+slack), s.bound[i])
		} else {
			next[i] = max(x, s.bound[i])
		}
	}
	s.v, s.next = next, s.v
}

// raise raises next to what a move makes of V, where x is what it makes of V on the grid but for an error, and V falls
// by so much from 0 to the first point, and to end at the last one.
func (m *move) raise(next, x []float64, err, fall, end float64) {
	next, under := next[:len(x)], m.under[:len(x)]
	for i := m.late; i < len(x); i++ {
		x[i] += float64(m.beyond[i] * end)
	}
	for i, r := range m.rising[:m.early] {
		u := max(0, under[i]-float64(float64(r*fall)*(1-slack)))
		if a := x[i] + err + u; a > next[i] {
			next[i] = a
		}
	}
	for i := m.early; i < len(x); i++ {
		if a := x[i] + err + under[i]; a > next[i] {
			next[i] = a
		}
	}
}

// chords raises next to the chords between some points: what a move makes of V is convex.
func (s *side) chords(next []float64) {
	one := double.Int(1)
	all := s.g.alpha(sparse).Sub(one)
	for r := range sparse {
		part := s.g.alpha(r).Sub(one).Div(all)
		left := one.Sub(part).Mul(s.g.weight(r)).AtLeastZero().Hi
		right := part.Mul(s.g.weight(r - sparse)).AtLeastZero().Hi
		for i, k := r, 0; i < len(next); i, k = i+sparse, k+1 {
			x := float64(left * s.some[k])
			if r > 0 {
				x += float64(right * s.some[k+1])
			}
			if x > next[i] {
				next[i] = x
			}
		}
	}
}

// steps takes so many steps, until ctx ends.
func (s *side) steps(ctx context.Context, f *family, count int64) error {
	for range count {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.step(f)
	}
	return nil
}

// at encloses the value at point i by the weight: outward on its own side only.
func (s *side) at(i int) double.Interval {
	return double.Interval{Lo: s.v[i], Hi: s.v[i]}.Div(s.g.weight(s.g.first + i))
}
