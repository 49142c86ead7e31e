// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestNarrowArguments: images of short intervals, which are computed from one end, contain those of both ends, and are
// not wider than the hull of both but for a rounding.
func TestNarrowArguments(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	const exact = Prec(500)
	functions := []struct {
		name  string
		f     func(Prec, Interval) Interval
		point func(Prec, *big.Float) Interval
		least Prec // below, three words compute both ends
	}{
		{"exp", Prec.Exp, Prec.expPoint, maxThree + 1},
		{"log", Prec.Log, Prec.logPoint, maxThree + 1},
		{"erfc", Prec.Erfc, Prec.erfcPoint, 2},
		{"1 − Φ", Prec.NormalSF, Prec.normalSFPoint, 2},
	}
	wider, all := 0, 0
	for i := range 1000 {
		more, e, size := Prec(rng.IntN(70)), rng.IntN(80), 1-rng.Float64()
		a := new(big.Float).SetPrec(uint(2 + rng.IntN(90))).SetFloat64((rng.Float64() - .4) * 100)
		if i%8 == 0 {
			a.SetMantExp(a, -rng.IntN(100)) // next to 0, or across it
		}
		for _, f := range functions {
			if f.name == "log" && a.Sign() <= 0 {
				continue
			}
			p := f.least + more
			d := new(big.Float).SetMantExp(big.NewFloat(size), -e-int(p)/3)
			b := new(big.Float).SetPrec(400).Add(a, d)
			x, left, right := Interval{a, b}, f.point(p, a), f.point(p, b)
			y := f.f(p, x)
			for _, end := range []*big.Float{a, b} {
				if z := f.point(exact, end); y.l().Cmp(z.h()) > 0 || y.h().Cmp(z.l()) < 0 {
					t.Fatalf("%s in %d bits: %v of [%v, %v] misses %v", f.name, p, y, a, b, z)
				}
			}
			hull := Union(left, right)
			all++
			if new(big.Float).Sub(y.h(), y.l()).Cmp(new(big.Float).Sub(hull.h(), hull.l())) > 0 {
				wider++
			}
		}
	}
	if wider > all/20 {
		t.Errorf("%d of %d images are wider than the hull of both ends", wider, all)
	}
}

// TestArgumentsOnTables: exp, sin and cos at the arguments of their tables, at multiples of log 2 and of π/2, and next to
// all of them on both sides.
func TestArgumentsOnTables(t *testing.T) {
	const fine = Prec(420)
	var xs []*big.Float
	around := func(x *big.Float) {
		for d := range 3 {
			off := new(big.Float).SetMantExp(big.NewFloat(float64(d-1)), -300)
			y := new(big.Float).SetPrec(700).Add(x, off)
			xs = append(xs, y, new(big.Float).Neg(y))
		}
	}
	for _, n := range []int64{1, 88, 89, 127, 128, 201, 202, 1000} {
		for _, e := range []int{0, -7, -14, -21} {
			around(new(big.Float).SetMantExp(new(big.Float).SetInt64(n), e))
		}
	}
	for n := range int64(5) {
		around(Prec(300).Mul(Int(n+1), Prec(300).Ln2()).l())
		around(Prec(300).Scale(Prec(300).Mul(Int(n+1), Prec(300).Pi()), -1).h())
	}
	one := big.NewRat(1, 1)
	for _, f := range xs {
		x := Interval{f, f}
		e, sin, cos := fine.Exp(x), fine.Sin(x), fine.Cos(x)
		for _, p := range []Prec{2, 3, 53, 144, 232, 440} {
			y := p.Exp(x)
			s, c := p.SinCos(x)
			for _, pair := range [][2]Interval{{y, e}, {s, sin}, {c, cos}, {p.Log(y), x}} {
				if _, ok := Intersect(pair[0], pair[1]); !ok {
					t.Fatalf("%d bits at %v: %v and %v", p, f, pair[0], pair[1])
				}
			}
			if !p.Mul(y, p.Exp(x.Neg())).ContainsRat(one) || !p.Add(p.Sqr(s), p.Sqr(c)).ContainsRat(one) {
				t.Fatalf("%d bits at %v: %v, %v, %v", p, f, y, s, c)
			}
		}
	}
}
