// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package replicas

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpverify/exact/double"
)

// called is E(S − γ)₊ of few steps: over the last normal variable in closed form, as S rises in it, over the others by
// the trapezoidal rule.
func (x *instance) called(gamma, h float64) float64 {
	n := len(x.columns)
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	logs, last := make([]float64, len(x.patterns)), make([]float64, len(x.patterns))
	var sum func(z []float64) float64
	sum = func(z []float64) float64 {
		if len(z) < n-1 {
			total := 0.0
			for y := -9.0; y <= 12; y += h {
				total += h * math.Exp(-y*y/2) / math.Sqrt(2*math.Pi) * sum(append(z[:len(z):len(z)], y))
			}
			return total
		}
		ratio := func(y float64) (s float64) {
			for i := range logs {
				s += math.Exp(logs[i] + last[i]*y - last[i]*last[i]/2)
			}
			return s
		}
		for i, p := range x.patterns {
			logs[i], last[i] = math.Log(x.chances[i]), 0
			for r := range n {
				v := 0.0
				for _, t := range p {
					v += x.columns[t][r]
				}
				if r < n-1 {
					logs[i] += v*z[r] - v*v/2
				} else {
					last[i] = v
				}
			}
		}
		lo, hi := -40.0, 40.0
		for range 60 {
			if y := (lo + hi) / 2; ratio(y) < gamma {
				lo = y
			} else {
				hi = y
			}
		}
		out := -gamma * cdf(-lo)
		for i := range logs {
			out += math.Exp(logs[i]) * cdf(last[i]-lo)
		}
		return out
	}
	return sum(nil)
}

// TestBoundsAroundQuadrature: of few steps, the bounds are around δ in both directions, whatever the settings.
func TestBoundsAroundQuadrature(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(5, 6))
	cases := 5
	if long() {
		cases = 400
	}
	narrow := 0
	for k := range cases {
		steps := 1 + r.IntN(2)
		h := 0.1
		if long() && k%20 == 0 {
			steps, h = 3, 0.25
		}
		x := randomInstance(r, steps, math.Exp(2*r.Float64()-1.5))
		set := Settings{Work: math.Exp(9 + 4*r.Float64()), Cut: 10 + r.IntN(40), Cells: 20 + r.IntN(40)}
		for _, reversed := range []bool{false, true} {
			b := new(Tables).Bounds(x.Mechanism, reversed, set)
			for _, eps := range []float64{-0.3, 0.2, 0.9, 2} {
				alpha := math.Exp(eps)
				truth := x.called(alpha, h)
				if reversed {
					truth = 1 - alpha + alpha*x.called(1/alpha, h)
				}
				got, err := b.Delta(ctx, double.Point(eps).Exact())
				if err != nil {
					t.Fatal(err)
				}
				lo, _ := got.Lo().Float64()
				hi, _ := got.Hi().Float64()
				const err0 = 2e-9
				if lo > truth+err0 || hi < truth-err0 {
					t.Errorf("%s, reversed %t: δ(%g) is %g, and the bounds are [%g, %g]", x.name, reversed, eps, truth, lo, hi)
				}
				if hi < 1.1*lo {
					narrow++
				}
			}
		}
	}
	if narrow < 2*cases {
		t.Errorf("%d of %d bounds are within 10 %%, want %d", narrow, 8*cases, 2*cases)
	}
}

