// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// long reports whether the tests may take long.
func long() bool { return os.Getenv("DPVERIFY_LONG") != "" }

// middles returns about the entries of an enclosed matrix.
func middles(m [][]double.Interval) [][]float64 {
	out := square(len(m))
	for i := range m {
		for j := range m {
			out[i][j] = m[i][j].Mid()
		}
	}
	return out
}

// called is E(S − γ)₊ of few bins, S the mean of exp(V_i − G_ii/2), V ~ N(0, G), by the trapezoidal rule over all
// normals but the last, and its closed form: its error is far below 10⁻⁹ where the diagonal of the factor is not small.
func called(g [][]float64, gamma, h float64) float64 {
	n := len(g)
	l := factorOf(g)
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	var sum func(i int, z []float64) float64
	sum = func(i int, z []float64) float64 {
		v := func(i int) (x float64) {
			for k, y := range z {
				x += l[i][k] * y
			}
			return x
		}
		if i < n-1 {
			total := 0.0
			for x := -9.0; x <= 13; x += h {
				total += h * math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) * sum(i+1, append(z[:i:i], x))
			}
			return total
		}
		left := gamma * float64(n)
		for i := range n - 1 {
			left -= math.Exp(v(i) - g[i][i]/2)
		}
		s := l[n-1][n-1]
		mean := math.Exp(v(n-1) - g[n-1][n-1]/2 + s*s/2)
		if left <= 0 {
			return (mean - left) / float64(n)
		}
		d := math.Log(mean/left)/s + s/2
		return (mean*cdf(d) - left*cdf(d-s)) / float64(n)
	}
	return sum(0, nil)
}

// deltas are δ at α = e^eps in both directions.
func deltas(g [][]float64, eps, h float64) (remove, add float64) {
	alpha := math.Exp(eps)
	return called(g, alpha, h), 1 - alpha + alpha*called(g, 1/alpha, h)
}

// randomChain has steps steps, of correlations of both signs.
func randomChain(r *rand.Rand, cycle bool, steps int) *Chain {
	c := &Chain{Cycle: cycle}
	for t := range steps + 1 {
		c.Rho = append(c.Rho, 1.4*r.Float64()-0.5)
		c.First = append(c.First, 0)
		if cycle && t > 1 {
			c.First[t] = 0.6*r.Float64() - 0.3
		}
		c.Variance = append(c.Variance, 0.3+r.Float64())
		c.Now = append(c.Now, 0.3+0.9*r.Float64())
		c.Before = append(c.Before, 1.2*r.Float64()-0.5)
	}
	if r.IntN(3) == 0 {
		c.Common = 0.3 * r.Float64()
	}
	return c
}

// TestLawsAboveQuadrature: whatever the chain, and however coarse the lattices, the laws bound δ from above, in the
// directions that their rounding is for.
func TestLawsAboveQuadrature(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	cases := testkit.Draws(2, 5, 300)
	for k := range cases {
		cycle := k%2 == 0
		c := randomChain(r, cycle, 3)
		if k%3 == 1 {
			c.Common = 0.8
		}
		h := 0.15
		if cycle {
			h = 0.3
		}
		g := middles(c.Gram())
		if l := factorOf(g); l[len(l)-1][len(l)-1] < 0.2 {
			continue
		}
		var laws []*law
		for _, round := range []rounding{spread, weigh} {
			p := newPlan(c, round, 3*r.Float64()-1, Settings{Work: math.Exp(9 + 5*r.Float64()), Cut: 20 + r.IntN(20)})
			if p == nil {
				t.Errorf("%+v: no law by rounding %d", c, round)
				continue
			}
			l, err := p.lawOf(ctx)
			if err != nil {
				t.Fatal(err)
			}
			laws = append(laws, l)
		}
		for _, eps := range []float64{-0.4, 0.3, 1.1, 2.2} {
			remove, add := deltas(g, eps, h)
			alpha := double.Of(interval.Prec(64).Exp(double.Point(eps).Exact()))
			const err = 2e-9
			for _, l := range laws {
				for _, reversed := range []bool{false, true} {
					if reversed && l.rounding == spread {
						continue
					}
					truth := remove
					if reversed {
						truth = add
					}
					if x := l.above(alpha, reversed).Hi; x < truth-err {
						t.Errorf("%+v: δ(%g), reversed %t, is %g, and at most %g by rounding %d", c, eps, reversed, truth, x, l.rounding)
					}
				}
			}
		}
	}
}

