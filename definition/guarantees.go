// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpverify/definition/masses"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// A promise is what a guarantee says of the distributions of outcomes on two neighbouring data sets.
type promise interface {
	// kept reports that it holds, in both orientations. It says no where it does not know.
	kept(p, q []*big.Rat) bool
	// seems to hold, at less cost.
	seems(p, q []*big.Rat) bool
	// line is a convex function below all trade-off functions that keep the promise, as the corners of a broken line from α = 0 to 1;
	// nil if there is none at hand.
	line() []corner
}

type corner struct{ alpha, beta *big.Rat }

// A table is a random finite mechanism that keeps a promise: its rows are the distributions of outcomes, and a
// data set has the row of its class. Neighbouring data sets have classes that are next to each other, or, where any two rows
// keep the promise, any classes.
type table struct {
	rows    []masses.Law
	class   *bounded
	start   int  // the row of the class 0
	any     bool // any data set may have any class
	classes site
	sizes   sizes
}

func (m *table) law(d data) masses.Law {
	n := m.outcomes()
	size := m.sizes.of(d)
	return m.row(d).Placed(func(i int) int { return size*n + i })
}

// row is the distribution of outcomes on a data set.
func (m *table) row(d data) masses.Law {
	if m.any {
		return m.rows[m.classes.on(d).pick(len(m.rows))]
	}
	return m.rows[max(0, min(len(m.rows)-1, m.class.of(d)+m.start))]
}

func (m *table) words(ds []data) string {
	return "outcomes have the probabilities " + onEach(ds, func(d data) string {
		var xs []*big.Rat
		for i := range m.outcomes() {
			x, _ := m.row(d).Mass(i)
			xs = append(xs, x)
		}
		return m.sizes.label(len(d), tuple(xs))
	})
}

func (m *table) outcomes() int { return m.rows[0].Len() }

func (m *table) label(y int) string {
	return m.sizes.label(y/m.outcomes(), fmt.Sprintf("outcome %d", 1+y%m.outcomes()))
}

// tight is how near to breaking a promise rows are brought, as a power of two.
const tight = 26

// guarantee is a table that keeps a promise: the steps of a broken line, or rows each as far from the one before as the promise allows, towards
// some masses.Distribution; or rows as far from one as any two may be.
func (c reading) guarantee(s site, pr promise) mech {
	m := &table{class: &bounded{reading: c, site: s.at(0), step: 1}, sizes: c.sizes(s.at(1)), classes: s.at(2), start: s.at(4).pick(3)}
	var rows [][]*big.Rat
	s = s.at(3)
	kind := s.pick(4)
	if c.stride > 1 { // a group is at least two steps away
		kind = (kind + 1) % 4
	}
	switch {
	case kind == 0 && pr.line() != nil:
		rows = steps(pr.line(), s.at(0).pick(2) == 1)
		if !pr.kept(rows[0], rows[1]) {
			panic("definition: internal error: the steps of a trade-off function break the promise that it stands for")
		}
	case kind == 3:
		m.any = true
		n := 2 + s.at(0).pick(2)
		start := drawn(s.at(1), n+s.at(2).pick(2))
		for i := range n {
			rows = append(rows, onto(start, i))
		}
		rows = spread(start, rows, pr)
	default:
		n := 2 + s.at(0).pick(2)
		if kind == 0 {
			rows = append(rows, drawn(s.at(1), 2))
		} else {
			rows = append(rows, drawn(s.at(1), n))
		}
		for i := range 2 + s.at(2).pick(3) {
			row := rows[i]
			target := onto(row, 0)
			if kind == 2 {
				target = drawn(s.at(3+i), len(row))
			}
			rows = append(rows, moved(row, target, pr))
		}
	}
	for _, r := range rows {
		m.rows = append(m.rows, masses.Exactly(r))
	}
	return m
}

// drawn is a distribution on n outcomes, some of which may have no mass; first an even one.
func drawn(s site, n int) []*big.Rat {
	if n == 2 {
		p := big.NewRat(64+around(s.pick(129), 129), 128)
		return []*big.Rat{p, new(big.Rat).Sub(big.NewRat(1, 1), p)}
	}
	total := int64(0)
	weights := make([]int64, n)
	for i := range weights {
		weights[i] = []int64{8, 16, 32, 64, 512, 1 << 14, 0, 1, 2, 3, 4, 5}[s.at(i).pick(12)]
		total += weights[i]
	}
	if total == 0 {
		weights[0], total = 1, 1
	}
	row := make([]*big.Rat, n)
	for i, w := range weights {
		row[i] = big.NewRat(w, total)
	}
	return row
}

