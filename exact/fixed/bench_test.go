// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/rand"
	"testing"

	"dpverify/exact/fraction"
)

// arguments returns enclosures of numbers in [2^−8, 2^exp), with a few ulps of error.
func arguments(exp int) []Real {
	r := rand.New(rand.NewSource(1))
	out := make([]Real, 1024)
	for i := range out {
		out[i] = pack(false, fraction.Make(r.Uint64(), r.Uint64(), r.Uint64()), 3, exp)
	}
	return out
}

var sink Real

var benchmarks = []struct {
	name string
	exp  int
	f    func(x, y Real) Real
}{
	{"Add", 0, Three{}.Add}, {"Mul", 0, Three{}.Mul}, {"Div", 0, Three{}.Div},
	{"Sqrt", 0, func(x, _ Real) Real { return Three{}.Sqrt(x) }},
	{"Exp", 5, func(x, _ Real) Real { return Three{}.Exp(x) }},
	{"Expm1", -2, func(x, _ Real) Real { return Three{}.Expm1(x) }},
	{"Log", 1, func(x, _ Real) Real { return Three{}.Log(x) }},
	{"Log1p", 0, func(x, _ Real) Real { return Three{}.Log1p(x) }},
	{"SinCos", 3, func(x, _ Real) Real { s, c := Three{}.SinCos(x); s.m.Lo ^= c.m.Lo; return s }},
	{"MulC", 0, func(x, y Real) Real { return Three{}.MulC(Complex{x, y}, Complex{y, x}).Re }},
	{"Erfc", 3, func(x, _ Real) Real { return Three{}.Erfc(x) }},
	{"NormalSF", 4, func(x, _ Real) Real { return Three{}.NormalSF(x) }},
}

func BenchmarkThree(b *testing.B) {
	for _, f := range benchmarks {
		b.Run(f.name, func(b *testing.B) {
			xs := arguments(f.exp)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				sink = f.f(xs[i&1023], xs[(i+1)&1023])
				i++
			}
		})
	}
}

// TestNothingAllocates: not one of the functions.
func TestNothingAllocates(t *testing.T) {
	for _, f := range benchmarks {
		xs := arguments(f.exp)
		if n := testing.AllocsPerRun(10, func() {
			for i := range xs[1:] {
				sink = f.f(xs[i], xs[i+1])
			}
		}); n > 0 {
			t.Errorf("%s allocates %v times for %d points", f.name, n, len(xs)-1)
		}
	}
}
