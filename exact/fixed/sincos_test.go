// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/fraction"
	"dpverify/exact/interval"
)

func TestSmallTurnsErrByLessThanTheirCounts(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	check := func(u frac) {
		x, y := value(u, 0), smallTurn(u)
		within(t, "sin", y.sin, 0, 7, 7, reference.Sin(x))
		within(t, "1 − cos", y.cos, 0, 10, 10, reference.Sub(interval.Int(1), reference.Cos(x)))
	}
	check(frac{})
	check(fraction.Sub(frac{Hi: 1 << 48}, frac{Lo: 1}))
	for range points(400) {
		check(anyFrac(r).Shr(16))
		check(anyFrac(r).Shr(uint(16 + r.Intn(176))))
		check(fraction.Sub(frac{Hi: 1 << 48}, anyFrac(r).Shr(uint(40+r.Intn(150)))))
	}
}

func TestSinCosErrByLessThan40Ulps(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	quarter := reference.Scale(reference.Pi(), -2)
	check := func(n int64, f frac) {
		half, k := sinCos(n, f)
		x := reference.Sub(reference.Add(interval.Int(n), value(f, 0)), reference.Mul(interval.Int(k), quarter))
		within(t, "sin", half.sin, 0, sinCosErr, sinCosErr, reference.Scale(reference.Sin(x), -1))
		within(t, "cos", half.cos, 0, sinCosErr, sinCosErr, reference.Scale(reference.Cos(x), -1))
		if x.Positive() != interval.True || x.LessRat(big.NewRat(octants, 256)) != interval.True {
			t.Fatalf("%d + %v is %v beyond %d octants", n, f, x, k)
		}
	}
	for range points(500) {
		check(int64(r.Intn(20)-10), some(r))
		check(int64(r.Intn(2<<20)-1<<20), some(r))
	}
	for i := range points(300) { // next to multiples of π/4
		q := uint64(i % 50)
		if i > 150 {
			q = uint64(r.Intn(1 << 20))
		}
		x := fraction.Times(q, &quarterPi)
		d := frac{Lo: uint64(r.Intn(3)), Hi: uint64(r.Intn(4)) << 22}
		for _, f := range []frac{fraction.Add(x.F, d), fraction.Sub(x.F, d)} {
			check(int64(x.N), f)
			if !f.IsZero() {
				check(-int64(x.N)-1, fraction.Sub(frac{}, f))
			}
		}
	}
	for _, n := range []int64{-1 << 20, -1, 0, 1, 1<<20 - 1} {
		check(n, frac{})
		check(n, fraction.Make(1<<64-1, 1<<64-1, 1<<64-1))
	}
}

// TestSinCosEnclose: in all octants, at the members of arguments that are enclosures.
func TestSinCosEnclose(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	w := Three{}
	known := 0
	for i := range points(300) {
		x := pack(r.Intn(2) == 0, some(r), r.Uint64()>>(2+r.Intn(62)), r.Intn(24)-3)
		if i%4 == 0 {
			x = x.exact()
		}
		s, c := w.SinCos(x)
		valid(t, s)
		valid(t, c)
		if !s.Known() || !c.Known() {
			continue
		}
		known++
		for _, a := range members(r, x) {
			y := reference.Rat(a)
			if !covers(s, reference.Sin(y)) || !covers(c, reference.Cos(y)) {
				t.Fatalf("sin and cos of %+v, %v and %v, leave out sin and cos of %v", x, s.Interval(), c.Interval(), y)
			}
		}
	}
	if known < points(300)/2 {
		t.Errorf("only %d are known", known)
	}
	for _, x := range []Real{Int(1 << 20), Unknown()} {
		if s, c := w.SinCos(x); s.Known() || c.Known() {
			t.Errorf("sin and cos of %v are known", x.Interval())
		}
	}
	if s, _ := w.SinCos(Int(1)); s.Interval().RelativeBits(200) < 180 {
		t.Errorf("sin 1 in %v", s.Interval())
	}
}

// TestComplexProductsEnclose: products of members.
func TestComplexProductsEnclose(t *testing.T) {
	w := Three{}
	r := rand.New(rand.NewSource(4))
	for range points(300) {
		x, y := Complex{anyReal(r, 0), anyReal(r, 0)}, Complex{anyReal(r, 0), anyReal(r, 0)}
		z := w.MulC(x, y)
		for k := range 3 {
			a, b, c, d := members(r, x.Re)[k], members(r, x.Im)[k], members(r, y.Re)[2-k], members(r, y.Im)[k]
			re := new(big.Rat).Sub(new(big.Rat).Mul(a, c), new(big.Rat).Mul(b, d))
			im := new(big.Rat).Add(new(big.Rat).Mul(a, d), new(big.Rat).Mul(b, c))
			if !contains(z.Re, re) || !contains(z.Im, im) {
				t.Fatalf("(%v, %v)·(%v, %v) is not in %v, %v", a, b, c, d, z.Re.Interval(), z.Im.Interval())
			}
		}
	}
}
