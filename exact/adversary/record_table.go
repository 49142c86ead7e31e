// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"math"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// A corner is a pair ((1−q)N(0, I) + qN(a, I), (1−q)N(0, I) + qN(b, I)) by the squares of a and b, and ⟨a, b⟩, in
// radii.
type corner struct{ a, b, product float64 }

// A planar pair is ((1−q)N(0, I) + qN(a, I), (1−q)N(0, I) + qN(b, I)) in a plane, of which one of a and b is (length,
// 0) and the other one (along, up).
type planar struct {
	length, along, up float64
	second            bool // it is b that is (length, 0)
}

// planar has norms and a product of vectors that are on the side of the corner where there is more: its Gaussian at the
// diameter, of two radii, has μ².
func (c corner) planar(mu2 double.Interval) planar {
	scale := mu2.Mul(double.Point(0.25))
	times := func(x float64) double.Interval { return scale.Mul(double.Point(x)) }
	p := planar{second: c.a < c.b}
	p.length = times(max(c.a, c.b)).Sqrt().Hi
	p.along = times(c.product).Div(double.Point(p.length)).Lo
	square := double.Point(p.along).Sqr()
	// More is worse, and less is hardly known.
	p.up = max(times(min(c.a, c.b)).Sub(square).AtLeastZero().Sqrt().Hi, 0x1p-10)
	return p
}

// A spread places P-mass on the points of a grid of losses from one number to another, and on infinite loss. Its
// numbers are upper bounds.
type spread struct {
	table   Table
	alphas  []double.Interval // e^(kΔ) of the points
	growth  [3]double.Interval
	inverse [3]double.Interval // 1/(e^(kΔ) − 1), k = 1, 2
	delta   float64
}

func newSpread(delta float64, lo, hi int) *spread {
	g := grid{delta: delta}
	s := &spread{delta: delta, table: Table{first: lo, mass: make([]float64, hi-lo+1)}}
	for k := lo; k <= hi; k++ {
		s.alphas = append(s.alphas, g.alpha(k))
	}
	for k := 1; k <= 2; k++ {
		s.growth[k] = g.alpha(k)
		less := wide.Expm1(wide.Mul(double.Exactly(delta), interval.Int(int64(k))))
		s.inverse[k] = double.Of(wide.Inv(less))
	}
	return s
}

// A place is two points of the grid, and which parts of a P-mass there have the mean of the ratio, 0 at the first point
// if before is set.
type place struct {
	first, second int // −1 for infinite loss
	near, far     float64
}

// at is the place of a ratio P/Q, wherever in r it is. What is before the grid goes to its first point, which takes
// Q-mass away; what is after it becomes infinite.
func (s *spread) at(r double.Interval) place {
	n := len(s.alphas)
	switch {
	case r.Hi <= s.alphas[0].Lo:
		return place{near: 1}
	case !(r.Lo >= s.alphas[0].Hi && r.Hi <= s.alphas[n-1].Lo):
		if r.Hi <= s.alphas[1].Lo {
			return place{first: 1, near: 1} // on either side of the first point
		}
		return place{first: -1, near: 1}
	}
	k := min(max(int(math.Floor(double.Log64(r.Lo)/s.delta))-s.table.first, 0), n-1)
	for s.alphas[k].Hi > r.Lo {
		k--
	}
	to := k + 1
	for s.alphas[to].Lo < r.Hi {
		to++
	}
	if to > k+2 {
		return place{first: to, near: 1} // Q-mass is taken away
	}
	// With y = α_to/R, of a mass the part (y − 1)/(ρ − 1) goes to the first point and (ρ − y)/(ρ − 1) to the second.
	y := s.alphas[to].Div(r)
	one := double.Int(1)
	near := y.Sub(one).Mul(s.inverse[to-k]).Hi
	far := s.growth[to-k].Sub(y).Mul(s.inverse[to-k]).Hi
	return place{k, to, min(max(near, 0), 1), min(max(far, 0), 1)}
}

// add places a P-mass.
func (s *spread) add(p place, mass float64) {
	if mass <= 0 {
		return
	}
	put := func(at int, part float64) {
		to := &s.table.infinite
		if at >= 0 {
			to = &s.table.mass[at]
		}
		*to = double.Point(*to).Add(double.Point(part).Mul(double.Point(mass))).Hi
	}
	put(p.first, p.near)
	if p.far > 0 {
		put(p.second, p.far)
	}
}

// A cut is what a normal X of variance 1 has between points that rise, before the first one, and after the last.
type cut struct {
	between       []double.Interval
	before, after double.Interval
}

