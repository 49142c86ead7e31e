// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// A vector of rationals.
type vector []*big.Rat

func (v vector) sub(u vector) (out vector) {
	for i := range v {
		out = append(out, new(big.Rat).Sub(v[i], u[i]))
	}
	return out
}

func (v vector) dot(u vector) *big.Rat {
	sum := new(big.Rat)
	for i := range v {
		sum.Add(sum, new(big.Rat).Mul(v[i], u[i]))
	}
	return sum
}

// inBall is a vector of norm at most 1: on the sphere, at its poles, beside it, or anywhere.
func inBall(r *rand.Rand, dimension int) vector {
	// (2t, 1 − |t|²)/(1 + |t|²) is on the sphere.
	var out vector
	square := new(big.Rat)
	for range dimension - 1 {
		t := big.NewRat(int64(r.Intn(41)-20), int64(1+r.Intn(20)))
		if r.Intn(4) == 0 {
			t.SetInt64(int64(r.Intn(3) - 1))
		}
		out = append(out, t)
		square.Add(square, new(big.Rat).Mul(t, t))
	}
	one := big.NewRat(1, 1)
	all := new(big.Rat).Add(one, square)
	scale := new(big.Rat).Quo(big.NewRat(2, 1), all)
	for i, t := range out {
		out[i] = new(big.Rat).Mul(t, scale)
	}
	out = append(out, new(big.Rat).Quo(new(big.Rat).Sub(one, square), all))
	shrink := big.NewRat(1, 1)
	if r.Intn(3) == 0 {
		shrink = big.NewRat(int64(r.Intn(21)), 20)
	}
	sign := big.NewRat(int64(1-2*r.Intn(2)), 1)
	for i := range out {
		out[i].Mul(out[i], shrink).Mul(out[i], sign)
	}
	return out
}

// worse reports that a corner has norms that are not less, and a product that is more by at most the root of the
// product of what the squares are more.
func (c corner) worse(a, b, product *big.Rat) bool {
	more := func(x float64, y *big.Rat) *big.Rat { return new(big.Rat).Sub(new(big.Rat).SetFloat64(x), y) }
	p, q, d := more(c.a, a), more(c.b, b), more(c.product, product)
	return p.Sign() >= 0 && q.Sign() >= 0 && (d.Sign() <= 0 || d.Mul(d, d).Cmp(p.Mul(p, q)) <= 0)
}

// TestCellsCoverRecords: of three records in a ball, whatever its dimension, a = x − z and b = y − z are within some
// corner: see worse.
func TestCellsCoverRecords(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, mu2 := range testkit.Few(2, []float64{4, 1, 16}) {
		cells, _ := cover(courseOf(mu2), 1e-3, 64)
		for range testkit.Draws(70, 200, 200) {
			d := 1 + r.Intn(3)
			x, y, z := inBall(r, d), inBall(r, d), inBall(r, d)
			if r.Intn(4) == 0 { // opposite records
				for i := range y {
					y[i] = new(big.Rat).Neg(x[i])
				}
			}
			a, b := x.sub(z), y.sub(z)
			found := false
			for _, c := range cells {
				found = found || c.corner().worse(a.dot(a), b.dot(b), a.dot(b))
			}
			if !found {
				t.Fatalf("μ² = %v: no corner has the records %v, %v, %v", mu2, x, y, z)
			}
		}
		for _, c := range cells { // its own corner has the points of the line r + s = 2 that are in it
			for k := range 65 {
				r := c[0].least + (c[0].most-c[0].least)*float64(k)/64
				s := 2 - r
				if s < c[1].least || s > c[1].most {
					continue
				}
				a, b := new(big.Rat).SetFloat64(r), new(big.Rat).SetFloat64(s)
				product := new(big.Rat).Mul(a, b)
				if !c.corner().worse(a.Mul(a, a), b.Mul(b, b), product.Neg(product)) {
					t.Fatalf("μ² = %v: the corner %v of %v does not have r = %v", mu2, c.corner(), c, r)
				}
			}
		}
	}
}

