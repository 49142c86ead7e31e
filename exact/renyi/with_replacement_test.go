// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestDrawsWithReplacement: two draws from two records of Gaussian noise, the record at 1 or −1 and the other one
// anywhere between: the divergences by an integral are at most the bound, which is not far above.
func TestDrawsWithReplacement(t *testing.T) {
	const mu = 0.5 // of a record
	x := pair.WithReplacement{Source: 2, Size: 2, Base: pair.Gaussian{Mu2: rat("1")}}
	f := Of(pair.Product{{Pair: x, Count: 1}})
	for _, alpha := range []string{"1/2", "9/8", "2", "6"} {
		a := double.Of(interval.Prec(64).Rat(rat(alpha))).Mid()
		worst := 0.0
		for _, other := range []float64{-1, -0.5, 0, 1} {
			density := func(z, record float64) float64 {
				sum := 0.0
				for k, weight := range []float64{0.25, 0.5, 0.25} {
					d := z - mu*(float64(k)*record+float64(2-k)*other)
					sum += weight * math.Exp(-d*d/2)
				}
				return sum / math.Sqrt(2*math.Pi)
			}
			sum, h := 0.0, 1e-2
			for z := -30.0; z < 30; z += h {
				if p, q := density(z, 1), density(z, -1); p > 0 && q > 0 {
					sum += h * math.Exp(a*math.Log(p)+(1-a)*math.Log(q))
				}
			}
			worst = max(worst, math.Log(sum)/(a-1))
		}
		if got := double.Of(f(64, At(rat(alpha)))); !(worst <= got.Hi && got.Hi < 8*worst) {
			t.Errorf("R(%s) is at most %v, want at least %v", alpha, got.Hi, worst)
		}
	}
}

// TestOneDraw: one draw is a sample without replacement, which counts twice, by chords between whole orders; many
// copies of a record are too rare to matter, or are not.
func TestOneDraw(t *testing.T) {
	of := func(n, m int64, base pair.Pair, alpha string) float64 {
		x := pair.WithReplacement{Source: n, Size: m, Base: base}
		y, _ := logMoment(x)
		return double.Of(y(64, rat(alpha))).Hi
	}
	gaussian := pair.Gaussian{Mu2: rat("1")}
	sample, _ := logMoment(pair.Sampled{Rate: rat("1/10"), Base: pair.Product{{Pair: gaussian, Count: 1}}})
	for _, alpha := range []string{"3/2", "2", "5"} {
		y := double.Of(sample(64, rat(alpha))).Mid()
		want := math.Log1p(2 * math.Expm1(y))
		if got := of(10, 1, gaussian, alpha); !(got >= want*(1-1e-12) && got < want*1.6 && (alpha == "3/2" || got < want*1.0001)) {
			t.Errorf("one draw: log M(%s) ≤ %v, want %v", alpha, got, want)
		}
	}
	// All of m draws are the record with probability n^−m.
	if got, least := of(10, 20, gaussian, "4"), 6*400-80*math.Log(10); !(got > least && got < 6*400) {
		t.Errorf("20 draws: log M(4) ≤ %v, want between %v and 2400", got, least)
	}
	// All others are what the record is replaced by: the moment of order 2 is Σ w_j·w_k·e^(jk).
	sum, masses := 0.0, make([]float64, 11)
	for k := range masses {
		masses[k] = math.Exp(logChoose(10, k) + float64(k)*math.Log(0.01) + float64(10-k)*math.Log(0.99))
		for j := range k + 1 {
			y := masses[j] * masses[k] * math.Exp(float64(j*k))
			if sum += y; j < k {
				sum += y
			}
		}
	}
	if got, least := of(100, 10, gaussian, "2"), math.Log(sum); !(got >= least && got < 1.12*least) {
		t.Errorf("10 draws from 100: log M(2) ≤ %v, want about %v", got, least)
	}
	laplace := pair.WithReplacement{Source: 10, Size: 3, Base: pair.Laplace{Shift: rat("1")}}
	want := math.Log1p(-math.Expm1(3*math.Log(0.9)) * math.Expm1(3))
	if got := double.Of(Of(pair.Product{{Pair: laplace, Count: 1}})(64, Infinity)).Hi; math.Abs(got-want) > 1e-12 {
		t.Errorf("R(∞) of Laplace noise is at most %v, want %v", got, want)
	}
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