// newCut takes each mass from tails on its side of the mean, so that small ones are known to as many digits.
func newCut(xs []double.Interval, mean float64) cut {
	n := len(xs)
	beyond, left := make([]double.Interval, n), make([]bool, n) // the tail of a point that is away from the mean
	for i, x := range xs {
		left[i] = x.Hi < mean
		switch {
		case left[i] && x.Lo == x.Hi:
			beyond[i] = tail(mean, x.Lo)
		case left[i]:
			beyond[i] = double.Interval{Lo: tail(mean, x.Lo).Lo, Hi: tail(mean, x.Hi).Hi}
		case x.Lo == x.Hi:
			beyond[i] = tail(x.Lo, mean)
		default:
			beyond[i] = double.Interval{Lo: tail(x.Hi, mean).Lo, Hi: tail(x.Lo, mean).Hi}
		}
	}
	one := double.Int(1)
	c := cut{between: make([]double.Interval, n-1), before: one.Sub(beyond[0]), after: beyond[n-1]}
	if left[0] {
		c.before = beyond[0]
	}
	if left[n-1] {
		c.after = one.Sub(beyond[n-1])
	}
	for i := range c.between {
		x, y := beyond[i], beyond[i+1]
		switch {
		case left[i] && left[i+1]:
			x, y = y, x
		case left[i]:
			x = one.Sub(x)
		}
		c.between[i] = x.Sub(y).AtLeastZero()
	}
	return c
}

// tail encloses P(X > x − mean) of a standard normal X, of points.
func tail(x, mean float64) double.Interval {
	var w fixed.Three
	at := w.Sub(fixed.FromInterval(double.Exactly(x)), fixed.FromInterval(double.Exactly(mean)))
	t := double.Of(w.NormalSF(at).Interval())
	return double.Interval{Lo: max(t.Lo, 0), Hi: min(t.Hi, 1)}
}

// split is how a mass p goes to the two ends, near and far are bounds of what it has there by its mean; where these are
// not good, all of it goes to one end.
func split(p, near, far double.Interval) (n, f float64, ok bool) {
	n, f = min(max(near.Hi, 0), p.Hi), min(max(far.Hi, 0), p.Hi)
	return n, f, n+f <= p.Hi*(1+0x1p-26)
}

// sumAbove is a sum, rounded up.
func sumAbove(x, y float64) float64 { return double.Point(x).Add(double.Point(y)).Hi }

// factors are numbers w, with weights so that convex functions of e^(sZ − s²/2) that fall, or rise with slopes of at
// most 1, have at most the mean that they have over w with these weights, and rest more if they rise.
//
// Between two of them the law goes to both, its mean kept. What is before the first one goes to 0 or to the first, and
// what is after the last one there, above which a function has risen by rest at most.
func factors(s, step, tail float64, rises bool) (ws []double.Interval, weights []float64, rest float64) {
	var xs []double.Interval
	ws, weights = append(ws, double.Interval{}), append(weights, 0)
	spread := double.Point(s)
	half := spread.Sqr().Half()
	n := int(math.Ceil(2 * tail / step))
	for i := range n + 1 {
		z := -tail + float64(2*tail*float64(i)/float64(n))
		w := double.Exp64(float64(s*z) - float64(s*s)/2)
		if last := ws[len(ws)-1]; !(w > last.Lo) || math.IsInf(w, 1) {
			continue
		}
		point := double.Point(w)
		ws, weights = append(ws, point), append(weights, 0)
		xs = append(xs, point.Log().Add(half).Div(spread))
	}
	mass, mean := newCut(xs, 0), newCut(xs, s)
	weights[0], weights[len(xs)] = mass.before.Hi, mass.after.Hi
	if rises {
		weights[0], weights[1], rest = 0, mass.before.Hi, mean.after.Hi
	}
	for i, p := range mass.between {
		m, a, b := mean.between[i], ws[i+1], ws[i+2]
		near, far, ok := split(p, b.Mul(p).Sub(m).Div(b.Sub(a)), m.Sub(a.Mul(p)).Div(b.Sub(a)))
		switch {
		case !ok && rises:
			near, far = 0, p.Hi
		case !ok:
			near, far = p.Hi, 0
		}
		weights[i+1] = sumAbove(weights[i+1], near)
		weights[i+2] = sumAbove(weights[i+2], far)
	}
	return ws, weights, rest
}

// maxPoints bounds the points of a cut.
const maxPoints = 1 << 12

