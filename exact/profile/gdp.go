// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"math/big"
	"slices"

	"dpverify/exact/interval"
)

// maxLines bounds the values of δ that an enclosure of μ takes.
const maxLines = 600

// maxUnbounded bounds them while none is above 0 everywhere.
const maxUnbounded = 64

// GaussianDP encloses the least μ ≥ 0 for which the trade-off function f of a pair with the profile δ is at least
// G_μ(α) = Φ(Φ⁻¹(1 − α) − μ) for all α in [a, 1 − a], 0 < a ≤ 1/2, to about bits leading bits if the profile is known
// so well:
//
//	μ = sup m(α, f(α)), m(α, y) = Φ⁻¹(1 − α) − Φ⁻¹(y).
//
// With s = e^−ε, c(s) = s·(1 − δ(ε)) is concave and f(α) = sup_s c(s) − sα (see ToTradeOff): each value of δ gives a
// line below f.
//
// Above: let lines s_1 < s_2 < … be given, and numbers 1 − a = α_0 > α_1 > … > α_n = a. If the i-th line is at least
// G_μ at both α_{i−1} and α_i, it is so between them, as G_μ is convex, and f is as well. So μ is at most the greatest
// m at the ends of all pieces; where neighbouring lines cross, it exceeds the true value by the square of the distance
// of their slopes.
//
// Below: m(α, y) at any α, with y ≥ f(α) by the chords of c at s on either side, prolonged.
func GaussianDP(ctx context.Context, p interval.Prec, bits int, profile Func, a *big.Rat) (interval.Interval, error) {
	g := &gaussianDP{ctx: ctx, w: p + 32, profile: profile, a: a, rest: new(big.Rat).Sub(ratOne, a),
		known: make(map[[2]*line]interval.Interval)}
	for k := -3; k <= 3; k++ {
		if err := g.add(big.NewRat(int64(k), 1)); err != nil {
			return interval.Entire(), err
		}
	}
	if err := g.reachEnds(); err != nil {
		return interval.Entire(), err
	}
	least, upper := interval.Int(0), interval.PosInf() // each round bounds μ
	for {
		g.prune()
		top, at, pieces := g.above()
		least = interval.Max(least, g.below(at))
		upper = interval.Min(upper, interval.Max(top, interval.Int(0)).Upper())
		if !upper.IsFinite() && len(g.lines) > maxUnbounded || len(g.lines) > maxLines ||
			p.Sub(upper, least.Lower()).LessEq(p.Scale(interval.Max(upper, p.Scale(interval.Int(1), -2*bits)),
				-bits)) == interval.True {
			return p.Round(interval.Bounds(least.Lo(), upper.Hi())), nil
		}
		grown, err := g.refine(pieces)
		if err != nil && ctx.Err() == nil {
			return interval.Entire(), err
		}
		if err != nil || !grown { // at the end of the time, what is known
			return p.Round(interval.Bounds(least.Lo(), upper.Hi())), nil
		}
	}
}

type gaussianDP struct {
	ctx     context.Context
	w       interval.Prec
	profile Func
	a, rest *big.Rat
	lines   []*line // by s
	all     []*line // those that were pruned, too
	known   map[[2]*line]interval.Interval
}

// A line is α ↦ c − sα, s = e^−eps.
type line struct {
	eps  *big.Rat
	s, c interval.Interval
}

// at is the value of the line at α.
func (g *gaussianDP) at(l *line, alpha *big.Rat) interval.Interval {
	return g.w.Sub(l.c, g.w.Mul(l.s, g.w.Rat(alpha)))
}

