// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"context"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// anyInt is a number of n bits at most, with runs of ones.
func anyInt(r *rand.Rand, n int) *big.Int {
	x := new(big.Int)
	for range n {
		x.Lsh(x, 1)
		if r.Intn(6) == 0 {
			x.Or(x, new(big.Int).Lsh(big.NewInt(1), uint(n))).Sub(x, big.NewInt(1))
		}
		x.Add(x, big.NewInt(int64(r.Intn(2))))
	}
	return x.Mod(x, new(big.Int).Lsh(big.NewInt(1), uint(n)))
}

// anyWaves is sums in scale w with so many waves of any bits, or of ones alone, and their numbers: c, flip, and what
// both parts begin with.
func anyWaves(r *rand.Rand, w, count int) (s *longSums, c []*big.Int, flips []uint64, x, y [][2]*big.Int) {
	s = newLongSums(0, w)
	number := func(n int) *big.Int {
		if r.Intn(5) == 0 {
			return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(n)), big.NewInt(1))
		}
		return anyInt(r, n)
	}
	signed := func(n int) *big.Int {
		x := number(n)
		if r.Intn(2) == 0 {
			x.Neg(x)
		}
		return x
	}
	for range count {
		c, flips = append(c, number(w)), append(flips, -uint64(r.Intn(2)))
		x, y = append(x, [2]*big.Int{signed(w), signed(w)}), append(y, [2]*big.Int{signed(w), signed(w)})
		k := len(c) - 1
		s.add(new(big.Int).Lsh(c[k], uint(limbBits*s.size-w)), flips[k], x[k], y[k])
	}
	return s, c, flips, x, y
}

// lane is the integer in one lane.
func lane(x []uint64, l int) *big.Int {
	alone := make([]uint64, len(x))
	for i := l; i < len(x); i += lanes {
		alone[i] = x[i]
	}
	return across(alone)
}

// TestLongStepsErrByLessThanTheirCount: steps of one to nine limbs beside the same steps in integers, from limbs of all
// ones, of zeros and of any bits.
func TestLongStepsErrByLessThanTheirCount(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	for range testkit.Draws(600, 2000, 2000) {
		w := 2 + r.Intn(9*limbBits)
		s, c, flips, x, y := anyWaves(r, w, 1+r.Intn(lanes))
		g := &s.groups[0]
		sum := [2][]uint64{make([]uint64, s.size*lanes), make([]uint64, s.size*lanes)}
		s.step(g, sum[0], sum[1], false)
		for l := range g.used {
			for part, from := range [][2]*big.Int{x[l], y[l]} {
				after := []wave{g.re, g.im}[part]
				if got := lane(after.now, l); got.Cmp(from[1]) != 0 {
					t.Fatalf("%v became %v", from[1], got)
				}
				if got := lane(sum[part], l); got.Cmp(from[0]) != 0 {
					t.Fatalf("%v was added up to %v", from[0], got)
				}
				want := new(big.Int).Mul(from[1], c[l])
				want.Lsh(want, 1)
				if flips[l] != 0 {
					want.Neg(want)
				}
				want.Sub(want, new(big.Int).Lsh(from[0], uint(w)))
				got := lane(after.next, l)
				off := got.Lsh(got, uint(w)).Sub(got, want)
				if flips[l] != 0 {
					off.Neg(off)
				}
				limit := new(big.Int).Lsh(big.NewInt(int64(2*s.size+2)), uint(w))
				if off.Sign() > 0 || off.CmpAbs(limit) >= 0 {
					t.Fatalf("%d limbs: 2·%v·%v − %v is off by %v·2^−%d", s.size, from[1], c[l], from[0], off, w)
				}
			}
		}
	}
}

// TestLongErrorsOfStepsAddUp: where waves begin exactly, and turn by next to nothing, the errors of all steps are what
// errorAt counts.
func TestLongErrorsOfStepsAddUp(t *testing.T) {
	const n = 60
	none := new(big.Int)
	for _, w := range []int{20, 47, 90, 200} {
		s := newLongSums(n, w)
		c := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(w)), big.NewInt(1))
		x := new(big.Int).Rsh(c, 8)
		s.add(new(big.Int).Lsh(c, uint(limbBits*s.size-w)), 0, [2]*big.Int{x, x}, [2]*big.Int{none, none})
		got, _, err := s.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		unit := new(big.Int).Lsh(big.NewInt(1), uint(w))
		before, now := x, x // of scale j·w
		for j := 1; j <= n; j++ {
			off := new(big.Int).Lsh(got[j], uint(j*w-w))
			off.Sub(off, now)
			if limit := new(big.Int).Lsh(s.errorAt(j, 1, none, none), uint(j*w-w)); off.CmpAbs(limit) > 0 {
				t.Fatalf("scale %d, step %d: off by %v·2^−%d", w, j, off, j*w-w)
			}
			next := new(big.Int).Mul(now, c)
			next.Lsh(next, 1)
			scale := new(big.Int).Mul(unit, unit)
			if j == 1 {
				scale = unit
			}
			before, now = now, next.Sub(next, new(big.Int).Mul(before, scale))
		}
	}
}

