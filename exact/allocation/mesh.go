// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"dpverify/exact/closed"
	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A mesh is the ratios 0, spacing, …, points·spacing of a base.
type mesh struct {
	tails    closed.Tails
	outcomes []pair.Outcome // where there are no tails
	rest     interval.Interval
	spacing  *big.Rat
	points   int64
}

// A cell is the range of ratios (lo·spacing, hi·spacing], with its masses. Ratios of 0 are in the
// first one.
type cell struct {
	lo, hi int64
	p, q   interval.Interval
}

// maxOutcomes bounds the outcomes of a base without tails.
const maxOutcomes = 1 << 14

// newMesh chooses a mesh: up to where the P-mass of the base above falls below the cut.
func newMesh(base pair.Pair, set Settings) (*mesh, bool) {
	m := new(mesh)
	var ok bool
	if m.tails, ok = closed.PairTails(base); !ok {
		if m.outcomes, m.rest, ok = base.Outcomes(interval.Prec(set.Prec)+32, maxOutcomes); !ok {
			return nil, false
		}
	}
	const w, most = interval.Prec(96), 200
	small := w.Scale(interval.Int(1), -set.Cut)
	infinite, _ := m.above(w, nil)
	// The top is 2^(k/4): e^(ε − μ) for Gaussian noise, which quarters are fine enough for.
	k := 0
	top := func() *big.Rat { return quarter(k) }
	for k < most {
		if p, _ := m.above(w, top()); w.Sub(p, infinite).LessEq(small) == interval.True {
			break
		}
		k++
	}
	m.points = int64(set.Points)
	// Of many steps the sum has a spread that is larger than the largest ratio.
	m.spacing = new(big.Rat).Quo(top(), new(big.Rat).SetInt64(m.points))
	return m, true
}

// quarter returns a number near 2^(k/4).
func quarter(k int) *big.Rat {
	x := []int64{64, 76, 91, 108}[k%4]
	return new(big.Rat).Mul(big.NewRat(x, 64), interval.Pow2(k/4))
}

// above encloses the P- and the Q-mass of ratios above y; of infinite ones for nil, or of those beyond
// all that is of interest, which are all finite ones then as well.
func (m *mesh) above(w interval.Prec, y *big.Rat) (p, q interval.Interval) {
	if m.tails != nil {
		switch {
		case y == nil:
			return m.tails(w, closed.RatArg(w, interval.Pow2(41)))
		case y.Sign() == 0:
			return interval.Int(1), interval.Int(1) // with ratios of 0
		}
		return m.tails(w, closed.Arg{Interval: w.Log(w.Rat(y))})
	}
	p, q = interval.Int(0), interval.Int(0)
	for _, o := range m.outcomes {
		if o.Q.IsZero() || y != nil && o.P.Less(w.Mul(w.Rat(y), o.Q)) != interval.True {
			p, q = w.Add(p, o.P), w.Add(q, o.Q)
		}
	}
	return p, q
}

// cells cuts the base at the points of the mesh, and returns what has an infinite ratio apart.
//
// A cell of Q-mass b and width h adds about b·h² to the variance of the larger law: cells are halved
// while that is more than a share of spacing².
func (m *mesh) cells(ctx context.Context, w interval.Prec) ([]cell, cell, error) {
	inf, infQ := m.above(w, nil)
	rest := cell{p: inf, q: infQ}
	if m.tails == nil {
		return m.listed(w), rest, nil
	}
	type point struct {
		i    int64
		p, q interval.Interval
	}
	at := func(is []int64) ([]point, error) {
		out := make([]point, len(is))
		const chunk = 16
		err := convolve.Parallel(ctx, (len(is)+chunk-1)/chunk, func(c int) {
			for j := c * chunk; j < min((c+1)*chunk, len(is)); j++ {
				p, q := m.above(w, new(big.Rat).Mul(m.spacing, new(big.Rat).SetInt64(is[j])))
				out[j] = point{is[j], p, q}
			}
		})
		return out, err
	}
	var is []int64
	for i := int64(0); i < m.points; i += max(m.points/64, 1) {
		is = append(is, i)
	}
	points, err := at(append(is, m.points))
	if err != nil {
		return nil, rest, err
	}
	const share = 1 << 12
	for {
		var mids []int64
		for j := 1; j < len(points); j++ {
			a, b := points[j-1], points[j]
			if h := b.i - a.i; h > 1 && interval.Prec(32).Mul(mass(w, a.q, b.q), interval.Int(h*h)).LessEqRat(big.NewRat(1, share)) != interval.True {
				mids = append(mids, a.i+h/2)
			}
		}
		if len(mids) == 0 {
			break
		}
		more, err := at(mids)
		if err != nil {
			return nil, rest, err
		}
		points = append(points, more...)
		slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.i, b.i) })
	}
	var out []cell
	for j := 1; j < len(points); j++ {
		a, b := points[j-1], points[j]
		out = append(out, cell{a.i, b.i, mass(w, a.p, b.p), mass(w, a.q, b.q)})
	}
	last := points[len(points)-1]
	// What is above all points, but not infinite, as far as that is known.
	out = append(out, cell{m.points, beyond, mass(w, last.p, inf), mass(w, last.q, infQ)})
	return out, rest, nil
}