// TestLawsConverge: the bounds of a chain come near what it has.
func TestLawsConverge(t *testing.T) {
	c := randomChain(rand.New(rand.NewPCG(3, 4)), true, 3)
	type side struct {
		round    rounding
		reversed bool
	}
	for _, x := range testkit.Few(2, []side{{spread, false}, {weigh, false}, {weigh, true}}) {
		truth, add := deltas(middles(c.Gram()), math.Log(1.5), 0.3)
		if x.reversed {
			truth = add
		}
		width := func(work float64) float64 {
			l, err := newPlan(c, x.round, math.Log(1.5), Settings{Work: work, Cut: 36}).lawOf(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			return l.above(double.Point(1.5), x.reversed).Hi - truth
		}
		if wide, narrow := width(2e5), width(5e6); !(narrow >= 0 && narrow < wide*0.7) {
			t.Errorf("rounding %d, reversed %t: %g, and %g with 25 times the work", x.round, x.reversed, wide, narrow)
		}
	}
}

// bins is the Gram matrix of balls in b bins with k rounds, of a column 1, 1/2, 1/4 … of p entries that is normalised,
// over σ².
func bins(b, p, k int, sigma float64) [][]*big.Rat {
	sums := make([][]float64, b)
	norm := 0.0
	for d := range p {
		norm += math.Ldexp(1, -2*d)
	}
	for i := range sums {
		sums[i] = make([]float64, b*k)
		for s := i; s < b*k; s += b {
			for d := 0; d < p && s+d < b*k; d++ {
				sums[i][s+d] += math.Ldexp(1, -d)
			}
		}
	}
	per := new(big.Rat).SetFloat64(1 / (norm * sigma * sigma))
	out := make([][]*big.Rat, b)
	for i := range out {
		for j := range b {
			x := new(big.Rat).SetFloat64(inner(sums[i], sums[j])) // exact
			out[i] = append(out[i], x.Mul(x, per))
		}
	}
	return out
}

// TestBoundsOfBins: four bins by quadrature are within the bounds, in both directions, which are narrow.
func TestBoundsOfBins(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		b, p, k int
		sigma   float64
		narrow  float64
	}{{4, 2, 3, 2, 0.4}, {3, 3, 1, 1, 0.5}, {4, 4, 5, 4, 0.5}, {2, 2, 4, 3, 0.2}} {
		if c.p == 4 && !long() {
			continue // the sum over a lattice of four dimensions
		}
		gram := bins(c.b, c.p, c.k, c.sigma)
		g, _ := floats(gram)
		for _, eps := range []float64{0.6} {
			remove, add := deltas(g, eps, 0.25)
			for _, reversed := range []bool{false, true} {
				truth := remove
				if reversed {
					truth = add
				}
				b, ok := NewBounds(gram, reversed, Settings{Work: 4e6, Cut: 30})
				if !ok {
					t.Fatal("refused")
				}
				x, err := b.Delta(ctx, double.Point(eps).Exact(), eps)
				if err != nil {
					t.Fatal(err)
				}
				lo, _ := x.Lo().Float64()
				hi, _ := x.Hi().Float64()
				if lo > truth+1e-9 || hi < truth-1e-9 {
					t.Errorf("%+v: δ(%g), reversed %t, is %g, and the bounds are [%g, %g]", c, eps, reversed, truth, lo, hi)
				}
				if !reversed && hi-lo > c.narrow*hi {
					t.Errorf("%+v: δ(%g) is in [%g, %g], which is wide", c, eps, lo, hi)
				}
			}
		}
	}
}

// TestSimulation: what draws say about ten bins and more is within the bounds, up to six standard errors.
func TestSimulation(t *testing.T) {
	draws, work := testkit.Draws(20_000, 100_000, 100_000), 3e6
	if long() {
		draws, work = 10_000_000, 1e8
	}
	ctx := context.Background()
	for _, c := range []struct {
		b, p, k    int
		sigma, eps float64
	}{{10, 4, 10, 3, 1}, {10, 2, 10, 3, 0.8}, {16, 3, 4, 2, 0.7}, {32, 4, 10, 3, 0.6}} {
		if c.b > 16 && !long() {
			continue
		}
		gram := bins(c.b, c.p, c.k, c.sigma)
		g, _ := floats(gram)
		root := factorOf(g)
		r := rand.New(rand.NewPCG(20, 26))
		z, v := make([]float64, c.b), make([]float64, c.b)
		n := draws * 10 / c.b
		var sums, squares [2]float64
		for range n {
			for i := range z {
				z[i] = r.NormFloat64()
			}
			for i := range v {
				v[i] = inner(root[i][:i+1], z) - g[i][i]/2
			}
			s := double.Exp64(logMean(v))
			for d, x := range []float64{max(s-math.Exp(c.eps), 0), max(1-math.Exp(c.eps)*s, 0)} {
				sums[d] += x
				squares[d] += x * x
			}
		}
		for d, reversed := range []bool{false, true} {
			mean := sums[d] / float64(n)
			err := 6 * math.Sqrt(squares[d]/float64(n)/float64(n))
			b, _ := NewBounds(gram, reversed, Settings{Work: work, Cut: 30})
			x, errs := b.Delta(ctx, double.Point(c.eps).Exact(), c.eps)
			if errs != nil {
				t.Fatal(errs)
			}
			lo, _ := x.Lo().Float64()
			hi, _ := x.Hi().Float64()
			t.Logf("%+v, reversed %t: %.6f ± %.6f, bounds [%.6f, %.6f]", c, reversed, mean, err/6, lo, hi)
			if lo > mean+err || hi < mean-err {
				t.Errorf("%+v, reversed %t: %g ± %g was drawn, and the bounds are [%g, %g]", c, reversed, mean, err/6, lo, hi)
			}
			if !reversed && !(hi < 4*lo) {
				t.Errorf("%+v: [%g, %g] is wide", c, lo, hi)
			}
		}
	}
}

