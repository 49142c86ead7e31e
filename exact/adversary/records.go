// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"container/heap"
	"context"
	"math"

	"dpverify/exact/convolve"
	"dpverify/exact/double"
)

// A cell is where (|x − z|, |y − z|) may be, in radii of the ball: [r, R] of each.
type cell [2]struct{ least, most float64 }

// empty reports that |x − z| + |y − z| ≤ 2 in a cell: what is worse is in another one, which has its last corner, too.
func (c cell) empty() bool { return within(c[0].most, c[1].most) }

// within reports x + y ≤ 2 for numbers ≥ 0. The difference is exact, unless both are below 1.
func within(x, y float64) bool { return min(x, y) <= 2-max(x, y) }

// corner is at least each point of the cell that matters, those with |x − z| + |y − z| ≥ 2: squares are at most as
// great, and ⟨a, b⟩ = (|x − z|² + |y − z|² − |x − y|²)/2 is at least what it says.
func (c cell) corner() corner {
	sqr := func(x float64) double.Interval { return double.Point(x).Sqr() }
	a, b := sqr(c[0].most).Hi, sqr(c[1].most).Hi
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
	return corner{a, b, least}
}

// cover are cells that cover all that matters, and by how much ε grows by the corner of one, as far as is known: by at
// most so much, unless there are as many as limit.
func cover(c *course, most float64, limit int) (out []cell, worst float64) {
	h := &heaviest{}
	weigh := func(of ...cell) (out []weighed) {
		for _, x := range of {
			if !x.empty() {
				out = append(out, weighed{x, c.grows(c.sketch(x.corner()), 0)})
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

// A phase has what steps take on the grid and on the coarse grid, from one on.
type phase struct {
	from      int64
	near, far []*move
}

// records are the moves of cells that cover all that steps may be: on the coarse grid as far as ε grows by little. The
// greatest profiles of some together take their place; in each phase those by which ε grows little in it. There are
// none where much noise makes all records matter about as much.
func (s *solver) records(ctx context.Context, x *Records, coarse *grid, steps int64) (out []phase, err error) {
	by := x.course(&s.grid, steps, double.Of(rough.Rat(s.set.Delta)).Lo, s.all)
	little := max(by.eps, recordEps) / float64(4*s.set.Length)
	cells, worst := cover(by, little, coverLimit)
	if !(worst < recordWorst*by.eps) {
		return nil, nil
	}
	mu2, q := double.Of(wide.Rat(x.Mu2)), double.Of(wide.Rat(x.Rate))
	tail := min(max(math.Sqrt(1.4*float64(s.set.Cut)), 8), 16)
	from, to := -int(s.all.down/s.grid.delta)-1, int(s.all.up/s.grid.delta)+1
	tables := make([]Table, len(cells))
	fine := make([]bool, len(cells))
	err = convolve.Parallel(ctx, len(cells), func(i int) {
		c := cells[i].corner()
		p := c.planar(mu2)
		for level := range recordLevels {
			g, t := coarse, newSpread(coarse.delta, from/ratio-1, to/ratio+1)
			if fine[i] = level > 0; fine[i] {
				g, t = &s.grid, newSpread(s.grid.delta, from, to)
			}
			h := math.Ldexp(recordStep, -level)
			step := func(square, length float64) float64 { // squares below the greatest one need less
				return min(h*double.Exp64(mu2.Mid()*(4-square)/8)/length, 2)
			}
			long, short := max(c.a, c.b), min(c.a, c.b)
			along := min(step(long, p.length), step(short, max(math.Abs(p.along), 0x1p-10)), 0.125)
			tables[i] = p.table(t, q, along, max(step(short, p.up), 0.25/float64(1+level)), tail)
			if level+1 < recordLevels && by.grows(by.of(tables[i], g.delta), 0) <= 2*little {
				break
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var nearby, distant []Table
	for i, t := range tables {
		switch {
		case fine[i] && !s.grid.fits(t) || !fine[i] && !coarse.fits(t):
			return nil, nil
		case fine[i]:
			nearby = append(nearby, t)
		default:
			distant = append(distant, t)
		}
	}
	for _, x := range recordPhases {
		var p phase
		for _, t := range s.groups(nearby, &s.grid, by, x.from, x.grows*little) {
			p.near = append(p.near, s.grid.above(t))
		}
		for _, t := range s.groups(distant, coarse, by, x.from, x.grows*little) {
			p.far = append(p.far, coarse.above(t))
		}
		p.from = int64(math.Ceil(x.from * float64(steps)))
		out = append(out, p)
	}
	return out, nil
}

// recordPhases say from which part of all steps on profiles are put together by which ε grows by so many times little.
var recordPhases = []struct{ from, grows float64 }{{0, 3}, {0.2, 0.5}, {0.4, 0.25}}

// groups are tables that have the greatest profiles of several ones each: of more than one where ε grows by at most so
// much.
func (s *solver) groups(tables []Table, g *grid, by *course, from, most float64) (out []Table) {
	var groups []profileRow
	var alone []*Table
	for i := range tables {
		row := rowOf(tables[i], g)
		near := row.nearest(groups, g.delta)
		for _, k := range near[:min(len(near), nearGroups)] {
			both := groups[k].and(row)
			if by.grows(by.ofRow(both, g.delta), from) <= most {
				groups[k], alone[k], row.h = both, nil, nil
				break
			}
		}
		if row.h != nil {
			groups, alone = append(groups, row), append(alone, &tables[i])
		}
	}
	for k, x := range groups {
		if alone[k] != nil {
			out = append(out, *alone[k])
		} else {
			out = append(out, x.table(g, s.set.Prec))
		}
	}
	return out
}

// Settings of covers affect width and cost.
const (
	coverLimit   = 256
	recordEps    = 0x1p-4
	recordWorst  = 0x1p-5
	recordStep   = 0.12
	recordLevels = 3
	nearGroups   = 2
)