// onto has all of its mass on one outcome.
func onto(row []*big.Rat, i int) []*big.Rat {
	out := make([]*big.Rat, len(row))
	for k := range out {
		out[k] = new(big.Rat)
	}
	out[i] = big.NewRat(1, 1)
	return out
}

// between is (1 − t)·a + t·b.
func between(a, b []*big.Rat, t *big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(a))
	for i := range a {
		x := new(big.Rat).Sub(b[i], a[i])
		out[i] = x.Add(x.Mul(x, t), a[i])
	}
	return out
}

// moved is as far from a to b as a promise about a and the result allows: what is allowed is convex and holds a itself.
func moved(a, b []*big.Rat, pr promise) []*big.Rat {
	return between(a, b, greatest(func(t *big.Rat, holds promised) bool { return holds(a, between(a, b, t)) }, pr))
}

// spread moves all rows as far from a common start as a promise about any two allows.
func spread(start []*big.Rat, rows [][]*big.Rat, pr promise) [][]*big.Rat {
	at := func(t *big.Rat) [][]*big.Rat {
		var out [][]*big.Rat
		for _, r := range rows {
			out = append(out, between(start, r, t))
		}
		return out
	}
	return at(greatest(func(t *big.Rat, holds promised) bool {
		moved := at(t)
		for i, a := range moved {
			for _, b := range moved[:i] {
				if !holds(a, b) {
					return false
				}
			}
		}
		return true
	}, pr))
}

type promised func(p, q []*big.Rat) bool

// greatest returns about the greatest t in [0, 1] with which a promise is kept. With less it is as well, and with 0.
func greatest(allowed func(*big.Rat, promised) bool, pr promise) *big.Rat {
	if t := big.NewRat(1, 1); allowed(t, pr.kept) {
		return t
	}
	lo, hi := int64(0), int64(1)<<tight
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if allowed(big.NewRat(mid, 1<<tight), pr.seems) {
			lo = mid
		} else {
			hi = mid
		}
	}
	for ; lo > 0; lo -= 1 + lo>>9 {
		if t := big.NewRat(lo, 1<<tight); allowed(t, pr.kept) {
			return t
		}
	}
	return new(big.Rat)
}

// steps are two distributions whose tests have the errors of a broken line: for each piece of the line an outcome that has the length of the piece
// on the axis of α under one of them, and the length on the axis of β under the other. mirrored exchanges both.
func steps(line []corner, mirrored bool) [][]*big.Rat {
	var p, q []*big.Rat
	last := corner{new(big.Rat), big.NewRat(1, 1)}
	for _, c := range line {
		a, b := new(big.Rat).Sub(c.alpha, last.alpha), new(big.Rat).Sub(last.beta, c.beta)
		if a.Sign() != 0 || b.Sign() != 0 {
			p, q = append(p, a), append(q, b)
		}
		last = c
	}
	if mirrored {
		p, q = q, p
	}
	return [][]*big.Rat{p, q}
}

// profile promises Σ (P − e^ε·Q)₊ ≤ δ for some ε and δ.
type profile []limit

type limit struct{ least, delta *big.Rat } // least is at most e^ε, and nearly that

// shortened is x rounded down to a hundred fraction bits.
func shortened(x *big.Rat) *big.Rat {
	const bits = 100
	n := new(big.Int).Lsh(x.Num(), bits)
	return new(big.Rat).SetFrac(n.Quo(n, x.Denom()), new(big.Int).Lsh(big.NewInt(1), bits))
}

func newProfile(points []mechanism.ProfilePoint) profile {
	out := make(profile, len(points))
	for i, x := range points {
		least, _ := masses.ExpRat(x.Epsilon)
		out[i] = limit{shortened(least), x.Delta}
	}
	return out
}

func (pr profile) kept(p, q []*big.Rat) bool {
	for _, l := range pr {
		if excess(p, q, l.least).Cmp(l.delta) > 0 || excess(q, p, l.least).Cmp(l.delta) > 0 {
			return false
		}
	}
	return true
}

// excess is Σ (p − e·q)₊.
func excess(p, q []*big.Rat, e *big.Rat) *big.Rat {
	total, x := new(big.Rat), new(big.Rat)
	for i := range p {
		if x.Sub(p[i], x.Mul(e, q[i])); x.Sign() > 0 {
			total.Add(total, x)
		}
	}
	return total
}

