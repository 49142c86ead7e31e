// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/internal/testkit"
)

// near reports that x and y meet and that both are narrower than 2^−bits, relative to
// their size or to 1.
var (
	clamped = pair.Clamped{Noise: pair.LaplaceNoise, Location: rat("2"), Width: rat("1"), Shift: rat("1"), ShiftFirst: true}
	bounded = []pair.Pair{
		lopsided,
		pair.Gaussian{Mu2: rat("2/3")},
		pair.Laplace{Shift: rat("3/2")},
		pair.Response{Eps: rat("1"), Delta: rat("0")},
		pair.DiscreteLaplace{A: rat("1/3"), Sensitivity: 2},
		pair.DiscreteGaussian{Sigma2: rat("3/2"), Sensitivity: 1},
		pair.Sampled{Rate: rat("1/10"), Base: once(pair.Gaussian{Mu2: rat("1")})},
		pair.Sampled{Rate: rat("1/10"), Base: once(pair.Laplace{Shift: rat("1")})},
		pair.Sampled{Rate: rat("1/10"), Base: once(lopsided)},
		pair.Sampled{Rate: rat("1/10"), Base: once(pair.DiscreteGaussian{Sigma2: rat("3/2"), Sensitivity: 1})},
		pair.GaussianMixture{P: normals.Mixture{Means: []*big.Rat{rat("0"), rat("1"), rat("2")}, Probs: []*big.Rat{rat("1/2"), rat("1/4"), rat("1/4")}}, Q: normals.Standard()},
		pair.GaussianMixture{P: normals.Mixture{Means: []*big.Rat{rat("-1"), rat("1")}, Probs: []*big.Rat{rat("1/2"), rat("1/2")}}, Q: normals.Standard()},
		pair.GaussianMixture{P: normals.Mixture{Means: []*big.Rat{rat("-1"), rat("1/2")}, Probs: []*big.Rat{rat("1/4"), rat("3/4")}}, Q: normals.Mixture{Means: []*big.Rat{rat("-1/2"), rat("1/3")}, Probs: []*big.Rat{rat("1/2"), rat("1/2")}}},
		pair.SampledReplaceGaussian{Rate: rat("1/5"), Mu2: rat("1")},
		pair.Mixed(rat("1/5"), once(pair.Laplace{Shift: rat("1")})),
		clamped,
	}
	weak = map[string]bool{ // enclosed to second order in the width of a cell only
		bounded[7].String(): true, clamped.String(): true,
	}
)

// TestDivergencesByHand: closed forms and sums of rationals.
func TestDivergencesByHand(t *testing.T) {
	const p = interval.Prec(96)
	log := func(s string) interval.Interval { return p.Log(p.Rat(rat(s))) }
	for _, c := range []struct {
		pair  pair.Pair
		alpha Order
		want  interval.Interval
	}{
		{lopsided, At(rat("2")), log("1781/180")},                 // Σ p²/q = 11/180 + 1/18 + 88/9
		{lopsided, At(rat("3")), p.Scale(log("774621/5400"), -1)}, // Σ p³/q² = 121/5400 + 1/54 + 3872/27,
		{leaky, At(rat("2")), posInf},
		{leaky, At(rat("1")), posInf},
		{leaky, Infinity, posInf},
		{pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("2")}, At(rat("1")), posInf},
		{lopsided, Infinity, log("44/3")},
		{pair.Gaussian{Mu2: rat("2/3")}, At(rat("1/2")), p.Rat(rat("1/6"))},
		{pair.Gaussian{Mu2: rat("2/3")}, At(rat("1")), p.Rat(rat("1/3"))},
		{pair.Gaussian{Mu2: rat("2/3")}, Infinity, posInf},
		{pair.Laplace{Shift: rat("3/2")}, Infinity, p.Rat(rat("3/2"))},
		{pair.Laplace{Shift: rat("2")}, At(rat("1")), p.Add(one, p.Exp(interval.Int(-2)))},
		{pair.Laplace{Shift: rat("2")}, At(rat("1/2")), p.Scale(p.Sub(one, p.Ln2()), 1)}, // −2·log((1 + x/2)·e^(−x/2))
		{pair.Response{Eps: rat("1"), Delta: rat("1/3")}, At(rat("2")), posInf},
		{pair.DiscreteGaussian{Sigma2: rat("3/2"), Sensitivity: 1}, At(rat("5")), p.Rat(rat("5/3"))},
		{pair.Sampled{Rate: rat("1/10"), Base: once(pair.Laplace{Shift: rat("1")})}, Infinity, p.Log1p(p.Mul(p.Rat(rat("1/10")), p.Expm1(one)))},
		{pair.Sampled{Rate: rat("1/10"), Base: once(pair.Gaussian{Mu2: rat("1")}), Reversed: true}, Infinity, log("10/9")},
		{pair.NewFinite([]*big.Rat{rat("1"), rat("0")}, []*big.Rat{rat("0"), rat("1")}), At(rat("1/2")), posInf},
	} {
		got := Of(once(c.pair))(p, c.alpha)
		if c.want.Lo().IsInf() {
			if !got.Lo().IsInf() {
				t.Errorf("R_%s(%s) = %s, want ∞", c.alpha, c.pair, got)
			}
		} else if !near(got, c.want, 80) {
			t.Errorf("R_%s(%s) = %s, want %s", c.alpha, c.pair, got, c.want)
		}
	}
}

