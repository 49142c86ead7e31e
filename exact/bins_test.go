// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"fmt"
	"math"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// binsByQuadrature is E(S − γ)₊ of two or three bins, S the mean of exp(V_i − G_ii/2), V ~ N(0, G), by the trapezoidal
// rule over all normals but the last, and its closed form. Its error is far below 10⁻⁹.
func binsByQuadrature(g [][]float64, gamma float64) float64 {
	n := len(g)
	l := make([][]float64, n)
	for i := range l { // Cholesky
		l[i] = make([]float64, n)
		for j := range i + 1 {
			x := g[i][j]
			for k := range j {
				x -= l[i][k] * l[j][k]
			}
			if l[i][j] = x / l[j][j]; i == j {
				l[i][i] = math.Sqrt(x)
			}
		}
	}
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	const h = 0.05
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
			for x := -9.0; x <= 14; x += h {
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

// binsOf is a matrix mechanism of bins, each with one step, for columns that overlap.
func binsOf(t *testing.T, bins, steps int, column, sigma string) (mechanism.Event, [][]float64) {
	t.Helper()
	e, err := mechanism.DecodeEvent([]byte(fmt.Sprintf(`{"class_name":"MatrixMechanismEvent","strategy":{"toeplitz":[%s],"steps":%d},`+
		`"sampling":{"balls_in_bins":{"bins":%d}},"noise_multiplier":"%s"}`, column, steps, bins, sigma)))
	if err != nil {
		t.Fatal(err)
	}
	m := e.(mechanism.MatrixMechanism)
	noise, _ := m.NoiseMultiplier.Float64()
	sums := make([][]float64, bins)
	for i := range sums {
		sums[i] = make([]float64, steps)
		for s := i; s < steps; s += bins {
			for k, c := range m.Strategy.Toeplitz {
				if x, _ := c.Float64(); s+k < steps {
					sums[i][s+k] += x / noise
				}
			}
		}
	}
	g := make([][]float64, bins)
	for i := range g {
		g[i] = make([]float64, bins)
		for j := range g[i] {
			for k, x := range sums[i] {
				g[i][j] += x * sums[j][k]
			}
		}
	}
	return e, g
}

// TestBinsBetweenAllocations: two and three bins by quadrature are within the bounds, in both directions.
func TestBinsBetweenAllocations(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		bins, steps   int
		column, sigma string
	}{{2, 4, `1,"1/2","1/4"`, "3"}, {3, 3, `1,"1/2","1/4"`, "3/2"}, {2, 2, `1,"1/2"`, "1"}}[:testkit.Cases(1, 3)] {
		e, g := binsOf(t, c.bins, c.steps, c.column, c.sigma)
		for _, eps := range []string{"1/2"} {
			x, _ := rat(eps).Float64()
			alpha := math.Exp(x)
			for d, want := range map[mechanism.Direction]float64{mechanism.Remove: binsByQuadrature(g, alpha),
				mechanism.Add: 1 - alpha + alpha*binsByQuadrature(g, 1/alpha)} {
				p, err := Prepare(ctx, Question{Event: e, Direction: d}, 0)
				if err != nil {
					t.Fatal(err)
				}
				got, err := p.Delta(ctx, rat(eps))
				lo, _ := got.Lo().Float64()
				hi, _ := got.Hi().Float64()
				if err != nil || want < lo || want > hi {
					t.Errorf("%s, %d bins of %d steps: δ(%s), %s, is %g, and the bounds are %s (%v)", c.column, c.bins, c.steps, eps, d, want, got.Interval, err)
				}
			}
		}
	}
}

// TestManyBinsAtOnce: a hundred bins have an answer at effort 0, and a narrower one at effort 1.
func TestManyBinsAtOnce(t *testing.T) {
	ctx := context.Background()
	e, _ := binsOf(t, 100, 1000, `1,"1/2","1/4","1/8"`, "5/2")
	delta := rat("1/1000000")
	var got []Result
	for effort := range Effort(testkit.Cases(1, 2)) {
		p, err := Prepare(ctx, Question{Event: e, Direction: mechanism.Remove, Scale: delta}, effort)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Epsilon(ctx, delta, 10)
		if err != nil {
			t.Fatal(err)
		}
		lo, _ := r.Lo().Float64()
		hi, _ := r.Hi().Float64()
		if !(lo > 1.8 && hi < 12) || effort == 1 && !(hi < 1.2*lo) {
			t.Errorf("effort %d: ε is in %s", effort, r.Interval)
		}
		got = append(got, r)
	}
	for _, r := range got[1:] {
		if _, ok := interval.Intersect(got[0].Interval, r.Interval); !ok {
			t.Errorf("%s and %s", got[0].Interval, r.Interval)
		}
	}
}

// TestRandomShiftIsNarrow: few steps of one of ten groups, each with a rate of a tenth, have an ε that is known to a
// tenth in both directions.
func TestRandomShiftIsNarrow(t *testing.T) {
	testkit.SkipQuick(t, "TestBoundsAroundQuadrature of exact/replicas")
	e, err := mechanism.DecodeEvent([]byte(`{"class_name":"MatrixMechanismEvent","strategy":{"toeplitz":["0.867722","0.433861","0.216930","0.108465"],"steps":100},` +
		`"sampling":{"random_shift":{"bands":10,"probability":"1/10"}},"noise_multiplier":"3"}`))
	if err != nil {
		t.Fatal(err)
	}
	delta := rat("1/1000000")
	for _, d := range []mechanism.Direction{mechanism.Remove, mechanism.Add}[:testkit.Cases(1, 2)] {
		p, err := Prepare(context.Background(), Question{Event: e, Direction: d, Scale: delta}, 1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Epsilon(context.Background(), delta, 10)
		if err != nil {
			t.Fatal(err)
		}
		lo, _ := r.Lo().Float64()
		hi, _ := r.Hi().Float64()
		if !(lo > 0 && hi < 1.1*lo) {
			t.Errorf("%s: ε is in [%g, %g]", d, lo, hi)
		}
	}
}