// seen is what is seen of a pair ((1−q)N(0, I) + qN(a, I), (1−q)N(0, I) + qN(b, I)), a = (a₀, a₁), by one who is told
// which square of the plane the output is in: Σ (P − αQ)₊, from below.
func seen(q *big.Rat, a, b [2]float64, alphas []*big.Rat) (out []*big.Float) {
	const w = interval.Prec(80)
	const cells = 4 // to a unit
	masses := func(mean float64) (out []interval.Interval) {
		var last interval.Interval
		for i := -6 * cells; i <= 8*cells; i++ {
			below := fixed.NormalCDF(w, w.Sub(w.Rat(big.NewRat(int64(i), cells)), double.Exactly(mean)))
			if i > -6*cells {
				out = append(out, w.Sub(below, last))
			}
			last = below
		}
		return out
	}
	type square struct{ p, q interval.Interval }
	var squares []square
	none, ax, ay, bx, by := masses(0), masses(a[0]), masses(a[1]), masses(b[0]), masses(b[1])
	rate, keep := w.Rat(q), w.Rat(new(big.Rat).Sub(big.NewRat(1, 1), q))
	for i := range none {
		for j := range none {
			m := w.Mul(keep, w.Mul(none[i], none[j]))
			squares = append(squares, square{w.Add(m, w.Mul(rate, w.Mul(ax[i], ay[j]))), w.Add(m, w.Mul(rate, w.Mul(bx[i], by[j])))})
		}
	}
	for _, alpha := range alphas {
		sum := interval.Int(0)
		x := w.Rat(alpha)
		for _, s := range squares {
			if d := w.Sub(s.p, w.Mul(x, s.q)); d.Positive() == interval.True {
				sum = w.Add(sum, d)
			}
		}
		out = append(out, sum.Lo())
	}
	return out
}

// profileAt is the profile of a table with cells of Δ.
func profileAt(t Table, delta float64, alpha *big.Rat) *big.Float {
	a := new(big.Float).SetPrec(300).SetRat(alpha)
	sum := new(big.Float).SetPrec(300).SetFloat64(t.infinite)
	for i, m := range t.mass {
		lo, _ := exp(delta, t.first+i)
		if d := new(big.Float).SetPrec(300).Quo(a, lo); d.Cmp(big.NewFloat(1)) < 0 {
			d.Sub(big.NewFloat(1).SetPrec(300), d)
			sum.Add(sum, d.Mul(d, exactly(m)))
		}
	}
	return sum
}

// TestNoRecordsAreAbove: a table of a corner is nowhere below what is seen of the pairs that it stands for, and not far
// above it, in both orders of a and b; the grid, the steps and the tails are coarse in some.
func TestNoRecordsAreAbove(t *testing.T) {
	q := big.NewRat(1, 5)
	var alphas []*big.Rat
	for _, a := range []string{"1/2", "9/10", "1", "11/10", "3"} {
		x, _ := new(big.Rat).SetString(a)
		alphas = append(alphas, x)
	}
	for _, c := range testkit.Few(4, []struct {
		a, b        [2]float64
		delta, step float64
	}{
		{[2]float64{2, 0}, [2]float64{0, 0}, 1. / 64, 0.06},
		{[2]float64{1, 0}, [2]float64{-1, 0}, 1. / 64, 0.06},
		{[2]float64{1, 1}, [2]float64{-1, 1}, 1. / 64, 0.06},
		{[2]float64{1.75, 0}, [2]float64{1, 1.5}, 1. / 64, 0.06},
		{[2]float64{1, 1.5}, [2]float64{1.5, 0}, 1. / 64, 0.06},
		{[2]float64{1, 1}, [2]float64{-0.5, 1.5}, 1. / 4, 1},
		{[2]float64{1.5, 0.5}, [2]float64{0.25, 0}, 1. / 4, 1},
	}) {
		for range testkit.Draws(1, 2, 2) {
			dot := func(x, y [2]float64) float64 { return x[0]*y[0] + x[1]*y[1] } // of few bits
			x := corner{dot(c.a, c.a), dot(c.b, c.b), dot(c.a, c.b)}
			top := 12.0
			if c.step > 0.1 {
				top = 0.5
			}
			s := newSpread(c.delta, -int(8/c.delta), int(top/c.delta))
			table := x.planar(double.Int(4)).table(s, double.Of(wide.Rat(q)), c.step, c.step, 6)
			for i, least := range seen(q, c.a, c.b, alphas) {
				got := profileAt(table, c.delta, alphas[i])
				if got.Cmp(least) < 0 {
					t.Errorf("%v, α = %v: the table has %.9g, seen is %.9g", c, alphas[i], got, least)
				}
				if far := new(big.Float).Sub(got, least); c.step < 0.1 && far.Cmp(big.NewFloat(0.008)) > 0 {
					t.Errorf("%v, α = %v: the table has %.9g, seen is %.9g", c, alphas[i], got, least)
				}
			}
			c.a, c.b = c.b, c.a
		}
	}
}

