// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package fall bounds how the modulus of a characteristic function falls.
//
// Let ψ(t) = E[e^{−itL}] for a random L = L(x). There are two bounds of |ψ(t)|.
//
// Pairs. With an independent copy L* of L, |ψ(t)|² = E cos(t(L − L*)). As 1 − cos u ≥ 0,
//
//	1 − |ψ(t)|² ≥ Σ m_i·m_j·min{1 − cos(t·d) : d ∈ L(cell i) − L(cell j)}
//
// over any pairs of cells, with lower bounds m_i of their masses.
// For |u| ≤ π, 1 − cos u rises with |u| and is at least max(2u²/π², u²/2 − u⁴/24). Other pairs are left out, but those
// of all that is likely, where that is next to one loss, with each group that is rare and far from it.
//
// Integration by parts. On an interval [x₀, x₁] on which L′ ≠ 0, with the density f of x and G = f/L′,
//
//	∫ f·e^{−itL} dx = ∫ G·L′·e^{−itL} dx = (i/t)·{[G·e^{−itL}] − ∫ G′·e^{−itL} dx}.
//
// So |ψ(t)| ≤ (mass elsewhere) + (|G(x₀)| + |G(x₁)| + ∫|G′|)/|t|, added up over such intervals. All mass is 1:
// elsewhere is at most what lower bounds of the mass on them leave, too.
// Any cells may be elsewhere. Next to the bulk of the mass L′ is small and G is large,
// and for each t there is a best cut:
//
//	    count by their mass               cut          taken by parts
//	├──────┼──────┼──────┼──────┼──────┼───┃──┼──────┼──────┼──────┼──────┤   cells of x
package fall

import (
	"math"

	"dpverify/exact/double"
)

// A Cell is an interval of x, with bounds for the density f and for L.
type Cell struct {
	Mass      double.Interval // bounds of the mass
	Loss      double.Interval
	Jump      float64 // bound of |f/L′|; +∞ where L′ may vanish
	Variation float64 // bound of ∫|(f/L′)′| dx
}

// A Pairs bounds 1 − |ψ|² from below by pairs of groups of cells. No two pairs are the same.
type Pairs struct {
	likely []pairTerm // of two likely groups
	rare   []pairTerm // of all likely ones with another one
}

// A pairTerm is a pair of groups.
type pairTerm struct {
	weight float64         // 2·m_i·m_j, from below
	square float64         // d², from below
	gap    double.Interval // d
}

func newPairTerm(g, h Group) (t pairTerm, apart bool) {
	d := g.Loss.Sub(h.Loss).Abs()
	weight := double.Int(2).Mul(g.Mass.Lower()).Mul(h.Mass.Lower())
	return pairTerm{weight.Lo, d.Lower().Sqr().Lo, d}, d.Lo > 0
}

// A Group is a range of the loss, with a mass. At least the lower end of the mass is on the range.
type Group struct{ Mass, Loss double.Interval }

// Groups joins adjacent cells by twos.
func Groups(cells []Cell) []Group {
	out := make([]Group, 0, len(cells)/2)
	for i := 0; i+1 < len(cells); i += 2 {
		out = append(out, Group{cells[i].Mass.Add(cells[i+1].Mass), double.Union(cells[i].Loss, cells[i+1].Loss)})
	}
	return out
}

// NewPairs takes the groups that hold more than 2^−9 of the mass each, and pairs of all of these with others from which
// they are about equally far. No two groups share mass.
func NewPairs(all []Group) (out Pairs) {
	const likely, least = 0x1p-9, 0x1p-30
	var groups, others []Group
	var bulk Group
	for _, g := range all {
		switch {
		case g.Mass.Lo > likely:
			if groups = append(groups, g); len(groups) == 1 {
				bulk = g
				continue
			}
			bulk = Group{bulk.Mass.Add(g.Mass), double.Union(bulk.Loss, g.Loss)}
		case g.Mass.Lo > least:
			others = append(others, g)
		}
	}
	out.likely = make([]pairTerm, 0, len(groups)*len(groups)/2)
	for i, g := range groups {
		for _, h := range groups[:i] {
			if t, apart := newPairTerm(g, h); apart {
				out.likely = append(out.likely, t)
			}
		}
	}
	for _, g := range others {
		if t, apart := newPairTerm(bulk, g); apart && len(groups) > 0 && t.gap.Upper().Half().Hi < t.gap.Lo {
			out.rare = append(out.rare, t)
		}
	}
	return out
}

