// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build unix

package pld

import (
	"math"
	"math/big"
	"syscall"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/fixed"
	"dpverify/exact/pair"
)

// BenchmarkLeaf: a sampled Gaussian at every one of 100,000 cells, as masses of two words take it: the tails by
// themselves, in words; the cells, enclosures of their masses in the form that grids take; and what the upper and the
// lower bound make of them. Grids themselves halve cells where it matters, and get by with some 1,500.
func BenchmarkLeaf(b *testing.B) {
	const cells, w, prec = 100_000, 167, 123
	x := pair.Sampled{Rate: big.NewRat(1, 100), Base: pair.Product{{Pair: pair.Gaussian{Mu2: big.NewRat(1, 16)}, Count: 1}}}
	tails, ok := closed.PairTails(x)
	words, fast := closed.PairWordTails(x)
	if !ok || !fast {
		b.Fatal("no tails")
	}
	m := mesh{big.NewRat(1, 1<<22), -42_000, cells - 42_000} // from log(1 − 1/100) on
	s := newTails(orient(x), tails)
	used := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	measure := func(b *testing.B, f func()) {
		start := used()
		for b.Loop() {
			f()
		}
		b.ReportMetric((used()-start)/float64(b.N), "cpu-s")
	}
	b.Run("tails", func(b *testing.B) {
		measure(b, func() {
			for i := m.lo; i <= m.hi; i++ {
				words(fixed.Three{}.Rat(m.at(i)))
			}
		})
	})
	var l *leaf
	b.Run("cells", func(b *testing.B) {
		measure(b, func() {
			var err error
			if l, err = s.cells(b.Context(), m, math.MaxInt, w); err != nil || len(l.words) < cells*9/10 { // the others hold no mass to speak of
				b.Fatal(len(l.words), err)
			}
		})
	})
	if l == nil {
		return
	}
	b.Run("upper", func(b *testing.B) {
		measure(b, func() { l.upper(w, prec) })
	})
	b.Run("lower", func(b *testing.B) {
		measure(b, func() { l.lower(prec, byLoss) })
	})
}
