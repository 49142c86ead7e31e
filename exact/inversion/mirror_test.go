// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/internal/testkit"
)

// TestMirror: δ by the reverse is δ, at every precision, on both sides of 0, for single and for several factors,
// whatever the extra bits are.
func TestMirror(t *testing.T) {
	for k, prod := range []pair.Product{
		product(sampledGaussian("1/10", "1", false), 3),
		{{Pair: sampledGaussian("1/10", "1", false), Count: 4}, {Pair: pair.GaussianMixture{P: normals.Mixture{Means: rats("0", "1/2", "1"), Probs: rats("1/2", "1/4", "1/4")}, Q: normals.Standard()}, Count: 2}},
	} {
		x, ok := New(prod)
		if !ok || x.mirror == nil {
			t.Fatalf("%s: no reverse", prod)
		}
		direct, _ := New(prod)
		direct.mirror = nil
		for i, eps := range testkit.QuickTurn(k+1, rats("-1/20", "1/3", "2")) {
			want, err := direct.Delta(t.Context(), 60, interval.RealRat(eps))
			if err != nil || want.RelativeBits(60) < 50 {
				t.Fatalf("%s: δ(%s) = %v, %v", prod, eps.RatString(), want, err)
			}
			for j, p := range testkit.InTurn(i+k, []interval.Prec{4, 8, 40}) {
				for _, extra := range []interval.Prec{0, 20}[(i+j)%2 : (i+j)%2+1] {
					y, err := x.throughMirror(t.Context(), p, extra, false, interval.RealRat(eps))
					if err != nil {
						t.Fatal(err)
					}
					if _, meet := interval.Intersect(y, want); !meet || y.Lo().Sign() < 0 || y.Hi().Cmp(one.Hi()) > 0 {
						t.Errorf("%s: δ(%s) = %v, and %v by the reverse at %d + %d bits", prod, eps.RatString(), want, y, p, extra)
					}
					if y.RelativeBits(60) < int(p)-4 {
						t.Errorf("%s: δ(%s) = %v by the reverse at %d + %d bits", prod, eps.RatString(), y, p, extra)
					}
				}
			}
		}
	}
	for _, prod := range []pair.Product{
		product(sampledGaussian("1/10", "1", true), 3),
		product(pair.SampledReplaceGaussian{Rate: rat("1/5"), Mu2: rat("4/9")}, 20),
	} {
		if x, ok := New(prod); !ok || x.mirror != nil {
			t.Errorf("%s: its reverse is asked", prod)
		}
	}
}

// TestRareSamples: the values are by numerical integration to 45 digits, over one of two steps.
func TestRareSamples(t *testing.T) {
	for i, c := range testkit.Few(2, []struct{ rate, mu2, eps, want string }{
		{"3.66e-8", "0.13319835899621716660450743246843198", "2.934361699e-8", "1.0700000005569425613e-9"}, // μ² = 2.74^−2, about
		{"0.001", "4", "0.05", "0.00017644156515118643564"},
		{"0.000001", "4", "0.001", "5.6869512020849471197e-9"},
	}) {
		x, ok := New(product(sampledGaussian(c.rate, c.mu2, false), 2))
		if !ok {
			t.Fatal("no transform")
		}
		for _, p := range testkit.InTurn(i, []interval.Prec{24, 48}) {
			y, err := x.Delta(t.Context(), p, interval.RealRat(rat(c.eps)))
			if err != nil {
				t.Fatal(err)
			}
			want := interval.Prec(100).Rat(rat(c.want))
			off := coarse.Div(coarse.Sub(y, want), want).Abs()
			if bits := y.RelativeBits(60); bits < int(p)-4 || double.Of(off).Hi > 1e-15+2/float64(uint64(1)<<bits) {
				t.Errorf("q = %s: δ(%s) = %v at %d bits, want %s", c.rate, c.eps, y, p, c.want)
			}
		}
	}
}

