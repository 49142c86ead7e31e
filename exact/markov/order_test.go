// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// TestCopositiveOrder: where G′ − G is ≥ 0 beside its diagonal plus positive semidefinite, E(S − γ)₊ is no less for G′,
// at any γ, and so in both directions; where xᵀ(G′ − G)x < 0 for x = 1, it is less for small γ − 1 and little noise of
// either: there all A_i are near 1.
func TestCopositiveOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	cases := testkit.Draws(5, 12, 1000)
	for range cases {
		n := 2 + r.IntN(2)
		g, more := gramian(r, n, 0.6), gramian(r, n, 0.5*r.Float64())
		for i := range n {
			g[i][i] += 0.02 // for the quadrature
			for j := range i {
				if r.IntN(2) == 0 {
					x := 0.4 * r.Float64()
					more[i][j] += x
					more[j][i] += x
				}
			}
		}
		above := square(n)
		for i := range n {
			more[i][i] += 0x1p-10 // for the certificate
		}
		for i := range n {
			for j := range n {
				above[i][j] = g[i][j] + more[i][j]
			}
		}
		if l := factorOf(above); l[n-1][n-1] < 0.1 || n == 3 && l[1][1] < 0.1 {
			continue // no covariance, or nearly none
		}
		if l := factorOf(g); l[n-1][n-1] < 0.1 {
			continue
		}
		if !atMost(enclosedOf(g), enclosedOf(above), square(n)) {
			t.Errorf("%v, %v: not accepted", g, above)
		}
		for _, gamma := range []float64{0.5, 0.8, 1, 1.3, 2, 5} {
			if a, b := called(g, gamma, 0.1), called(above, gamma, 0.1); a > b+1e-9 {
				t.Errorf("%v, %v: E(S − %g)₊ falls from %g to %g", g, above, gamma, a, b)
			}
		}
	}
	// r is moved from beside the diagonal to it, but too little of it.
	g, less := [][]float64{{0.05, 0.04}, {0.04, 0.05}}, [][]float64{{0.08, 0}, {0, 0.08}}
	if called(g, 1, 0.1) <= called(less, 1, 0.1) {
		t.Error("the order holds without its condition")
	}
	if atMost(enclosedOf(g), enclosedOf(less), square(2)) {
		t.Error("what is not copositive is accepted")
	}
}

// gramian is a random positive semidefinite matrix.
func gramian(r *rand.Rand, n int, scale float64) [][]float64 {
	a, g := square(n), square(n)
	for i := range n {
		for j := range n {
			a[i][j] = scale * r.NormFloat64()
		}
	}
	for i := range n {
		for j := range n {
			g[i][j] = inner(a[i], a[j])
		}
	}
	return g
}

func enclosedOf(m [][]float64) [][]double.Interval {
	out := make([][]double.Interval, len(m))
	for i := range m {
		for _, x := range m[i] {
			out[i] = append(out[i], double.Point(x))
		}
	}
	return out
}

// TestAtMostIsCopositive: what is accepted is ≥ 0 at vectors x ≥ 0, in rationals, also where it holds barely; and what
// is accepted with all of N in R is so at all vectors.
func TestAtMostIsCopositive(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	accepted := 0
	for range testkit.Draws(250, 800, 800) {
		n := 2 + r.IntN(4)
		m := square(n)
		for i := range n {
			for j := range i + 1 {
				m[i][j] = math.Round(64*(r.Float64()*2-1)) / 64
				m[j][i] = m[i][j]
			}
			m[i][i] = math.Round(64*(float64(n)*r.Float64())) / 64
		}
		whole := r.IntN(3) == 0
		shares := square(n)
		for i := range n {
			for j := range i {
				if shares[i][j] = r.Float64(); whole {
					shares[i][j] = 1
				}
				shares[j][i] = shares[i][j]
			}
		}
		if !atMost(enclosedOf(square(n)), enclosedOf(m), shares) {
			continue
		}
		accepted++
		for range 40 {
			x := make([]*big.Rat, n)
			for i := range x {
				x[i] = big.NewRat(int64(r.IntN(5)), 1)
				if whole && r.IntN(2) == 0 {
					x[i].Neg(x[i])
				}
			}
			sum := new(big.Rat)
			for i := range n {
				for j := range n {
					y := new(big.Rat).SetFloat64(m[i][j])
					sum.Add(sum, y.Mul(y, new(big.Rat).Mul(x[i], x[j])))
				}
			}
			if sum.Sign() < 0 {
				t.Fatalf("%v with the shares %g is accepted, and is %s at %v", m, shares, sum.RatString(), x)
			}
		}
	}
	if accepted < 60 {
		t.Errorf("%d matrices are accepted, want at least 60", accepted)
	}
	// A matrix of rank 1, and one whose least eigenvalue is a little below 0.
	if !atMost(enclosedOf([][]float64{{0, 0}, {0, 0}}), enclosedOf([][]float64{{1, -1 + 0x1p-20}, {-1 + 0x1p-20, 1}}), [][]float64{{1, 1}, {1, 1}}) {
		t.Error("a positive definite matrix is not accepted")
	}
	if atMost(enclosedOf([][]float64{{0, 0}, {0, 0}}), enclosedOf([][]float64{{1, -1 - 0x1p-40}, {-1 - 0x1p-40, 1}}), [][]float64{{1, 1}, {1, 1}}) {
		t.Error("a matrix with an eigenvalue of −2^−40 is accepted")
	}
}

