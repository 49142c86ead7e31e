// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestStatedBoundsPairs: a guarantee that a pair just keeps, at a few orders in both orientations, bounds its
// divergences at every other order, in particular below 1, where the other orientation and convexity say more than
// monotonicity.
func TestStatedBoundsPairs(t *testing.T) {
	const w = interval.Prec(100)
	rng := rand.New(rand.NewSource(5))
	all := []*big.Rat{rat("1/100"), rat("1/5"), rat("1/2"), rat("7/10"), rat("99/100"), rat("1"), rat("101/100"), rat("3/2"), rat("2"), rat("3"), rat("8"), rat("30")}
	sharp := 0
	for range testkit.Cases(60, 2000) {
		f := randomPair(rng)
		g := f.Reverse().(pair.Finite)
		of := func(a *big.Rat) interval.Interval {
			return interval.Max(Of(once(f))(w, At(a)), Of(once(g))(w, At(a)))
		}
		var e mechanism.RenyiCurve
		for _, a := range all {
			hi, ok := of(a).UpperRat()
			if ok && rng.Intn(3) == 0 {
				e.Orders, e.Values = append(e.Orders, a), append(e.Values, hi)
			}
		}
		if len(e.Orders) == 0 {
			continue
		}
		curve := pair.NewRenyiCurve(e)
		for _, a := range append(slices.Clone(all), big.NewRat(1+rng.Int63n(300), 100)) {
			r, ok := stated(curve, a)
			if !ok {
				continue
			}
			y := of(a)
			if interval.Prec(100).Rat(r).Less(y) == interval.True {
				t.Errorf("%s is kept by %s, which has R(%s) in %v; stated is %s", curve, f, a.RatString(), y, r.FloatString(12))
			}
			if i := slices.IndexFunc(e.Orders, func(b *big.Rat) bool { return b.Cmp(a) >= 0 }); i < 0 || r.Cmp(e.Values[i]) < 0 {
				sharp++
			}
		}
	}
	if sharp == 0 {
		t.Error("no bound is below the value of the next order")
	}
	zcdp := pair.ZCDP{Rho: rat("1/10"), Xi: rat("0")}
	for _, a := range all {
		r, _ := stated(zcdp, a)
		for _, x := range []pair.Pair{pair.Gaussian{Mu2: rat("1/5")}, pair.Response{Eps: rat("447/1000"), Delta: rat("0")}} {
			if y := Of(once(x))(w, At(a)); w.Rat(r).Less(y) == interval.True {
				t.Errorf("%s keeps %s and has R(%s) in %v; stated is %s", x, zcdp, a.RatString(), y, r.RatString())
			}
		}
	}
}

// TestSampledReversedBound: the bound of second order in the rate is above the divergence of Q against (1−γ)Q + γP, and
// close to it for small rates.
func TestSampledReversedBound(t *testing.T) {
	const w = interval.Prec(100)
	rng := rand.New(rand.NewSource(6))
	for range testkit.Cases(40, 1000) {
		f := randomPair(rng)
		for _, rate := range []string{"1/1000", "1/10", "1/2", "9/10"} {
			x := pair.Sampled{Rate: rat(rate), Base: once(f), Reversed: true}
			bound, ok := sampledReversedBound(x)
			if !ok {
				t.Fatal("no bound")
			}
			for _, a := range []string{"3/2", "2", "7"} {
				y, z := bound(w, rat(a)), Of(once(f.Sample(rat(rate)).Reverse()))(w, At(rat(a)))
				z = w.Mul(z, w.Rat(minusOne(rat(a))))
				if interval.Point(y.Hi()).Less(z) == interval.True {
					t.Errorf("log M(%s) of a sample of %s at %s is in %v, and bounded by %v", a, f, rate, z, y)
				}
			}
		}
	}
	zcdp := pair.Sampled{Rate: rat("1/1000"), Base: once(pair.ZCDP{Rho: rat("1/2"), Xi: rat("0")}), Reversed: true}
	if bound, _ := sampledReversedBound(zcdp); bound(w, rat("2")).LessRat(rat("2e-6")) != interval.True { // e − 1 = 1.718
		t.Errorf("log M(2) of a sample of zCDP is at most %v", bound(w, rat("2")))
	}
}

// TestGreatestLossOfBoundedRange: a sample of the exponential mechanism has losses of at most log(1 + γ(e^ε − 1)), in a
// sample without replacement in either orientation.
func TestGreatestLossOfBoundedRange(t *testing.T) {
	const w = interval.Prec(64)
	e := mechanism.SampledWithoutReplacement{SourceDatasetSize: 1000, SampleSize: 1, Event: mechanism.ExponentialMechanism{Epsilon: rat("1")}}
	prob, err := meaning.Resolve(e, mechanism.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCurve(prob, mechanism.Both)
	if err != nil {
		t.Fatal(err)
	}
	want := w.Log1p(w.Mul(w.Rat(rat("1/1000")), w.Expm1(one)))
	if y := c.At(w, Infinity); y.Hi().Cmp(want.Lo()) < 0 || w.Sub(y.Upper(), want).LessRat(rat("1e-12")) != interval.True || y.Lo().Sign() <= 0 {
		t.Errorf("R_∞ in %v, want at most %v", y, want)
	}
}