// TestVectorsAreWords: steps in vectors come to the same limbs as those in words, of all lanes, and however many limbs
// are cut off; also where all limbs are as large as they can be.
func TestVectorsAreWords(t *testing.T) {
	if !vectors {
		t.Skip("without AVX-512 IFMA words are all there is, and TestLongSumsEnclose compares sums with intervals")
	}
	r := rand.New(rand.NewSource(13))
	for i := range testkit.Draws(60, 400, 2000) {
		size := 1 + r.Intn(30)
		if i%50 == 0 {
			size = mostInVectors - r.Intn(4)
		}
		s, _, _, _, _ := anyWaves(r, limbBits*size-5, 1+r.Intn(lanes))
		if s.size != size {
			t.Fatalf("%d limbs in place of %d", s.size, size)
		}
		g := s.groups[0]
		if i%10 == 0 {
			for _, x := range [][]uint64{g.c, g.re.now, g.re.next, g.im.now, g.im.next} {
				for k := range x {
					if k%lanes < g.used {
						x[k] = []uint64{1<<limbBits - 1<<26 + 1, limbMask}[i/10%2] // both halves of a square are large, or one is
					}
				}
			}
		}
		other := g.copied(g.used)
		for range 3 + r.Intn(5) {
			n := max(lanes, len(g.c)-lanes*max(0, r.Intn(6)-3))
			var sums [2][]uint64
			for i, g := range []*group{&g, &other} {
				sums[i] = make([]uint64, 2*n)
				for range 2 {
					s.step(g, sums[i][:n], sums[i][n:], i == 0)
				}
			}
			if !slices.Equal(sums[0], sums[1]) {
				t.Fatalf("%d limbs of %d: vectors add up to %x, words to %x", n/lanes, size, sums[0], sums[1])
			}
			for part, x := range [][2]wave{{g.re, other.re}, {g.im, other.im}} {
				if !slices.Equal(x[0].now, x[1].now) || !slices.Equal(x[0].next, x[1].next) {
					t.Fatalf("%d limbs of %d, part %d: vectors are at %x, words at %x", n/lanes, size, part, x[0], x[1])
				}
			}
			if pads := g.re.next[:n+pad*lanes][n:]; slices.Max(pads) != 0 {
				t.Fatalf("pads are %x", pads)
			}
		}
	}
}

// TestOtherVectorsAreNoticed: a limb of the first wave that is another one shows, and so does a limb fewer; other waves
// do not.
func TestOtherVectorsAreNoticed(t *testing.T) {
	s, _, _, _, _ := anyWaves(rand.New(rand.NewSource(14)), 200, 3)
	g := &s.groups[0]
	for i := range g.c {
		for _, part := range []func(g *group) []uint64{
			func(g *group) []uint64 { return g.re.now }, func(g *group) []uint64 { return g.re.next },
			func(g *group) []uint64 { return g.im.now }, func(g *group) []uint64 { return g.im.next },
		} {
			first := g.copied(1)
			if !first.starts(g) {
				t.Fatal("a copy is another one")
			}
			part(&first)[i] ^= 1
			if first.starts(g) != (i%lanes != 0) {
				t.Fatalf("limb %d, lane %d: %v", i/lanes, i%lanes, first.starts(g))
			}
		}
	}
	first := g.copied(1)
	if first.c = first.c[lanes:]; first.starts(g) {
		t.Error("a limb fewer does not show")
	}
}

// TestLongSumsEnclose: sums of waves of 150 to 300 bits hold those of the elementary functions, and are as narrow as is
// wanted; angles are also next to 0 and π, where errors grow with the square of the step, and known to few bits.
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

// TestLongErrorsGrowNoFaster: a wave that begins with two numbers that are off in different directions, and is carried
// on by a cosine that is off, strays no further than errorAt says; next to an angle of 0 it strays nearly as far.
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
			x0, x1 := unit(half), unit(fine.Mul(half, turn.Re))
			x0.Sub(x0, big.NewInt(off.start))
			x1.Add(x1, big.NewInt(off.start))
			y0, y1 := big.NewInt(-off.start), unit(fine.Mul(half, turn.Im))
			y1.Add(y1, big.NewInt(off.start))
			s.add(cos.Lsh(cos, uint(limbBits*s.size-w)), flip, [2]*big.Int{x0, x1}, [2]*big.Int{y0, y1})
			re, im, err := s.run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			abs := func(x int64) *big.Int { y := big.NewInt(x); return y.Add(y.Abs(y), big.NewInt(2)) }
			for j := range n + 1 {
				z := fine.ScaleC(half, fine.ExpI(fine.Mul(interval.Int(int64(-j)), theta)))
				limit := s.errorAt(j, 1, abs(off.start), abs(off.cos))
				for part, x := range []*big.Int{new(big.Int).Sub(re[j], unit(z.Re)), new(big.Int).Sub(im[j], unit(z.Im))} {
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