// expected encloses E(N − x)₊, N normal of that variance about 0.
func expected(variance, x float64) interval.Interval {
	const w = interval.Prec(160)
	s := w.Sqrt(double.Point(variance).Exact())
	z := w.Div(double.Point(x).Exact(), s)
	density := w.Div(w.Exp(w.Scale(w.Sqr(z), -1).Neg()), w.Sqrt(w.Scale(w.Pi(), 1)))
	return w.Mul(s, w.Sub(density, w.Mul(z, w.NormalSF(z))))
}

// TestBells: masses of spread laws are second differences of π, up to the error that is stated; those of weighed ones
// are densities, and those of cells differences of tails.
func TestBells(t *testing.T) {
	const w = interval.Prec(160)
	for _, c := range []struct{ v, h, reach float64 }{{1, 0.25, 9}, {0.75, 0.5, 7}, {1, 1, 6}, {0.5, 0.0625, 5}, {1.5, 1.25, 12}} {
		b := newBell(spread, c.v, c.h, c.reach)
		if b.err > 1e-12 {
			t.Errorf("%v: an error of %g", c, b.err)
		}
		for d := -math.Floor(c.reach/c.h) * c.h; d <= c.reach; d += c.h / 4 * math.Ceil(c.reach/c.h/4) {
			got, err := b.at(double.Point(d))
			differences := w.Add(w.Sub(expected(c.v, d-c.h), w.Scale(expected(c.v, d), 1)), expected(c.v, d+c.h))
			want := w.Div(differences, double.Point(c.h).Exact())
			room := double.Point(got).Mul(double.Point(1).Add(double.Interval{Lo: -err, Hi: err}))
			if _, ok := interval.Intersect(room.Exact(), want); !ok || err > 1e-11 {
				t.Errorf("%v: the mass at %g is %g up to %g, want %s", c, d, got, err, want)
			}
		}
	}
	for _, c := range []struct{ h, reach float64 }{{0.25, 9}, {1, 14}, {0.0625, 5}} {
		b := newBell(cells, 1, c.h, c.reach)
		for d := -c.reach; d <= c.reach; d += c.reach / 16 {
			got, err := b.at(double.Point(d))
			far := math.Abs(d) // the difference of two small numbers
			want := w.Sub(w.NormalSF(double.Point(far-c.h/2).Exact()), w.NormalSF(double.Point(far+c.h/2).Exact()))
			room := double.Point(got).Mul(double.Point(1).Add(double.Interval{Lo: -err, Hi: err}))
			if _, ok := interval.Intersect(room.Exact(), want); !ok || err > 1e-11 {
				t.Errorf("%v: the mass of the cell at %g is %g up to %g, want %s", c, d, got, err, want)
			}
		}
	}
	if _, err := newBell(spread, 0.5, 1.0625, 5).at(double.Point(1)); !math.IsInf(err, 1) {
		t.Errorf("a lattice that is too coarse has masses up to %g", err)
	}
	b := newBell(weigh, 0.75, 0.25, 9)
	got, err := b.at(double.Point(1.5))
	if want := 0.25 / math.Sqrt(2*math.Pi*0.75) * math.Exp(-1.5*1.5/1.5); math.Abs(got/want-1) > 1e-13 || err > 1e-12 {
		t.Errorf("the density is %g up to %g, want %g", got, err, want)
	}
}

