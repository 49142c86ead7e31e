// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"math"
	"math/big"
	"math/cmplx"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestTwoSteps: values from outside: docs/oracle/allocation_two.py, mpmath at 42 digits, tanh-sinh quadrature over the normal
// variable of the first step; to 60 bits, and right at any precision.
func TestTwoSteps(t *testing.T) {
	testkit.SkipShort(t)
	for _, c := range []struct{ mu2, eps, remove, add string }{
		{"1", "0.5", "0.14917752313552017225971436", "0.14268696582374320297751288"},
		{"4", "2", "0.23232134345906371040885369", "0.18644914838819249116932427"},
		{"16", "1", "0.90140865452768946658644006", "0.89641498140979039353614633"},
		{"0.01", "0.1", "0.0026548786454760367527147699", "0.0026530957605782795649414604"},
		{"0.25", "-0.5", "0.40402144885535739136079757", "0.40458498189800265231728889"},
	} {
		for i, want := range []string{c.remove, c.add} {
			value, slack := rat(want), new(big.Rat).Mul(rat(want), rat("1e-24"))
			f := Two{rat(c.mu2)}.Profile(i == 1)
			for _, p := range []interval.Prec{2, 4, 8, 64} {
				y, err := f(t.Context(), p, interval.RealRat(rat(c.eps)))
				if err != nil {
					t.Fatal(err)
				}
				if !y.ContainsRat(new(big.Rat).Sub(value, slack)) && !y.ContainsRat(new(big.Rat).Add(value, slack)) || y.RelativeBits(int(p)) < int(p)-2 {
					t.Errorf("μ² = %s: δ(%s) in %v at %d bits, want %s", c.mu2, c.eps, y, p, want)
				}
			}
		}
	}
}

// TestTwoStepsOnLattices: the bounds by convex order hold the integral's.
func TestTwoStepsOnLattices(t *testing.T) {
	law, ok, err := New(t.Context(), pair.Gaussian{Mu2: rat("1/2")}, 2, Settings{Points: 1 << 10, Cut: 40, Prec: 122})
	if !ok || err != nil {
		t.Fatal(err)
	}
	for _, reversed := range []bool{false, true} {
		wide, narrow := law.Profile(reversed), Two{rat("1/2")}.Profile(reversed)
		for _, eps := range rats("-3", "-1/3", "0", "1/5", "1", "3") {
			x, err := wide(t.Context(), 60, interval.RealRat(eps))
			if err != nil {
				t.Fatal(err)
			}
			y, err := narrow(t.Context(), 60, interval.RealRat(eps))
			if _, meet := interval.Intersect(x, y); err != nil || !meet || y.RelativeBits(60) < 56 {
				t.Errorf("δ(%s) in %v, and in %v by lattices: %v", eps.RatString(), y, x, err)
			}
		}
	}
}

// An integrand is f of Two at one α, in complex128.
type integrand struct{ mu, l float64 }

func (f integrand) density(v complex128) complex128 {
	z := (v + complex(f.mu*f.mu/2, 0)) / complex(f.mu, 0)
	return cmplx.Exp(-z*z/2) / complex(f.mu*math.Sqrt(2*math.Pi), 0)
}

// put is its integral along Im v = Im log K.
func (f integrand) put(logK complex128) complex128 {
	var sum complex128
	step := f.mu / 12
	for i := 0.5; i < 200; i++ {
		v := logK - complex(i*step, 0)
		sum += (cmplx.Exp(logK) - cmplx.Exp(v)) * f.density(v) * complex(step, 0)
	}
	return sum
}

func (f integrand) at(w complex128) complex128 {
	tau, rest := -cmplx.Log(1+cmplx.Exp(-w)), -cmplx.Log(1+cmplx.Exp(w))
	l := complex(f.l, 0)
	return f.density(l+tau) * cmplx.Exp(rest) * f.put(l+rest)
}

