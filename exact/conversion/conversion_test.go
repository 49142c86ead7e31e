// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
)

// linearCurve is R_α = ξ + ρα.
func linearCurve(rho, xi string) renyi.Divergence {
	return renyi.Of(once(pair.ZCDP{Rho: rat(rho), Xi: rat(xi)}))
}

// contains checks decimals lo < x < hi around a value and the width of x.
func checkBetween(t *testing.T, name string, x interval.Interval, lo, hi string) {
	t.Helper()
	if x.LessRat(rat(lo)) != interval.False || x.LessRat(rat(hi)) != interval.True {
		t.Errorf("%s = %s, want in (%s, %s)", name, x, lo, hi)
	}
}

// TestInfimumOfALinearCurve: with R_α = ρα, ρ(1+t) + L/t is least at t = √(L/ρ), where it is
// ρ + 2√(ρL): Mironov's conversion at real orders is the conversion of zCDP [Bun & Steinke 2016].
func TestInfimumOfALinearCurve(t *testing.T) {
	const p = interval.Prec(48)
	for _, rho := range []string{"1/1000000", "1/10", "64/25", "100"} {
		for _, delta := range []string{"1e-3", "1e-10", "1e-300"} {
			d := (p + 80).Rat(rat(delta))
			got := Mironov.RealEpsilon(p, linearCurve(rho, "0"), d)
			want := renyi.ZCDPEpsilon(p, (p + 80).Rat(rat(rho)), zero, d)
			if !near(got.Interval, want, 30) {
				t.Errorf("ρ = %s, δ = %s: %s at α = %s, want %s", rho, delta, got, got.Order.FloatString(4), want)
			}
		}
	}
}

// TestInfimumAtTheEnds: where the best order is ∞ or there is none.
func TestInfimumAtTheEnds(t *testing.T) {
	const p = interval.Prec(48)
	// Nothing is lost: R = 0.
	got := Mironov.RealEpsilon(p, renyi.Of(nil), p.Rat(rat("1e-5")))
	if got.Lo().Sign() > 0 || got.LessRat(rat("1e-12")) != interval.True {
		t.Errorf("nothing lost: %s", got)
	}
	// Pure differential privacy: the infimum is ε at α = ∞ for a tiny δ.
	got = Mironov.RealEpsilon(p, renyi.Of(once(pair.Response{Eps: rat("2"), Delta: rat("0")})), p.Rat(rat("1e-400")))
	if got.Lo().Cmp(interval.Int(2).Lo()) > 0 || got.LessRat(rat("2.0001")) != interval.True || got.LessRat(rat("1.9999")) != interval.False {
		t.Errorf("pure: %s", got)
	}
	if got := Mironov.RealEpsilon(p, linearCurve("1", "0"), zero); !got.Lo().IsInf() {
		t.Errorf("δ = 0: %s", got)
	}
	leak := renyi.Of(once(pair.Response{Eps: rat("2"), Delta: rat("1/10")}))
	if got := Mironov.RealEpsilon(p, leak, p.Rat(rat("1/5"))); !got.Lo().IsInf() || got.Order != nil {
		t.Errorf("an infinite loss: %s", got)
	}
	if got := Mironov.Epsilon(p, leak, p.Rat(rat("1/5")), DefaultOrders()); !got.Lo().IsInf() || got.Order != nil {
		t.Errorf("an infinite loss: %s", got)
	}
}

// TestInfimumBelowEveryOrder: what is found for all real orders is at most what any order
// gives, and not below the least of many.
func TestInfimumBelowEveryOrder(t *testing.T) {
	const p = interval.Prec(40)
	for _, x := range []pair.Pair{lopsided, pair.Laplace{Shift: rat("3/2")}, pair.Gaussian{Mu2: rat("2")}, pair.Response{Eps: rat("1"), Delta: rat("0")}} {
		f := renyi.Of(once(x))
		for _, c := range []Conversion{Mironov, CKS} {
			d := (p + 80).Rat(rat("1e-3"))
			got := c.RealEpsilon(p, f, d)
			listed := c.Epsilon(p, f, d, DefaultOrders())
			if listed.Less(got.Interval) == interval.True {
				t.Errorf("%s, %s: %s over all orders, %s over some", x, c.Name, got, listed)
			}
			if !narrow(got.Interval, 20) {
				t.Errorf("%s, %s: %s is wide", x, c.Name, got)
			}
		}
	}
}

