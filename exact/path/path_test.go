// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package path

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/selection"
	"dpverify/internal/testkit"
)

const prec interval.Prec = 128

// A situation is a selection with the logarithm of the moment of one run.
type situation struct {
	mean, shape *big.Rat
	base        pair.Pair
	moment      func(order float64) float64
}

func situations() []situation {
	gauss := func(mu2 float64) func(float64) float64 {
		return func(a float64) float64 { return mu2 * a * (a - 1) / 2 }
	}
	laplace := func(x float64) func(float64) float64 {
		return func(a float64) float64 {
			return math.Log((a*math.Exp((a-1)*x) + (a-1)*math.Exp(-a*x)) / (2*a - 1))
		}
	}
	return []situation{
		{big.NewRat(10, 1), big.NewRat(1, 1), pair.Gaussian{Mu2: big.NewRat(1, 4)}, gauss(0.25)},
		{big.NewRat(7, 1), nil, pair.Gaussian{Mu2: big.NewRat(1, 1)}, gauss(1)},
		{big.NewRat(4, 1), new(big.Rat), pair.Laplace{Shift: big.NewRat(1, 1)}, laplace(1)},
		{big.NewRat(3, 1), big.NewRat(-1, 2), pair.Gaussian{Mu2: big.NewRat(1, 2)}, gauss(0.5)},
		{big.NewRat(20, 1), big.NewRat(5, 2), pair.Laplace{Shift: big.NewRat(1, 2)}, laplace(0.5)},
	}
}

func (c situation) bound(t *testing.T) (*Bound, selection.Law, closed.Tails) {
	t.Helper()
	law, ok := selection.NewLaw(prec, c.mean, c.shape)
	tails, known := closed.PairTails(c.base)
	b, fine := New(law, tails)
	if !ok || !known || !fine {
		t.Fatalf("mean %v, shape %v, %v: no bound", c.mean, c.shape, c.base)
	}
	return b, law, tails
}

// above is somewhat more than the moment.
func (c situation) above(order *big.Rat) interval.Interval {
	x, _ := order.Float64()
	return double.Exactly(c.moment(x)*(1+1e-9) + 1e-9)
}

// momentOf is the logarithm of the moment of the best run in an order of outputs with masses p and q.
func momentOf(law selection.Law, p, q []float64, order []int, lambda float64) float64 {
	better := func(y float64) float64 { return double.Of(law.Better(double.Exactly(min(y, 1)))).Mid() }
	sum, x, y := 0.0, 0.0, 0.0
	for _, i := range order {
		a, b := better(x+p[i])-better(x), better(y+q[i])-better(y)
		if a > 1e-12 && b > 1e-12 {
			sum += math.Pow(a, lambda) * math.Pow(b, 1-lambda)
		}
		x, y = x+p[i], y+q[i]
	}
	return math.Log(sum)
}

// TestNoOrderIsAbove: no order of outputs, which tell between which losses an output of the base is, has a greater
// moment than the bound of any W, be it a good one or not.
func TestNoOrderIsAbove(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range testkit.Few(1, situations()) {
		b, law, tails := c.bound(t)
		for range testkit.Cases(1, 8) {
			n := 4 + r.IntN(30)
			var p, q []float64
			lastP, lastQ := 1.0, 1.0
			for i := range n {
				e := new(big.Rat).SetFloat64(4*(float64(i)+r.Float64())/float64(n) - 2)
				x, y := 0.0, 0.0
				if i+1 < n {
					u, v := tails(prec, closed.RatArg(prec, e))
					x, y = double.Of(u).Mid(), double.Of(v).Mid()
				}
				p, q, lastP, lastQ = append(p, lastP-x), append(q, lastQ-y), x, y
			}
			lambda := big.NewRat(9+r.Int64N(16), 8)
			f, _ := lambda.Float64()
			ws := []polynomial{b.fit(f)}
			for range testkit.Draws(1, 2, 2) {
				w := newPolynomial(degree)
				for i := range w.c {
					for j := range w.c[i] {
						w.c[i][j] = r.NormFloat64() * math.Exp(float64(r.IntN(4)))
					}
				}
				ws = append(ws, w)
			}
			most := math.Inf(-1)
			for range testkit.Draws(4, 10, 10) {
				most = max(most, momentOf(law, p, q, r.Perm(n), f))
			}
			both := make([]int, 0, n) // least ratios first, then the others from both ends
			for i, j, first := 0, n-1, r.IntN(n); i <= j; {
				if len(both) < first || len(both)%2 == 0 {
					both, i = append(both, i), i+1
				} else {
					both, j = append(both, j), j-1
				}
			}
			most = max(most, momentOf(law, p, q, both, f))
			for k, w := range ws {
				if y := double.Of(b.bound(lambda, w, c.above)).Hi; !(most <= y) {
					t.Errorf("mean %v, shape %v, %v, order %v, W %d: a moment of %v, at most %v", c.mean, c.shape, c.base, f, k, most, y)
				}
			}
		}
	}
}