func (pr profile) seems(p, q []*big.Rat) bool {
	x, y := masses.Floats(p), masses.Floats(q)
	for _, l := range pr {
		e, _ := l.least.Float64()
		delta, _ := l.delta.Float64()
		there, back := 0.0, 0.0
		for i := range x {
			there += max(0, x[i]-e*y[i])
			back += max(0, y[i]-e*x[i])
		}
		if max(there, back) > delta {
			return false
		}
	}
	return true
}

// line is the greatest of 1 − δ − e^ε·α and its mirror image (1 − δ − α)/e^ε, over all points, and of 0.
func (pr profile) line() []corner {
	lines := []linear{{new(big.Rat), new(big.Rat)}}
	for _, l := range pr {
		rest := new(big.Rat).Sub(big.NewRat(1, 1), l.delta)
		inverse := new(big.Rat).Inv(l.least)
		lines = append(lines, linear{new(big.Rat).Neg(l.least), rest}, linear{new(big.Rat).Neg(inverse), new(big.Rat).Mul(rest, inverse)})
	}
	return upper(lines)
}

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

// newTradeOff returns the lower convex hull of points, of (0, 1) and of (1, 0).
func newTradeOff(points []mechanism.TradeOffPoint) tradeOff {
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

// kept compares the corners of the errors of the best tests with the line: between two of them they are straight, and the line is convex.
func (f tradeOff) kept(p, q []*big.Rat) bool {
	return f.above(p, q) && f.above(q, p)
}

func (f tradeOff) seems(p, q []*big.Rat) bool { return f.kept(p, q) }

func (f tradeOff) above(p, q []*big.Rat) bool {
	ok := true
	masses.Pair{P: masses.Exactly(p), Q: masses.Exactly(q)}.Tests(func(alpha, beta, _, _ *big.Rat) bool {
		ok = beta.Cmp(f.at(alpha)) >= 0
		return ok
	})
	return ok
}

// line is the least convex function that is at least f and at least its mirror image: the promise holds in both orientations.
func (f tradeOff) line() []corner {
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

// divergences promises R_α ≤ values[i] at orders[i]; where there are none, R_α ≤ ξ + ρα at all α > 1.
type divergences struct {
	orders, values []*big.Rat
	rho, xi        *big.Rat
}

func (divergences) line() []corner { return nil }

func (d divergences) seems(p, q []*big.Rat) bool {
	x, y := masses.Floats(p), masses.Floats(q)
	return d.about(x, y) && d.about(y, x)
}

func (d divergences) about(x, y []float64) bool {
	var most *big.Rat
	if loss := masses.RenyiFloat(x, y, math.Inf(1)); !math.IsInf(loss, 1) {
		most = new(big.Rat).SetFloat64(loss)
	}
	return d.holds(most, func(order, v *big.Rat) bool {
		a, _ := order.Float64()
		b, _ := v.Float64()
		return masses.RenyiFloat(x, y, a) <= b
	})
}

func (d divergences) kept(p, q []*big.Rat) bool {
	return d.seems(p, q) && d.surely(p, q) && d.surely(q, p)
}

// surely is about with bounds.
func (d divergences) surely(p, q []*big.Rat) bool {
	var most *big.Rat
	if ratio := (masses.Pair{P: masses.Exactly(p), Q: masses.Exactly(q)}).GreatestRatioAtLeast(); ratio != nil {
		most, _ = interval.Max(masses.Working.Log(masses.Working.Rat(ratio)), interval.Int(0)).UpperRat()
	}
	return d.holds(most, func(order, v *big.Rat) bool { return masses.Renyi(64, p, q, order).LessEqRat(v) == interval.True })
}

// holds reports the promise about R_α(p‖q), where within compares that with a number and most is at least the greatest loss, or nil. R_α rises with α,
// so that R_α ≤ ξ + ρα on [a, b] if R_b ≤ ξ + ρa, and from where most is at most ξ + ρα.
func (d divergences) holds(most *big.Rat, within func(order, v *big.Rat) bool) bool {
	for i, order := range d.orders {
		if !within(order, d.values[i]) {
			return false
		}
	}
	if d.orders != nil || most == nil {
		return d.orders != nil
	}
	for a := int64(64); ; {
		limit := new(big.Rat).Mul(d.rho, big.NewRat(a, 64))
		if limit.Add(limit, d.xi).Cmp(most) >= 0 {
			return true
		}
		b := a + max(1, (a-56)/8)
		if d.rho.Sign() == 0 || !within(big.NewRat(b, 64), limit) {
			return false
		}
		a = b
	}
}
