// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
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

// worse reports that a corner has norms that are not less, and a product that is not more.
func (c corner) worse(a, b, product *big.Rat) bool {
	exact := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	return exact(c.a).Cmp(a) >= 0 && exact(c.b).Cmp(b) >= 0 && exact(c.product).Cmp(product) <= 0
}

// TestCellsCoverRecords: of three records in a ball, whatever its dimension, a = x − z and b = y − z are within some
// corner: no norm is greater, and the product is not less.
func TestCellsCoverRecords(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, mu2 := range []float64{4, 1, 16} {
		cells, _ := cover(courseOf(mu2), 1e-3, 64)
		for range 200 {
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
			below := fixed.NormalCDF(w, w.Sub(w.Rat(big.NewRat(int64(i), cells)), number(mean)))
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
	for _, c := range []struct {
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
	} {
		for range 2 {
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
		got := row.table(g, 96)
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
	x := &Records{Rate: big.NewRat(1, 50), Mu2: ratOf(mu2)}
	g := &grid{delta: 1. / 64, first: -320, n: 320 + 64*int(4+4*mu2), tilt: 1. / 64}
	return x.course(g, 100, 1e-5, x.reach(40))
}

// TestGroupsAreAbove: each of some tables is nowhere above one of those that take their place, in any phase.
func TestGroupsAreAbove(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	by, s := courseOf(4), solver{set: Settings{Prec: 96}}
	const delta = 0.25
	var tables []Table
	for range 8 {
		tab := Table{first: -8, mass: make([]float64, 17), infinite: r.Float64() / 64}
		for i := range tab.mass {
			tab.mass[i] = r.Float64() / 32
		}
		tables = append(tables, tab)
	}
	for _, x := range []struct{ from, most float64 }{{0, 0}, {0.4, 10}, {1, 0}} {
		groups := s.groups(tables, &grid{delta: delta}, by, x.from, x.most)
		if (len(groups) == 1) != (x.from == 1) {
			t.Errorf("from %v: %d groups", x.from, len(groups))
		}
		for i, tab := range tables {
			found := false
			for _, y := range groups {
				above := true
				for k := -9; k < 10; k++ {
					alpha := new(big.Rat).SetFloat64(double.Exp64((float64(k) + 0.5) * delta))
					above = above && profileAt(y, delta, alpha).Cmp(profileAt(tab, delta, alpha)) >= 0
				}
				found = found || above
			}
			if !found {
				t.Errorf("from %v: nothing is above table %d", x.from, i)
			}
		}
	}
}

// TestCoarseStepsAreAbove: a step on the coarse grid is at no point of the fine one below what a pair of the coarse one
// makes of a V that is convex.
func TestCoarseStepsAreAbove(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, tilt := range []float64{0, 0.0625} {
		g := &grid{first: -10 * ratio, n: 20*ratio + 1, delta: 0.0625, tilt: tilt, t: double.NewTransform(1024)}
		rough := g.coarse()
		tab := Table{first: -5, mass: make([]float64, 11), infinite: 0x1p-10}
		for i := range tab.mass {
			tab.mass[i] = r.Float64() / 16
		}
		c := newCoarseSide(rough, rough.family([]*move{rough.above(tab)}))
		side := g.newSide(true)
		next := make([]float64, g.n)
		c.step(side.v, next)
		for i := range next {
			_, hi := exp(tilt, g.first+i)
			got := hi.Quo(exactly(next[i]), hi)
			lo, hi := exp(g.delta, g.first+i)
			at, _ := lo.Add(lo, hi).Rat(nil)
			want := profileAt(tab, rough.delta, at.Quo(at, big.NewRat(2, 1)))
			if want.Sub(want, big.NewFloat(0x1p-150)); got.Cmp(want) < 0 {
				t.Errorf("tilt %v, point %d: %.15g is less than %.15g", tilt, i, got, want)
			}
		}
	}
}

// TestNextToNoNoise: where losses of samples of replaced records are beyond float64, nothing is bounded, and nothing fails.
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