// add computes the line of ε = −t.
func (g *gaussianDP) add(t *big.Rat) error {
	if slices.ContainsFunc(g.all, func(l *line) bool { return l.eps.Cmp(new(big.Rat).Neg(t)) == 0 }) {
		return nil
	}
	if err := g.ctx.Err(); err != nil {
		return err
	}
	w := g.w
	eps := new(big.Rat).Neg(t)
	d, err := g.profile(g.ctx, w, interval.RealRat(eps))
	if err != nil {
		return err
	}
	s := w.Exp(w.Rat(t))
	c := interval.Min(w.Mul(s, w.Sub(interval.Int(1), d)), interval.Int(1)) // δ(ε) ≥ 1 − e^ε
	l := &line{eps, s, c}
	byS := func(x *line, eps *big.Rat) int { return eps.Cmp(x.eps) }
	i, _ := slices.BinarySearchFunc(g.lines, eps, byS)
	g.lines = slices.Insert(g.lines, i, l)
	j, _ := slices.BinarySearchFunc(g.all, eps, byS)
	g.all = slices.Insert(g.all, j, l)
	return nil
}

// maxReach bounds |ε| of lines.
const maxReach = 1 << 16

// reachEnds adds lines on both sides until the greatest at a and at 1 − a are not the last ones.
func (g *gaussianDP) reachEnds() error {
	for _, side := range []struct {
		alpha *big.Rat
		sign  int64
	}{{g.a, 1}, {g.rest, -1}} {
		for k := int64(4); k <= maxReach; k += max(1, k/4) {
			best := g.best(side.alpha)
			if side.sign > 0 && best < len(g.lines)-1 || side.sign < 0 && best > 0 {
				break
			}
			if err := g.add(big.NewRat(side.sign*k, 1)); err != nil {
				return err
			}
		}
	}
	return nil
}

// best is the line that is the greatest at α, by its middle.
func (g *gaussianDP) best(alpha *big.Rat) int {
	best, top := 0, interval.NegInf()
	for i, l := range g.lines {
		if y := g.w.Mid(g.at(l, alpha)); top.Less(y) == interval.True {
			best, top = i, y
		}
	}
	return best
}

// crossing is about where two lines meet, in [a, 1 − a].
func (g *gaussianDP) crossing(l, m *line) *big.Rat {
	x := g.w.Mid(g.w.Div(g.w.Sub(g.w.Mid(m.c), g.w.Mid(l.c)), g.w.Sub(g.w.Mid(m.s), g.w.Mid(l.s))))
	lo, _, ok := x.Rationals()
	switch {
	case !ok || lo.Cmp(g.a) < 0:
		return g.a
	case lo.Cmp(g.rest) > 0:
		return g.rest
	}
	return lo
}

// prune leaves the lines that are the greatest somewhere: those whose crossings fall with s.
func (g *gaussianDP) prune() {
	var kept []*line
	for _, l := range g.lines {
		for len(kept) > 1 && g.crossing(kept[len(kept)-1], l).Cmp(g.crossing(kept[len(kept)-2], kept[len(kept)-1])) > 0 {
			kept = kept[:len(kept)-1]
		}
		kept = append(kept, l)
	}
	g.lines = kept
}

// need is m(α, y); anything once the context has ended: quantiles far out take long.
func (g *gaussianDP) need(alpha *big.Rat, y interval.Interval) interval.Interval {
	if g.ctx.Err() != nil {
		return interval.Entire()
	}
	z := g.w.NormalQuantile(g.w.Rat(alpha)).Neg()
	return g.w.Sub(z, g.w.NormalQuantile(interval.Min(interval.Max(y, interval.Int(0)), interval.Int(1))))
}

// A piece is where two lines meet, by the index of the first one, and the greater m there; ends of the range have one
// line.
type piece struct {
	i     int
	alpha *big.Rat
	m     interval.Interval
	end   bool
}

