// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

const fine = interval.Prec(200)

var one = interval.Int(1)

func rat(s string) *big.Rat { return testkit.Rat(s) }

// TestExponentialSum: against e^{−ijθ} from the elementary functions, at many scales of the
// fixed-point numbers, also where nothing is left of them.
func TestExponentialSum(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for range 60 {
		size := r.Intn(6)
		n := r.Intn(40)
		scale := r.Intn(60) - 30
		var a, theta []interval.Interval
		for range size {
			a = append(a, fine.Scale(fine.Rat(big.NewRat(r.Int63n(1000), 1+r.Int63n(1000))), scale))
			theta = append(theta, fine.Rat(big.NewRat(r.Int63n(4000)-2000, 1+r.Int63n(500))))
		}
		want := make([]interval.Complex, n+1)
		for j := range want {
			for k := range a {
				e := fine.ExpI(fine.Mul(interval.Int(int64(-j)), theta[k]))
				want[j] = fine.AddC(want[j], fine.ScaleC(a[k], e))
			}
		}
		check := func(name string, got []interval.Complex) {
			t.Helper()
			for j := range want {
				_, re := interval.Intersect(got[j].Re, want[j].Re)
				_, im := interval.Intersect(got[j].Im, want[j].Im)
				if !re || !im {
					t.Fatalf("%s of %v, %v: term %d is %v, want %v", name, a, theta, j, got[j], want[j])
				}
			}
		}
		for _, w := range []int{2, 4, 6, 8, 10, 12, 16, 24, 60} {
			for _, p := range []interval.Prec{2, 53} {
				got, err := fixedSum(t.Context(), p, a, theta, n, w)
				if err != nil {
					t.Fatal(err)
				}
				check(fmt.Sprintf("scale %d at %d bits", w, p), got)
			}
		}
		got, err := Sum(t.Context(), 100, a, theta, n)
		if err != nil {
			t.Fatal(err)
		}
		check("Sum", got)
		total := interval.Int(0)
		for _, x := range a {
			total = fine.Add(total, x)
		}
		for j := range got {
			for _, x := range []interval.Interval{got[j].Re, got[j].Im} {
				if w := fine.Sub(interval.Point(x.Hi()), interval.Point(x.Lo())); w.LessEq(fine.Scale(total, -95)) != interval.True {
					t.Fatalf("term %d is %v: wide", j, x)
				}
			}
		}
	}
}

// TestSumsOfBands: waves whose amplitudes differ by many words add up to what they are, as narrow as waves alike.
func TestSumsOfBands(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	const exact, n = interval.Prec(700), 24
	for _, p := range []interval.Prec{160, 300} {
		var a, theta []interval.Interval
		for k := range 12 {
			a = append(a, exact.Scale(exact.Rat(big.NewRat(1+r.Int63n(1000), 1001)), -r.Intn(60*k+1)))
			theta = append(theta, exact.Rat(big.NewRat(r.Int63n(4000)-2000, 1+r.Int63n(500))))
		}
		a = append(a, interval.Int(0))
		theta = append(theta, one)
		got, err := Sum(t.Context(), p, a, theta, n)
		if err != nil {
			t.Fatal(err)
		}
		for j, z := range got {
			var want interval.Complex
			for k := range a {
				e := exact.ExpI(exact.Mul(interval.Int(int64(-j)), theta[k]))
				want = exact.AddC(want, exact.ScaleC(a[k], e))
			}
			for i, part := range []interval.Interval{z.Re, z.Im} {
				if !part.Encloses([]interval.Interval{want.Re, want.Im}[i]) {
					t.Fatalf("term %d at %d bits is %v, want %v", j, p, part, want)
				}
				width := exact.Sub(interval.Point(part.Hi()), interval.Point(part.Lo()))
				if width.LessEq(exact.Scale(one, 4-int(p))) != interval.True {
					t.Fatalf("term %d at %d bits is %v: wide", j, p, part)
				}
			}
		}
	}
}

// TestUnboundedSum: where the coefficients have no upper bound, the sum encloses everything.
func TestUnboundedSum(t *testing.T) {
	a := []interval.Interval{interval.Bounds(interval.Int(1).Lo(), new(big.Float).SetInf(false)), interval.Int(1)}
	out, err := fixedSum(t.Context(), 64, a, []interval.Interval{interval.Int(1), interval.Int(2)}, 3, 64)
	if err != nil || len(out) != 4 {
		t.Fatal(len(out), err)
	}
	for j, z := range out {
		if z.Re.IsFinite() || !z.Re.Encloses(interval.Entire()) || !z.Im.Encloses(interval.Entire()) {
			t.Errorf("sum %d is in %v", j, z)
		}
	}
}

// TestSumsOfWideWaves: exponential sums of enclosures hold the sums of their ends.
func TestSumsOfWideWaves(t *testing.T) {
	union := func(a, b string) interval.Interval { return interval.Union(fine.Rat(rat(a)), fine.Rat(rat(b))) }
	a := []interval.Interval{union("1", "1001/1000"), union("1/7", "1/7")}
	theta := []interval.Interval{union("1/3", "1/3"), union("2", "200001/100000")}
	const n = 300
	got, err := Sum(t.Context(), 60, a, theta, n)
	if err != nil {
		t.Fatal(err)
	}
	for j := range got {
		for i := range 4 {
			end := func(x interval.Interval, k int) interval.Interval {
				if i>>k&1 == 0 {
					return x.Lower()
				}
				return x.Upper()
			}
			var s interval.Complex
			for k := range a {
				z := fine.ExpI(fine.Mul(interval.Int(int64(j)), end(theta[k], 1)).Neg())
				s = fine.AddC(s, fine.ScaleC(end(a[k], 0), z))
			}
			for part, p := range [][2]interval.Interval{{got[j].Re, s.Re}, {got[j].Im, s.Im}} {
				if _, ok := interval.Intersect(p[0], p[1]); !ok {
					t.Fatalf("S_%d, part %d: %v, want %v", j, part, p[0], p[1])
				}
			}
		}
	}
}