// Bound returns an upper bound of log|ψ(t)| for |t| ∈ [a, b].
//
// Rounding. Every term is ≥ 0 and is made of fewer than 12 operations with a relative error of v = 2^−53 each.
// The difference 1/2 − u²/24 is at least 0.08 where |u| ≤ π, so it multiplies errors by at most 12.
// The sum of N such terms is off by less than (N + 200)·v of itself, which the factor 1 − (N + 200)·2v covers.
func (ps Pairs) Bound(a, b float64) float64 {
	const (
		limit = math.Pi * (1 - 0x1p-40)
		chord = 2 / (math.Pi * math.Pi) * (1 - 0x1p-40) // < 2/π²
	)
	sum, a2 := 0.0, float64(a*a)
	add := func(t pairTerm) (added bool) {
		if !(t.gap.Hi*b <= limit) {
			return false
		}
		u2 := float64(a2 * t.square)
		sum += float64(t.weight * float64(u2*max(chord, 0.5-float64(u2/24))))
		return true
	}
	for _, t := range ps.likely {
		add(t)
	}
	var far double.Interval
	for _, t := range ps.rare {
		if !add(t) && !math.IsInf(b, 1) {
			cos, _ := double.Union(t.gap.Lower().Mul(double.Point(a)), t.gap.Upper().Mul(double.Point(b))).Cis()
			far = far.Add(double.Point(t.weight).Mul(double.Int(1).Sub(cos.Upper()).AtLeastZero())).Lower()
		}
	}
	sum = float64(sum * (1 - float64(len(ps.likely)+len(ps.rare)+200)*0x1p-52))
	return min(0, double.Int(1).Sub(double.Point(sum)).Sub(far).AtLeastZero().Log().Half().Hi)
}

// Cuts bound |ψ(t)|, each of them by Elsewhere + Variation/|t|.
type Cuts []Part

// A Part is a bound Elsewhere + Variation/|t|.
type Part struct{ Elsewhere, Variation float64 }

// Bound returns an upper bound of log|ψ(t)| for |t| ≥ a > 0: the least one.
// Its two operations are each off by a factor of 1 + 2^−53.
func (cs Cuts) Bound(a float64) float64 {
	best := 1.0
	for _, c := range cs {
		best = min(best, c.Elsewhere+c.Variation/a)
	}
	return min(0, double.Point(best).Mul(double.Point(1+0x1p-50)).Log().Hi)
}

// ByParts returns two bounds for each cut: one takes the cells on the right of it by parts, one the cells on the left.
// Other cells, and those on which L′ may vanish, count by their mass.
func ByParts(cells []Cell, outside double.Interval) Cuts {
	backwards := make([]Cell, len(cells))
	for i, c := range cells {
		backwards[len(cells)-1-i] = c
	}
	return append(partsBefore(cells, outside), partsBefore(backwards, outside)...)
}

// partsBefore takes the first cells by parts: for each number of them, there is a bound.
func partsBefore(cells []Cell, outside double.Interval) Cuts {
	after := make([]double.Interval, len(cells)+1) // the mass of the cells from i on, and outside
	after[len(cells)] = outside.Upper()
	for i := len(cells) - 1; i >= 0; i-- {
		after[i] = after[i+1].Add(cells[i].Mass.Upper())
	}
	out := make(Cuts, 0, 2*len(cells))
	var skipped, taken, variation double.Interval // of the cells so far, without the jump at the end of a run
	running := false
	for i, c := range cells {
		switch {
		case math.IsInf(c.Jump, 1):
			skipped = skipped.Add(c.Mass.Upper())
			if running {
				variation = variation.Add(double.Point(cells[i-1].Jump))
			}
			running = false
			continue
		case !running:
			variation = variation.Add(double.Point(c.Jump))
			running = true
		}
		variation, taken = variation.Add(double.Point(c.Variation)), taken.Add(c.Mass.Lower())
		elsewhere := min(after[i+1].Add(skipped).Hi, double.Int(1).Sub(taken).Hi)
		out = append(out, Part{elsewhere, variation.Add(double.Point(c.Jump)).Hi})
	}
	return out
}

// Sizes returns the sizes that a decay gives at the points of a line.
// The farther out, the more points have one size.
// A range has ends that differ by a factor of 33/32 at most, or is a point.
func Sizes(d func(a, b float64) float64, h double.Interval, n int) []float64 {
	out := make([]float64, n+1)
	for j := 0; j <= n; {
		last := min(j+j/32, n)
		from, to := h.Mul(double.Int(int64(j))), h.Mul(double.Int(int64(last)))
		y := d(max(from.Lo, 0), to.Hi)
		for ; j <= last; j++ {
			out[j] = y
		}
	}
	return out
}