// above bounds μ, and says where the bound is reached.
func (g *gaussianDP) above() (top interval.Interval, at *big.Rat, pieces []piece) {
	value := func(l, m *line, alpha *big.Rat) interval.Interval {
		key := [2]*line{l, m}
		if x, ok := g.known[key]; ok {
			return x
		}
		x := g.need(alpha, g.at(l, alpha).Lower())
		if m != l {
			x = interval.Max(x, g.need(alpha, g.at(m, alpha).Lower()))
		}
		g.known[key] = x
		return x
	}
	if g.a.Cmp(g.rest) == 0 { // one α
		i := g.best(g.a)
		only := piece{i, g.a, g.need(g.a, g.at(g.lines[i], g.a).Lower()), true}
		return only.m, only.alpha, []piece{only}
	}
	// The pieces go from 1 − a, where s is small, to a.
	n := len(g.lines)
	pieces = append(pieces, piece{0, g.rest, g.need(g.rest, g.at(g.lines[0], g.rest).Lower()), true})
	for i := range n - 1 {
		l, m := g.lines[i], g.lines[i+1]
		alpha := g.crossing(l, m)
		pieces = append(pieces, piece{i, alpha, value(l, m, alpha), false})
	}
	pieces = append(pieces, piece{n - 1, g.a, g.need(g.a, g.at(g.lines[n-1], g.a).Lower()), true})
	// Lines that are greatest beyond the range only, or cross there, have a piece of one point: the end itself, where
	// another line counts.
	ends := map[bool]int{false: g.best(g.rest), true: g.best(g.a)}
	var kept []piece
	for _, p := range pieces {
		switch {
		case p.alpha.Cmp(g.rest) == 0:
			if len(kept) == 0 {
				i := ends[false]
				kept = append(kept, piece{i, g.rest, value(g.lines[i], g.lines[i], g.rest), true})
			}
		case p.alpha.Cmp(g.a) == 0:
			i := ends[true]
			kept = append(kept, piece{i, g.a, g.need(g.a, g.at(g.lines[i], g.a).Lower()), true})
			pieces = g.cover(kept)
			top := highest(pieces)
			return top.m, top.alpha, pieces
		default:
			kept = append(kept, p)
		}
	}
	panic("profile: internal error: the last piece is at the end of the range")
}

// cover makes sure that each piece has one line at both of its ends: between the end and the first crossing it is the
// line of the end, or the line of the crossing at the end as well.
func (g *gaussianDP) cover(pieces []piece) []piece {
	n := len(pieces)
	if n == 2 { // no crossing inside: one line for all
		i := pieces[0].i
		if pieces[1].i != i {
			y := g.need(g.a, g.at(g.lines[i], g.a).Lower())
			z := g.need(g.rest, g.at(g.lines[pieces[1].i], g.rest).Lower())
			if y.Hi().Cmp(z.Hi()) <= 0 {
				pieces[1].i, pieces[1].m = i, interval.Max(pieces[1].m, y)
			} else {
				pieces[0].i, pieces[0].m = pieces[1].i, interval.Max(pieces[0].m, z)
			}
		}
		return pieces
	}
	if first := pieces[1].i; pieces[0].i != first {
		pieces[0].i, pieces[0].m = first, g.need(g.rest, g.at(g.lines[first], g.rest).Lower())
	}
	for j := 1; j+2 < n; j++ {
		if next := pieces[j].i + 1; next != pieces[j+1].i || pieces[j].alpha.Cmp(pieces[j+1].alpha) < 0 {
			pieces[j].m = interval.PosInf() // no line is at both ends
		}
	}
	if last := pieces[n-2].i + 1; pieces[n-1].i != last {
		pieces[n-1].i, pieces[n-1].m = last, g.need(g.a, g.at(g.lines[last], g.a).Lower())
	}
	return pieces
}

