// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package dominate

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpverify/exact"
	"dpverify/exact/interval"
)

const (
	// maxPoints bounds the ε at which profiles are enclosed at one effort, and maxWorst those once
	// some ε refutes, which are for how much is lacking.
	maxPoints, maxWorst = 400, 120
	// furthest is beyond every ε that is asked about.
	furthest = 1 << 14
	// enoughEffort is the last one that is tried on profiles whose bounds do not meet.
	enoughEffort exact.Effort = 2
)

// negligible is a δ below which nobody asks which profile is greater.
var negligible = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(60), nil))

// hulls decides between two profiles at all ε ≥ 0. With α = e^ε both are convex and fall.
//
// Lemma. Let f and g be convex and falling on [0, ∞) and 1 at 0, and x_0 = 0 < x_1 < … < x_n. Between x_i
// and x_{i+1}, g is at most the chord of its values there, and f at least each of the line through its
// points i−1 and i, the line through i+1 and i+2, and its value at x_{i+1}. Beyond x_n, g is at most
// g(x_n), and f at least its limit. With enclosures, the upper ends of g are taken, of f the lower
// ends at i and i+1 and the upper ends at i−1 and i+2.
//
// Proof. A convex function is below its chords, and above them where they are prolonged. f(x_{i−1}) and
// f(x_{i+2}) enter the prolonged lines with a negative weight, the others with a positive one. ∎
//
// The bound of g − f in a cell is the greatest value of a difference of affine functions, at ends of
// a part of it. The cell with the greatest bound is halved, in ε, until none is positive: then f ≥ g.
// A difference that is positive at a point refutes, and the greatest bound of a cell is an upper
// bound of how much is lacking anywhere.
func hulls(ctx context.Context, f, g profile) (*Answer, error) {
	h := &hull{ctx: ctx, f: f, g: g, w: f.effort.Bits() + 64, inf: f.leastInfinite()}
	for _, e := range []int64{0, 1} {
		if err := h.add(big.NewRat(e, 1)); err != nil {
			return nil, err
		}
	}
	stuck := func(i int) bool { return h.cells[i].stuck }
	for {
		i := h.greatest(stuck)
		if i < 0 || h.cells[i].bound.Sign() <= 0 {
			break
		}
		if h.worst != nil {
			// A thousandth of what is lacking does not matter.
			enough := h.w.Mul(interval.Point(h.gap), h.w.Rat(big.NewRat(1001, 1000)))
			if interval.Point(h.cells[i].bound).LessEq(enough) == interval.True || len(h.points) >= maxWorst {
				break
			}
		}
		if len(h.points) >= maxPoints {
			break
		}
		if err := h.split(i); err != nil {
			return nil, err
		}
	}
	return h.answer(), nil
}

// A hull encloses two profiles.
type hull struct {
	ctx    context.Context
	f, g   profile
	w      interval.Prec
	inf    *big.Rat // at most the limit of f
	points []point
	cells  []cell // cells[i] is between points i and i+1, the last one beyond the last point

	worst *point // where g exceeds f most for certain, by gap
	gap   *big.Float
}

type point struct {
	eps         *big.Rat
	alpha, f, g interval.Interval
}

type cell struct {
	bound *big.Float // g − f is at most this
	stuck bool       // more points do not help
}

// add encloses both profiles at an ε, and bounds the cells around it again.
func (h *hull) add(eps *big.Rat) error {
	x, y, err := deltas(h.ctx, h.f, h.g, eps)
	if err != nil {
		return err
	}
	p := point{eps, h.w.Exp(h.w.Rat(eps)), x.Interval, y.Interval}
	if lack := h.w.Sub(p.g, p.f).Lo(); lack.Sign() > 0 && (h.worst == nil || lack.Cmp(h.gap) > 0) {
		h.worst, h.gap = &p, lack
	}
	i, _ := slices.BinarySearchFunc(h.points, eps, func(p point, e *big.Rat) int { return p.eps.Cmp(e) })
	h.points = slices.Insert(h.points, i, p)
	h.cells = slices.Insert(h.cells, max(i-1, 0), cell{})
	for j := max(i-2, 0); j <= min(i+1, len(h.cells)-1); j++ {
		h.cells[j] = h.bound(j)
	}
	return nil
}