// TestRareSteps: many steps that say next to nothing have narrow answers, which meet the wide ones of direct lines.
func TestRareSteps(t *testing.T) {
	for _, c := range []struct {
		rate, mu2 string
		steps     int64
		eps       string
		direct    bool // whether a direct line has an answer
	}{
		{"4e-8", "1", 100_000, "5.86e-5", true},
		{"6.4e-8", "0.18579", 19_190, "1.54e-5", false},
		{"1.99e-7", "5.459", 192, "0.1151", false},
	} {
		prod := product(sampledGaussian(c.rate, c.mu2, false), c.steps)
		x, _ := New(prod)
		y, err := x.Delta(t.Context(), 40, interval.RealRat(rat(c.eps)))
		if err != nil || y.RelativeBits(60) < 36 {
			t.Errorf("%s: δ(%s) = %v, %v", prod, c.eps, y, err)
		}
		x.mirror = nil
		if !c.direct {
			continue
		}
		wide, err := x.Delta(t.Context(), 8, interval.RealRat(rat(c.eps)))
		if err != nil {
			t.Fatal(err)
		}
		if _, meet := interval.Intersect(y, wide); !meet {
			t.Errorf("%s: δ(%s) = %v, and %v directly", prod, c.eps, y, wide)
		}
	}
}

// TestLeftReachBoundsTheSlope: the slope of log(A^{1+λ}·B^{−λ}), and with B_b in the place of B, is at least
// −leftReach(x₀) at all x ≤ x₀.
func TestLeftReachBoundsTheSlope(t *testing.T) {
	tight := 0
	for _, x := range []pair.Pair{
		sampledGaussian("1/5", "4/9", true), sampledGaussian("1/1000000", "1", true), sampledGaussian("1/10", "1", false),
		pair.GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: rats("0", "1/2", "2"), Probs: rats("1/2", "1/4", "1/4")}},
		pair.GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: rats("-1", "2"), Probs: rats("1/2", "1/2")}},
		pair.SampledReplaceGaussian{Rate: rat("1/5"), Mu2: rat("4/9")},
	} {
		m, _ := newMixture(x)
		for _, lambda := range []float64{0.25, 30, 1e6} {
			l := double.Point(lambda)
			for _, x0 := range []float64{-20, -3, 0, 5} {
				reach := m.leftReach(l, double.Point(x0))
				for _, back := range []float64{0, 0.5, 4} {
					for _, b := range []float64{0, 0.7, 1.5 / m.farthest().Hi} {
						at := double.Point(x0 - back)
						mean := func(cs []doubleComponent, b float64) double.Interval {
							es := double.Exps(exponents(cs, at), double.Greatest(exponents(cs, at)))
							cos, _ := circle(cs, double.Point(b))
							var sum double.Interval
							for i, c := range cs {
								sum = sum.Add(es[i].Mul(cos[i]).Mul(c.mean))
							}
							return sum.Div(double.Dot(es, cos))
						}
						if b*m.farthest().Hi >= 1.57 {
							continue
						}
						slope := double.Int(1).Add(l).Mul(mean(m.doubleA, 0)).Sub(l.Mul(mean(m.doubleB, b)))
						if slope.Hi < -reach {
							t.Errorf("%s: a slope of %v at %v + %vi for λ = %v, reach %v", x, slope, at.Lo, b, lambda, reach)
						}
						if back == 0 && b == 0 && slope.Lo < 0 && -slope.Lo > reach/1.01 {
							tight++
						}
					}
				}
			}
		}
	}
	if tight < 10 {
		t.Errorf("the bound is attained %d times", tight)
	}
}

