// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"

	"dpverify/exact/convolve"
	"dpverify/exact/double"
	"dpverify/exact/interval"
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

// weight is about the greatest second moment of likelihood ratios at a corner, times 1/q² and relative to that of one
// record z and the other opposite. It chooses cells; they cover all that matters whatever it is.
func (c corner) weight(mu2 float64) float64 {
	exp := func(x float64) float64 { return double.Exp64(mu2 * (x - 4) / 4) }
	return (exp(c.a) + exp(c.b) - 2*exp(c.product)) / (1 - double.Exp64(-mu2))
}

// cover are cells that cover all that matters: none weighs more than 1 + over, unless there are as many as limit.
func cover(mu2, over float64, limit int) []cell {
	h := &heaviest{}
	add := func(c cell) {
		if !c.empty() {
			heap.Push(h, weighed{c, c.corner().weight(mu2)})
		}
	}
	add(cell{{0, 2}, {0, 2}})
	for h.Len() < limit && (*h)[0].weight > 1+over {
		c := heap.Pop(h).(weighed).cell
		best, first, second := math.Inf(1), c, c
		for i := range c {
			for _, part := range []float64{0.5, 0.25, 0.75} {
				x, y := c, c
				x[i].most = c[i].least + part*(c[i].most-c[i].least)
				y[i].least = x[i].most
				sum, count := 0.0, 0.0
				for _, d := range []cell{x, y} {
					if w := d.corner().weight(mu2); !d.empty() {
						sum, count = sum+1e3*math.Sqrt(max(0, w-1-over))+w/2, count+1
					}
				}
				if count == 1 {
					sum *= 1 + 0x1p-20
				}
				if sum < best {
					best, first, second = sum, x, y
				}
			}
		}
		add(first)
		add(second)
	}
	var out []cell
	for _, x := range *h {
		out = append(out, x.cell)
	}
	return out
}

// A weighed cell.
type weighed struct {
	cell   cell
	weight float64
}

// heaviest is a heap of cells with the heaviest first.
type heaviest []weighed

func (h heaviest) Len() int           { return len(h) }
func (h heaviest) Less(i, j int) bool { return h[i].weight > h[j].weight }
func (h heaviest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heaviest) Push(x any)        { *h = append(*h, x.(weighed)) }
func (h *heaviest) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// records are the moves of cells that cover all that steps may be: those that weigh about as much as the greatest, and
// the others, on the coarse grid. There are none where that would be too many.
func (s *solver) records(ctx context.Context, x *Records, coarse *grid) (near, far []*move, err error) {
	mu2, q := double.Of(wide.Rat(x.Mu2)), double.Of(wide.Rat(x.Rate))
	cells := cover(mu2.Mid(), coverOver, coverLimit)
	if len(cells) >= coverLimit {
		return nil, nil, nil // with much noise all records matter about as much
	}
	down, up := 0.0, 0.0
	for y := range s.up {
		down, up = max(down, s.down[y]), max(up, s.up[y])
	}
	tail := min(max(math.Sqrt(1.4*float64(s.set.Cut)), 8), 16)
	first, last := -int(down/s.grid.delta)-1, int(up/s.grid.delta)+1
	tables := make([]Table, len(cells))
	rough := make([]bool, len(cells))
	err = convolve.Parallel(ctx, len(cells), func(i int) {
		c := cells[i].corner()
		g, t := &s.grid, (*spread)(nil)
		if rough[i] = c.weight(mu2.Mid()) < roughWeight; rough[i] {
			g = coarse
			t = newSpread(g.delta, first/ratio-1, last/ratio+1)
		} else {
			t = newSpread(g.delta, first, last)
		}
		p := c.planar(mu2)
		step := func(square, length float64) float64 { // squares below the greatest one need less
			return min(recordStep*double.Exp64(mu2.Mid()*(4-square)/8)/length, 2)
		}
		long, short := max(c.a, c.b), min(c.a, c.b)
		along := min(step(long, p.length), step(short, max(math.Abs(p.along), 0x1p-10)), 0.125)
		tables[i] = p.table(t, q, along, max(step(short, p.up), 0.25), tail)
	})
	if err != nil {
		return nil, nil, err
	}
	var edges [2][]int // cells where one of the two is almost opposite
	for i, t := range tables {
		switch {
		case rough[i] && !coarse.fits(t) || !rough[i] && !s.grid.fits(t):
			return nil, nil, nil
		case rough[i]:
			far = append(far, coarse.above(t))
		case cells[i][0].most < cells[i][1].most:
			edges[1] = append(edges[1], i)
		default:
			edges[0] = append(edges[0], i)
		}
	}
	for e, edge := range edges {
		slices.SortFunc(edge, func(i, j int) int { return cmp.Compare(cells[i][1-e].least, cells[j][1-e].least) })
		var rows []profileRow
		var most [len(groupOrders)]float64
		for _, i := range edge {
			row := rowOf(tables[i], &s.grid)
			rows = append(rows, row)
			for j, m := range row.moments(&s.grid) {
				most[j] = max(most[j], m*(1+groupOver))
			}
		}
		for len(rows) > 0 {
			group := rows[0]
			for rows = rows[1:]; len(rows) > 0; rows = rows[1:] {
				both := group.and(rows[0])
				if m := both.moments(&s.grid); slices.ContainsFunc([]int{0, 1, 2}, func(j int) bool { return m[j] > most[j] }) {
					break
				}
				group = both
			}
			near = append(near, s.grid.above(group.table(s)))
		}
	}
	if len(near) > 2*RecordMoves {
		return nil, nil, nil
	}
	return near, far, nil
}

