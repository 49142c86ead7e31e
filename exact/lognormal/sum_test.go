// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import (
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/testkit"
)

// pick is one of some values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// powerOfE encloses e^x.
func powerOfE(x float64) interval.Interval { return interval.Prec(400).Exp(double.Exactly(x)) }

// TestPutOfOneTerm: E(K − Y)₊ = K·Φ(log K/μ + μ/2) − Φ(log K/μ − μ/2) is in every enclosure, and next to it.
func TestPutOfOneTerm(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewPCG(1, 2))
	const w = interval.Prec(400)
	for i := range testkit.Cases(3, 10) {
		mu2, x := big.NewRat(1+r.Int64N(60), 20), 4*r.Float64()-2
		s := New(mu2, 1)
		mu := w.Sqrt(w.Rat(mu2))
		near, half := w.Div(double.Exactly(x), mu), w.Scale(mu, -1)
		want := w.Sub(w.Mul(powerOfE(x), w.NormalCDF(w.Add(near, half))), w.NormalCDF(w.Sub(near, half)))
		for _, bits := range []interval.Prec{2, 4, 8, 40, 90, 160}[:min(6, 5+i/3)] {
			y, ok, err := s.Put(t.Context(), bits, powerOfE(x))
			if err != nil || !ok {
				t.Fatalf("μ² = %v, K = e^%v at %d bits: %v %v", mu2, x, bits, ok, err)
			}
			miss := double.Of(w.Sub(y, want).Abs()).Hi
			if !y.Encloses(want) || miss > math.Ldexp(8, -int(bits)) {
				t.Errorf("μ² = %v, K = e^%v at %d bits: %v, want %v", mu2, x, bits, y, want)
			}
		}
	}
}

// TestAnyContour: the price is in what every contour gives, however badly it is chosen.
func TestAnyContour(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewPCG(7, 4))
	const w = interval.Prec(200)
	tried, wide := 0, 0
	cases := testkit.Draws(5, 32, 80)
	for range cases {
		terms := pick[int64](r, 1, 2, 3, 5, 12)
		x := New(big.NewRat(1+r.Int64N(40), 10), terms)
		k := w.Mul(interval.Int(terms), powerOfE(3*r.Float64()-1))
		want, ok, err := x.Put(t.Context(), 60, k)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		scale := math.Exp2(4*r.Float64()-3) / double.Of(k).Mid()
		var c contour = line{c: 8 * scale, h: 8 * scale * math.Exp2(-4*r.Float64()), psi: math.Pi / 2 * r.Float64(),
			n: 3 + r.Int64N(30), w: leastBits, relative: 60}
		if r.IntN(2) == 0 {
			theta := 0.1 + 0.6*r.Float64()
			c = hyperbola{lambda: 16 * scale, theta: theta, d: theta * (0.1 + 0.85*r.Float64()), h: math.Exp2(-3 * r.Float64()),
				n: 3 + r.Int64N(20), w: leastBits, relative: 60}
		}
		route, err := x.travel(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		} else if route == nil {
			continue
		}
		tried++
		sum := route.price(k)
		if !sum.IsFinite() {
			wide++
		} else if _, meet := interval.Intersect(sum, want); !meet {
			t.Errorf("%d terms, μ² = %v, K = %v, %+v: %v, want %v", terms, x.mu2, k, c, sum, want)
		}
	}
	if tried < cases/2 || wide > tried/2 {
		t.Errorf("%d contours tried, %d without an answer", tried, wide)
	}
}

// TestPutOfNearlyConstants: the transforms of few terms of little variance are small, and known to as many digits.
func TestPutOfNearlyConstants(t *testing.T) {
	const w = interval.Prec(200)
	k := w.Mul(interval.Int(8), powerOfE(-0.02))
	for _, bits := range []interval.Prec{8, 60, 110} {
		y, ok, err := New(big.NewRat(1, 3600), 8).Put(t.Context(), bits, k)
		if miss := double.Of(w.Sub(y.Upper(), y.Lower())).Hi; err != nil || !ok || !(miss <= math.Ldexp(8, -int(bits))) {
			t.Errorf("%d bits: %v, %v %v", bits, y, ok, err)
		}
	}
}

// TestAnyShortPeriod: of many terms, the price by a period that is longer than K is in what shorter ones give.
func TestAnyShortPeriod(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 4))
	const w = interval.Prec(200)
	tried := 0
	cases := testkit.Draws(6, 16, 80)
	for range cases {
		mu2, terms := big.NewRat(1, 20+r.Int64N(60)), 100+r.Int64N(300)
		x := New(mu2, terms)
		deviation := math.Sqrt(number.Float64(mu2) / float64(terms))
		k := w.Mul(interval.Int(terms), powerOfE(deviation*(6*r.Float64()-3)))
		x.scouted()
		c, _ := x.scout.choose(40*math.Ln2, x.scout.quantized(k))
		good, ok := c.(line)
		if !ok || good.b == 0 {
			t.Fatalf("%d terms, μ² = %v: %+v", terms, mu2, c)
		}
		price := func(l line) interval.Interval {
			route, err := x.travel(t.Context(), l)
			if err != nil || route == nil {
				t.Fatalf("%+v: %v", l, err)
			}
			return route.price(k)
		}
		of := func(h, b float64) line {
			l := good
			l.h, l.b, l.n = h, b, int64(math.Ceil(float64(good.n)*good.h/h))
			return l
		}
		want := price(of(2*math.Pi/(1.02*double.Of(k).Hi), 0))
		if miss := double.Of(interval.Prec(100).Sub(want.Upper(), want.Lower())).Hi; !(miss < 1e-8*float64(terms)) {
			t.Errorf("%d terms, μ² = %v, K = %v: %v", terms, mu2, k, want)
		}
		for _, l := range []line{good, of(good.h*(1+2*r.Float64()), good.c*(1+3*r.Float64())), of(good.h, good.c)} {
			y := price(l)
			if _, meet := interval.Intersect(y, want); !meet && y.IsFinite() {
				t.Errorf("%d terms, μ² = %v, K = %v, %+v: %v, want %v", terms, mu2, k, l, y, want)
			}
			if y.IsFinite() {
				tried++
			}
		}
	}
	if tried < cases {
		t.Errorf("%d of %d lines have an answer", tried, 3*cases)
	}
}