// TestWorseRecords: a pair is seen to have no more than the table of a corner with a greater product, if the squares
// are greater by enough, in both orders; and it has more than one with a product that is greater still.
func TestWorseRecords(t *testing.T) {
	q := big.NewRat(1, 5)
	var alphas []*big.Rat
	for _, a := range []string{"2/3", "9/10", "1", "10/9", "3/2"} {
		x, _ := new(big.Rat).SetString(a)
		alphas = append(alphas, x)
	}
	more := func(least *big.Float, x corner, alpha *big.Rat) bool {
		s := newSpread(1./64, -512, 768)
		table := x.planar(double.Int(4)).table(s, double.Of(wide.Rat(q)), 0.06, 0.06, 6)
		return least.Cmp(profileAt(table, 1./64, alpha)) > 0
	}
	const up, across = 0.5, 0.125 // of the squares
	for _, v := range testkit.First(2, [][4]float64{{1.5, 0, 0.5, 1}, {1, 0, -1, 0}, {1, 1, 1, -1}, {0.5, 0.5, 1.25, 0}, {1.25, 0.5, 1.25, 0.75}}...) {
		for range testkit.Draws(1, 2, 2) {
			a, b := [2]float64{v[0], v[1]}, [2]float64{v[2], v[3]}
			dot := func(x, y [2]float64) float64 { return x[0]*y[0] + x[1]*y[1] } // of few bits
			worse, far := corner{dot(a, a) + up, dot(b, b) + across, dot(a, b) + 0.25}, false
			for i, least := range seen(q, a, b, alphas) {
				if more(least, worse, alphas[i]) {
					t.Errorf("%v, α = %v: the table of %v has less than the %.9g that is seen", v, alphas[i], worse, least)
				}
				far = far || more(least, corner{dot(a, a) + up, dot(b, b) + across, dot(a, b) + 1}, alphas[i])
			}
			if !far {
				t.Errorf("%v: nothing is seen above a product that is more by 1", v)
			}
			v[0], v[1], v[2], v[3] = v[2], v[3], v[0], v[1]
		}
	}
}

// TestGreatestProfiles: the table of the greatest of some profiles is nowhere below them.
func TestGreatestProfiles(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const delta = 0.25
	g := &grid{delta: delta}
	for range 20 {
		var tables []Table
		var row profileRow
		for range 3 {
			tab := Table{first: -8, mass: make([]float64, 17), infinite: r.Float64() / 64}
			for i := range tab.mass {
				tab.mass[i] = r.Float64() / 32
			}
			tables = append(tables, tab)
			if next := rowOf(tab, g); row.h == nil {
				row = next
			} else {
				row = row.and(next)
			}
		}
		got := row.table(g)
		for k := -9; k < 10; k++ {
			alpha := new(big.Rat).SetFloat64(double.Exp64(float64(k)*delta + r.Float64()*delta))
			for _, tab := range tables {
				if x, y := profileAt(got, delta, alpha), profileAt(tab, delta, alpha); x.Cmp(y) < 0 {
					t.Errorf("at %v: %.15g is less than %.15g", alpha, x, y)
				}
			}
		}
	}
}

// courseOf is the course of 100 samples of one record of 50.
func courseOf(mu2 float64) *course {
	x := &Records{Rate: big.NewRat(1, 50), Mu2: new(big.Rat).SetFloat64(mu2)}
	g := &grid{delta: 1. / 64, first: -320, n: 320 + 64*int(4+4*mu2), tilt: 1. / 64}
	c, err := x.course(context.Background(), g, 100, 1e-5, x.reach(40))
	if err != nil {
		panic(err)
	}
	return c
}