// A profileRow has upper bounds of a profile at the points of a grid, from a first one on.
type profileRow struct {
	first int
	h     []float64
}

// rowOf are the values of the profile of a table.
func rowOf(t Table, g *grid) profileRow {
	row := profileRow{t.first, make([]float64, len(t.mass))}
	shrink := g.alpha(-1)
	var all, part double.Interval // the masses beyond point k, and these times α_k/α_i
	for k := len(t.mass) - 1; k >= 0; k-- {
		row.h[k] = all.Sub(part).AtLeastZero().Add(double.Point(t.infinite)).Hi
		m := double.Point(t.mass[k])
		all, part = all.Add(m), shrink.Mul(part.Add(m))
	}
	return row
}

// and is at each point the greater of the two.
func (x profileRow) and(y profileRow) profileRow {
	out := profileRow{x.first, slices.Clone(x.h)}
	for i, h := range y.h {
		out.h[i] = max(out.h[i], h)
	}
	return out
}

// groupOrders are orders λ of moments of ratios by which groups are chosen.
var groupOrders = [3]float64{-1.6, -0.5, 0.6}

// moments are about ∫(h(α) − (1 − α)₊)·α^(λ − 1) dα: they choose groups, and nothing rests on them.
func (x profileRow) moments(g *grid) (out [len(groupOrders)]float64) {
	for k, h := range x.h {
		if l := float64(x.first+k) * g.delta; math.Abs(l) < 6 {
			d := max(0, h-max(0, -math.Expm1(l)))
			for j, order := range groupOrders {
				out[j] += float64(d * double.Exp64(order*l))
			}
		}
	}
	return out
}

// table is what has chords between the points, as values.above has it.
func (x profileRow) table(s *solver) Table {
	v := &values{w: s.set.Prec, delta: s.step, lo: x.first, hi: x.first + len(x.h) - 1}
	v.h = make([]interval.Interval, 2*len(x.h)-1)
	for k, h := range x.h {
		v.h[2*k] = number(h)
	}
	return v.above()
}

// RecordMoves is about how many pairs of the grid a step with Records costs.
const RecordMoves = 32

// Settings of covers affect width and cost.
const (
	coverOver   = 0x1p-11
	coverLimit  = 256
	roughWeight = 0.93
	groupOver   = 0x1p-9
	recordStep  = 0.12
)
