// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package hits

import (
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// between returns a fraction of some bits, evenly between two numbers.
func between(r *rand.Rand, lo, hi float64) *big.Rat {
	return big.NewRat(int64(math.Ceil(1024*(lo+(hi-lo)*r.Float64())))+1, 1024)
}

// anySteps are steps of moderate noise.
func anySteps(r *rand.Rand, n int64) Steps {
	q := big.NewRat(1+r.Int64N(700), []int64{1000, 100000}[r.IntN(2)])
	return Steps{[]Kind{Removed, Replaced}[r.IntN(2)], q, between(r, .3, 60), n}
}

// anyParameters are not chosen well, at some ε.
func anyParameters(r *rand.Rand, s Steps) (c parameters, eps float64) {
	mu := math.Sqrt(double.Near(s.Mu2))
	c.split = split{between(r, 0, 1.3*mu), between(r, .05, 2)}
	c.from = new(big.Rat).Mul(c.center, between(r, .3, 1))
	c.lambda = between(r, .01, 1.5)
	c.kappa = new(big.Rat).Add(c.lambda, between(r, .01, 2))
	c.rate = between(r, .01, 4)
	c.period = between(r, 2, 60+200/double.Near(c.lambda)*r.Float64())
	c.terms = 1 + r.IntN(200)
	c.bits = 2 + r.IntN(60)
	c.prec = interval.Prec(2 + r.IntN(80))
	return c, mu * mu / 2 * (2*r.Float64() - .3) * math.Sqrt(float64(s.N))
}

// meets fails unless an enclosure meets a truth.
func meets(t *testing.T, what any, y, truth interval.Interval) {
	t.Helper()
	if _, ok := interval.Intersect(y, truth); !ok {
		t.Fatalf("%+v: δ = %v, not %v", what, y, truth)
	}
}

// TestSplitLines: whatever the parameters, δ of one step is in the enclosure, by the closed form of its tails, and that
// of several steps is, by the inversion of all outcomes.
func TestSplitLines(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	n := testkit.Draws(8, 40, 3000)
	tell := 0
	for i := range n {
		s := anySteps(r, 1)
		if i%8 == 0 {
			s.N = []int64{2, 3, 30}[r.IntN(3)]
		}
		x := pairOf(s.Kind, s.Q, s.Mu2)
		c, at := anyParameters(r, s)
		eps := interval.RealRat(new(big.Rat).SetFloat64(at))
		if i%3 == 0 { // chosen well, and then for fewer terms, or a rest that matters
			chosen, ok := s.choose(8, at, -10*r.Float64())
			if chosen.terms = max(chosen.terms/(1+r.IntN(4)), 1); ok {
				c = chosen
				if r.IntN(2) == 0 {
					c.split = split{between(r, double.Near(c.from), 1.5*math.Sqrt(double.Near(s.Mu2))+double.Near(c.from)), c.width}
				}
			}
		}
		l, err := s.newLine(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if l == nil {
			continue
		}
		y, err := l.delta(t.Context(), eps)
		if err != nil {
			t.Fatal(err)
		}
		var truth interval.Interval
		if s.N == 1 {
			tails, _ := closed.PairTails(x)
			truth = tails.Delta(120, eps)
		} else {
			all, ok := (*inversion.Memo)(nil).New(pair.Product{{Pair: x, Count: s.N}})
			if !ok {
				t.Fatalf("no transform of %s", x)
			}
			if truth, err = all.Delta(t.Context(), 24, eps); err != nil {
				t.Fatal(err)
			}
		}
		meets(t, s, y, truth)
		if y.RelativeBits(53) > 2 || interval.Prec(30).Sub(interval.Point(y.Hi()), interval.Point(y.Lo())).LessEqRat(big.NewRat(1, 4)) == interval.True {
			tell++
		}
	}
	if tell < n/8 {
		t.Errorf("%d of %d say anything", tell, n)
	}
}

// TestSplitFalls: |R| beyond the end of a line is at most its bound, by a longer line; and not always far below.
func TestSplitFalls(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	n := testkit.Draws(3, 12, 600)
	closest := 0.0
	for range n {
		s := anySteps(r, []int64{1, 2, 30}[r.IntN(3)])
		s.Mu2 = between(r, 2, 90)
		mu, q := math.Sqrt(double.Near(s.Mu2)), double.Near(s.Q)
		c, _ := anyParameters(r, s)
		c.from = between(r, 0, max(0, math.Log(1/q)/mu+mu/2)+.5)
		c.center = new(big.Rat).Add(c.from, between(r, 0, 3))
		c.lambda, c.bits, c.prec = between(r, .01, 8), 60, 90
		c.kappa = new(big.Rat).Add(c.lambda, big.NewRat(1, 1))
		c.period = between(r, 5, 40*(1+20*float64(r.IntN(2))))
		c.terms = 1 + r.IntN(4)
		short, err := s.newLine(t.Context(), c)
		if err != nil || short == nil {
			continue
		}
		more := c
		more.terms = 3*c.terms + 4
		long, err := s.newLine(t.Context(), more)
		if err != nil || long == nil {
			continue
		}
		for j := c.terms; j <= more.terms; j++ {
			at := interval.Complex{Re: coarse.Rat(c.lambda).Neg(), Im: coarse.Mul(interval.Int(int64(j)), c.turn(coarse))}
			z := coarse.MulC(long.values[j], coarse.MulC(at, coarse.SubC(at, interval.Complex{Re: one})))
			size := coarse.Sqrt(coarse.Add(coarse.Sqr(z.Re), coarse.Sqr(z.Im)))
			if short.beyond.Less(size) == interval.True {
				t.Fatalf("%+v, %+v: |R| is %v at %d, above %v", s, c, size, j, short.beyond)
			}
			if ratio := coarse.Div(interval.Point(size.Lo()), short.beyond); ratio.IsFinite() {
				y, _ := ratio.Lo().Float64()
				closest = max(closest, y)
			}
		}
	}
	if closest < .05 {
		t.Errorf("bounds are at least %.3g times what they bound", 1/closest)
	}
}

// TestFallBoundsHits: |φ₁| is at most fall, by a rule that is far finer, also where the ways along the borders matter.
func TestFallBoundsHits(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	n := testkit.Draws(6, 24, 1500)
	closest := 0.0
	for range n {
		s := anySteps(r, 1)
		s.Q, s.Mu2 = between(r, .01, .5), between(r, 20, 90)
		mu := math.Sqrt(double.Near(s.Mu2))
		c, _ := anyParameters(r, s)
		cross := math.Log(1/double.Near(s.Q))/mu + mu/2
		c.lambda = between(r, .01, .4)
		c.from, c.width = between(r, max(0, cross+[]float64{.1, -.4}[r.IntN(2)]), cross+.4), between(r, .2, 1)
		c.center = new(big.Rat).Add(c.from, between(r, 0, []float64{1, mu*(1+double.Near(c.lambda)) - cross}[r.IntN(2)]))
		fine := s.at(96)
		far := coarse.Rat(between(r, .01, []float64{.4, 3}[r.IntN(2)]))
		twice := coarse.Scale(far, 1)
		y, ok := fine.rule(hit, c.split, c.lambda, twice, fine.layout(hit, c.split, c.lambda, twice, 70))
		if !ok {
			continue
		}
		bound := s.at(coarse).fall(c, y.zero, far)
		for _, share := range []int64{8, 9, 11, 16} {
			at := coarse.Scale(coarse.Mul(far, interval.Int(share)), -3)
			size := modulus(y, at)
			if bound.Less(size) == interval.True {
				t.Fatalf("%+v, %+v: |φ₁| is %v at %v, above %v", s, c, size, at, bound)
			}
			if ratio := coarse.Div(interval.Point(size.Lo()), bound); share == 8 && bound.IsFinite() {
				v, _ := ratio.Lo().Float64()
				closest = max(closest, v)
			}
		}
	}
	if closest < .05 {
		t.Errorf("bounds are at least %.3g times what they bound", 1/closest)
	}
}

// TestLoweredLines: where the line of integration moves down, right of any x₁, waves fall by at least what fall takes, and
// by at most five times that. What falls at x ≥ x₁ is e^{y²V/2 + W·arg A}, by the y at which it is least.
func TestLoweredLines(t *testing.T) {
	arg := func(r, theta float64) float64 { // of 1 + re^{−iθ}, which is 0 at θ = 0
		if r > 1 {
			return -theta + cmplx.Phase(1+cmplx.Exp(complex(0, theta))/complex(r, 0))
		}
		return cmplx.Phase(1 + complex(r, 0)*cmplx.Exp(complex(0, -theta)))
	}
	r := rand.New(rand.NewPCG(13, 14))
	for i := range 300 {
		w := []interval.Prec{2, 8, 60}[i%3]
		s := Steps{Removed, big.NewRat(1, 9), between(r, 1, 90), 1}.at(w)
		mu := double.Of(interval.Prec(60).Sqrt(s.w.Sqr(s.mu))).Mid()
		ratio, vary := math.Exp2(9*r.Float64()-6), 1+8*r.Float64()*r.Float64()
		far := 40 * (1 + 1/ratio) * r.Float64() / mu
		point := func(x float64) interval.Interval { return double.Point(x).Exact() }
		turns, down := s.lowered(point(ratio), interval.Int(0), point(vary), point(far))
		least, rate, deep := 0.0, math.Inf(1), math.Pi/mu
		if ratio > 1 {
			deep = 3 * far * mu / vary
		}
		const steps = 1024
		for j := 1; j < steps; j++ {
			y := deep * float64(j) / steps
			worst := math.Inf(-1)
			for k := range 12 {
				worst = max(worst, arg(ratio*math.Exp2(float64(k*k)/8), mu*y))
			}
			least = min(least, y*y*vary/2+far*worst)
			if ratio > 1 || mu*y <= 7./8 {
				rate = min(rate, -worst/y)
			}
		}
		if lo := double.Of(down).Lo; lo > -least+1e-3 || w == 60 && -least > 5 && lo < -least/5 {
			t.Errorf("μ %v, r %v, V %v, W %v: waves fall by %v, by %v for lowered", mu, ratio, vary, far, -least, down)
		}
		if lo := double.Of(turns).Lo / far; lo > rate*(1+1e-3) {
			t.Errorf("μ %v, r %v: arguments fall at the rate %v, at %v for lowered", mu, ratio, rate, turns)
		}
	}
}

// modulus encloses the modulus of a rule's transform at t.
func modulus(y rule, t interval.Interval) interval.Interval {
	const w = 96
	var z interval.Complex
	for k, a := range y.weights {
		z = interval.Prec(w).AddC(z, interval.Prec(w).ScaleC(a, interval.Prec(w).ExpI(interval.Prec(w).Mul(t, y.losses[k]).Neg())))
	}
	size := coarse.Sqrt(coarse.Add(coarse.Sqr(z.Re), coarse.Sqr(z.Im)))
	return coarse.Add(size, interval.Union(y.err.Neg(), y.err))
}

// TestRulesAreOff: rules of any layout are off by at most what they say, at t = 0 and beside, by a fine one; and
// hardly by less.
func TestRulesAreOff(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	n := testkit.Draws(18, 90, 1500)
	closest := map[part]float64{}
	for i := range n {
		s := anySteps(r, 1)
		s.Q, s.Mu2 = between(r, .1, .6), between(r, 2, 20)
		mu := math.Sqrt(double.Near(s.Mu2))
		c, _ := anyParameters(r, s)
		c.lambda = between(r, .01, 1)
		p := []part{clear, hit, whole}[i%3]
		c.split = split{between(r, mu, mu*(1+double.Near(c.lambda))+1), between(r, .3/mu, .8/mu)} // coins tell where F is large
		if p == clear {
			c.center = between(r, -.5, .5)
		}
		far := coarse.Rat(between(r, 0, 4))
		fine := s.at(96)
		exact, ok := fine.rule(p, c.split, c.lambda, far, fine.layout(p, c.split, c.lambda, far, 60))
		lay := fine.layout(p, c.split, c.lambda, far, 1+r.IntN(9))
		if r.IntN(4) == 0 {
			lay.strip = new(big.Rat).Mul(lay.strip, between(r, .5, 1.5))
		}
		if r.IntN(3) == 0 { // fewer nodes
			k := (lay.last - lay.first) / 3
			lay.first, lay.last = lay.first+r.Int64N(k+1), lay.last-r.Int64N(k+1)
		}
		y, ok2 := fine.rule(p, c.split, c.lambda, far, lay)
		if !ok || !ok2 {
			continue
		}
		w := interval.Prec(96)
		for _, at := range []interval.Interval{interval.Int(0), far, coarse.Scale(far, -1)} {
			var z interval.Complex
			add := func(y rule, sign int64) {
				for k, a := range y.weights {
					z = w.AddC(z, w.ScaleC(w.Mul(interval.Int(sign), a), w.ExpI(w.Mul(at, y.losses[k]).Neg())))
				}
			}
			add(y, 1)
			add(exact, -1)
			off := coarse.Sqrt(coarse.Add(coarse.Sqr(z.Re), coarse.Sqr(z.Im)))
			if coarse.Add(y.err, exact.err).Less(off) == interval.True {
				t.Fatalf("part %d of %+v, %+v, %+v, μ %v: off by %v at %v, more than %v", p, s, c, lay, mu, off, at, y.err)
			}
			v, _ := coarse.Div(off, y.err).Lo().Float64()
			closest[p] = max(closest[p], v)
		}
		least := exact.err.Neg()
		for _, a := range exact.weights {
			least = w.Add(least, a)
		}
		if y.zero.Less(least) == interval.True {
			t.Fatalf("part %d of %+v: φ(−λ) ≤ %v, not %v", p, s, y.zero, least)
		}
	}
	for _, p := range []part{clear, hit, whole} {
		if closest[p] < .1 && testkit.Thorough() {
			t.Errorf("part %d: errors are at least %.3g times what they bound", p, 1/closest[p])
		}
	}
}

// TestSplitsAreSharp: with little noise a question of ten digits takes short lines, and lines of more bits agree.
func TestSplitsAreSharp(t *testing.T) {
	for _, c := range testkit.Few(2, []struct {
		kind           Kind
		q, sigma, size string
		n              int64
	}{
		{Removed, "0.01", "0.07", "1e-5", 1000}, {Replaced, "0.01", "0.14", "1e-5", 1000}, {Removed, "0.0001", "0.1", "1e-6", 1000},
		{Replaced, "0.3", "0.2", "1e-9", 20}, {Replaced, "6e-7", "0.34", "2.9e-10", 3694},
	}) {
		sigma := rat(c.sigma)
		s := Steps{c.kind, rat(c.q), new(big.Rat).Inv(sigma.Mul(sigma, sigma)), c.n}
		x := &Splits{Steps: s}
		eps, ok := s.Near(rat(c.size))
		if !ok {
			t.Fatalf("nothing of %+v", s)
		}
		rough, ok, err := x.Delta(t.Context(), 16, interval.RealRat(eps))
		fine, ok2, err2 := x.Delta(t.Context(), 44, interval.RealRat(eps))
		if err != nil || err2 != nil || !ok || !ok2 || fine.RelativeBits(60) < 40 {
			t.Fatalf("%+v: δ(%s) = %v, %v, %v", s, eps.FloatString(3), rough, fine, err)
		}
		meets(t, s, rough, fine)
		for key, l := range x.lines {
			if l == nil || l.terms > 1<<12 {
				t.Errorf("%+v: the line of %+v is long", s, key)
			}
		}
	}
	x := &Splits{Steps: Steps{Added, rat("1/2"), rat("40"), 3}}
	if _, ok, err := x.Delta(t.Context(), 16, interval.RealRat(rat("1/2"))); ok || err != nil {
		t.Error("what is added has no line")
	}
}