// TestCoursesEnd: a course ends when its context does.
func TestCoursesEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := &Records{Rate: big.NewRat(1, 50), Mu2: new(big.Rat).SetFloat64(4)}
	g := &grid{delta: 1. / 64, first: -320, n: 1600, tilt: 1. / 64}
	if _, err := x.course(ctx, g, 1<<40, 1e-5, x.reach(40)); err == nil {
		t.Error("a course of 2^40 steps ended by itself")
	}
}

// TestGroupsAreAbove: each of some tables is nowhere above one of those that take their place, or is left, in any
// stage.
func TestGroupsAreAbove(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const delta = 0.25
	by, g := courseOf(4), &grid{delta: delta}
	by.line(-8, 17, delta)
	var rows []profileRow
	for range 8 {
		tab := Table{first: -8, mass: make([]float64, 17), infinite: r.Float64() / 64}
		for i := range tab.mass {
			tab.mass[i] = r.Float64() / 32
		}
		rows = append(rows, rowOf(tab, g))
	}
	for _, x := range []struct {
		most  float64
		far   bool
		count int
	}{{-1, false, 8}, {1e9, false, 1}, {1e9, true, 1}, {-1, true, 0}} {
		groups, left := by.groups(rows, &by.stages[0], x.far, x.most)
		if len(groups) != x.count || (len(left) > 0) != (x.far && x.most < 0) {
			t.Errorf("growth %v: %d groups, %d left", x.most, len(groups), len(left))
		}
		for i, row := range rows {
			found := false
			for _, y := range append(groups, left...) {
				above := true
				for k, h := range row.h {
					above = above && y.h[k] >= h
				}
				found = found || above
			}
			if !found {
				t.Errorf("growth %v: nothing is above table %d", x.most, i)
			}
		}
	}
}

// TestSparseMovesAreAbove: a step of a sparse move is at no point below what its pair makes of V = (1 − α)₊, and what
// others do at every fourth one is what it does.
func TestSparseMovesAreAbove(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, tilt := range []float64{0, 0.0625} {
		g := &grid{first: -10 * sparse, n: 20*sparse + 1, delta: 0.0625, tilt: tilt, t: double.NewTransform(256),
			few: double.NewTransform(256 / sparse)}
		var moves []*move
		var tables []Table
		for range 3 {
			tab := Table{first: -20, mass: make([]float64, 41), infinite: 0x1p-10}
			for i := range tab.mass {
				tab.mass[i] = r.Float64() / 64
			}
			tables, moves = append(tables, tab), append(moves, g.above(tab))
		}
		side, fine := g.newSide(true), g.newSide(true)
		side.step(g.family(nil).with(g, moves))
		fine.step(g.family(moves))
		for i, x := range side.v {
			if y := fine.v[i]; x < y*(1-0x1p-40) || i%sparse == 0 && x > y*(1+0x1p-40) {
				t.Errorf("tilt %v, point %d: %.15g, all points %.15g", tilt, i, x, y)
			}
			_, hi := exp(tilt, g.first+i)
			got := hi.Quo(exactly(x), hi)
			lo, hi := exp(g.delta, g.first+i)
			at, _ := lo.Add(lo, hi).Rat(nil)
			for _, tab := range tables {
				want := profileAt(tab, g.delta, at.Quo(at, big.NewRat(2, 1)))
				if want.Sub(want, big.NewFloat(0x1p-150)); got.Cmp(want) < 0 && got.Cmp(big.NewFloat(1)) < 0 {
					t.Errorf("tilt %v, point %d: %.15g is less than %.15g", tilt, i, got, want)
				}
				at.Mul(at, big.NewRat(2, 1))
			}
		}
	}
}

// TestNextToNoNoise: where losses of samples of replaced records are beyond float64, nothing is bounded, and nothing
// fails.
func TestNextToNoNoise(t *testing.T) {
	for _, mu2 := range []string{"4000", "40000000", "1e40"} {
		square, _ := new(big.Rat).SetString(mu2)
		x := &Records{Mu2: square, Rate: big.NewRat(1, 100)}
		p := Problem{Records: x, Ends: x, Steps: 100}
		set := Settings{Length: 1 << 10, Delta: big.NewRat(1, 100000), Cut: 60, Prec: 128}
		if b, ok, err := Solve(t.Context(), p, set); ok || err != nil {
			t.Errorf("μ² = %s: bounds %v, %v", mu2, b, err)
		}
	}
}
