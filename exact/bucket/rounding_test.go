// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
)

// TestLeavesRound: no P-mass and no real term of a leaf or of a composition exceeds the
// true one, and no Q-mass falls short of it, at few bits.
func TestLeavesRound(t *testing.T) {
	const w = interval.Prec(100)
	events := []Event{
		{Index: -1, P: w.Rat(big.NewRat(1, 3)), Q: w.Rat(big.NewRat(3, 7))},
		{Index: 1, P: w.Rat(big.NewRat(2, 3)), Q: w.Rat(big.NewRat(4, 7))},
	}
	for _, prec := range []uint{3, 4, 7, 20} {
		leaf := newLeaf(Shape{N: 4, Eta: big.NewRat(1, 1), Prec: prec}, events)
		square, err := composed(context.Background(), leaf, leaf)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			tree *Tree
			want map[int][2]*big.Rat // P- and Q-mass by bucket
		}{
			{leaf, map[int][2]*big.Rat{-1: {big.NewRat(1, 3), big.NewRat(3, 7)}, 1: {big.NewRat(2, 3), big.NewRat(4, 7)}}},
			{square, map[int][2]*big.Rat{-2: {big.NewRat(1, 9), big.NewRat(9, 49)}, 0: {big.NewRat(4, 9), big.NewRat(24, 49)}, 2: {big.NewRat(4, 9), big.NewRat(16, 49)}}},
		} {
			for i, m := range c.want {
				scaled := func(x *big.Int) *big.Rat { return new(big.Rat).SetFrac(x, one(prec)) }
				if b, r, v := scaled(c.tree.b.at(i)), scaled(c.tree.r.at(i)), scaled(c.tree.v.at(i)); b.Cmp(m[0]) > 0 || r.Cmp(m[1]) > 0 || v.Cmp(m[1]) < 0 {
					t.Errorf("%d bits, bucket %d: B = %s of %s, R = %s and V = %s of %s", prec, i, b.RatString(), m[0].RatString(), r.RatString(), v.RatString(), m[1].RatString())
				}
			}
		}
	}
}

// TestNodesByHand: a leaf of factor 2 (nearly) and n = 4, with an event far below bucket −4
// and one above bucket 4, its square, and its bucket factor squared.
func TestNodesByHand(t *testing.T) {
	const w = interval.Prec(100)
	q := func(a, b int64) interval.Interval { return w.Rat(big.NewRat(a, b)) }
	leaf := newLeaf(Shape{N: 4, Eta: nearLog2, Prec: 61}, []Event{
		{Index: -7, P: q(1, 256), Q: q(1, 2)}, {Index: -1, P: q(1, 8), Q: q(1, 4)}, {Index: 1, P: q(1, 4), Q: q(1, 8)},
		{Index: 4, P: q(1, 2), Q: q(1, 32)}, {Index: 5, P: q(31, 256), Q: q(1, 1024)},
	})
	product, err := composed(context.Background(), leaf, leaf)
	if err != nil {
		t.Fatal(err)
	}
	squared := Square(leaf)
	near := func(name string, got *big.Int, want *big.Rat) {
		t.Helper()
		d := new(big.Rat).Sub(new(big.Rat).SetFrac(got, one(61)), want)
		if d.Abs(d).Cmp(rat("1e-5")) > 0 { // nearLog2 is off by 3e-6
			t.Errorf("%s = %s, want %s", name, new(big.Rat).SetFrac(got, one(61)).FloatString(15), want.FloatString(15))
		}
	}
	near("R(−4)", leaf.r.at(-4), big.NewRat(1, 16)) // P·f^4, not Q
	near("V(−4)", leaf.v.at(-4), big.NewRat(1, 2))
	near("B(∞)", leaf.far.a, big.NewRat(31, 256))
	// Bucket 0 of the product: −4 and 4, −1 and 1, either way round.
	near("B(0)", product.b.at(0), rat("17/256"))                // 2(1/256·1/2 + 1/8·1/4)
	near("R(0) of the product", product.r.at(0), rat("17/256")) // 2(1/16·1/32 + 1/4·1/8)
	near("V(0) of the product", product.v.at(0), rat("3/32"))   // 2(1/2·1/32 + 1/4·1/8)
	near("Q-mass of infinite loss", product.far.b, rat("2047/1048576"))
	if leaf.u.Cmp(ratInt(1)) != 0 || product.u.Cmp(ratInt(2)) != 0 || squared.u.Cmp(ratInt(1)) != 0 {
		t.Errorf("u = %s, composed %s, squared %s, want 1, 2, 1", leaf.u.RatString(), product.u.RatString(), squared.u.RatString())
	}
	for i, want := range map[int]string{-2: "1/256", 0: "1/8", 1: "1/4", 2: "1/2"} {
		near("squared: B", squared.b.at(i), rat(want))
	}
}
