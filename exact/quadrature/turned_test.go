// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// TestTurnedValues: sums of values of any sizes hold those of the elementary functions, at few bits and where θ and the
// values are known to few; where they are known, they are as narrow as is wanted.
func TestTurnedValues(t *testing.T) {
	r := rand.New(rand.NewSource(31))
	const exact = interval.Prec(500)
	for i := range testkit.Draws(30, 60, 200) {
		count := []int{1, 2, 63, 64, 65, 128, 129, 1 + r.Intn(300)}[i%8]
		values, want := make([]interval.Complex, count), interval.Int(0)
		theta := exact.Rat(big.NewRat(r.Int63n(4000)-2000, 1+r.Int63n(500)))
		fall := r.Intn(8)
		for j := range values {
			part := func() interval.Interval {
				return exact.Scale(exact.Rat(big.NewRat(r.Int63n(2000)-1000, 999)), -fall*j-r.Intn(1+2*fall))
			}
			values[j] = interval.Complex{Re: part(), Im: part()}
			if r.Intn(9) == 0 {
				values[j] = interval.Complex{}
			}
			term := exact.MulC(values[j], exact.ExpI(exact.Mul(interval.Int(int64(j)), theta))).Re
			if j > 0 {
				term = exact.Scale(term, 1)
			}
			want = exact.Add(want, term)
		}
		for _, p := range []interval.Prec{2, 3, 8, 64, 200} {
			got, err := Turned(t.Context(), p, theta, values)
			if err != nil || !got.Encloses(want) {
				t.Fatalf("%d values that fall by %d bits each, %d bits: %v, want %v, %v", count, fall, p, got, want, err)
			}
			width := exact.Sub(got.Upper(), got.Lower())
			if width.LessEq(exact.Scale(interval.Int(int64(16*count+64)), -int(p))) != interval.True {
				t.Fatalf("%d values that fall by %d bits each, %d bits: %v is wide", count, fall, p, got)
			}
			other := interval.Union(theta, exact.Add(theta, exact.Scale(one, -20)))
			wide := append([]interval.Complex{}, values...)
			for j := range wide {
				wide[j].Re = interval.Union(wide[j].Re, exact.Sub(wide[j].Re, exact.Scale(one, -20)))
			}
			if got, err := Turned(t.Context(), p, other, wide); err != nil || !got.Encloses(want) {
				t.Fatalf("%d values, %d bits, from wide ones: %v, want %v, %v", count, p, got, want, err)
			}
		}
	}
	without := []interval.Complex{{Re: one}, {Re: interval.PosInf()}}
	if y, err := Turned(t.Context(), 64, one, without); err != nil || y.IsFinite() {
		t.Errorf("a value without a bound adds up to %v, %v", y, err)
	}
}