// TestSizeOfTwo: ∫|f| along lines Im w = c is below its bound, and the parts left and right of nodes below theirs.
func TestSizeOfTwo(t *testing.T) {
	const p = interval.Prec(64)
	var size, left, right float64 // how much of the bounds there is
	for _, mu := range []float64{0.25, 1, 2.5} {
		for _, a := range []float64{-0.5, 1, 3} {
			f := integrand{mu, a + math.Ln2}
			mu2, alpha, l := double.Point(mu*mu).Exact(), p.Exp(double.Point(a).Exact()), double.Point(f.l).Exact()
			for _, c := range []float64{0.3, 1.5, 2.8} {
				sum, step := 0.0, 1.0/8
				for x := -10.0; x < 10; x += step {
					sum += cmplx.Abs(f.at(complex(x, c))) * step
				}
				bound := double.Of(sizeOfTwo(p, mu2, alpha, double.Point(c).Exact())).Hi
				if sum > bound {
					t.Errorf("μ = %v, log α = %v: ∫|f(x + %vi)| = %v > %v", mu, a, c, sum, bound)
				}
				size = max(size, sum/bound)
				if low := double.Of(sizeOfTwo(3, mu2, alpha, double.Point(c).Exact())).Hi; low < bound {
					t.Errorf("%v at 3 bits, %v at 64", low, bound)
				}
			}
			for _, end := range []float64{0.5, 1.5, 3, 5} {
				below, above, step := 0.0, 0.0, 1.0/16
				for x := 0.5 * step; x < 12; x += step {
					below += real(f.at(complex(-end-x, 0))) * step
					above += real(f.at(complex(end+x, 0))) * step
				}
				at := double.Point(end).Exact()
				l0, r0 := double.Of(leftOfTwo(p, mu2, l, alpha, at.Neg())).Hi, double.Of(rightOfTwo(p, mu2, l, alpha, at)).Hi
				if below > l0 || above > r0 {
					t.Errorf("μ = %v, log α = %v: %v and %v beyond ±%v, bounds %v and %v", mu, a, below, above, end, l0, r0)
				}
				left, right = max(left, below/l0), max(right, above/r0)
			}
		}
	}
	if size < 0.03 || left < 0.5 || right < 0.1 {
		t.Errorf("the bounds are reached to %v, %v and %v only", size, left, right)
	}
}

// TestTwoStepsAtTheEnds: nothing is said where ε is too large, and everything is sound where δ is tiny.
func TestTwoStepsAtTheEnds(t *testing.T) {
	testkit.SkipShort(t)
	for _, eps := range rats("100000", "-100000", "300", "-300") {
		for _, reversed := range []bool{false, true} {
			y, err := Two{rat("1/100")}.Profile(reversed)(t.Context(), 30, interval.RealRat(eps))
			if err != nil || eps.Sign() > 0 && y.Lo().Sign() != 0 && y.Hi().MantExp(nil) > -100 || eps.Sign() < 0 && !y.ContainsRat(rat("1")) {
				t.Errorf("δ(%s) in %v, %v", eps.RatString(), y, err)
			}
		}
	}
}

// TestLeftOfTwoRises: nothing bounds what is left of a node where the bound of the integrand does not yet rise.
func TestLeftOfTwoRises(t *testing.T) {
	const p = interval.Prec(64)
	for at, want := range map[string]bool{"-4": true, "2": false, "5": false} {
		y := leftOfTwo(p, p.Rat(rat("1/4")), p.Ln2(), interval.Int(1), p.Rat(rat(at)))
		if y.IsFinite() != want {
			t.Errorf("left of %s: %v", at, y)
		}
	}
}

// TestRuleOfTwoHasFewNodes: noise so little or so much that float64 has no number for it, or for the nodes, has no rule.
func TestRuleOfTwoHasFewNodes(t *testing.T) {
	for _, mu := range []float64{0, 1e-300, 1e-20, 1e10, 1e200, math.Inf(1), math.NaN()} {
		for _, l := range []float64{-70_000, 0, 70_000} {
			if r, ok := chooseTwo(64, mu, l); ok && (r.last-r.first > maxTwoNodes || r.last <= r.first) {
				t.Errorf("μ = %g, log 2α = %g: nodes from %d to %d", mu, l, r.first, r.last)
			}
		}
	}
	for _, mu := range []float64{0.1, 1, 10} {
		if _, ok := chooseTwo(64, mu, 0); !ok {
			t.Errorf("μ = %g: no rule", mu)
		}
	}
}
