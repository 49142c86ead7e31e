// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"testing"
)

// The elementary functions at one argument of full precision. crosscheck
// compares exp and log with bigfloat in one run.

func benchmark(b *testing.B, f func(Prec, Interval) Interval, num, den int64) {
	for _, p := range []Prec{64, 128, 256, 1024, 10000} {
		b.Run(map[Prec]string{64: "bits=64", 128: "bits=128", 256: "bits=256", 1024: "bits=1024", 10000: "bits=10000"}[p], func(b *testing.B) {
			x := Point(p.Rat(big.NewRat(num, den)).l())
			f(p, x) // constants and nodes are computed once
			b.ReportAllocs()
			for b.Loop() {
				f(p, x)
			}
		})
	}
}

func BenchmarkExp(b *testing.B)       { benchmark(b, Prec.Exp, 4, 3) }
func BenchmarkExpm1(b *testing.B)     { benchmark(b, Prec.Expm1, 1, 3) }
func BenchmarkLog(b *testing.B)       { benchmark(b, Prec.Log, 14, 3) }
func BenchmarkLog1p(b *testing.B)     { benchmark(b, Prec.Log1p, 1, 3) }
func BenchmarkSqrt(b *testing.B)      { benchmark(b, Prec.Sqrt, 14, 3) }
func BenchmarkErfcSmall(b *testing.B) { benchmark(b, Prec.Erfc, 1, 3) }
func BenchmarkErfc(b *testing.B)      { benchmark(b, Prec.Erfc, 10, 3) }
func BenchmarkErfcTail(b *testing.B)  { benchmark(b, Prec.Erfc, 100, 3) }
func BenchmarkMul(b *testing.B) {
	benchmark(b, func(p Prec, x Interval) Interval { return p.Mul(x, x) }, 10, 3)
}
func BenchmarkAdd(b *testing.B) {
	benchmark(b, func(p Prec, x Interval) Interval { return p.Add(x, x) }, 10, 3)
}
