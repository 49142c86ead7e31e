// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"container/heap"
	"context"
	"math"
	"slices"

	"dpverify/exact/convolve"
	"dpverify/exact/double"
)

// A cell is where (|x − z|, |y − z|) may be, in radii of the ball: [r, R] of each.
type cell [2]extent

// empty reports that |x − z| + |y − z| ≤ 2 in a cell: what is worse is in another one, which has its last corner, too.
func (c cell) empty() bool { return within(c[0].most, c[1].most) }

// within reports x + y ≤ 2 for numbers ≥ 0. The difference is exact, unless both are below 1.
func within(x, y float64) bool { return min(x, y) <= 2-max(x, y) }

// corner is at least each point of the cell that matters, those with |x − z| + |y − z| ≥ 2: squares are at most as
// great, and ⟨a, b⟩ is at least what it says less the root of the product of what the squares are less.
func (c cell) corner() corner {
	a, b := double.Point(c[0].most).Sqr(), double.Point(c[1].most).Sqr()
	least := math.Inf(1)
	xs, ys := c[0].cut(), c[1].cut()
	for i, x := range xs[1:] {
		for j, y := range ys[1:] {
			part := cell{{xs[i], x}, {ys[j], y}}
			if part.empty() {
				continue
			}
			less := a.Sub(double.Point(x).Sqr()).Mul(b.Sub(double.Point(y).Sqr())).AtLeastZero().Sqrt()
			least = min(least, double.Point(part.product()).Add(less).Lo)
		}
	}
	return corner{a.Hi, b.Hi, least}
}

// An extent is a side of a cell.
type extent struct{ least, most float64 }

// cut are the ends of its parts.
func (x extent) cut() (out [cornerParts + 1]float64) {
	for i := range out {
		part := float64(i) / cornerParts
		out[i] = x.least + float64(part*(x.most-x.least))
	}
	out[cornerParts] = x.most
	return out
}

// product is at most ⟨a, b⟩ = (|x − z|² + |y − z|² − |x − y|²)/2 of each point of a cell that matters.
func (c cell) product() float64 {
	sqr := func(x float64) double.Interval { return double.Point(x).Sqr() }
	p, r := c[0].least, c[1].least
	squares := sqr(p).Add(sqr(r))
	two := double.Int(2)
	least := max(-1, squares.Half().Sub(two).Lo) // |x − y| ≤ 2, and a sum of squares of at least 2
	switch {
	case within(p, r): // the least is at |x − z| + |y − z| = 2, as far as that is in the cell
		m := min(max(1, max(p, 2-c[1].most)), min(c[0].most, 2-r))
		at := double.Point(m)
		least = max(least, at.Mul(at.Sub(two)).Lo-0x1p-48)
	case squares.Lo >= 4: // on a circle
		across := double.Point(p).Mul(double.Point(r))
		rest := func(x float64) double.Interval { return double.Int(4).Sub(sqr(x)).AtLeastZero().Sqrt() }
		cos := rest(p).Mul(rest(r)).Sub(across).Mul(double.Point(0.25))
		least = max(least, across.Mul(cos).Neg().Lo)
	}
	return least
}

// cover are cells that cover all that matters, and by how much ε grows by the corner of one, as far as is known: by at
// most so much, unless there are as many as limit.
func cover(c *course, most float64, limit int) (out []cell, worst float64) {
	h := &heaviest{}
	weigh := func(of ...cell) (out []weighed) {
		for _, x := range of {
			if !x.empty() {
				out = append(out, weighed{x, c.growsAll(c.sketch(x.corner()), c.stages[:min(len(c.stages), coverStages)], false)})
			}
		}
		return out
	}
	for _, x := range weigh(cell{{0, 2}, {0, 2}}) {
		heap.Push(h, x)
	}
	for h.Len() < limit && (*h)[0].grows > most {
		c := heap.Pop(h).(weighed).cell
		var best []weighed
		least := math.Inf(1)
		for i := range c {
			x, y := c, c
			x[i].most = (c[i].least + c[i].most) / 2
			y[i].least = x[i].most
			parts := weigh(x, y)
			sum := 0.0
			for _, p := range parts {
				sum += p.grows
			}
			if best == nil || sum < least {
				best, least = parts, sum
			}
		}
		for _, x := range best {
			heap.Push(h, x)
		}
	}
	for _, x := range *h {
		out = append(out, x.cell)
	}
	return out, (*h)[0].grows
}

// A weighed cell.
type weighed struct {
	cell  cell
	grows float64 // see course.grows
}

// heaviest is a heap of cells, the one first by which ε grows most.
type heaviest []weighed

