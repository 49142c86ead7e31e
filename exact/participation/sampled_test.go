// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package participation

import (
	"math/big"
	"math/rand"
	"testing"
)

// TestBinsAgainstColumns: products of the sums of columns, written out; and the norms of classes.
func TestBinsAgainstColumns(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	for range 200 {
		n, b := 1+rng.Intn(7), 1+rng.Intn(8)
		rows := make([][]*big.Rat, n)
		var entries []Entry
		for i := range rows {
			rows[i] = make([]*big.Rat, n)
			for j := range rows[i] {
				if rows[i][j] = new(big.Rat); j <= i {
					rows[i][j].SetFrac64(rng.Int63n(4), 1+rng.Int63n(3))
				}
				if rows[i][j].Sign() != 0 {
					entries = append(entries, Entry{i, j, rows[i][j]})
				}
			}
		}
		m := New(n, entries)
		gram, ok := m.Bins(b)
		if !ok || m.Negative() {
			t.Fatal("no products")
		}
		for i := range b {
			for j := range b {
				want := new(big.Rat)
				for _, row := range rows {
					x, y := new(big.Rat), new(big.Rat)
					for s := range n {
						if s%b == i {
							x.Add(x, row[s])
						}
						if s%b == j {
							y.Add(y, row[s])
						}
					}
					want.Add(want, x.Mul(x, y))
				}
				if gram[i][j].Cmp(want) != 0 {
					t.Fatalf("n = %d, b = %d: product of bins %d and %d is %s, want %s", n, b, i, j, gram[i][j], want)
				}
			}
		}
		groups, ok := m.Groups(b)
		if !ok || len(groups) == 0 {
			t.Fatalf("no groups")
		}
		// Each class is below one that is returned.
		for j := range min(b, n) {
			var of []*big.Rat
			for s := j; s < n; s += b {
				x := new(big.Rat)
				for _, row := range rows {
					x.Add(x, new(big.Rat).Mul(row[s], row[s]))
				}
				of = append(of, x)
			}
			found := false
			for _, g := range groups {
				var norms []*big.Rat
				for _, x := range g {
					for range x.Count {
						norms = append(norms, x.Square)
					}
				}
				found = found || matched(of, norms)
			}
			if !found {
				t.Fatalf("n = %d, b = %d: class %d is not below any of %v", n, b, j, groups)
			}
		}
	}
}

// matched reports whether each number has one that is no less, all different: by size.
func matched(of, norms []*big.Rat) bool {
	left := append([]*big.Rat(nil), norms...)
	for range of {
		most, at := new(big.Rat), -1
		for i, x := range of {
			if x != nil && x.Cmp(most) > 0 {
				most, at = x, i
			}
		}
		if at < 0 {
			return true
		}
		if len(left) == 0 || left[0].Cmp(most) < 0 {
			return false
		}
		of[at], left = nil, left[1:]
	}
	return true
}