// TestSteepStrips: where λ is large, what bounds say about the ends still bounds: a rule's nodes with a step of twice
// the one of a sharp rule, and a shifted rule, agree with it within their errors, and errors are small.
func TestSteepStrips(t *testing.T) {
	m, _ := newMixture(sampledGaussian("1/1000000", "1", true))
	lambda, span := rat("20000"), 3e5
	sharp, ok := m.newQuadrature(80, lambda, span)
	if !ok {
		t.Fatal("no rule")
	}
	rough, ok := m.newQuadrature(12, lambda, span)
	if !ok || len(rough.Weights) >= len(sharp.Weights) {
		t.Fatalf("no rule of fewer than %d nodes", len(sharp.Weights))
	}
	shifted, ok := m.planShifted(12, lambda)
	if !ok {
		t.Fatal("no shifted rule")
	}
	line := m.newShiftedRule(160, lambda, shifted)
	sum := func(t float64, weights []interval.Complex, losses, turns []interval.Interval) interval.Complex {
		const p = 120
		var y interval.Complex
		for k, w := range weights {
			z := interval.Prec(p).ExpI(times(-t, losses[k]))
			if turns != nil {
				z = interval.Prec(p).ScaleC(interval.Prec(p).Exp(times(-t, turns[k])), z)
			}
			y = interval.Prec(p).AddC(y, interval.Prec(p).MulC(w, z))
		}
		return y
	}
	for _, at := range []float64{0, 1e4, span} {
		want := sum(at, complexes(sharp.Weights), sharp.Losses, nil)
		for name, got := range map[string]struct {
			y   interval.Complex
			err interval.Interval
		}{
			"rough":   {sum(at, complexes(rough.Weights), rough.Losses, nil), rough.Err},
			"shifted": {sum(at, line.weights, line.losses, line.turns), line.err},
		} {
			off := double.Of(coarse.AbsC(coarse.SubC(got.y, want)))
			if bound := double.Of(coarse.Add(got.err, sharp.Err)).Hi; off.Lo > bound || !(bound < 1e-2) {
				t.Errorf("%s at t = %v: off by %v, bound %v", name, at, off, bound)
			}
		}
	}
}

func complexes(xs []interval.Interval) []interval.Complex {
	var out []interval.Complex
	for _, x := range xs {
		out = append(out, interval.Complex{Re: x})
	}
	return out
}

func times(a float64, x interval.Interval) interval.Interval {
	return interval.Prec(120).Mul(double.Exactly(a), x)
}

// TestNearOfRareSamples: a search starts next to the ε of few rare samples, whose own moments are those of losses that
// never occur.
func TestNearOfRareSamples(t *testing.T) {
	x, _ := New(product(sampledGaussian("5.94e-5", "0.0947", false), 8))
	eps, ok := x.Near(t.Context(), rat("3e-12"))
	if !ok {
		t.Fatal("no ε")
	}
	const want = 3.63e-4
	if e := double.Near(eps); e < want/1.25 || e > want*1.25 {
		t.Errorf("ε = %g, want about %g", e, want)
	}
	for _, reversed := range []bool{false, true} {
		x, _ = New(product(sampledGaussian("1.5e-6", "0.00187", reversed), 2))
		eps, ok = x.Near(t.Context(), rat("2.61e-5")) // far above δ(0)
		if e := double.Near(eps); !ok || e > -2.6e-5 || e < -2.62e-5 {
			t.Errorf("ε = %g, %v, want about −2.61e-5", e, ok)
		}
		for _, c := range []struct {
			rate, mu2, delta string
			count            int64
		}{{"1.47e-6", "1.83", "2.19e-5", 127}, {"1.08e-6", "0.000607", "1.23e-5", 50342}} { // little above δ(0)
			x, _ = New(product(sampledGaussian(c.rate, c.mu2, reversed), c.count))
			if eps, ok = x.Near(t.Context(), rat(c.delta)); !ok || eps.Sign() >= 0 {
				t.Fatalf("δ = %s: ε = %v, %v", c.delta, eps, ok)
			}
			y, err := x.Delta(t.Context(), 30, interval.RealRat(eps))
			ratio := double.Of(coarse.Div(y, coarse.Rat(rat(c.delta))))
			if err != nil || !(ratio.Lo > 0.999 && ratio.Hi < 1.001) {
				t.Errorf("δ = %s: near ε = %v, where δ is in %v", c.delta, eps, y)
			}
		}
	}
}
