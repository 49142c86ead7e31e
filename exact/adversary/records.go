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

// inside is about the weight of the worst records in the cell.
func (c cell) inside(mu2 float64) float64 {
	r, s := c[0].most, c[1].most
	product := (r*r+s*s)/2 - 2
	if product > 0 {
		product = -r * s / 4 * (math.Sqrt((2-r)*(2+r)*(2-s)*(2+s)) - r*s)
	}
	return corner{r * r, s * s, product}.weight(mu2)
}

// cover are cells that cover all that matters: none weighs more than 1 + over, and less where all records weigh less,
// unless there are as many as limit.
func cover(mu2, over float64, limit int) []cell {
	h := &heaviest{}
	excess := func(c cell) float64 { // what a cell weighs beyond what it may
		most := 1 + over - coverSlope*max(0, 1-coverRoom-c.inside(mu2))
		return c.corner().weight(mu2) - max(coverFar, most)
	}
	add := func(c cell) {
		if !c.empty() {
			heap.Push(h, weighed{c, excess(c)})
		}
	}
	add(cell{{0, 2}, {0, 2}})
	for h.Len() < limit && (*h)[0].excess > 0 {
		c := heap.Pop(h).(weighed).cell
		best, first, second := math.Inf(1), c, c
		for i := range c {
			for _, part := range []float64{0.5, 0.25, 0.75} {
				x, y := c, c
				x[i].most = c[i].least + part*(c[i].most-c[i].least)
				y[i].least = x[i].most
				sum, count := 0.0, 0.0
				for _, d := range []cell{x, y} {
					if !d.empty() {
						sum, count = sum+1e3*math.Sqrt(max(0, excess(d)))+d.corner().weight(mu2)/2, count+1
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
	excess float64
}

// heaviest is a heap of cells, the one with the greatest excess first.
type heaviest []weighed

func (h heaviest) Len() int           { return len(h) }
func (h heaviest) Less(i, j int) bool { return h[i].excess > h[j].excess }
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
	tail := min(max(math.Sqrt(1.4*float64(s.set.Cut)), 8), 16)
	first, last := -int(s.all.down/s.grid.delta)-1, int(s.all.up/s.grid.delta)+1
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
		h := recordStep
		if !rough[i] {
			h /= 2
		}
		step := func(square, length float64) float64 { // squares below the greatest one need less
			return min(h*double.Exp64(mu2.Mid()*(4-square)/8)/length, 2)
		}
		long, short := max(c.a, c.b), min(c.a, c.b)
		along := min(step(long, p.length), step(short, max(math.Abs(p.along), 0x1p-10)), 0.125)
		tables[i] = p.table(t, q, along, max(step(short, p.up), 0.25), tail)
	})
	if err != nil {
		return nil, nil, err
	}
	for i, t := range tables {
		if rough[i] && !coarse.fits(t) || !rough[i] && !s.grid.fits(t) {
			return nil, nil, nil
		}
	}
	end := 0.0 // the greatest moment of a table
	for i, t := range tables {
		if !rough[i] {
			end = max(end, rowOf(t, &s.grid).moments(&s.grid))
		}
	}
	for _, second := range []bool{false, true} { // cells where one of the two is almost opposite
		var fine, distant []int
		for i, c := range cells {
			if (c[0].most < c[1].most) != second {
				continue
			}
			if rough[i] {
				distant = append(distant, i)
			} else {
				fine = append(fine, i)
			}
		}
		other := 1
		if second {
			other = 0
		}
		by := func(i, j int) int { return cmp.Compare(cells[i][other].least, cells[j][other].least) }
		slices.SortFunc(fine, by)
		slices.SortFunc(distant, by)
		for _, t := range s.groups(tables, fine, &s.grid, end*(1+groupOver)) {
			near = append(near, s.grid.above(t))
		}
		for _, t := range s.groups(tables, distant, coarse, end*roughMoment) {
			far = append(far, coarse.above(t))
		}
	}
	if len(near) > 2*RecordMoves {
		return nil, nil, nil
	}
	return near, far, nil
}

// groups are tables that have the greatest profiles of several ones each, with moments of at most most if they have
// more than one.
func (s *solver) groups(tables []Table, of []int, g *grid, most float64) (out []Table) {
	for len(of) > 0 {
		group := rowOf(tables[of[0]], g)
		for of = of[1:]; len(of) > 0; of = of[1:] {
			both := group.and(rowOf(tables[of[0]], g))
			if both.moments(g) > most {
				break
			}
			group = both
		}
		out = append(out, group.table(g, s.set.Prec))
	}
	return out
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

// moments is about ∫(h(α) − (1 − α)₊)·α^(−1/2) dα, which is the same for a pair and its reverse: it chooses groups, and
// nothing rests on it.
func (x profileRow) moments(g *grid) (sum float64) {
	for k, h := range x.h {
		if l := float64(x.first+k) * g.delta; math.Abs(l) < 6 {
			sum += float64(max(0, h-max(0, -math.Expm1(l)))*double.Exp64(l/2)) * g.delta
		}
	}
	return sum
}

// table is what has chords between the points, as values.above has it.
func (x profileRow) table(g *grid, w interval.Prec) Table {
	v := &values{w: w, delta: ratOf(g.delta), lo: x.first, hi: x.first + len(x.h) - 1}
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
	coverRoom   = 0.02
	coverSlope  = 0.5
	coverFar    = 0.955
	roughWeight = 0.97
	groupOver   = 0x1p-11
	roughMoment = 0.985
	recordStep  = 0.12
)