// TestNothingIsForgotten: the masses of a law, with what it leaves out, make at least 1 under Q and under P. On
// lattices, and places, that are far too short.
func TestNothingIsForgotten(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for k := range 24 {
		c := randomChain(r, k%2 == 0, 3)
		for _, round := range []rounding{spread, weigh} {
			p := newPlan(c, round, float64(k%4)-1, Settings{Work: 3e4, Cut: 1 + 3*(k/2)})
			if p == nil {
				continue
			}
			if k%3 == 0 {
				p.places = p.places[:len(p.places)/2]
			}
			if k%3 == 1 {
				p.set.Cut = 3 // what little leaves the lattices does not cover what is left out of steps
			}
			l, err := p.lawOf(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			mass, mean := l.lost+l.over[0], l.far+l.over[1]
			for i, m := range l.mass {
				mass, mean = mass+m, mean+m*p.places[i]*p.unit/float64(p.bins())
			}
			if waves := l.wavesPower(l.waves).Hi; mass*waves < 1-1e-9 || mean*waves < 1-1e-9 {
				t.Errorf("%+v, rounding %d: masses of %g and %g", c, round, mass, mean)
			}
		}
	}
}

// TestSumsBeyondTheLastPlace: wherever places end, laws bound δ from above, in both directions.
func TestSumsBeyondTheLastPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for k := range testkit.Draws(2, 6, 6) {
		c := randomChain(r, false, 2)
		c.Common = 0.2 * float64(k%2)
		g := middles(c.Gram())
		for _, target := range testkit.Few(2, []float64{-2, -0.5, 0.5}) {
			for _, round := range []rounding{spread, weigh} {
				l, err := newPlan(c, round, target, Settings{Work: 1e6, Cut: 30}).lawOf(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				for _, eps := range []float64{-1, 0.2, 1.5} {
					remove, add := deltas(g, eps, 0.1)
					alpha := double.Of(interval.Prec(64).Exp(double.Point(eps).Exact()))
					if x := l.above(alpha, false).Hi; x < remove-1e-9 {
						t.Errorf("%+v: δ(%g) is %g, and at most %g", c, eps, remove, x)
					}
					if x := l.above(alpha, true).Hi; round == weigh && x < add-1e-9 {
						t.Errorf("%+v: δ(%g) of the reverse is %g, and at most %g", c, eps, add, x)
					}
				}
			}
		}
	}
}

// TestMargins: waves move ε and widen δ, as in the proof.
func TestMargins(t *testing.T) {
	c := randomChain(rand.New(rand.NewPCG(11, 12)), false, 3)
	l, err := newPlan(c, weigh, 0.3, Settings{Work: 1e5, Cut: 20}).lawOf(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, reversed := range []bool{false, true} {
		const alpha = 1.25
		n := float64(c.steps() + 1)
		l.waves, l.over = double.Point(0), [2]float64{}
		want := l.above(double.Point(alpha*math.Pow(0.9/1.1, n)), reversed).Hi / math.Pow(0.9, n)
		l.waves = double.Point(0.1)
		if got := l.above(double.Point(alpha), reversed).Hi; got < want*(1-1e-12) || got > want*(1+1e-9) {
			t.Errorf("reversed %t: %g from above, want %g", reversed, got, want)
		}
	}
}

// TestRoundingOfDirections: laws are spread in the direction remove alone, whose functions rise.
func TestRoundingOfDirections(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		b, _ := NewBounds(bins(4, 2, 3, 2), reversed, Settings{Work: 4e4, Cut: 10})
		e, err := b.ends(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if e.below == nil || e.above == nil || (e.above.rounding == weigh) != reversed {
			t.Errorf("reversed %t: %+v", reversed, e)
		}
	}
}

// TestRefusals: what is too large is not tried.
func TestRefusals(t *testing.T) {
	if _, ok := NewBounds(bins(4, 2, 3, 0.01), false, Settings{}); ok {
		t.Error("a Gram matrix of large entries is taken")
	}
	if newPlan(&Chain{Rho: []float64{0, 0}, First: []float64{0, 0}, Variance: []float64{0, 0}, Now: []float64{0, 1}, Before: []float64{0, 0}}, weigh, 0, Settings{}) != nil {
		t.Error("a chain without variance is taken")
	}
}

// TestPlacesAreFew: where terms hardly differ, the sum still has no more places than fit into memory.
func TestPlacesAreFew(t *testing.T) {
	for _, size := range []float64{1, 1e-3, 1e-7, 1e-150, 0} {
		c := &Chain{Rho: []float64{0, 0.5}, First: []float64{0, 0}, Variance: []float64{1, 1}, Now: []float64{0, size},
			Before: []float64{0, size / 2}}
		for _, round := range []rounding{spread, weigh} {
			p := newPlan(c, round, 0, Settings{Work: 1e5, Cut: 20})
			if p != nil && len(p.places) > mostPlaces+1 {
				t.Errorf("size %g: %d places", size, len(p.places))
			}
		}
	}
}