// TestPolynomials: of random laws with few values, all bounds hold, those of shapes at random too.
func TestPolynomials(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	cases := 150
	if long() {
		cases = 20000
	}
	for range cases {
		var values, masses []float64
		spread := math.Exp(4*r.Float64() - 3)
		for range 1 + r.IntN(4) {
			values, masses = append(values, math.Exp(spread*r.NormFloat64())), append(masses, r.Float64())
		}
		g := math.Exp(0.5 * r.NormFloat64())
		var c cell
		for j := range 3 + r.IntN(7) {
			sum := double.Point(0)
			for i, v := range values {
				sum = sum.Add(powered(double.Point(v), j).Mul(double.Point(masses[i])))
			}
			c.moments, c.about = append(c.moments, sum), append(c.about, sum.Mid())
		}
		call, put := 0.0, 0.0
		for i, v := range values {
			call, put = call+masses[i]*max(v-g, 0), put+masses[i]*max(g-v, 0)
		}
		const err = 1e-13
		check := func(what string, lo, hi, truth float64) {
			if lo > truth+err*(1+g) || hi < truth-err*(1+g) {
				t.Errorf("%s at %g of the masses %v of %v is %g, and the bounds are [%g, %g]", what, g, masses, values, truth, lo, hi)
			}
		}
		check("(s − g)₊", c.call(g, false).Lo, c.call(g, true).Hi, call)
		check("(g − s)₊", c.put(g, false).Lo, c.put(g, true).Hi, put)
		n := len(c.about) - 1
		for range 30 {
			f := shape{even: 2 * r.IntN(n/2+1), y: g * 2 * r.Float64(), at: g * 3 * r.Float64()}
			f.power = r.IntN(n - f.even + 1)
			if f.power+f.even > 0 {
				check("above (s − g)₊", 0, c.callAbove(g, f).Hi, call)
				check("above (g − s)₊", 0, c.putAbove(g, f).Hi, put)
			}
			if r.IntN(3) == 0 {
				f.at, f.y = 0, f.y*5
				check("above (g − s)₊", 0, c.putAbove(g, f).Hi, put)
			}
			if f.at = g * (1 + r.Float64()); f.power+f.even+2 <= n {
				check("below (s − g)₊", c.callBelow(g, f.at+r.Float64(), f).Lo, math.Inf(1), call)
			}
			if f.power = 0; f.even+1 <= n {
				f.y = 2 * g * r.Float64()
				check("below (g − s)₊", c.putBelow(g, f).Lo, math.Inf(1), put)
			}
		}
	}
}

// TestSimulation: what draws say about twenty steps is within the bounds, up to six standard errors.
func TestSimulation(t *testing.T) {
	draws, steps := 5_000, 7
	if long() {
		draws, steps = 10_000_000, 5
	}
	r := rand.New(rand.NewPCG(20, 26))
	for kind := range 3 {
		const eps = 0.2
		bounds := func(x *instance, reversed bool) (lo, hi float64) {
			got, err := new(Tables).Bounds(x.Mechanism, reversed, Settings{Work: 1e6, Cut: 30, Cells: 60}).Delta(context.Background(), double.Point(eps).Exact())
			if err != nil {
				t.Fatal(err)
			}
			lo, _ = got.Lo().Float64()
			hi, _ = got.Hi().Float64()
			return lo, hi
		}
		x := randomInstance(r, steps, 0.5)
		for { // so that many draws count
			if int(x.Draw) == kind && len(x.patterns) > steps {
				if lo, _ := bounds(x, false); lo > 2e-3 {
					break
				}
			}
			x = randomInstance(r, steps, 0.5)
		}
		vectors := make([][]float64, len(x.patterns))
		half := make([]float64, len(x.patterns))
		for i, p := range x.patterns {
			vectors[i] = make([]float64, steps)
			for _, s := range p {
				for k, y := range x.columns[s] {
					vectors[i][k] += y
				}
			}
			half[i] = math.Log(x.chances[i]) - x.product(p, p)/2
		}
		var sums, squares [2]float64
		z := make([]float64, steps)
		for range draws {
			for i := range z {
				z[i] = r.NormFloat64()
			}
			s := 0.0
			for i, v := range vectors {
				e := half[i]
				for k, y := range v {
					e += y * z[k]
				}
				s += double.Exp64(e)
			}
			for d, y := range []float64{max(s-math.Exp(eps), 0), max(1-math.Exp(eps)*s, 0)} {
				sums[d], squares[d] = sums[d]+y, squares[d]+y*y
			}
		}
		for d, reversed := range []bool{false, true} {
			mean := sums[d] / float64(draws)
			err := 6 * math.Sqrt(squares[d]) / float64(draws)
			lo, hi := bounds(x, reversed)
			t.Logf("%s, reversed %t: %.6f ± %.6f, bounds [%.6f, %.6f]", x.name, reversed, mean, err/6, lo, hi)
			if lo > mean+err || hi < mean-err {
				t.Errorf("%s, reversed %t: %g ± %g was drawn, and the bounds are [%g, %g]", x.name, reversed, mean, err/6, lo, hi)
			}
		}
	}
}

// TestReplicasAreFew: exponentials of replicas stay below what sums can hold.
func TestReplicasAreFew(t *testing.T) {
	x := randomInstance(rand.New(rand.NewPCG(9, 10)), 3, 9)
	g, _ := x.Most.Float64()
	if j := x.replicas(); float64(j*(j-1)/2)*g > logLargest {
		t.Errorf("%d replicas of %g", j, g)
	}
	if got, err := new(Tables).Bounds(x.Mechanism, false, Settings{Work: 1e6, Cut: 30, Cells: 60}).Delta(context.Background(), double.Point(1).Exact()); err != nil {
		t.Errorf("%v, %v", got, err)
	}
}