// TestTheorem3_5: randomized response has E_q = (e^(qε) + e^((1−q)ε))/(1 + e^ε) [Chourasia
// et al. 2024], at all orders and precisions.
func TestTheorem3_5(t *testing.T) {
	for _, p := range []interval.Prec{2, 3, 8, 24, 53, 64, 113, 256} {
		for _, eps := range []string{"1/1000000", "1/10", "1", "20"} {
			for _, a := range []string{"1/100", "1/2", "9/10", "1001/1000", "3/2", "2", "64", "1000"} {
				alpha, e := rat(a), rat(eps)
				got := Of(once(pair.Response{Eps: e, Delta: new(big.Rat)}))(p, At(alpha))
				const w = interval.Prec(400)
				x := w.Rat(e)
				y := w.Add(w.Exp(w.Mul(w.Rat(alpha), x)), w.Exp(w.Mul(w.Rat(new(big.Rat).Sub(ratOne, alpha)), x)))
				y = w.Div(w.Log(w.Div(y, w.Add(one, w.Exp(x)))), w.Rat(minusOne(alpha)))
				if _, ok := interval.Intersect(got, y); !ok {
					t.Errorf("p = %d, ε = %s: R_%s = %s, want %s", p, eps, a, got, y)
				}
				if p >= 53 && !narrow(got, int(p)/2-16) {
					t.Errorf("p = %d, ε = %s: R_%s = %s is wide", p, eps, a, got)
				}
			}
		}
	}
}

// TestSkewSymmetry: R_α(P‖Q) = α/(1−α)·R_{1−α}(Q‖P) for 0 < α < 1 [van Erven & Harremoës
// 2014, Proposition 2], between a pair and its reverse.
func TestSkewSymmetry(t *testing.T) {
	const p = interval.Prec(64)
	for _, x := range bounded {
		bits := 40
		if weak[x.String()] {
			bits = 12
		}
		for _, a := range []string{"1/10", "1/2", "2/3"} {
			alpha := rat(a)
			beta := new(big.Rat).Sub(ratOne, alpha)
			got := Of(once(x))(p, At(alpha))
			want := p.Mul(p.Rat(new(big.Rat).Quo(alpha, beta)), Of(once(x.Reverse()))(p, At(beta)))
			if !near(got, want, bits) {
				t.Errorf("%s: R_%s = %s, by its reverse %s", x, a, got, want)
			}
		}
	}
}

// TestDivergenceRises: R_α rises with α, through α = 1 and up to ∞, and (α − 1)·R_α is convex.
func TestDivergenceRises(t *testing.T) {
	const p = interval.Prec(64)
	orders := []Order{At(rat("1/3")), At(rat("9/10")), At(rat("1")), At(rat("11/10")), At(rat("3/2")), At(rat("2")), At(rat("5/2")), At(rat("10")), At(rat("41/2")), Infinity}
	for i, x := range bounded {
		if testing.Short() && weak[x.String()] {
			continue
		}
		for _, y := range testkit.InTurn(i, []pair.Pair{x, x.Reverse()}) {
			f := Of(once(y))
			last := zero
			for _, a := range orders {
				v := f(p, a)
				if v.Less(last) == interval.True {
					t.Errorf("%s: R_%s = %s, but %s at a lower order", y, a, v, last)
				}
				last = v
			}
			m, ok := logMoment(y)
			if !ok {
				t.Fatalf("%s has no moments", y)
			}
			sum := p.Add(m(p, rat("3/2")), m(p, rat("7/2")))
			if mid := p.Scale(m(p, rat("5/2")), 1); sum.Less(mid) == interval.True {
				t.Errorf("%s: log M is not convex", y)
			}
		}
	}
}