// table is a pair on the grid that has at every convex V that falls at least what the planar pair has. With
// probability q a record is in the sample.
//
// Of u·V(αv/u), which is convex in (u, v), rises in u with slopes of at most 1 and falls in v, the second coordinate is
// but a factor w = e^(up·Z − up²/2) of one of the densities A and B, u = 1 − q + qA and v = 1 − q + qB: see factors.
// Given w, the first coordinate is cut into cells of P- and Q-masses m_P and m_Q where R = u/v is in [R₁, R₂]: the
// convex function R·V(α/R) has the greatest mean under Q if all is at the ends, with P-masses R₂(m_P − R₁m_Q)/(R₂ −
// R₁) and R₁(R₂m_Q − m_P)/(R₂ − R₁). What is before the first point has a ratio of at most that of the greatest u and
// the least v, and what is after the last one is infinite.
func (x planar) table(s *spread, q double.Interval, step, across, tail float64) Table {
	keep := double.Int(1).Sub(q)
	start := min(0, x.along) - tail
	reach := x.length + tail - start
	n := int(min(math.Ceil(reach/step), maxPoints))
	zs := make([]double.Interval, n+1)
	exp := func(mean float64, z double.Interval) double.Interval {
		m := double.Point(mean)
		return q.Mul(m.Mul(z.Sub(m.Half())).Exp())
	}
	long, short := line{at: make([]double.Interval, n+1)}, line{at: make([]double.Interval, n+1)}
	long.mean, short.mean = x.length, x.along
	for i := range zs {
		zs[i] = double.Point(start + float64(reach*float64(i)/float64(n)))
		long.at[i], short.at[i] = exp(x.length, zs[i]), exp(x.along, zs[i])
	}
	none := newCut(zs, 0)
	long.cut, short.cut = newCut(zs, x.length), newCut(zs, x.along)
	ws, weights, rest := factors(x.up, across, tail, x.second)
	masses := make([]float64, n+1)
	ratios := make([]double.Interval, n+1)
	s.add(place{first: -1, near: 1}, double.Point(rest).Mul(q).Hi)
	for j, w := range ws {
		if weights[j] == 0 {
			continue
		}
		weight := double.Point(weights[j])
		a, b := long.times(q, double.Int(1)), short.times(q, w)
		if x.second {
			a, b = b, a
		}
		for i := range ratios {
			ratios[i] = keep.Add(a.value(i)).Div(keep.Add(b.value(i)))
			masses[i] = 0
		}
		for i := range n {
			middle := keep.Mul(none.between[i])
			p, m := middle.Add(a.mass(i)), middle.Add(b.mass(i))
			lo, hi := ends(ratios, a, b, keep, i)
			low, high := double.Point(lo), double.Point(hi)
			apart := high.Sub(low)
			near, far := 0.0, p.Hi
			if apart.Lo > 0 {
				n, f, ok := split(p, low.Mul(high.Mul(m).Sub(p)).Div(apart), high.Mul(p.Sub(low.Mul(m))).Div(apart))
				if ok {
					near, far = n, f
				}
			}
			near, far = weight.Mul(double.Point(near)).Hi, weight.Mul(double.Point(far)).Hi
			if lo == ratios[i].Lo && hi == ratios[i+1].Hi {
				masses[i], masses[i+1] = sumAbove(masses[i], near), far
				continue
			}
			s.add(s.at(low), near)
			s.add(s.at(high), far)
		}
		for i, m := range masses {
			s.add(s.at(ratios[i]), m)
		}
		before := keep.Mul(none.before).Add(a.factor.Mul(q).Mul(a.cut.before))
		after := keep.Mul(none.after).Add(a.factor.Mul(q).Mul(a.cut.after))
		top, bottom := keep, keep
		if a.mean > 0 {
			top = top.Add(a.value(0))
		} else {
			top = top.Add(double.Interval{Lo: 0, Hi: math.Inf(1)})
		}
		if b.mean <= 0 {
			bottom = bottom.Add(b.value(0))
		}
		s.add(s.at(top.Div(bottom).Upper()), weight.Mul(before).Hi)
		s.add(place{first: -1, near: 1}, weight.Mul(after).Hi)
	}
	return s.table
}

// A line is q times the density of N(mean, 1) relative to N(0, 1), times a factor.
type line struct {
	mean   float64
	at     []double.Interval
	cut    cut
	q      double.Interval
	factor double.Interval
}

func (l line) times(q, w double.Interval) line {
	l.q, l.factor = q, w
	return l
}

func (l line) value(i int) double.Interval { return l.factor.Mul(l.at[i]) }
func (l line) mass(i int) double.Interval  { return l.factor.Mul(l.q).Mul(l.cut.between[i]) }

// ends are the least and the greatest ratio u/v from a point to the next: those at the points, if it rises or falls
// between for certain, and otherwise of the greatest u and the least v, and the reverse.
//
// The derivative has the sign of a·A·v − b·B·u, for the means a of A and b of B: u and v are sums of 1 − q and A or B.
// That is bounded by what A, B, u and v are at the two points, between which they rise or fall.
func ends(ratios []double.Interval, a, b line, keep double.Interval, i int) (lo, hi float64) {
	x, y := double.Union(a.value(i), a.value(i+1)), double.Union(b.value(i), b.value(i+1))
	u, v := keep.Add(x), keep.Add(y)
	slope := double.Point(a.mean).Mul(x).Mul(v).Sub(double.Point(b.mean).Mul(y).Mul(u))
	switch {
	case slope.Lo >= 0:
		return ratios[i].Lo, ratios[i+1].Hi
	case slope.Hi <= 0:
		return ratios[i+1].Lo, ratios[i].Hi
	}
	r := u.Div(v)
	return r.Lo, r.Hi
}
