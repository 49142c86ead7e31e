// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package participation

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/internal/testkit"
)

// slow is the greatest squared norm over all patterns and all vectors u = ±1, one by one.
func slow(rows [][]*big.Rat, p Pattern) *big.Rat {
	n := len(rows)
	best := new(big.Rat)
	var extend func(u []int64, next int, count int64)
	extend = func(u []int64, next int, count int64) {
		square := new(big.Rat)
		for _, row := range rows {
			sum := new(big.Rat)
			for j, x := range row {
				sum.Add(sum, new(big.Rat).Mul(x, big.NewRat(u[j], 1)))
			}
			square.Add(square, sum.Mul(sum, sum))
		}
		if square.Cmp(best) > 0 {
			best = square
		}
		if count == p.MaxParticipations {
			return
		}
		for j := next; j < n; j++ {
			for _, sign := range []int64{1, -1} {
				u[j] = sign
				extend(u, j+int(p.MinSeparation), count+1)
				u[j] = 0
			}
		}
	}
	extend(make([]int64, n), 0, 0)
	return best
}

func draw(r *rand.Rand, least int64) *big.Rat {
	return big.NewRat(least+r.Int63n(5-least), 1+r.Int63n(3))
}

// TestSensitivityAgainstPatterns: the bounds contain the greatest norm over patterns and signs, and are equal where a
// form is known: without negative numbers, for bands that never overlap, for one participation.
func TestSensitivityAgainstPatterns(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewSource(1))
	for i := range testkit.Draws(200, 600, 600) {
		n := 1 + r.Intn(6)
		p := Pattern{1 + r.Int63n(4), 1 + r.Int63n(4)}
		least, band := int64(0), n
		if i%3 == 0 {
			least = -4
		}
		if i%4 == 0 {
			band = int(p.MinSeparation)
		}
		var m Matrix
		rows := make([][]*big.Rat, n)
		for i := range rows {
			rows[i] = make([]*big.Rat, n)
			for j := range rows[i] {
				rows[i][j] = new(big.Rat)
			}
		}
		if i%2 == 0 {
			first := make([]*big.Rat, 1+r.Intn(min(n, band)))
			for k := range first {
				first[k] = draw(r, least)
				if i%8 == 2 && k > 0 { // not rising
					first[k] = new(big.Rat).Mul(first[k-1], big.NewRat(1, 2))
				}
				for j := 0; j+k < n; j++ {
					rows[j+k][j] = first[k]
				}
			}
			m = Toeplitz(n, first)
		} else {
			var entries []Entry
			for i := range n {
				for j := max(0, i-band+1); j <= i; j++ {
					if r.Intn(4) > 0 {
						rows[i][j] = draw(r, least)
						if rows[i][j].Sign() != 0 {
							entries = append(entries, Entry{i, j, rows[i][j]})
						}
					}
				}
			}
			m = New(n, entries)
		}
		want := slow(rows, p)
		lo, hi := m.Sensitivity(p)
		if lo.Cmp(hi) > 0 || want.Cmp(lo) < 0 && least == 0 || want.Cmp(hi) > 0 {
			t.Fatalf("%v under %+v: [%s, %s], and a pattern has %s", rows, p, lo, hi, want)
		}
		if (least == 0 || p.MaxParticipations == 1 || band <= int(p.MinSeparation)) && lo.Cmp(hi) != 0 {
			t.Errorf("%v under %+v: [%s, %s], want one value", rows, p, lo, hi)
		}
		// The bounds for large matrices contain it as well.
		s := solver{m, int(min(p.MinSeparation, int64(n))), int(min(p.MaxParticipations, (int64(n)+p.MinSeparation-1)/p.MinSeparation))}
		below, above := s.sparse(m.norms())
		if m.value(below).Cmp(hi) > 0 || m.value(above).Cmp(want) < 0 {
			t.Errorf("%v under %+v: [%s, %s] without products, and [%s, %s] with them", rows, p, m.value(below), m.value(above), lo, hi)
		}
	}
}