// TestConversionsOfKnownCurves: values that others have printed.
func TestConversionsOfKnownCurves(t *testing.T) {
	const p = interval.Prec(64)
	sgm := func(rate, mu2 string, steps int64) renyi.Divergence {
		return renyi.Of(pair.Product{{Pair: pair.Sampled{Rate: rat(rate), Base: once(pair.Gaussian{Mu2: rat(mu2)})}, Count: steps}})
	}
	delta := p.Rat(rat("1e-5"))
	for _, c := range []struct {
		name    string
		f       renyi.Divergence
		conv    Conversion
		lo, hi  string
		printed string
	}{
		{"TensorFlow Privacy, 60 epochs", sgm("256/60000", "100/121", 14062), Mironov, "3.005", "3.015", "3.01"},
		{"TensorFlow Privacy, 45 epochs", sgm("256/60000", "100/49", 10546), Mironov, "7.1002", "7.1003", "7.10"},
		{"Abadi et al., 40,000 steps", sgm("1/100", "1/16", 40000), Mironov, "2.57365", "2.57367", ""},
		{"Opacus, epoch 1", sgm("240/60000", "100/169", 250), Mironov, "0.705", "0.715", "0.71"},
	} {
		got := c.conv.Epsilon(p, c.f, delta, DefaultOrders())
		checkBetween(t, c.name, got.Interval, c.lo, c.hi)
		if cks := CKS.Epsilon(p, c.f, delta, DefaultOrders()); cks.Less(got.Interval) != interval.True {
			t.Errorf("%s: %s by rdp-cks is not below %s", c.name, cks, got)
		}
	}
}

// TestConversionsAreSound: the δ and the ε of each conversion respect the exact profile
// of a finite pair, at every order.
func TestConversionsAreSound(t *testing.T) {
	const p = interval.Prec(64)
	for _, x := range []pair.Finite{lopsided, lopsided.Reverse().(pair.Finite)} {
		f := renyi.Of(once(x))
		for _, c := range []Conversion{Mironov, CKS, MomentsAccountant} {
			for _, a := range []string{"11/10", "2", "33", "200"} {
				for _, ratio := range []string{"1", "11/10", "3", "14", "15"} {
					eps := p.Log(p.Rat(rat(ratio)))
					got := c.Delta(p, f, eps, []*big.Rat{rat(a)})
					if want := x.Delta(rat(ratio)); got.LessRat(want) == interval.True {
						t.Errorf("%s at α = %s: δ(log %s) = %s, but the truth is %s", c.Name, a, ratio, got, want.RatString())
					}
				}
			}
		}
	}
}

// TestErratumMomentsFromBuckets [Meiser & Mohammadi 2018, 5.7]: printed δ = αD_α − αε is
// negative for P = (1/2, 1/3, 1/6) against its reverse at α = 3, ε = 1, where the truth is
// 0.047…; e^(α(D_{α+1} − ε)) holds.
func TestErratumMomentsFromBuckets(t *testing.T) {
	const p = interval.Prec(64)
	x := pair.NewFinite([]*big.Rat{rat("1/2"), rat("1/3"), rat("1/6")}, []*big.Rat{rat("1/6"), rat("1/3"), rat("1/2")})
	f := renyi.Of(once(x))
	truth := p.Sub(p.Rat(rat("1/2")), p.Div(p.Exp(one), interval.Int(6))) // (1/2 − e/6)
	printed := p.Mul(interval.Int(3), p.Sub(f(p, renyi.At(rat("3"))), one))
	if printed.Negative() != interval.True {
		t.Errorf("printed: %s", printed)
	}
	corrected := Mironov.Delta(p, f, one, []*big.Rat{rat("4")})
	if corrected.Less(truth) != interval.False || truth.LessRat(rat("0.046")) == interval.True {
		t.Errorf("corrected: %s, truth %s", corrected, truth)
	}
}
