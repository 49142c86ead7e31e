// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"
	"math/cmplx"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/fall"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/exact/quadrature"
	"dpverify/internal/testkit"
)

func sampledGaussian(rate, mu2 string, reversed bool) pair.Sampled {
	return pair.Sampled{Rate: rat(rate), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat(mu2)}, Count: 1}}, Reversed: reversed}
}

func mixturesUnderTest() []pair.Pair {
	m := pair.GaussianMixture{P: normals.Mixture{Means: []*big.Rat{rat("-1"), rat("1/2"), rat("2")}, Probs: []*big.Rat{rat("1/10"), rat("7/10"), rat("1/5")}}, Q: normals.Standard()}
	return []pair.Pair{
		sampledGaussian("1/100", "1", false), sampledGaussian("1/100", "1", true),
		sampledGaussian("1/2", "4", false), sampledGaussian("9/10", "1/16", true),
		pair.SampledReplaceGaussian{Rate: rat("1/10"), Mu2: rat("1")},
		m, m.Reverse(),
		pair.GaussianMixture{P: normals.Mixture{Means: rats("-1", "1/2"), Probs: rats("1/4", "3/4")}, Q: normals.Mixture{Means: rats("-1/2", "2/3"), Probs: rats("1/2", "1/2")}},
	}
}

func mixtureOf(t testing.TB, x pair.Pair) *mixture {
	t.Helper()
	m, ok := newMixture(x)
	if !ok {
		t.Fatalf("%s is no mixture", x)
	}
	return m
}

// binomialMoment is M(−λ) for ((1−g)N(0,1) + gN(μ,1), N(0,1)) and integers λ ≥ 0: with n = λ + 1,
// Σ_i C(n,i)·(1−g)^{n−i}·g^i·e^{μ²i(i−1)/2}.
func binomialMoment(p interval.Prec, rate, mu2 *big.Rat, lambda int64) interval.Interval {
	n := lambda + 1
	sum := interval.Int(0)
	keep := new(big.Rat).Sub(big.NewRat(1, 1), rate)
	for i := int64(0); i <= n; i++ {
		c := p.BigInt(new(big.Int).Binomial(n, i))
		c = p.Mul(c, p.Mul(p.PowInt(p.Rat(keep), n-i), p.PowInt(p.Rat(rate), i)))
		e := new(big.Rat).Mul(mu2, big.NewRat(i*(i-1), 2))
		sum = p.Add(sum, p.Mul(c, p.Exp(p.Rat(e))))
	}
	return sum
}

// TestMomentsOfSampledGaussians: the quadrature against the finite sum at integers.
func TestMomentsOfSampledGaussians(t *testing.T) {
	for _, c := range []struct{ rate, mu2 string }{{"1/1000", "1"}, {"1/100", "25/16"}, {"1/2", "1/9"}, {"9/10", "4"}} {
		m := mixtureOf(t, sampledGaussian(c.rate, c.mu2, false))
		for _, lambda := range []int64{0, 1, 5, 11} {
			want := binomialMoment(400, rat(c.rate), rat(c.mu2), lambda)
			for _, p := range []interval.Prec{2, 8, 100} {
				got := m.moment(p, big.NewRat(lambda, 1))
				if _, ok := interval.Intersect(got, want); !ok {
					t.Errorf("%v at λ = %d, %d bits: %v misses %v", c, lambda, p, got, want)
				}
				if b := got.RelativeBits(int(p)); b < int(p)-2 {
					t.Errorf("%v at λ = %d: %d of %d bits", c, lambda, b, p)
				}
			}
		}
	}
}

// TestMomentsToManyDigits: the quadrature against the finite sum, where most nodes are left out of strips that widen.
func TestMomentsToManyDigits(t *testing.T) {
	precisions := testkit.QuickTurn(0, []interval.Prec{700, 1200})
	if testkit.Long() {
		precisions = append(precisions, 3400)
	}
	for _, p := range precisions {
		for _, c := range []struct {
			rate, mu2 string
			lambda    int64
		}{{"1/100", "1", 11}, {"1/100", "1", 30}, {"1/10", "1/4", 3}} {
			m := mixtureOf(t, sampledGaussian(c.rate, c.mu2, false))
			got, want := m.moment(p, big.NewRat(c.lambda, 1)), binomialMoment(p+200, rat(c.rate), rat(c.mu2), c.lambda)
			if _, ok := interval.Intersect(got, want); !ok {
				t.Errorf("%v, %d bits: %v misses %v", c, p, got, want)
			}
			if b := got.RelativeBits(int(p)); b < int(p)-2 {
				t.Errorf("%v: %d of %d bits", c, b, p)
			}
		}
	}
}

