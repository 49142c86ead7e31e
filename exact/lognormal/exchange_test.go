// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import (
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
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
		eps := double.Exactly(4*r.Float64() - 1)
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

// priceBy is the price by these rules.
func priceBy(t *testing.T, x *Exchange, o outer, eps interval.Interval) interval.Interval {
	rules, err := x.tabulated(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	y, err := rules.price(t.Context(), eps)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// TestAnyExchangeRule: the price is in what every rule gives, however badly it is chosen.
func TestAnyExchangeRule(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const w = interval.Prec(200)
	tried := 0
	for i := range testkit.Draws(8, 16, 48) {
		terms := pick[int64](r, 1, 1, 2, 3, 6)
		mu2 := big.NewRat(4+r.Int64N(36), 10)
		eps := double.Exactly(3*r.Float64() - 1)
		if i%12 == 0 { // the transform grows across the strip
			terms, mu2 = 6, big.NewRat(2, 5)
		}
		if i%8 == 7 {
			eps = double.Exactly(2)
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
		o, _ := chooseOuter(mu2, terms, 30, double.Exactly(2))
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
		y := priceBy(t, x, o, eps)
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

// TestAnyRuleOfManyTerms: the price by a narrow strip is in what every rule of a wide one gives, however badly it is
// chosen, and chosen well it is as near as was asked.
func TestAnyRuleOfManyTerms(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for i := range testkit.Draws(2, 8, 60) {
		mu2 := pick(r, big.NewRat(1, 4), big.NewRat(1, 40), big.NewRat(1, 600))
		terms := 1000 + r.Int64N(2000)
		if mu2.Denom().Int64() == 4 {
			terms *= 5
		}
		scale := 2 * math.Sqrt(number.Float64(mu2)/float64(terms))
		eps := double.Exactly(scale * (4*r.Float64() - 1))
		x := NewExchange(mu2, terms)
		price := func(o outer) interval.Interval { return priceBy(t, x, o, eps) }
		o, ok := chooseOuter(mu2, terms, 40, eps.Abs())
		if !ok || o.taylor == 0 {
			t.Fatalf("μ² = %v, %d terms: %+v", mu2, terms, o)
		}
		to := func(o outer, step float64) outer {
			o.first = int64(math.Floor(float64(o.first) * o.step / step))
			o.last, o.step = int64(math.Ceil(float64(o.last)*o.step/step)), step
			return o
		}
		narrow := to(o, min(o.step, 0.16*math.Sqrt(2*number.Float64(mu2)/float64(terms))))
		narrow.taylor, narrow.strip = 0, math.Sqrt(2*number.Float64(mu2)*8/float64(terms))
		want, good := price(narrow), price(o)
		for _, y := range []interval.Interval{want, good} {
			if miss := double.Of(interval.Prec(100).Sub(y.Upper(), y.Lower())).Hi; !(miss <= math.Ldexp(float64(terms), -34)) {
				t.Errorf("μ² = %v, ε = %v, %d terms: %v", mu2, eps, terms, y)
			}
		}
		bad := o
		switch i % 4 {
		case 0:
			bad = to(o, o.step*(1+8*r.Float64()))
		case 1:
			bad.taylor = 2 + r.IntN(maxOrder-1)
			bad.strip *= 0.2 + 1.2*r.Float64()
		case 2:
			bad.last -= 1 + r.Int64N(bad.last-bad.first)/3
		case 3:
			bad = to(o, o.step*2)
			bad.lift *= 0.2 + 2*r.Float64()
			bad.last -= r.Int64N(20)
		}
		for _, y := range []interval.Interval{good, price(bad)} {
			if _, both := interval.Intersect(y, want); !both && y.IsFinite() {
				t.Errorf("μ² = %v, ε = %v, %d terms, %+v: %v, want %v", mu2, eps, terms, bad, y, want)
			}
		}
	}
}

// TestTransformInAWideStrip: what moments say of φ(ue^{iθ}) is at least its size, by the integral for it.
func TestTransformInAWideStrip(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range testkit.Draws(60, 200, 2000) {
		mu2 := big.NewRat(1+r.Int64N(60), 100)
		mu, strip, eps := math.Sqrt(number.Float64(mu2)), 0.05+0.6*r.Float64(), r.Float64()-0.5
		top := double.Exactly(math.Exp(3*r.Float64()-2) / mu)
		series := newSeries[interval.Interval](fixed.InBits{Prec: 250}, 250, mu2, maxOrder)
		b := series.moments(double.Exactly(eps), 1)
		penalty := low.Div(low.Sqr(double.Exactly(strip)), low.Scale(low.Rat(mu2), 1))
		order := 2 + r.IntN(maxOrder-1)
		a, g := falls(b, top, double.Exactly(strip), beyondTwo(b, top, double.Exactly(strip), penalty, order))
		transform := func(u, theta float64) complex128 {
			sum := complex(0, 0)
			for y := -12.0; y <= 12; y += 1.0 / 256 {
				v := complex(mu*y, theta)
				z := 2i*complex(u, 0)*cmplx.Exp(complex(0, theta))*cmplx.Sinh(v) -
					(v/complex(mu, 0)+complex(eps/(2*mu), 0))*(v/complex(mu, 0)+complex(eps/(2*mu), 0))/2
				sum += cmplx.Exp(z) / 256
			}
			return sum / complex(math.Sqrt(2*math.Pi), 0)
		}
		u, theta := double.Of(top).Mid(), strip*r.Float64()
		at := transform(u, theta)
		if here, most := math.Log(cmplx.Abs(at)), double.Of(a).Hi; here-1e-9 > most {
			t.Errorf("μ² = %v, ε = %v, %v·e^%vi of %v: %v, want at most %v", mu2, eps, u, theta, strip, here, most)
		}
		w, power := 1i*complex(u, 0)*cmplx.Exp(complex(0, theta)), complex(1, 0)
		for k := range 2 * order {
			at -= power * complex(double.Of(b[k]).Mid(), 0)
			power *= w
		}
		most := double.Of(remainder(b, top, double.Exactly(strip), penalty, order)).Hi
		if miss := cmplx.Abs(at); cmplx.Abs(power) < 1e6 && miss-1e-9 > most {
			t.Errorf("μ² = %v, ε = %v, %v·e^%vi, %d terms: off by %v, want at most %v", mu2, eps, u, theta, 2*order, miss, most)
		}
		u *= r.Float64()
		if here, most := math.Log(cmplx.Abs(transform(u, strip))), double.Of(g).Hi; here-1e-9 > most {
			t.Errorf("μ² = %v, ε = %v, %v·e^%vi: %v, want at most %v", mu2, eps, u, strip, here, most)
		}
	}
}
