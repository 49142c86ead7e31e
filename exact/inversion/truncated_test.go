// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"
	"math/cmplx"
	"slices"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/quadrature"
	"dpverify/internal/testkit"
)

func truncatedGaussian(sigma, sensitivity, radius string) pair.Truncated {
	return pair.Truncated{Noise: pair.GaussianNoise, Width: rat(sigma), Sensitivity: rat(sensitivity), Radius: rat(radius)}
}

// TestFewTruncated: values from outside: docs/oracle/few_copies.py, mpmath at 34 digits, a quadrature of the profile of
// the second release over the loss of the first.
func TestFewTruncated(t *testing.T) {
	testkit.SkipShort(t)
	for i, c := range testkit.Few(2, []struct {
		x         pair.Truncated
		eps, want string
		bits      int
	}{
		{truncatedGaussian("2", "1", "12"), "1", "0.0396325965515364239445254", 40},
		{truncatedGaussian("4", "1", "40"), "1/2", "0.0159541212431458435629782", 40},
		{truncatedGaussian("1", "1", "3"), "1", "0.29209492514839188011326", 0},
	}) {
		want := rat(c.want)
		slack := new(big.Rat).Mul(want, rat("1e-21"))
		around := interval.Union(fine.Rat(new(big.Rat).Sub(want, slack)), fine.Rat(new(big.Rat).Add(want, slack)))
		for _, p := range slices.Concat(testkit.InTurn(i, [][]interval.Prec{{2, 44}, {5, 24}})...) {
			got := delta(t, product(c.x, 2), p, c.eps)
			if _, ok := interval.Intersect(got, around); !ok {
				t.Errorf("%s: δ(%s) in %v at %d bits, want %s", c.x, c.eps, got, p, c.want)
			}
			if b := got.RelativeBits(int(p)); b < min(int(p)-3, c.bits) {
				t.Errorf("%s: δ(%s) in %v, %d of %d bits", c.x, c.eps, got, b, p)
			}
		}
	}
}

// transformOf is M(−λ + it) by the midpoint rule, in complex128.
func transformOf(x pair.Truncated, lambda, at float64) complex128 {
	s, sigma, r := double.Near(x.Sensitivity), double.Near(x.Width), double.Near(x.Radius)
	mu, border := s/sigma, s*(2*r-s)/(2*sigma*sigma)
	z := math.Erf(r / sigma / math.Sqrt2)
	const n = 20000
	step := 2 * border / n
	var sum complex128
	for i := range n {
		l := -border + (float64(i)+0.5)*step
		u := (l - mu*mu/2) / mu
		sum += complex(math.Exp(lambda*l-u*u/2)*step, 0) * cmplx.Exp(complex(0, -at*l))
	}
	return sum / complex(mu*z*math.Sqrt(2*math.Pi), 0)
}