// TestStripBound: trapezoidal rules with steps so large that their error is seen, at t = 0
// and on the way up, against a fine rule. The bound for every strip must hold.
func TestStripBound(t *testing.T) {
	if testing.Short() {
		t.Skip("arithmetic alone, for the whole suite")
	}
	closest := map[int]interval.Interval{1: interval.Int(0), 6: interval.Int(0), 120: interval.Int(0)}
	for i, x := range mixturesUnderTest() {
		m := mixtureOf(t, x)
		for _, lambda := range testkit.InTurn(i, []*big.Rat{rat("1/2"), rat("8")}) {
			widest := math.Pi / 2 / double.Max(meanRange(m.doubleA).Abs(), meanRange(m.doubleB).Abs()).Hi
			for j, turn := range []int64{0, 7, 30} {
				at := interval.Int(turn)
				truth, err := m.line(t.Context(), 100, lambda, at, 1)
				if err != nil || truth == nil {
					t.Fatalf("%s: no line at %s + %di", x, lambda, turn)
				}
				for _, bits := range testkit.QuickTurn(i+j, []int{1, 6, 120}) { // rules that end early, too
					strip, ok := m.ruleStrip(lambda, bits, 2)
					if !ok {
						t.Fatalf("%s: no window", x)
					}
					for _, step := range []float64{1.0 / 16, 0.5, 2} {
						q := m.nodes(100, lambda, stripRule{window: strip.window, step: step})
						theta := make([]interval.Interval, len(q.Losses))
						for k := range theta {
							theta[k] = fine.Mul(q.Losses[k], at)
						}
						got, err := quadrature.Sum(t.Context(), 100, q.Weights, theta, 1)
						if err != nil {
							t.Fatal(err)
						}
						d := fine.AbsC(fine.SubC(got[1], truth[1]))
						for _, part := range []float64{0.25, 0.5, 15.0 / 16} {
							b := widest * part
							if b > 6 {
								continue
							}
							bound := strip.err(float64(turn), b, step)
							if d.Lo().Cmp(bound.Hi()) > 0 {
								t.Fatalf("%s at −%s + %di, %d bits, step %v, strip %v: the error is %v > %v", x, lambda.RatString(), turn, bits, step, b, d, bound)
							}
							near := fine.Div(interval.Point(d.Lo()), bound)
							closest[bits] = interval.Max(closest[bits], near)
						}
					}
				}
			}
		}
	}
	for bits, near := range closest {
		if near.LessRat(rat("1/20")) == interval.True {
			t.Errorf("the bound of rules for %d bits was never closer than a factor %v", bits, near)
		}
	}
}

// TestEndsOfRules: the sum over a few nodes is near the integral from half a step before the first to half a step after the
// last, which is a sum of many.
func TestEndsOfRules(t *testing.T) {
	near := 0.0
	for i, x := range mixturesUnderTest() {
		m := mixtureOf(t, x)
		for _, lambda := range testkit.QuickTurn(i, []*big.Rat{rat("1/2"), rat("4")}) {
			strip, _ := m.ruleStrip(lambda, 2, maxStep)
			l := double.Of(coarse.Rat(lambda))
			for j, turn := range []float64{0, 1, 5} {
				at := func(x float64) complex128 {
					la, lb := m.logsAt(double.Point(x))
					size := m.logWeightAt(l, double.Point(x), la, lb).Mid() - strip.peak
					return cmplx.Exp(complex(size, -turn*(la.Mid()-lb.Mid())))
				}
				for _, step := range testkit.QuickTurn(i/2+j, []float64{maxStep, 0.25, 1.0 / 16}) {
					i0, i1 := stripRule{window: strip.window, step: step}.outermost()
					const parts = 501
					var sum, integral complex128
					for i := i0; i <= i1; i++ {
						sum += complex(step, 0) * at(float64(i)*step)
						for k := range parts {
							integral += complex(step/parts, 0) * at((float64(i)+(float64(k)+0.5)/parts-0.5)*step)
						}
					}
					off := cmplx.Abs(sum - integral)
					bound := math.Inf(1)
					for _, part := range []float64{1.0 / 64, 1.0 / 16, 0.25, 0.5, 0.9} {
						bound = min(bound, double.Of(strip.inside(turn, part*math.Pi/2/m.farthest().Hi, step)).Hi)
					}
					if off > bound*(1+1e-9)+1e-6*step {
						t.Fatalf("%s at −%s + %vi, step %v: off by %v > %v", x, lambda.RatString(), turn, step, off, bound)
					}
					near = max(near, off/bound)
				}
			}
		}
	}
	if near < 0.02 {
		t.Errorf("the nearest is off by %v of what it may be", near)
	}
}

