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

// TestRowsAndEven: rows are the products of columns, one by one, and less the even part they are positive semidefinite,
// of which nearly nothing is left out: u as it stands has the product 1 with each column.
func TestRowsAndEven(t *testing.T) {
	rng := rand.New(rand.NewSource(8))
	for i := range 200 {
		n, width := 1+rng.Intn(7), 1+rng.Intn(3)
		rows := make([][]*big.Rat, n)
		var entries []Entry
		first := []*big.Rat{big.NewRat(2, 1), big.NewRat(1, 3), big.NewRat(3, 2)}[:min(width, n)]
		for i2 := range rows {
			rows[i2] = make([]*big.Rat, n)
			for j := range rows[i2] {
				rows[i2][j] = new(big.Rat)
				if d := i2 - j; d >= 0 && d < len(first) {
					if rows[i2][j].Set(first[d]); i%2 == 1 {
						rows[i2][j].SetFrac64(1+rng.Int63n(4), 1+rng.Int63n(3))
					}
					entries = append(entries, Entry{i2, j, rows[i2][j]})
				}
			}
		}
		m := New(n, entries)
		if i%2 == 0 {
			m = Toeplitz(n, first)
		}
		product := func(s, t int) *big.Rat {
			sum := new(big.Rat)
			for _, row := range rows {
				sum.Add(sum, new(big.Rat).Mul(row[s], row[t]))
			}
			return sum
		}
		got, ok := m.Rows()
		if !ok {
			t.Fatal("no rows")
		}
		step := 0
		for _, r := range got {
			for range r.Count {
				for d := range n {
					want := new(big.Rat)
					if d <= step {
						want = product(step, step-d)
					}
					if d < len(r.Products) && r.Products[d].Cmp(want) != 0 || d >= len(r.Products) && want.Sign() != 0 {
						t.Fatalf("%v: the product of the columns %d and %d is %v, want %s", rows, step, step-d, r.Products, want)
					}
				}
				step++
			}
		}
		if step != n {
			t.Fatalf("%v: %d rows, want %d", rows, step, n)
		}
		u, square := make([]*big.Rat, n), new(big.Rat)
		for j := n - 1; j >= 0; j-- {
			u[j] = big.NewRat(1, 1)
			for k := j + 1; k < n; k++ {
				u[j].Sub(u[j], new(big.Rat).Mul(rows[k][j], u[k]))
			}
			u[j].Quo(u[j], rows[j][j])
			square.Add(square, new(big.Rat).Mul(u[j], u[j]))
		}
		even := m.Even()
		if x := new(big.Rat).Mul(even, square); x.Cmp(big.NewRat(1, 1)) > 0 || x.Cmp(big.NewRat(999, 1000)) < 0 {
			t.Errorf("%v: %s times |u|² = %s", rows, even, square)
		}
	}
	if x := New(2, []Entry{{1, 0, big.NewRat(1, 1)}}).Even(); x.Sign() != 0 {
		t.Errorf("a matrix without a diagonal has %s", x)
	}
	// The recursion of u grows: more bits are taken.
	first := []*big.Rat{big.NewRat(1, 1), big.NewRat(3, 1), big.NewRat(3, 1)}
	if x := Toeplitz(400, first).Even(); x.Sign() <= 0 {
		t.Error("none of many steps")
	}
}