// TestTruncatedLine: M is within its error, in intervals and in words, and below the bound of its fall.
func TestTruncatedLine(t *testing.T) {
	sharpest := math.Inf(-1)
	for i, c := range []struct {
		x      pair.Truncated
		lambda string
	}{
		{truncatedGaussian("2", "1", "12"), "4"}, {truncatedGaussian("1", "1", "2"), "1/2"}, {truncatedGaussian("1", "1", "2"), "20"},
		{truncatedGaussian("1", "3/2", "1"), "3"}, {truncatedGaussian("3", "1", "60"), "10"},
	} {
		f, ok := newTruncated(c.x)
		if !ok {
			t.Fatalf("%s: no transform", c.x)
		}
		lambda, step := rat(c.lambda), rat("3/2")
		fall := f.decay(lambda)
		const n = 40
		inWords, ok, err := f.wordLine(t.Context(), 60, lambda, fixed.FromInterval(coarse.Rat(step)), n)
		if !ok || err != nil || inWords.values == nil {
			t.Fatalf("%s: no line in words, %v", c.x, err)
		}
		norm := real(transformOf(c.x, double.Near(lambda), 0))
		for _, p := range testkit.QuickTurn(i, []interval.Prec{2, 5, 40}) {
			if y := double.Of(f.moment(p, lambda)); y.Lo > norm*(1+1e-6) || y.Hi < norm*(1-1e-6) {
				t.Errorf("%s: M(−%s) in %v, want %v", c.x, c.lambda, y, norm)
			}
			line, err := f.line(t.Context(), p, lambda, coarse.Rat(step), n)
			if err != nil || line == nil {
				t.Fatalf("%s: no line, %v", c.x, err)
			}
			for j := 0; j <= n; j += 3 {
				at := double.Near(step) * float64(j)
				want := transformOf(c.x, double.Near(lambda), at)
				slack := 1e-6 * norm
				near := func(y interval.Interval, z float64) bool {
					d := double.Of(y)
					return d.Lo <= z+slack && z-slack <= d.Hi
				}
				if !near(line[j].Re, real(want)) || !near(line[j].Im, imag(want)) {
					t.Errorf("%s: M(−%s + %vi) in %v at %d bits, want %v", c.x, c.lambda, at, line[j], p, want)
				}
				z := inWords.values[j].Interval()
				if !near(z.Re, real(want)) || !near(z.Im, imag(want)) {
					t.Errorf("%s: M(−%s + %vi) in %v in words, want %v", c.x, c.lambda, at, z, want)
				}
				if size := cmplx.Abs(want) / norm; size > 1e-5 && math.Log(size) > fall(at, at)+1e-5 {
					t.Errorf("%s: log|M(−%s + %vi)/M| = %v, bound %v", c.x, c.lambda, at, math.Log(size), fall(at, at))
				} else if size > 1e-5 && j > 0 && fall(at, at) < 0 {
					sharpest = max(sharpest, math.Log(size)-fall(at, at))
				}
			}
		}
	}
	if sharpest < -0.8 {
		t.Errorf("the bound of the fall is reached to e^%v only", sharpest)
	}
}

// TestTruncatedRule: Fejér's rule for few nodes is off by less than its bound, and not by much less everywhere.
func TestTruncatedRule(t *testing.T) {
	sharpest := 0.0
	for _, turn := range []float64{0, 3, 12, 60} {
		for _, half := range []float64{1, 3, 6} {
			mu, h := coarse.Rat(rat("1")), double.Exactly(half)
			n, err, ok := chooseFejer(mu, h, coarse.Rat(rat("1/100")), turn)
			if !ok {
				t.Fatal("no rule")
			}
			bound := double.Of(err).Hi
			nodes, weights := quadrature.Fejer(60, n)
			value := func(l float64) complex128 {
				return complex(math.Exp(-l*l/2)/math.Sqrt(2*math.Pi), 0) * cmplx.Exp(complex(0, -turn*l))
			}
			var rule, want complex128
			for k, y := range nodes {
				rule += complex(half*double.Of(weights[k]).Mid(), 0) * value(half*double.Of(y).Mid())
			}
			const steps = 4000
			for i := range steps {
				want += value(-half+(float64(i)+0.5)*2*half/steps) * complex(2*half/steps, 0)
			}
			if off := cmplx.Abs(rule - want); off > bound+1e-6 {
				t.Errorf("t = %v on ±%v: %d nodes are off by %v, bound %v", turn, half, n, off, bound)
			} else {
				sharpest = max(sharpest, off/bound)
			}
		}
	}
	if sharpest < 1e-9 {
		t.Errorf("the bound is reached to %v only", sharpest)
	}
}

// TestTruncatedEnds: disjoint supports have no transform, and one release does not fall fast.
func TestTruncatedEnds(t *testing.T) {
	if _, ok := newTruncated(truncatedGaussian("1", "2", "1")); ok {
		t.Error("disjoint supports have a transform")
	}
	if Applies(product(truncatedGaussian("2", "1", "12"), 1)) || !Applies(product(truncatedGaussian("2", "1", "12"), 2)) {
		t.Error("one truncated Gaussian is inverted, or two are not")
	}
	f, _ := newTruncated(truncatedGaussian("2", "1", "2"))
	inf, _ := f.at(60).infinite()
	// (Φ(1) − Φ(1/2))/(2Φ(1) − 1)
	want := (math.Erf(1/math.Sqrt2) - math.Erf(0.5/math.Sqrt2)) / 2 / math.Erf(1/math.Sqrt2)
	if y := double.Of(inf); y.Lo > want+1e-12 || y.Hi < want-1e-12 || inf.RelativeBits(60) < 56 {
		t.Errorf("infinite loss has the mass %v, want %v", inf, want)
	}
}