func (h heaviest) Len() int           { return len(h) }
func (h heaviest) Less(i, j int) bool { return h[i].grows > h[j].grows }
func (h heaviest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heaviest) Push(x any)        { *h = append(*h, x.(weighed)) }
func (h *heaviest) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// A phase has what steps take, from one on.
type phase struct {
	from      int64
	near, far []*move // the far ones are sparse
}

// records are the moves of cells that cover all that steps may be. The greatest profiles of some together take their
// place; in each phase those by which ε grows little in it. There are none where much noise makes all records matter
// about as much.
func (s *solver) records(ctx context.Context, x *Records, steps int64) (out []phase, err error) {
	by, err := x.course(ctx, &s.grid, steps, double.Of(rough.Rat(s.set.Delta)).Lo, s.all)
	if err != nil {
		return nil, err
	}
	little := max(by.eps, recordEps) / float64(2*s.set.Length)
	cells, worst := cover(by, little, coverLimit)
	if !(worst < recordWorst*by.eps) {
		return nil, nil
	}
	mu2, q := double.Of(wide.Rat(x.Mu2)), double.Of(wide.Rat(x.Rate))
	tail := min(max(math.Sqrt(1.4*float64(s.set.Cut)), 8), 16)
	from, to := -int(s.all.down/s.grid.delta)-1, int(s.all.up/s.grid.delta)+1
	by.line(from, to-from+1, s.grid.delta)
	table := func(c corner, level int) Table {
		p := c.planar(mu2)
		h := math.Ldexp(recordStep, -level)
		step := func(square, length float64) float64 { // squares below the greatest one need less
			return min(h*double.Exp64(mu2.Mid()*(4-square)/8)/length, 2)
		}
		long, short := max(c.a, c.b), min(c.a, c.b)
		along := min(step(long, p.length), step(short, max(math.Abs(p.along), 0x1p-10)), 0.125)
		return p.table(newSpread(s.grid.delta, from, to), q, along, max(step(short, p.up), 0.25/float64(1+level)), tail)
	}
	for _, c := range []corner{{a: 4}, {b: 4}} { // ε grows by less than this on no grid
		by.growsAll(by.of(table(c, recordLevels-1)), by.stages, true)
	}
	tables := make([]Table, len(cells))
	err = convolve.Parallel(ctx, len(cells), func(i int) {
		for level := range recordLevels {
			tables[i] = table(cells[i].corner(), level)
			if level+1 < recordLevels && by.growsAll(by.of(tables[i]), by.stages, false) <= 2*little {
				break
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		if !s.grid.fits(t) {
			return nil, nil
		}
		by.growsAll(by.of(t), by.stages, true)
	}
	rows := make([]profileRow, len(tables))
	for i, t := range tables {
		rows[i] = rowOf(t, &s.grid)
	}
	most := little * min(float64(steps)/groupSteps, 1) / 2
	for i := range by.stages {
		p := phase{from: by.stages[i].from}
		far, rest := by.groups(rows, &by.stages[i], true, most)
		for _, x := range far {
			p.far = append(p.far, s.grid.above(x.table(&s.grid)))
		}
		near, _ := by.groups(rest, &by.stages[i], false, most)
		for _, x := range near {
			p.near = append(p.near, s.grid.above(x.table(&s.grid)))
		}
		out = append(out, p)
	}
	slices.Reverse(out)
	return out, nil
}

// groups are rows that have the greatest profiles of several ones each, and those that are in none: by each ε grows in
// a stage by at most so much, beyond what it grows by those before, unless it is of one row that is not sparse.
func (c *course) groups(rows []profileRow, of *stage, far bool, most float64) (out, left []profileRow) {
	grows := func(x profileRow, keep bool) float64 { return c.grows(c.transformed(c.ofRow(x, far)), of, keep) }
	for len(rows) > 0 {
		group, rest, failed := rows[0], []profileRow(nil), 0
		if far && grows(group, false) > most {
			left, rows = append(left, group), rows[1:]
			continue
		}
		others := rows[1:]
		tried := make([]bool, len(others)) // an order that lacks a row, or has one twice, loses none
		for _, k := range c.nearest(group, others) {
			if tried[k] {
				continue
			}
			tried[k] = true
			both := group.and(others[k])
			if failed < groupTries && grows(both, false) <= most {
				group = both
			} else {
				rest = append(rest, others[k])
				failed++
			}
		}
		for k, x := range others {
			if !tried[k] {
				rest = append(rest, x)
			}
		}
		grows(group, true)
		out, rows = append(out, group), rest
	}
	return out, left
}

// Settings of covers affect width and cost.
const (
	coverLimit   = 256
	coverStages  = 2
	groupSteps   = 1000
	recordEps    = 0x1p-4
	recordWorst  = 0x1p-5
	recordStep   = 0.12
	recordLevels = 3
	groupTries   = 12
	cornerParts  = 8
)