// beyond is the end of the cell above all points.
const beyond = int64(1) << 62

func mass(w interval.Prec, a, b interval.Interval) interval.Interval {
	return interval.Max(interval.Int(0), w.Sub(a, b))
}

// listed returns the cells of outcomes. A ratio is known by an enclosure: the cell has to hold all of it.
func (m *mesh) listed(w interval.Prec) []cell {
	index := make(map[[2]int64]int)
	var out []cell
	d := w.Rat(m.spacing)
	for _, o := range m.outcomes {
		if o.Q.IsZero() {
			continue
		}
		t := w.Div(w.Div(o.P, o.Q), d)
		lo, _ := t.Lo().Int64()
		hi, _ := t.Hi().Int64()
		lo = max(min(lo, m.points), 0)
		if hi = max(hi, lo) + 1; hi > m.points {
			hi = beyond
		}
		if lo == m.points {
			hi = beyond
		}
		k, ok := index[[2]int64{lo, hi}]
		if !ok {
			k = len(out)
			index[[2]int64{lo, hi}] = k
			out = append(out, cell{lo: lo, hi: hi})
		}
		out[k].p, out[k].q = w.Add(out[k].p, o.P), w.Add(out[k].q, o.Q)
	}
	return out
}

// split returns the law on the mesh that is larger in convex order, masses rounded down. Of the cell
// beyond, all Q-mass is at its lower end, and the P-mass that is left has an infinite ratio: like all
// that is rounded away it is missing to 1.
func (m *mesh) split(cells []cell, w interval.Prec, prec uint) run {
	masses := make([]interval.Interval, m.points+1)
	add := func(i int64, x interval.Interval) {
		masses[i] = w.Add(masses[i], interval.Max(interval.Int(0), x))
	}
	for _, c := range cells {
		if c.hi == beyond {
			add(c.lo, c.q)
			continue
		}
		width := w.Rat(new(big.Rat).Mul(m.spacing, new(big.Rat).SetInt64(c.hi-c.lo)))
		y := func(i int64) interval.Interval {
			return w.Rat(new(big.Rat).Mul(m.spacing, new(big.Rat).SetInt64(i)))
		}
		add(c.hi, w.Div(w.Sub(c.p, w.Mul(y(c.lo), c.q)), width))
		add(c.lo, w.Div(w.Sub(w.Mul(y(c.hi), c.q), c.p), width))
	}
	out := run{0, convolve.NewVector(len(masses), prec)}
	for i, x := range masses {
		if !x.IsZero() {
			out.v.Set(i, interval.FloorScaled(x, prec))
		}
	}
	return out
}

// groups numbers the cells by about their mean ratio, in units of the spacing.
func (m *mesh) groups(cells []cell, prec uint) groups {
	n := int(m.points) + 1
	g := groups{0, convolve.NewVector(n, prec), convolve.NewVector(n, prec), convolve.NewVector(n, prec), convolve.NewVector(n, prec)}
	one := new(big.Int).Lsh(big.NewInt(1), prec)
	put := func(v convolve.Vector, i int, x *big.Int) {
		if x.Add(x, v.At(i)); x.Cmp(one) > 0 {
			x.Set(one) // a probability
		}
		v.Set(i, x)
	}
	for _, c := range cells {
		i := c.lo
		if c.hi != beyond && c.hi > c.lo+1 && c.q.Positive() == interval.True {
			const p = interval.Prec(64)
			mean, _ := p.Mid(p.Div(p.Div(c.p, c.q), p.Rat(m.spacing))).Lo().Int64()
			i = min(max(mean, c.lo), c.hi-1)
		}
		k := int(i)
		put(g.pDown, k, interval.FloorScaled(c.p, prec))
		put(g.qDown, k, interval.FloorScaled(c.q, prec))
		put(g.pUp, k, interval.CeilScaled(c.p, prec))
		put(g.qUp, k, interval.CeilScaled(c.q, prec))
	}
	return g
}