// TestRelativeEntropyIsTheLimit: R₁ by its own formula lies between its neighbours.
func TestRelativeEntropyIsTheLimit(t *testing.T) {
	const p = interval.Prec(24)
	for _, x := range bounded {
		f := Of(once(x))
		got := f(p, At(ratOne))
		below, above := f(p, At(rat("999999/1000000"))), f(p, At(rat("1000001/1000000")))
		if got.Less(below) == interval.True || above.Less(got) == interval.True {
			t.Errorf("%s: R₁ = %s, want between %s and %s", x, got, below, above)
		}
		if !narrow(got, 6) {
			t.Errorf("%s: R₁ = %s is wide", x, got)
		}
	}
}

// TestSampledGaussianTwice: the finite sum at integer orders against the trapezoidal
// rule, at all precisions; the crude bounds contain both.
func TestSampledGaussianTwice(t *testing.T) {
	testkit.SkipShort(t)
	for j, p := range []interval.Prec{2, 8, 24, 64, 150} {
		for i, c := range []struct{ rate, mu2 string }{{"1/100", "1/16"}, {"256/60000", "100/49"}, {"1/2", "1"}, {"999/1000", "10"}} {
			x := pair.Sampled{Rate: rat(c.rate), Base: once(pair.Gaussian{Mu2: rat(c.mu2)})}
			sum, _ := logMoment(x)
			integral := sampledGaussian(x.Rate, rat(c.mu2), false)
			for _, a := range testkit.QuickTurn(i+j, []int64{2, 3, 17, 64}) {
				alpha := big.NewRat(a, 1)
				y, z := sum(p, alpha), integral(p, alpha)
				if _, ok := interval.Intersect(y, z); !ok {
					t.Errorf("p = %d, q = %s, μ² = %s, α = %d: %s and %s", p, c.rate, c.mu2, a, y, z)
				}
				if p >= 24 && !near(y, z, int(p)-20) {
					t.Errorf("p = %d, q = %s, μ² = %s, α = %d: %s and %s are wide", p, c.rate, c.mu2, a, y, z)
				}
				crude := crudeMean(p, []power{{twoMeans(x.Rate, rat(c.mu2)), alpha}})
				if _, ok := interval.Intersect(crude, y); !ok {
					t.Errorf("p = %d, q = %s, μ² = %s, α = %d: crude bounds %s of %s", p, c.rate, c.mu2, a, crude, y)
				}
			}
		}
	}
}

// TestTrapezoidIsExactForOneMean: E[e^(e(µX − µ²/2))] = e^(e(e−1)µ²/2) for any e.
func TestTrapezoidIsExactForOneMean(t *testing.T) {
	for _, p := range []interval.Prec{2, 8, 64, 200} {
		for _, e := range []string{"-7/2", "-1/10", "1/2", "9/4", "40"} {
			g := blend{[]interval.Real{interval.RealRat(rat("3/2"))}, []*big.Rat{ratOne}}
			want := rat(e)
			want.Mul(want, minusOne(want))
			want.Mul(want, rat("9/8"))
			got := gaussianMean(p, []power{{g, rat(e)}})
			if !got.ContainsRat(want) || p >= 64 && !narrow(got, int(p)-20) {
				t.Errorf("p = %d, e = %s: %s, want %s", p, e, got, want.RatString())
			}
		}
	}
}

// TestTrapezoidOfASplitMean: two equal means are one; and with means on both sides the
// moment of order 2 is Σ p_i·p_j·e^(µ_i·µ_j).
func TestTrapezoidOfASplitMean(t *testing.T) {
	const p = interval.Prec(80)
	mu := interval.RealRat(rat("5/4"))
	twice := blend{[]interval.Real{mu, mu}, []*big.Rat{rat("1/3"), rat("2/3")}}
	if got := gaussianMean(p, []power{{twice, rat("-3/2")}}); !got.ContainsRat(rat("375/128")) || !narrow(got, 60) {
		t.Errorf("%s, want 375/128", got)
	}
	m, _ := logMoment(pair.GaussianMixture{P: normals.Mixture{Means: []*big.Rat{rat("-1"), rat("2")}, Probs: []*big.Rat{rat("1/4"), rat("3/4")}}, Q: normals.Standard()})
	want := p.Add(p.Mul(p.Rat(rat("1/16")), p.Exp(one)), p.Mul(p.Rat(rat("3/8")), p.Exp(interval.Int(-2))))
	want = p.Log(p.Add(want, p.Mul(p.Rat(rat("9/16")), p.Exp(interval.Int(4)))))
	if got := m(p, rat("2")); !near(got, want, 60) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCellsAgreeWithClosedForms: where a pair has both.
func TestCellsAgreeWithClosedForms(t *testing.T) {
	for _, x := range []pair.Pair{
		pair.Laplace{Shift: rat("1")},
		pair.Truncated{Noise: pair.GaussianNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("2")},
		pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("2")},
		pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("2"), Sensitivity: rat("3"), Radius: rat("2")},
	} {
		f, ok := cells(x)
		g, ok2 := logMoment(x)
		if !ok || !ok2 {
			t.Fatalf("%s: %v %v", x, ok, ok2)
		}
		for _, p := range []interval.Prec{8, 64} {
			for _, a := range []string{"1/2", "9/10", "3/2", "2", "10"} {
				y, z := f(p, rat(a)), g(p, rat(a))
				if _, ok := interval.Intersect(y, z); !ok {
					t.Errorf("p = %d: %s at α = %s: %s by cells, %s by its closed form", p, x, a, y, z)
				}
				if p == 64 && !narrow(y, 9) {
					t.Errorf("%s at α = %s: %s by cells, %s by its closed form", x, a, y, z)
				}
			}
		}
	}
}