// below is m at α, with an upper bound of f(α).
func (g *gaussianDP) below(alpha *big.Rat) interval.Interval {
	w := g.w
	trivial := w.Rat(new(big.Rat).Sub(ratOne, alpha))
	x := w.Rat(alpha)
	type point struct{ s, c interval.Interval }
	points := []point{{interval.Int(0), interval.Int(0)}} // c(0) = 0
	for _, l := range g.all {
		points = append(points, point{l.s, l.c})
	}
	// slopeAbove and slopeBelow bound the slope of a chord.
	slopeAbove := func(a, b point) interval.Interval {
		return w.Div(w.Sub(b.c.Upper(), a.c.Lower()), w.Sub(b.s, a.s)).Upper()
	}
	slopeBelow := func(a, b point) interval.Interval {
		return w.Div(w.Sub(b.c.Lower(), a.c.Upper()), w.Sub(b.s, a.s)).Lower()
	}
	value := func(q point) interval.Interval { return w.Sub(q.c.Upper(), w.Mul(q.s, x)).Upper() }
	n := len(points)
	// Beyond the last point c rises by no more than the last chord.
	if slopeAbove(points[n-2], points[n-1]).LessEq(x) != interval.True {
		return g.need(alpha, trivial)
	}
	top := value(points[n-1])
	for j := 0; j+1 < n; j++ {
		a, b := points[j], points[j+1]
		// c(s) ≤ A(s) = c_a + m₁(s − s_a) by the chord to the left, and ≤ B(s) = c_b − m₂(s_b − s) by that to the
		// right, so that any mean of the two bounds c; the one with the slope α, if there is one, is the least.
		ends := func(m interval.Interval, from point) (atA, atB interval.Interval) {
			f := func(s interval.Interval) interval.Interval {
				return w.Sub(w.Add(from.c.Upper(), w.Mul(m, w.Sub(s, from.s))), w.Mul(s, x))
			}
			return f(a.s), f(b.s)
		}
		best := interval.PosInf()
		var a1, b1, a2, b2 interval.Interval
		left, right := j > 0, j+2 < n
		if left {
			a1, b1 = ends(slopeAbove(points[j-1], a), a)
			best = interval.Min(best, interval.Max(a1, b1))
		}
		if right {
			a2, b2 = ends(slopeBelow(b, points[j+2]), b)
			best = interval.Min(best, interval.Max(a2, b2))
		}
		if left && right {
			// θ(b1 − a1) + (1 − θ)(b2 − a2) = 0
			u, v := w.Sub(b1, a1), w.Sub(b2, a2)
			theta := w.Mid(w.Div(v, w.Sub(v, u)))
			if theta.IsFinite() {
				theta = interval.Min(interval.Max(theta, interval.Int(0)), interval.Int(1))
				rest := w.Sub(interval.Int(1), theta)
				mean := func(y, z interval.Interval) interval.Interval { return w.Add(w.Mul(theta, y), w.Mul(rest, z)) }
				best = interval.Min(best, interval.Max(mean(a1, a2), mean(b1, b2)))
			}
		}
		if !left && !right {
			best = interval.Int(1)
		}
		top = interval.Max(top, best)
	}
	return g.need(alpha, interval.Min(top.Upper(), trivial))
}

// highest returns the piece with the greatest bound, the first of several.
func highest(pieces []piece) piece {
	return slices.MaxFunc(pieces, func(p, q piece) int { return p.m.Hi().Cmp(q.m.Hi()) })
}

// refine adds lines next to where the bound is reached, and reports false if they are as close as the precision allows.
func (g *gaussianDP) refine(pieces []piece) (bool, error) {
	top := highest(pieces)
	var gaps [][2]*line
	gap := func(i int) {
		if i >= 0 && i+1 < len(g.lines) {
			gaps = append(gaps, [2]*line{g.lines[i], g.lines[i+1]})
		}
	}
	gap(top.i)
	if top.end {
		gap(top.i - 1)
	} else {
		// The bound from below goes by chords on both sides.
		width := func(i int) *big.Rat { return new(big.Rat).Sub(g.lines[i].eps, g.lines[i+1].eps) }
		own := new(big.Rat).Mul(width(top.i), big.NewRat(4, 1))
		for _, i := range []int{top.i - 1, top.i + 1} {
			if i >= 0 && i+1 < len(g.lines) && width(i).Cmp(own) > 0 {
				gap(i)
			}
		}
	}
	least := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(g.w/2)))
	grown := false
	for _, q := range gaps {
		if new(big.Rat).Sub(q[0].eps, q[1].eps).Cmp(least) < 0 {
			continue
		}
		mid := new(big.Rat).Add(q[0].eps, q[1].eps)
		n := len(g.all)
		if err := g.add(mid.Mul(mid, big.NewRat(-1, 2))); err != nil {
			return false, err
		}
		grown = grown || len(g.all) > n
	}
	return grown, nil
}
