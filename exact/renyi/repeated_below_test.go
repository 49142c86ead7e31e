// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math"
	"math/big"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// normalTail is P(N(0, 1) > x).
func normalTail(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// TestOrderedSelection: of runs of Gaussian noise, as many as a geometric law says, the bound from below is what an
// integral has over the best run's density, f′(1 − y) times that of one run, for the order with the greatest losses
// first; nearly all of it.
func TestOrderedSelection(t *testing.T) {
	const mu, mean = 0.5, 5.0
	const rho = mean - 1 // of shape 1
	x := pair.Repeated{Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/4")}, Count: 1}}, Mean: rat("5"), Shape: rat("1"), Aim: rat("1")}
	for _, alpha := range []string{"1/2", "2", "16"} {
		a := double.Of(interval.Prec(64).Rat(rat(alpha))).Mid()
		sum, h := 0.0, 1e-3
		for z := -12.0; z < 24; z += h {
			y, other := normalTail(z-mu), normalTail(z)
			p := math.Pow(1+rho*y, -2) * math.Exp(-(z-mu)*(z-mu)/2)
			q := math.Pow(1+rho*other, -2) * math.Exp(-z*z/2)
			if p > 0 && q > 0 {
				sum += h * mean / math.Sqrt(2*math.Pi) * math.Exp(a*math.Log(p)+(1-a)*math.Log(q))
			}
		}
		want := math.Log(sum) / (a - 1)
		got := double.Of(Of(pair.Product{{Pair: x, Count: 1}})(64, At(rat(alpha)))).Lo
		if !(got <= want*(1+1e-6) && got > want*0.97) {
			t.Errorf("R(%s) is at least %v, want just below %v", alpha, got, want)
		}
	}
}

// TestOrderedGreatestLoss: the best of Laplace noise is among the half of greatest losses oftener by what Better says;
// no run at all shows nothing.
func TestOrderedGreatestLoss(t *testing.T) {
	laplace := pair.Product{{Pair: pair.Laplace{Shift: rat("1/2")}, Count: 1}}
	for _, c := range []struct {
		mean, shape *big.Rat
		better      func(y float64) float64
	}{
		{rat("5"), rat("1"), func(y float64) float64 { return (1 - 1/(1+4*y)) / (1 - 1/5.0) }},
		{rat("3"), nil, func(y float64) float64 { return -math.Expm1(-3 * y) }},
	} {
		x := pair.Repeated{Base: laplace, Mean: c.mean, Shape: c.shape, Aim: rat("1")}
		want := 0.0
		for _, up := range []bool{true, false} { // the greatest loss, 1/2, and the least one
			p, q := 0.5, math.Exp(-0.5)/2
			if !up {
				p, q = q, p
			}
			want = max(want, math.Log(c.better(p)/c.better(q)))
		}
		got := double.Of(Of(pair.Product{{Pair: x, Count: 1}})(64, Infinity))
		if !(got.Lo >= want-1e-9 && math.IsInf(got.Hi, 1)) {
			t.Errorf("mean %v: R(∞) ∈ [%v, %v], want at least %v", c.mean, got.Lo, got.Hi, want)
		}
		top := double.Of(Of(pair.Product{{Pair: pair.RepeatedDivergence{Of: pair.Repeated{Base: laplace, Mean: c.mean, Shape: c.shape}}, Count: 1}})(64, Infinity))
		if got.Lo > top.Hi {
			t.Errorf("mean %v: R(∞) is at least %v and at most %v", c.mean, got.Lo, top.Hi)
		}
	}
	if x := (pair.Repeated{Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 2}}, Mean: rat("3"), Aim: rat("1")}); !Of(pair.Product{{Pair: x, Count: 1}})(64, Infinity).Lo().IsInf() {
		t.Error("the losses of the best of Gaussian noise are bounded")
	}
}

// TestSelectionsAlongPaths: divergences of the best of ten runs of Gaussian noise with σ = 2 are bounded near what an
// order has, 0.3862/0.6 for order 8/5, at orders between those that are computed, too; a Poisson number of runs may be
// none; and without tails the places of outputs are left.
func TestSelectionsAlongPaths(t *testing.T) {
	base := pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/4")}, Count: 1}}
	at := func(x pair.Repeated, order string) float64 {
		return double.Of(Of(pair.Product{{Pair: pair.RepeatedDivergence{Of: x}, Count: 1}})(64, At(rat(order)))).Hi
	}
	ten := pair.Repeated{Base: base, Mean: rat("10"), Shape: rat("1")}
	if y := at(ten, "8/5"); !(y > 0.3862/0.6 && y < 0.67) {
		t.Errorf("R(8/5) is at most %v", y)
	}
	if low, y := double.Of(Of(pair.Product{{Pair: pair.Repeated{Base: base, Mean: rat("7"), Aim: rat("1")}, Count: 1}})(64, At(rat("2")))).Lo,
		at(pair.Repeated{Base: base, Mean: rat("7")}, "2"); !(low < y && y < 1.5) {
		t.Errorf("of a Poisson number of runs R(2) is at least %v and at most %v", low, y)
	}
	both := pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/8")}, Count: 1}, {Pair: pair.Laplace{Shift: rat("1/8")}, Count: 1}}
	if y := at(pair.Repeated{Base: both, Mean: rat("10"), Shape: rat("1")}, "2"); !(y > 0.3 && y < 4) {
		t.Errorf("without tails R(2) is at most %v", y)
	}
}