// TestTables: masses between the distances of a table are off by no more than is stated, which is little, and by more
// than nothing.
func TestTables(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for _, c := range []struct {
		round       rounding
		v, h, reach float64
	}{{spread, 1, 0.25, 9}, {spread, 0.5, 0.9375, 6}, {spread, 0.75, 0.0625, 14}, {cells, 1, 0.5, 11}, {cells, 1, 1.375, 7}, {weigh, 0.3, 0.25, 8}} {
		x, b := newTable(c.round, c.v, c.h, c.reach), newBell(c.round, c.v, c.h, c.reach+2)
		worst := 0.0
		for k := range 20_000 {
			d := (2*r.Float64() - 1) * c.reach
			if k < 2 {
				d = float64(2*k-1) * (c.reach + x.step/2)
			}
			want, err := b.at(double.Point(d))
			off := math.Abs(x.at(d)/want - 1)
			worst = max(worst, off-2*err)
			if !(off <= x.off(0)+2*err) {
				t.Fatalf("%+v: the mass at %g is %g up to %g, want %g", c, d, x.at(d), x.off(0), want)
			}
		}
		if x.off(0) > 1e-4 || c.round != weigh && worst < x.off(0)/50 {
			t.Errorf("%+v: off by %g, and the bound is %g", c, worst, x.off(0))
		}
		// A distance that is off moves the mass by no more than that.
		const by = 1e-6
		if moved := x.at(c.reach-by) / x.at(c.reach); moved > 1+x.off(by) || moved < 1+x.steepest*by/4 {
			t.Errorf("%+v: a step of %g moves a mass by %g, and the bound is %g", c, by, moved-1, x.off(by))
		}
	}
}

// TestWaves: h times the densities over a lattice sum up to 1, but for the waves.
func TestWaves(t *testing.T) {
	c := &Chain{Rho: []float64{0, 0.5}, First: []float64{0, 0}, Variance: []float64{0, 0.7}, Now: []float64{0, 1}, Before: []float64{0, 0.5}}
	const w = interval.Prec(96)
	p := newPlan(c, weigh, 0, Settings{Work: 1e5, Cut: 20})
	worst := 0.0
	for i, v := range p.v {
		h, was := p.us.h, c.Variance[i]
		if i == 0 {
			h, was = p.zs.h, 1
		}
		omega := (v - was) / h / h // the variance over h² of the densities that the proof adds up
		sum := interval.Int(0)
		for k := -40; k <= 40; k++ {
			sum = w.Add(sum, w.Exp(double.Point(-float64(k)*float64(k)/2/omega).Exact()))
		}
		sum = w.Div(sum, w.Sqrt(w.Mul(w.Scale(w.Pi(), 1), double.Point(omega).Exact())))
		x, _ := w.Sub(sum, interval.Int(1)).Hi().Float64()
		worst = max(worst, x)
	}
	if worst > p.waves.Hi || worst < 0.9*p.waves.Hi {
		t.Errorf("sums are off by %g, and the bound is %g", worst, p.waves.Hi)
	}
}

// TestTailsOfSpreadLaws: a chain whose steps are spread has exponential moments of steps that are no more than
// those of the normal laws whose tails are taken for theirs.
func TestTailsOfSpreadLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for k := range 8 {
		p := newPlan(randomChain(r, k%2 == 0, 3), spread, 0, Settings{Work: 1e4, Cut: 12})
		for i, v := range p.v {
			h := p.us.h
			if i == 0 {
				h = p.zs.h
			}
			own := p.tails[i][i]
			if i > 0 {
				own = own.Sub(double.Point(p.Rho[i]).Mul(p.tails[i][i-1])).Sub(double.Point(p.First[i]).Mul(p.tails[i][0]))
			}
			b := newBell(spread, v, h, 40)
			for _, theta := range []float64{0.1, 1, 3} {
				for _, centre := range []float64{0, h / 4, h / 2} {
					sum := 0.0
					for n := -40; n <= 40; n++ {
						d := float64(n)*h - centre
						w, _ := b.at(double.Point(d))
						sum += w * math.Exp(theta*d)
					}
					if most := math.Exp(theta * theta * own.Hi / 2); sum > most*(1+1e-9) {
						t.Errorf("step %d of variance %g, lattice %g: E exp(%g·x) is %g, and at most %g", i, v, h, theta, sum, most)
					}
				}
			}
		}
	}
}