// TestSampledBoundsContain: what is known of a sample from the integer orders of its
// base contains the moment.
func TestSampledBoundsContain(t *testing.T) {
	const p = interval.Prec(64)
	for _, x := range []pair.Sampled{
		{Rate: rat("1/10"), Base: once(pair.Gaussian{Mu2: rat("1")})},
		{Rate: rat("1/2"), Base: once(lopsided)},
		{Rate: rat("1/2"), Base: once(leaky)},
	} {
		exact, _ := sampledGeneral(x)
		bound, ok := sampledBound(x)
		if !ok {
			t.Fatal("no bound")
		}
		reversed := x
		reversed.Reversed = true
		exactReversed, _ := sampledGeneral(reversed)
		boundReversed, _ := sampledReversedBound(reversed)
		for _, a := range []string{"5/4", "3/2", "2", "11/4", "31/3"} {
			y, z := exact(p, rat(a)), bound(p, rat(a))
			if _, ok := interval.Intersect(y, z); !ok {
				t.Errorf("%s at α = %s: bounds %s of %s", x, a, z, y)
			}
			y, z = exactReversed(p, rat(a)), boundReversed(p, rat(a))
			if _, ok := interval.Intersect(y, z); !ok {
				t.Errorf("%s reversed at α = %s: bounds %s of %s", x, a, z, y)
			}
		}
	}
}

// TestCurveContradicted: bounds of which the lower one is above the upper one are no answer.
func TestCurveContradicted(t *testing.T) {
	const p = interval.Prec(64)
	is := func(n int64) Divergence {
		return func(interval.Prec, Order) interval.Interval { return interval.Int(n) }
	}
	for _, c := range []struct {
		low, stated int64
		wrong       bool
	}{{1, 2, false}, {2, 2, false}, {3, 2, true}} {
		curve := &Curve{stated: []statedPart{{f: is(c.stated)}}, lower: []Divergence{is(0), is(c.low)}, Gap: true}
		func() {
			defer func() {
				if wrong := recover() != nil; wrong != c.wrong {
					t.Errorf("a mechanism with %d, and %d for all: panic %v, want %v", c.low, c.stated, wrong, c.wrong)
				}
			}()
			if y := curve.At(p, At(rat("2"))); !y.Encloses(interval.Union(interval.Int(c.low), interval.Int(c.stated))) {
				t.Errorf("[%d, %d] is in %v", c.low, c.stated, y)
			}
		}()
	}
}

// TestRemovalIsWorse: of the two orientations of a sampled Gaussian, the one that
// accountants use is the larger [Mironov, Talwar & Zhang 2019, Theorem 5].
func TestRemovalIsWorse(t *testing.T) {
	const p = interval.Prec(64)
	x := pair.Sampled{Rate: rat("1/20"), Base: once(pair.Gaussian{Mu2: rat("1")})}
	for _, a := range []string{"11/10", "3/2", "2", "5", "33/2"} {
		r, s := Of(once(x))(p, At(rat(a))), Of(once(x.Reverse()))(p, At(rat(a)))
		if s.Less(r) != interval.True {
			t.Errorf("α = %s: %s removed, %s added", a, r, s)
		}
	}
}

// TestMaximaOfGuaranteesUpToOne: next to α = 1 the moments of a maximum cancel, and what is stated at a greater order
// is left.
func TestMaximaOfGuaranteesUpToOne(t *testing.T) {
	x := pair.Sampled{Rate: rat("1/10"), Base: once(pair.ZCDP{Rho: rat("1/10"), Xi: new(big.Rat)})}
	m := pair.Maximum{Of: []pair.Product{once(x), once(x.Reverse())}}
	for _, a := range []string{"1/2", "1"} {
		y, part := Of(once(m))(64, At(rat(a))), Of(once(x))(64, At(rat(a)))
		if y.LessEqRat(rat("1/50")) != interval.True || y.Hi().Cmp(part.Hi()) < 0 {
			t.Errorf("R(%s) is %v, of a part %v", a, y, part)
		}
	}
}