// TestSignsAreTurned: turned signs of rows and columns change no sensitivity, which stays exact; and so does that of
// two steps of any signs.
func TestSignsAreTurned(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for i := range testkit.Draws(60, 200, 200) {
		n := 2 + r.Intn(5)
		p := Pattern{1 + r.Int63n(2), 1 + r.Int63n(4)}
		first := make([]*big.Rat, n)
		alternating := make([]*big.Rat, n)
		for k := range first {
			first[k] = draw(r, 0)
			alternating[k] = new(big.Rat).Mul(first[k], big.NewRat(int64(1-k%2*2), 1))
		}
		signs := make([]int64, 2*n)
		for j := range signs {
			signs[j] = 2*r.Int63n(2) - 1
		}
		var entries, turned, any []Entry
		rows := make([][]*big.Rat, n)
		for row := range n {
			rows[row] = make([]*big.Rat, n)
			for j := range n {
				rows[row][j] = new(big.Rat)
			}
			for j := range row + 1 {
				x := draw(r, 0)
				if x.Sign() == 0 {
					continue
				}
				entries = append(entries, Entry{row, j, x})
				turned = append(turned, Entry{row, j, new(big.Rat).Mul(x, big.NewRat(signs[row]*signs[n+j], 1))})
				rows[row][j] = new(big.Rat).Mul(x, big.NewRat(2*r.Int63n(2)-1, 1))
				any = append(any, Entry{row, j, rows[row][j]})
			}
		}
		for _, c := range []struct {
			of, like Matrix
		}{{New(n, turned), New(n, entries)}, {Toeplitz(n, alternating), Toeplitz(n, first)}} {
			want, _ := c.like.Sensitivity(p)
			if lo, hi := c.of.Sensitivity(p); lo.Cmp(want) != 0 || hi.Cmp(want) != 0 {
				t.Fatalf("case %d, %+v: [%s, %s], want %s", i, p, lo, hi, want)
			}
		}
		p.MaxParticipations = 2
		want := slow(rows, p)
		if lo, hi := New(n, any).Sensitivity(p); lo.Cmp(want) != 0 || hi.Cmp(want) != 0 {
			t.Fatalf("%v under %+v: [%s, %s], want %s", rows, p, lo, hi, want)
		}
	}
}

// TestToeplitzIsRecognised: entries of a Toeplitz matrix have its sensitivity.
func TestToeplitzIsRecognised(t *testing.T) {
	const n = 300 // more than products are computed of
	first := []*big.Rat{big.NewRat(3, 1), big.NewRat(5, 2), big.NewRat(1, 3)}
	var entries []Entry
	for i := range n {
		for k := min(i, len(first)-1); k >= 0; k-- {
			entries = append(entries, Entry{i, i - k, first[k]})
		}
	}
	p := Pattern{2, 7}
	wantLo, _ := Toeplitz(n, first).Sensitivity(p)
	lo, hi := New(n, entries).Sensitivity(p)
	if lo.Cmp(wantLo) != 0 || hi.Cmp(wantLo) != 0 {
		t.Errorf("[%s, %s], want %s", lo, hi, wantLo)
	}
	entries[len(entries)-1].Value = big.NewRat(4, 1)
	if m := New(n, entries); m.toeplitz != nil {
		t.Error("another last entry is not seen")
	}
}

// TestManySteps: 10,000 steps in moderate time, exactly.
func TestManySteps(t *testing.T) {
	const n = 10000
	first := make([]*big.Rat, n)
	for k := range first {
		first[k] = new(big.Rat).SetInt64(int64(n - k))
	}
	lo, hi := Toeplitz(n, first).Sensitivity(Pattern{1, n})
	if lo.Cmp(hi) != 0 {
		t.Errorf("[%s, %s]", lo, hi)
	}
}
