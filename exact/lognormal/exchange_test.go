// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/testkit"
)

// priceOfOne is E(A − γB)₊ = Φ(μ − d) − γΦ(−μ − d), d = ε/2μ: A > γB where Z > d.
func priceOfOne(w interval.Prec, mu2 *big.Rat, eps interval.Interval) interval.Interval {
	mu := w.Sqrt(w.Rat(mu2))
	d := w.Div(eps, w.Scale(mu, 1))
	return w.Sub(w.NormalCDF(w.Sub(mu, d)), w.Mul(w.Exp(eps), w.NormalCDF(w.Sub(mu.Neg(), d))))
}

// TestExchangeOfOneTerm: the closed form is in every enclosure, and next to it.
func TestExchangeOfOneTerm(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const w = interval.Prec(300)
	for range testkit.Cases(2, 4) {
		mu2 := big.NewRat(1+r.Int64N(60), 20)
		eps := exactly(4*r.Float64() - 1)
		want := priceOfOne(w, mu2, eps)
		for _, bits := range []interval.Prec{2, 8, 50} {
			y, ok, err := NewExchange(mu2, 1).Price(t.Context(), bits, eps)
			if err != nil || !ok {
				t.Fatalf("μ² = %v, ε = %v at %d bits: %v %v", mu2, eps, bits, ok, err)
			}
			miss := double.Of(w.Sub(y, want).Abs()).Hi
			if !y.Encloses(want) || miss > math.Ldexp(8, -int(bits)) {
				t.Errorf("μ² = %v, ε = %v at %d bits: %v, want %v", mu2, eps, bits, y, want)
			}
		}
	}
}

// TestAnyExchangeRule: the price is in what every rule gives, however badly it is chosen.
func TestAnyExchangeRule(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const w = interval.Prec(200)
	tried := 0
	for i := range testkit.Draws(8, 16, 48) {
		terms := pick[int64](r, 1, 1, 2, 3, 6)
		mu2 := big.NewRat(4+r.Int64N(36), 10)
		eps := exactly(3*r.Float64() - 1)
		if i%12 == 0 { // the transform grows across the strip
			terms, mu2 = 6, big.NewRat(2, 5)
		}
		if i%8 == 7 {
			eps = exactly(2)
		}
		x := NewExchange(mu2, terms)
		want := priceOfOne(w, mu2, eps)
		if terms > 1 {
			var ok bool
			var err error
			if want, ok, err = x.Price(t.Context(), 50, eps); err != nil || !ok {
				t.Fatal(ok, err)
			}
		}
		o, _ := chooseOuter(mu2, terms, 30, exactly(2))
		o.w = pick[interval.Prec](r, 60, wordBits+wordGuard+8)
		switch i % 8 {
		case 0:
			o.step *= 1 + 3*r.Float64()
			o.first, o.last = o.first/2-4, o.last/2+4
			if o.strip *= 0.2 + 0.8*r.Float64(); i%12 == 0 {
				o.strip = 1.5
			}
		case 1:
			o.first += r.Int64N(1 + max(-o.first, 0))
			o.order = 1 + r.IntN(maxOrder)
		case 2:
			o.last -= r.Int64N(40)
			o.lift *= 0.1 + 0.9*r.Float64()
		case 3:
			o.inner.step *= 1 + 3*r.Float64()
		case 4:
			o.inner.far /= 1 + r.Int64N(12)
		case 5:
			o.inner.angle = 1 + r.Int64N(angles/2)
			o.inner.up *= r.Float64()
		case 6:
			o.cut *= 0.3 * r.Float64()
		case 7: // tails of variables with a mean
			from := 1 / math.Sqrt(number.Float64(mu2))
			o.inner.far = int64(math.Ceil((from + 2*r.Float64()) / o.inner.step))
		}
		rules, err := x.tabulated(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		y, err := rules.price(t.Context(), eps)
		if err != nil {
			t.Fatal(err)
		}
		if !y.IsFinite() {
			continue
		}
		if _, both := interval.Intersect(y, want); !both || terms == 1 && !y.Encloses(want) {
			t.Errorf("μ² = %v, ε = %v, %d terms, %+v: %v, want %v", mu2, eps, terms, o, y, want)
		}
		tried++
	}
	if tried < testkit.Draws(6, 12, 36) {
		t.Errorf("%d rules have an answer", tried)
	}
}
