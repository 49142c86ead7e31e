// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"flag"
	"math/big"
	"testing"

	"dpverify/exact/fraction"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite tables.bin")

// TestTables computes every word of tables.bin again by exact/interval, with 640 bits.
func TestTables(t *testing.T) {
	if testing.Short() && !*update && raceEnabled {
		t.Skip("nothing runs at the same time here; go test without the race detector runs it, in a tenth of the time")
	}
	testkit.Table(t, "tables.bin", tablesBin, makeTables(), *update)
}

// makeTables returns the words of the tables, in the order of forTables.
func makeTables() []uint64 {
	const w = interval.Prec(640)
	var out []uint64
	// put appends ⌊x·2^(64n)⌋.
	put := func(x interval.Interval, n int) { out = append(out, wordsOf(x, n)...) }
	rat := func(num, den int64) interval.Interval { return w.Rat(big.NewRat(num, den)) }
	put(w.Sqrt(rat(1, 2)), 3)
	put(w.Scale(w.Pi(), -2), 4)
	for i := range int64(octants) {
		put(w.Scale(w.Sin(rat(i, 256)), -1), 3)
		put(w.Scale(w.Cos(rat(i, 256)), -1), 3)
	}
	for i := range int64(256) {
		put(w.Sin(rat(i, 1<<16)), 3)
		put(w.Sub(interval.Int(1), w.Cos(rat(i, 1<<16))), 3)
	}
	factorial := func(k int64) int64 { return new(big.Int).MulRange(1, k).Int64() }
	for _, k := range []int64{9, 7, 5, 3, 10, 8, 6, 4, 2} {
		put(rat(1, factorial(k)), 3)
	}
	put(w.Scale(w.Div(interval.Int(1), w.Sqrt(w.Pi())), -6), 4)
	for i := range int64(erfcxNodes) {
		put(w.Scale(erfcxAt(w, rat(i+1, 64)), -1), 4)
	}
	return out
}

// wordsOf returns the n words of ⌊x·2^(64n)⌋, most significant first.
func wordsOf(x interval.Interval, n int) []uint64 {
	lo, _ := new(big.Float).SetMantExp(x.Lo(), 64*n).Int(nil)
	hi, _ := new(big.Float).SetMantExp(x.Hi(), 64*n).Int(nil)
	if lo.Cmp(hi) != 0 || lo.Sign() < 0 || lo.BitLen() > 64*n {
		panic("a word of a table is not known, or does not fit")
	}
	var out []uint64
	for k := n - 1; k >= 0; k-- {
		d := new(big.Int).Rsh(lo, uint(64*k))
		out = append(out, d.And(d, new(big.Int).SetUint64(1<<64-1)).Uint64())
	}
	return out
}

// TestNodes computes the coefficients of every node by exact/interval, with 640 bits: none of their words differs, and
// the words that are left out are 0.
func TestNodes(t *testing.T) {
	if testing.Short() && raceEnabled {
		t.Skip("nothing runs at the same time here; go test without the race detector runs it, in a tenth of the time")
	}
	const w = interval.Prec(640)
	for i := range uint64(erfcxNodes) {
		nd := nodeAt(i)
		for n, b := range taylor(w, w.Rat(big.NewRat(int64(i)+1, 64))) {
			var got frac
			switch {
			case n < 10:
				got = nd.a[n]
			case n < 19:
				got = fraction.Make(0, nd.b[n-10][0], nd.b[n-10][1])
			default:
				got = fraction.Make(0, 0, nd.c[n-19])
			}
			if want := wordsOf(w.Scale(b.Abs(), -6*n-1), 3); got != (fraction.Make(want[0], want[1], want[2])) {
				t.Fatalf("node %d, coefficient %d: %x, want %x", i, n, got, want)
			}
		}
	}
}

func erfcxAt(w interval.Prec, x interval.Interval) interval.Interval {
	return w.Mul(w.Exp(w.Sqr(x)), intervalErfc(w, x))
}

// taylor returns erfcx⁽ⁿ⁾(x)/n! for n = 0, …, 26, by erfcx″ = 2x·erfcx′ + 2·erfcx.
func taylor(w interval.Prec, x interval.Interval) []interval.Interval {
	y := erfcxAt(w, x)
	a := []interval.Interval{y, w.Sub(w.Scale(w.Mul(x, y), 1), w.Div(interval.Int(2), w.Sqrt(w.Pi())))}
	for n := int64(0); len(a) < 27; n++ {
		// (n + 2)·a_(n+2) = 2x·a_(n+1) + 2·a_n, by (x·y′)⁽ⁿ⁾ = x·y⁽ⁿ⁺¹⁾ + n·y⁽ⁿ⁾
		a = append(a, w.Div(w.Scale(w.Add(w.Mul(x, a[n+1]), a[n]), 1), interval.Int(n+2)))
	}
	return a
}

// intervalErfc encloses erfc(x) = 2(1 − Φ(√2·x)).
func intervalErfc(w interval.Prec, x interval.Interval) interval.Interval {
	return w.Scale(w.NormalSF((w+32).Mul(x, (w+32).Sqrt(interval.Int(2)))), 1)
}