// TestCutBound: rules that go on beyond the last node.
func TestCutBound(t *testing.T) {
	for _, x := range mixturesUnderTest() {
		m := mixtureOf(t, x)
		lambda := rat("2")
		truth := m.moment(120, lambda)
		window, _ := m.window(lambda, 1)
		window.from, window.to = window.first, window.last
		cut := coarse.Mul(m.cut(lambda, window, 1.0/16).Exact(), scaleOf(window.peak))
		q := m.nodes(100, lambda, stripRule{window: window, step: 1.0 / 16, err: cut})
		sum := quadrature.Rule{Weights: q.Weights}.AtZero(fine)
		d := fine.Sub(truth, sum)
		if d.Abs().Lo().Cmp(q.Err.Hi()) > 0 {
			t.Errorf("%s: what is cut off is %v > %v", x, d, q.Err)
		}
		if fine.Mul(d.Abs(), interval.Int(100)).Less(q.Err) == interval.True {
			t.Errorf("%s: %v bounds %v: useless", x, q.Err, d)
		}
	}
}

// TestDecayBounds: |M(−λ + it)|/M(−λ) at many t, against each of the two bounds on segments that
// contain t.
func TestDecayBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("arithmetic alone, for the whole suite")
	}
	useful := 0
	for i, x := range mixturesUnderTest() {
		m := mixtureOf(t, x)
		for _, lambda := range testkit.InTurn(i, []*big.Rat{rat("1/4"), rat("6")}) {
			norm := m.moment(coarse, lambda)
			cells, outside, ok := m.cells(lambda, norm, cellsPerRow)
			if !ok {
				t.Fatalf("%s: no cells", x)
			}
			least, most := 0.0, outside.Hi
			for _, c := range cells {
				least, most = least+c.Mass.Lo, most+c.Mass.Hi
			}
			if least > 1 || most < 1 {
				t.Fatalf("%s: cells hold between %v and %v", x, least, most)
			}
			pairs, cutsOf := fall.NewPairs(fall.Groups(cells)), fall.ByParts(cells, outside)
			d := m.decay(lambda)
			step := rat("3/8")
			line, err := m.line(t.Context(), 40, lambda, coarse.Rat(step), 100)
			if err != nil || line == nil {
				t.Fatalf("%s: no line", x)
			}
			for j := 1; j < len(line); j += 1 + j/5 {
				at := double.Near(step) * float64(j)
				psi := double.Of(coarse.Div(coarse.AbsC(line[j]), norm)).Log().Lo
				for i, c := range cutsOf {
					if bound := (fall.Cuts{c}).Bound(at); psi > bound {
						t.Fatalf("%s at −%s + i·%v: log|ψ| = %v > %v by cut %d", x, lambda.RatString(), at, psi, bound, i)
					}
				}
				useful += checkDecay(t, x.String(), lambda, at, psi, map[string]float64{
					"pairs, point":    pairs.Bound(at, at),
					"pairs, segment":  pairs.Bound(at*15/16, at*17/16),
					"pairs, from 1/8": pairs.Bound(1.0/8, at),
					"by parts":        cutsOf.Bound(at),
					"both":            d(at*15/16, at*17/16),
					"unbounded":       d(at, math.Inf(1)),
				})
			}
		}
	}
	if useful < 100 {
		t.Errorf("only %d bounds below 0.9", useful)
	}
}

// checkDecay fails where log|ψ| at −λ + i·at is above a bound, and counts the bounds that say much.
func checkDecay(t *testing.T, name string, lambda *big.Rat, at, psi float64, bounds map[string]float64) (useful int) {
	t.Helper()
	for by, bound := range bounds {
		if psi > bound {
			t.Fatalf("%s at −%s + i·%v: log|ψ| = %v > %v by %s", name, lambda.RatString(), at, psi, bound, by)
		}
		if bound < -0.1 {
			useful++
		}
	}
	return useful
}
