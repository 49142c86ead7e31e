// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"context"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
)

// TestLongStepsErrByLessThanTheirCount: a step of one to seven words beside the same step in integers, from words of all ones, of
// zeros and of any bits.
func TestLongStepsErrByLessThanTheirCount(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	anyInt := func(n int) *big.Int {
		x := new(big.Int)
		for range n {
			x.Lsh(x, 1)
			if r.Intn(6) == 0 {
				x.Or(x, new(big.Int).Lsh(big.NewInt(1), uint(n))).Sub(x, big.NewInt(1)) // a run of ones
			}
			x.Add(x, big.NewInt(int64(r.Intn(2))))
		}
		return x.Mod(x, new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	for range 4000 {
		size := 1 + r.Intn(7)
		w := 64*size - 4 - r.Intn(40)
		s := newLongSums(0, w)
		if s.size != size && s.size != size+1 {
			t.Fatalf("scale %d has %d words", w, s.size)
		}
		c, x, before := anyInt(w), anyInt(w), anyInt(w)
		if r.Intn(2) == 0 {
			x.Neg(x)
		}
		if r.Intn(2) == 0 {
			before.Neg(before)
		}
		flip := -uint64(r.Intn(2))
		wave := longWave{s.of(before), s.of(x)}
		fraction := s.of(new(big.Int).Lsh(c, uint(64*s.size-w)))
		s.turn(fraction)
		s.next(&wave, fraction, flip)
		if got := wave.now.integer(); got.Cmp(x) != 0 {
			t.Fatalf("%v became %v", x, got)
		}
		want := new(big.Int).Mul(x, c)
		want.Lsh(want, 1)
		if flip != 0 {
			want.Neg(want)
		}
		want.Sub(want, new(big.Int).Lsh(before, uint(w)))
		got := wave.next.integer()
		off := got.Lsh(got, uint(w)).Sub(got, want)
		limit := new(big.Int).Lsh(big.NewInt(int64(2*s.size+3)), uint(w))
		if off.CmpAbs(limit) >= 0 {
			t.Fatalf("%d words: 2·%v·%v − %v is off by %v·2^−%d", s.size, x, c, before, off, w)
		}
	}
}

// TestLongSumsEnclose: sums of waves of 150 to 300 bits hold those of the elementary functions, and are as narrow as is wanted; angles
// are also next to 0 and π, where errors grow with the square of the step, and known to few bits.
func TestLongSumsEnclose(t *testing.T) {
	const precise = interval.Prec(400)
	r := rand.New(rand.NewSource(12))
	for i := range 12 {
		n := 1 + r.Intn(200)
		var a, theta []interval.Interval
		for range 1 + r.Intn(4) {
			a = append(a, precise.Rat(big.NewRat(1+r.Int63n(1000), 1+r.Int63n(1000))))
			angle := precise.Rat(big.NewRat(r.Int63n(4000)-2000, 1+r.Int63n(500)))
			switch r.Intn(4) {
			case 0:
				angle = precise.Scale(angle, -100)
			case 1:
				angle = precise.Add(precise.Pi(), precise.Scale(angle, -60))
			}
			if i%3 == 2 {
				angle = interval.Prec(60).Round(angle)
			}
			theta = append(theta, angle)
		}
		p := interval.Prec(150 + r.Intn(150))
		got, err := Sum(t.Context(), p, a, theta, n)
		if err != nil {
			t.Fatal(err)
		}
		for j := range got {
			var want interval.Complex
			for k := range a {
				e := precise.ExpI(precise.Mul(interval.Int(int64(-j)), theta[k].Lower()))
				want = precise.AddC(want, precise.ScaleC(a[k], e))
			}
			for part, x := range [][2]interval.Interval{{got[j].Re, want.Re}, {got[j].Im, want.Im}} {
				if _, ok := interval.Intersect(x[0], x[1]); !ok {
					t.Fatalf("S_%d of %v, %v, part %d: %v, want %v", j, a, theta, part, x[0], x[1])
				}
				if i%3 != 2 && x[0].RelativeBits(int(p)) == 0 && fineWidth(x[0]).LessEq(fine.Scale(interval.Int(4000), -int(p))) != interval.True {
					t.Fatalf("S_%d, part %d, %d bits: %v is wide", j, part, p, x[0])
				}
			}
		}
	}
}

// TestLongErrorsGrowNoFaster: a wave that begins with two numbers that are off in different directions, and is carried on by a cosine
// that is off, strays no further than errorAt says; next to an angle of 0 it strays nearly as far.
func TestLongErrorsGrowNoFaster(t *testing.T) {
	const n, w = 200, 110
	unit := func(x interval.Interval) *big.Int { m, _ := Integer(x, w); return m }
	for _, angle := range []string{"1e-9", "1/3000", "1/77", "1", "3"} {
		for _, off := range []struct{ start, cos int64 }{{0, 0}, {1 << 40, 0}, {-1 << 40, 0}, {0, 1 << 40}, {0, -1 << 40}, {1 << 40, 1 << 40}} {
			theta, half := fine.Rat(rat(angle)), fine.Rat(rat("1/2"))
			turn := fine.ExpI(theta.Neg())
			cos, flip := unit(turn.Re), uint64(0)
			if cos.Sign() < 0 {
				cos.Neg(cos)
				flip = ^flip
			}
			s := newLongSums(n, w)
			cos.Add(cos, big.NewInt(off.cos))
			if limit := new(big.Int).Lsh(big.NewInt(1), w); cos.Cmp(limit) >= 0 {
				cos.Sub(limit, big.NewInt(1))
			}
			c := s.of(cos.Lsh(cos, uint(64*s.size-w)))
			x0, x1 := unit(half), unit(fine.Mul(half, turn.Re))
			x0.Sub(x0, big.NewInt(off.start))
			x1.Add(x1, big.NewInt(off.start))
			y0, y1 := big.NewInt(-off.start), unit(fine.Mul(half, turn.Im))
			y1.Add(y1, big.NewInt(off.start))
			s.add(c, flip, longWave{s.of(x0), s.of(x1)}, longWave{s.of(y0), s.of(y1)})
			abs := func(x int64) *big.Int { y := big.NewInt(x); return y.Add(y.Abs(y), big.NewInt(2)) }
			for j := range n + 1 {
				z := fine.ScaleC(half, fine.ExpI(fine.Mul(interval.Int(int64(-j)), theta)))
				limit := s.errorAt(j, 1, abs(off.start), abs(off.cos))
				for part, x := range []*big.Int{new(big.Int).Sub(s.at(s.re, j).integer(), unit(z.Re)), new(big.Int).Sub(s.at(s.im, j).integer(), unit(z.Im))} {
					if x.CmpAbs(limit) > 0 {
						t.Fatalf("%s, off by %v: S_%d, part %d, is off by %v > %v", angle, off, j, part, x, limit)
					}
				}
			}
		}
	}
}

func fineWidth(x interval.Interval) interval.Interval {
	return fine.Sub(interval.Point(x.Hi()), interval.Point(x.Lo()))
}

func BenchmarkLongSums(b *testing.B) {
	a, theta := make([]interval.Interval, 100), make([]interval.Interval, 100)
	for k := range a {
		a[k], theta[k] = interval.Int(1), fine.Rat(big.NewRat(int64(k+1), 77))
	}
	for b.Loop() {
		if _, err := fixedSum(context.Background(), 200, a, theta, make([]int, 1001), 250); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e5, "ns/step")
}
