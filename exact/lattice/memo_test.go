// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"math/big"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestSharedLines: with a shared memo answers are the same in any order, and for several products at a time; they hold
// what a question alone has, and a curve takes few lines.
func TestSharedLines(t *testing.T) {
	products := []pair.Product{of("1", 1, 7, "1/3", 1, 1), of("25/4", 2, 3), of("1369/100", 1, 5, "3721/100", 1, 7)}
	levels := testkit.First(testkit.Draws(2, 3, 3), "1/3", "5", "21", "1", "3", "7")
	answers := func(order []int) map[int]string {
		var memo Memo
		out := make(map[int]string)
		for _, i := range order {
			p := interval.Prec(60 + 60*(i/3%2))
			x, serves := memo.Of(products[i%3], 40, -1, true)
			if !serves {
				t.Fatal("no inversion")
			}
			y, err := x.Delta(t.Context(), p, interval.RealRat(rat(levels[i/3])))
			if err != nil {
				t.Fatal(err)
			}
			alone, ok := New(products[i%3])
			z, err := alone.Delta(t.Context(), p, interval.RealRat(rat(levels[i/3])))
			if _, meet := interval.Intersect(y, z); !ok || err != nil || !meet || y.RelativeBits(50) < 50 {
				t.Errorf("ε = %s: %v, alone %v", levels[i/3], y, z)
			}
			out[i] = y.Lo().Text('p', 0) + y.Hi().Text('p', 0)
		}
		return out
	}
	var order []int
	for i := range 3 * len(levels) {
		order = append(order, i)
	}
	first := answers(order)
	slices.Reverse(order)
	second := answers(order)
	for i := range first {
		if first[i] != second[i] {
			t.Errorf("ε = %s: %s, and in another order %s", levels[i/3], first[i], second[i])
		}
	}
	var memo Memo
	for n := range int64(40) {
		x, _ := memo.Of(products[0], 40, -1, true)
		if _, err := x.Delta(t.Context(), 60, interval.RealRat(big.NewRat(20+n, 10))); err != nil || len(x.few) > 6 {
			t.Errorf("%d lines for %d answers, %v", len(x.few), n+1, err)
		}
	}
}

// TestSharedMemoryIsBounded: what is kept of many products does not grow.
func TestSharedMemoryIsBounded(t *testing.T) {
	var memo Memo
	for n := range 2 * maxShared / productNodes {
		memo.Of(of("1", 1, n+1), 40, 0, true)
	}
	if n := memo.nodes(); n > maxShared+2*productNodes {
		t.Errorf("%d nodes are kept", n)
	}
}