// TestAnyRule: φ is in what every rule gives, however badly it is chosen: the continuation by another angle is the
// same.
func TestAnyRule(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewPCG(5, 6))
	tried := 0
	cases := testkit.Cases(30, 200)
	for range cases {
		mu2 := big.NewRat(1+r.Int64N(60), 20)
		good := newTransform(mu2, 1, 160, 60)
		beta := 2.2 * r.Float64()
		s := interval.Prec(160).ScaleC(powerOfE(6*r.Float64()-3), interval.Prec(160).ExpI(double.Exactly(beta)))
		want, ok := good.at(s)
		if !ok {
			t.Fatalf("μ² = %v, argument %v: no answer", mu2, beta)
		}
		bad := newTransform(mu2, 1, 160, 60)
		i := int(math.Ceil(double.Of(low.ArgC(s)).Mid() * directions / math.Pi))
		psi := max(0, beta-1.5) + r.Float64()*min(1.5, beta)
		rule := &rule{psi: psi, step: math.Exp2(-3 * r.Float64()), above: 8 * r.Float64(), down: 8 * r.Float64()}
		bad.need = 60 * r.Float64()
		bad.prepare(rule)
		bad.rules[i] = rule
		got, ok := bad.at(s)
		if !ok {
			continue
		}
		tried++
		_, re := interval.Intersect(got.Re, want.Re)
		_, im := interval.Intersect(got.Im, want.Im)
		if !re || !im {
			t.Errorf("μ² = %v, argument %v, %+v: %v, want %v", mu2, beta, rule.psi, got, want)
		}
	}
	if tried < cases/2 {
		t.Errorf("%d rules tried", tried)
	}
}

// TestTransform: φ is what a sum in complex128 has, and three words and more agree.
func TestTransform(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewPCG(7, 8))
	for range testkit.Cases(20, 60) {
		mu2 := big.NewRat(1+r.Int64N(80), 20)
		m, _ := mu2.Float64()
		mu := math.Sqrt(m)
		s := cmplx.Rect(math.Exp(6*r.Float64()-3), 1.5*r.Float64())
		var sum complex128
		const step = 1.0 / 256
		for i := -14 * 256; i <= 14*256; i++ {
			z := float64(i) * step
			sum += cmplx.Exp(-s*complex(math.Exp(mu*z-m/2), 0)) * complex(step*math.Exp(-z*z/2)/math.Sqrt(2*math.Pi), 0)
		}
		at := interval.Complex{Re: double.Exactly(real(s)), Im: double.Exactly(imag(s))}
		short, ok := newTransform(mu2, 1, 100, 50).at(at)
		long, more := newTransform(mu2, 1, wordBits+16, 50).at(at)
		if !ok || !more {
			t.Fatalf("μ² = %v at %v: no answer", mu2, s)
		}
		_, re := interval.Intersect(short.Re, long.Re)
		_, im := interval.Intersect(short.Im, long.Im)
		about := complex(double.Of(short.Re).Mid(), double.Of(short.Im).Mid())
		if !re || !im || cmplx.Abs(about-sum) > 1e-10 {
			t.Errorf("μ² = %v at %v: %v and %v, want %v", mu2, s, short, long, sum)
		}
	}
}

// TestPowersBound: |φ(s)|^t is at most what power has for x = Re s·e^{−iψ}.
func TestPowersBound(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewPCG(9, 10))
	const w = interval.Prec(120)
	for range testkit.Cases(30, 100) {
		terms := 1 + r.Int64N(5)
		tr := newTransform(big.NewRat(1+r.Int64N(40), 20), terms, w, 60)
		beta := 2 * r.Float64()
		psi := max(0, beta-1.5) + r.Float64()*min(1.5, beta)
		s := w.ScaleC(powerOfE(6*r.Float64()-3), w.ExpI(double.Exactly(beta)))
		x := w.MulC(s, w.ExpI(double.Exactly(psi).Neg())).Re
		most, ok := tr.power(psi, x)
		phi, known := tr.at(s)
		if !ok || !known {
			t.Fatalf("argument %v, ψ %v: no answer", beta, psi)
		}
		if size := low.PowInt(low.AbsC(phi), terms); low.Sub(most, size).Negative() == interval.True {
			t.Errorf("argument %v, ψ %v: |φ|^%d = %v, want at most %v", beta, psi, terms, size, most)
		}
	}
}