// bound bounds g − f in a cell.
func (h *hull) bound(i int) cell {
	w, p := h.w, h.points[i]
	// Where it is not known at a point which is greater, no number of points decides.
	open := func(p point) bool {
		d := w.Sub(p.g, p.f)
		return d.Lo().Sign() <= 0 && d.Hi().Sign() > 0
	}
	if i == len(h.points)-1 {
		tail := h.g.tail(p.eps, p.g)
		d := w.Sub(tail, w.Rat(h.inf)).Hi()
		done := p.eps.Cmp(big.NewRat(furthest, 1)) >= 0 || tail.LessEqRat(negligible) == interval.True
		if m, ok := tail.UpperRat(); ok && m.Cmp(h.inf) <= 0 {
			d = new(big.Float)
		}
		return cell{d, done}
	}
	q := h.points[i+1]
	// Affine functions by two points.
	line := func(x0, y0, x1, y1 interval.Interval) func(x interval.Interval) interval.Interval {
		slope := w.Div(w.Sub(y1, y0), w.Sub(x1, x0))
		return func(x interval.Interval) interval.Interval { return w.Add(y1, w.Mul(slope, w.Sub(x, x1))) }
	}
	chord := line(p.alpha, p.g.Upper(), q.alpha, q.g.Upper())
	left := line(interval.Int(0), interval.Int(1), p.alpha, p.f.Lower())
	if i > 0 {
		o := h.points[i-1]
		left = line(o.alpha, o.f.Upper(), p.alpha, p.f.Lower())
	}
	flat := func(interval.Interval) interval.Interval { return q.f.Lower() }
	most := func(from, to interval.Interval, f func(interval.Interval) interval.Interval) interval.Interval {
		return interval.Max(w.Sub(chord(from), f(from)), w.Sub(chord(to), f(to)))
	}
	best := most(p.alpha, q.alpha, flat)
	rights := []func(interval.Interval) interval.Interval{flat}
	if i+2 < len(h.points) {
		r := h.points[i+2]
		rights = append(rights, line(r.alpha, r.f.Upper(), q.alpha, q.f.Lower()))
	}
	for _, right := range rights {
		// Where the two lines meet; any point does, if it is in the cell.
		dp, dq := w.Sub(left(p.alpha), right(p.alpha)), w.Sub(right(q.alpha), left(q.alpha))
		share := w.Div(dp, w.Add(dp, dq))
		if !share.IsFinite() {
			continue
		}
		t := interval.Max(interval.Int(0), interval.Min(interval.Int(1), interval.Point(w.Mid(share).Lo())))
		x := interval.Point(w.Mid(w.Add(p.alpha, w.Mul(t, w.Sub(q.alpha, p.alpha)))).Lo())
		if p.alpha.LessEq(x) != interval.True || x.LessEq(q.alpha) != interval.True {
			continue
		}
		best = interval.Min(best, interval.Max(most(p.alpha, x, left), most(x, q.alpha, right)))
	}
	width := new(big.Rat).Sub(q.eps, p.eps)
	narrow := width.Cmp(big.NewRat(1, 1<<40)) < 0
	return cell{best.Hi(), narrow || open(p) || open(q)}
}

// greatest returns the cell of the greatest bound but for some; −1 if there is none.
func (h *hull) greatest(but func(int) bool) int {
	best := -1
	for i, c := range h.cells {
		if !but(i) && (best < 0 || c.bound.Cmp(h.cells[best].bound) > 0) {
			best = i
		}
	}
	return best
}

// split adds a point in a cell.
func (h *hull) split(i int) error {
	p := h.points[i].eps
	if i == len(h.points)-1 {
		return h.add(new(big.Rat).Mul(p, big.NewRat(2, 1)))
	}
	mid := new(big.Rat).Add(p, h.points[i+1].eps)
	return h.add(mid.Mul(mid, big.NewRat(1, 2)))
}

// answer returns the answer of the cells.
func (h *hull) answer() *Answer {
	out := &Answer{Points: len(h.points)}
	top := h.cells[h.greatest(func(int) bool { return false })].bound
	if h.worst != nil {
		w := h.worst
		out.Verdict, out.By = Refuted, "enclosures at points, and hulls between them"
		out.At = &Place{h.w.Rat(w.eps), w.f, w.g}
		out.Gap = interval.Bounds(h.gap, top)
		return out
	}
	open := slices.IndexFunc(h.cells, func(c cell) bool { return c.bound.Sign() > 0 })
	if open < 0 {
		out.Verdict, out.By = Proved, "hulls of both profiles at all ε"
		return out
	}
	p := h.points[open]
	out.Gap = interval.Bounds(new(big.Float), top)
	if open > 0 {
		out.UpTo = p.eps
	}
	if open == len(h.points)-1 {
		out.By = "beyond some ε both are small, and which one is greater is not known"
		return out
	}
	out.At = &Place{h.w.Rat(p.eps), p.f, p.g}
	out.By = fmt.Sprintf("the profiles are too close to tell, with %d points", len(h.points))
	// Narrower enclosures help where those at a point say nothing.
	out.more = h.cells[open].stuck && (h.f.effort < enoughEffort || h.f.Tight() && h.g.Tight())
	return out
}