// TestNoPlaceIsAbove: h is nowhere in a cell above what the table says of all, for any W.
func TestNoPlaceIsAbove(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range situations() {
		b, law, _ := c.bound(t)
		order := double.Point(1.75)
		rest := double.Int(1).Sub(order)
		f := func(s float64) (log, slope double.Interval) {
			all := prec.Expm1(double.Exactly(b.t))
			y := prec.Div(prec.Expm1(prec.Mul(double.Exactly(b.t), double.Exactly(s))), all)
			k := prec.Div(all, double.Exactly(b.t))
			return double.Of(prec.Log(law.Slope(interval.Clamp(y, 0, 1)))), double.Of(prec.Mul(k, prec.Exp(prec.Mul(double.Exactly(b.t), double.Exactly(s)).Neg())))
		}
		for range 3 {
			w := newPolynomial(degree)
			for i := range w.c {
				for j := range w.c[i] {
					w.c[i][j] = r.NormFloat64() * 1e4
				}
			}
			h := b.tableOf(order, w)
			l := b.knots[1+r.IntN(len(b.knots)-1)]
			power := order.Mul(double.Point(l).Log()).Exp()
			g := b.greatest(h, l, power.Hi)
			exact := func(s, t float64) float64 { // from below
				a, u := f(s)
				d, v := f(t)
				phi := order.Mul(a).Add(rest.Mul(d)).Exp()
				x := phi.Mul(power).Add(u.Mul(double.Point(l)).Mul(double.Point(w.along(0).at(2*s-1, 2*t-1)))).Add(v.Mul(double.Point(w.along(1).at(2*s-1, 2*t-1))))
				return x.Lo - 1e-6
			}
			best, bs, bt := math.Inf(-1), 0, 0
			for i := range pathCells {
				for j := b.from[i]; j < b.to[i]; j++ {
					if x := h.phi[i][j]*power.Hi + h.u[i][j]*l + h.v[i][j]; x > best {
						best, bs, bt = x, i, j
					}
				}
			}
			for range 40 { // around the greatest
				i, j := min(max(bs-1+r.IntN(2), 0), pathCells-1), bt-1+r.IntN(2)
				if j < b.from[i] || j >= b.to[i] {
					continue
				}
				if x := exact((float64(i)+r.Float64())/pathCells, (float64(j)+r.Float64())/pathCells); !(x <= g) {
					t.Fatalf("mean %v, shape %v, %v: h = %v in cell (%d, %d), at most %v", c.mean, c.shape, c.base, x, i, j, g)
				}
			}
		}
	}
}

// TestChordsAreAbove: where W is 0, no bound is below the moment of one run times the greatest Φ, and none is far
// above.
func TestChordsAreAbove(t *testing.T) {
	const lambda = 2
	for _, c := range testkit.Few(2, situations()) {
		b, _, _ := c.bound(t)
		w := newPolynomial(degree)
		most := 0.0
		for _, row := range b.tableOf(double.Point(lambda), w).phi {
			most = max(most, slices.Max(row))
		}
		least := math.Log(most) + c.moment(lambda)
		if y := double.Of(b.bound(big.NewRat(lambda, 1), w, c.above)).Hi; !(y >= least && y < least+1e-2) {
			t.Errorf("mean %v, shape %v, %v: a moment of at most %v, and one run has %v", c.mean, c.shape, c.base, y, least)
		}
	}
}

// TestCellsBend: where W is steep, h is above the corners of a cell, and the table knows.
func TestCellsBend(t *testing.T) {
	b, _, _ := situations()[0].bound(t)
	w := newPolynomial(degree)
	w.c[3][0] = -1e9 // W_s is greatest at s = 1/2
	h := b.tableOf(double.Point(1.5), w)
	i := pathCells / 2
	for j := b.from[i]; j <= b.to[i]; j++ {
		if !(h.u[i][j] > 1) {
			t.Errorf("at node %d, %d: U is %v at most", i, j, h.u[i][j])
		}
	}
}

// TestPathsAreNearlyAttained: of ten runs of Gaussian noise with μ = 1/2 the bound is near the moment of an order that
// a search found, 0.3862 for order 8/5.
func TestPathsAreNearlyAttained(t *testing.T) {
	c := situations()[0]
	b, _, _ := c.bound(t)
	if y := double.Of(b.Moment(big.NewRat(8, 5), c.above)).Hi; !(y > 0.3862 && y < 0.4) {
		t.Errorf("a moment of at most %v, want at least 0.3862 and at most 0.4", y)
	}
}

// TestAtomsOfTheGreatestLoss: half of the outputs of Laplace noise have the greatest loss, 1. They are not beyond the
// last knot: the bound for two runs is near the moment of an order that a search found, 0.7690 for order 2.
func TestAtomsOfTheGreatestLoss(t *testing.T) {
	c := situations()[2]
	c.mean, c.shape = big.NewRat(2, 1), big.NewRat(1, 1)
	b, _, _ := c.bound(t)
	if y := double.Of(b.Moment(big.NewRat(2, 1), c.above)).Hi; !(y > 0.7690 && y < 0.8) {
		t.Errorf("a moment of at most %v, want at least 0.7690 and at most 0.8", y)
	}
}

// TestNothingOfPathsThatAreTooLong: orders and laws out of reach have no bound, and no panic.
func TestNothingOfPathsThatAreTooLong(t *testing.T) {
	c := situations()[0]
	b, law, _ := c.bound(t)
	if y := b.Moment(big.NewRat(1000, 1), c.above); !y.Hi().IsInf() {
		t.Errorf("an order of 1000 has the bound %v", y)
	}
	tails, _ := closed.PairTails(pair.Gaussian{Mu2: big.NewRat(1<<40, 1)})
	if _, ok := New(law, tails); ok {
		t.Error("losses of 2^40 have a bound")
	}
	small, _ := selection.NewLaw(prec, new(big.Rat).Add(big.NewRat(1, 1), interval.Pow2(-40)), big.NewRat(1, 1))
	one, _ := closed.PairTails(c.base)
	if _, ok := New(small, one); ok {
		t.Error("a mean next to 1 has a bound")
	}
}
