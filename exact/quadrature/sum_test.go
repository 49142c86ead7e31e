// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"fmt"
	"math/big"
	"math/rand"
	"slices"
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
			a = append(a, fine.Scale(fine.Rat(big.NewRat(r.Int63n(2000)-500, 1+r.Int63n(1000))), scale))
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
				got, err := fixedSum(t.Context(), p, a, theta, make([]int, n+1), w)
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
			total = fine.Add(total, x.Abs())
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
			a = append(a, exact.Scale(exact.Rat(big.NewRat(r.Int63n(2000)-999, 1001)), -r.Intn(60*k+1)))
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

// TestBandsHoldEveryWave: bands have every wave once, whatever its exponent and sign, with no wave too great for its
// band.
func TestBandsHoldEveryWave(t *testing.T) {
	const most = interval.MaxExp
	power := func(e int) interval.Interval { return fine.Scale(one, e-1) } // in [2^(e−1), 2^e)
	exponents := []int{-most, -most + 1, -most + 64, -1000, -limbBits - 1, -limbBits, -limbBits + 1, -1, 0, 1, limbBits - 1, limbBits, limbBits + 1, 1000, most - 64, most - 1, most}
	for _, w := range []int{2, 16, 51, 52, 53, 64, 300, 100000} {
		for i := range exponents {
			a := []interval.Interval{interval.Int(0), interval.Union(interval.Int(0), power(exponents[i]))}
			for _, e := range exponents[:i+1] {
				a = append(a, power(e), power(e).Neg(), interval.Union(power(e).Neg(), interval.Int(0)))
			}
			var theta []interval.Interval
			for k := range a {
				theta = append(theta, interval.Int(int64(k)))
			}
			placed := make(map[string]bool)
			for number, b := range bandsOf(a, theta, w) {
				for k, x := range b.a {
					at, _ := b.theta[k].Hi().Int64()
					if !x.Encloses(a[at]) || placed[b.theta[k].String()] {
						t.Fatalf("wave %d of %v is %v", at, a, x)
					}
					placed[b.theta[k].String()] = true
					if limit := max(exponents[i]-limbBits*number, -most); x.Abs().LessEq(power(limit+1)) != interval.True && limit < most {
						t.Fatalf("%v is in band %d below 2^%d", x, number, exponents[i])
					}
				}
			}
			if len(placed) != len(a) {
				t.Fatalf("%d of %d waves are in bands", len(placed), len(a))
			}
		}
	}
	a := []interval.Interval{power(-most), power(most), power(0).Neg(), power(most - 300), interval.Int(0)}
	got, err := Sum(t.Context(), 150, a, []interval.Interval{one, interval.Int(0), one, one, one}, 4)
	if err != nil {
		t.Fatal(err)
	}
	for j, z := range got {
		if !z.Re.Encloses(power(most)) && j == 0 || z.Re.Contains(new(big.Float)) {
			t.Fatalf("term %d is %v", j, z)
		}
	}
}

// TestSumsOfFewerWords: sums that lack more and more bits hold what they are to, and are as narrow as their words let
// them be; where all angles are 0 or π, and amplitudes have bits in all words, every word that is cut off adds to the
// error.
func TestSumsOfFewerWords(t *testing.T) {
	r := rand.New(rand.NewSource(21))
	const exact = interval.Prec(500)
	for i := range testkit.Draws(12, 36, 36) {
		w, n, count := 17+r.Intn(400), 1+r.Intn(60), 1+r.Intn(40)
		lacks := make(Lacks, n+1)
		for j := range n {
			lacks[j+1] = lacks[j] + max(0, r.Intn(700)-540)
		}
		a, theta := make([]interval.Interval, count), make([]interval.Interval, count)
		for k := range a {
			a[k] = exact.Div(exact.Rat(big.NewRat(r.Int63n(2000)-300, 1999)), interval.Int(3))
			theta[k] = exact.Rat(big.NewRat(r.Int63n(4000)-2000, 1+r.Int63n(500)))
			switch i % 4 {
			case 0:
				theta[k] = interval.Int(0)
			case 1:
				theta[k] = exact.Pi()
			case 2:
				theta[k] = exact.Scale(theta[k], -70)
			}
		}
		wideA, wideTheta := slices.Clone(a), slices.Clone(theta)
		for k := range a {
			switch i % 3 {
			case 1:
				wideA[k] = interval.Union(a[k], exact.Add(a[k], exact.Scale(one, -20)))
			case 2:
				wideTheta[k] = interval.Union(theta[k], exact.Add(theta[k], exact.Scale(one, -20)))
			}
		}
		got, err := fixedSum(t.Context(), exact, wideA, wideTheta, lacks, w)
		if err != nil {
			t.Fatal(err)
		}
		for j, z := range got {
			var want interval.Complex
			for k := range a {
				e := exact.ExpI(exact.Mul(interval.Int(int64(-j)), theta[k]))
				want = exact.AddC(want, exact.ScaleC(a[k], e))
			}
			if !z.Re.Encloses(want.Re) || !z.Im.Encloses(want.Im) {
				t.Fatalf("%d waves, %d bits, %d less: term %d is %v, want %v", count, w, lacks[j], j, z, want)
			}
			left := w - min(lacks[j], max(w-leastScale, 0))
			for _, part := range []interval.Interval{z.Re, z.Im} {
				if width := exact.Sub(part.Upper(), part.Lower()); i%3 == 0 && left > 40 && width.LessEq(exact.Scale(one, 33-left)) != interval.True {
					t.Fatalf("%d waves, %d bits, %d less: term %d is %v: wide", count, w, lacks[j], j, part)
				}
			}
		}
	}
}

// TestSumsAtTheLimitOfTheirWords: many waves of angle 0 or π whose amplitudes, of one sign, add up to nearly 2^E, in
// scales that leave the fewest bits above, until their errors reach all that words hold.
func TestSumsAtTheLimitOfTheirWords(t *testing.T) {
	const n, count = 30, 255
	for i := range 8 * 4 * 4 {
		w, wide := []int{2, 8, 47, 48, 51, 52, 99, 104}[i%8], []int{20, 7, 6, 5}[i/8%4]
		angle, turned := interval.Int(0), i/32%2 == 1
		if turned {
			angle = fine.Pi()
		}
		top := one
		if i/64%2 == 1 {
			top = one.Neg()
		}
		low := fine.Sub(top, fine.Scale(top, -wide))
		a, theta := make([]interval.Interval, count), make([]interval.Interval, count)
		for k := range a {
			a[k], theta[k] = interval.Union(low, top), angle
		}
		got, err := fixedSum(t.Context(), 60, a, theta, make([]int, n+1), w)
		if err != nil {
			t.Fatal(err)
		}
		for j, z := range got {
			for _, x := range []interval.Interval{low, top} {
				want := fine.Mul(interval.Int(count), x)
				if turned && j%2 == 1 {
					want = want.Neg()
				}
				if !z.Re.Encloses(want) || !z.Im.Contains(new(big.Float)) {
					t.Fatalf("%d waves %v of %v, scale %d: term %d is %v, want %v", count, x, angle, w, j, z, want)
				}
			}
		}
	}
}

// TestUnboundedSum: where the coefficients have no upper bound, the sum encloses everything.
func TestUnboundedSum(t *testing.T) {
	a := []interval.Interval{interval.Bounds(interval.Int(1).Lo(), new(big.Float).SetInf(false)), interval.Int(1)}
	out, err := fixedSum(t.Context(), 64, a, []interval.Interval{interval.Int(1), interval.Int(2)}, make([]int, 4), 64)
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
