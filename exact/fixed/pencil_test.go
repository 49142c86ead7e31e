// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// testFraction is in (0, 1].
func testFraction(r *rand.Rand) *big.Rat { return big.NewRat(r.Int63n(1<<40)+1, 1<<40+r.Int63n(3)) }

// anyEnd returns an enclosure and one of its two ends.
func anyEnd(r *rand.Rand, x Real) (Real, interval.Interval) {
	x = pack(x.neg(), x.m, []uint64{0, 1, 5, 1 << 20, 1 << 50}[r.Intn(5)], x.exp())
	v := x.Interval()
	if r.Intn(2) == 0 {
		return x, interval.Point(v.Lo())
	}
	return x, interval.Point(v.Hi())
}

// TestPencilsEnclose: sums of numbers that are at the ends of their enclosures, with g and the turn at an end, too.
func TestPencilsEnclose(t *testing.T) {
	const w = interval.Prec(500)
	r := rand.New(rand.NewSource(4))
	for i := range points(160) {
		n := []int{1, 2, 30, 100}[i%4]
		sizes := []int{0, 3, 90}[i%3]
		j := make([]int64, n)
		var members [][4]interval.Interval
		var terms [][4]Real
		for k := range j {
			j[k] = int64(k)
			if k > 0 {
				j[k] = j[k-1] + 1
				if r.Intn(20) == 0 {
					j[k] += r.Int63n(1000)
				}
			}
			var xs [4]Real
			var ms [4]interval.Interval
			for l := range xs {
				exp := -r.Intn(sizes + 1)
				xs[l] = pack(r.Intn(2) == 0 && i%5 != 0, anyFrac(r), 0, exp)
				if ms[l] = xs[l].Interval(); i%7 != 0 {
					xs[l], ms[l] = anyEnd(r, xs[l])
				}
			}
			terms, members = append(terms, xs), append(members, ms)
		}
		p, ok := NewPencil(j, func(k int) (x, y Complex) {
			return Complex{terms[k][0], terms[k][1]}, Complex{terms[k][2], terms[k][3]}
		})
		if !ok {
			t.Fatal("words do not do")
		}
		theta := interval.Prec(80).Div(interval.Int(r.Int63n(1<<40)), interval.Int(1<<38))
		if i%6 == 0 {
			theta = interval.Int(0)
		}
		at := func(j int64) interval.Complex {
			sin, cos := w.SinCos(w.Mul(interval.Int(j), theta))
			return interval.Complex{Re: cos, Im: sin.Neg()}
		}
		off := Int(0)
		if i%7 == 0 { // turns are at an end of their enclosures
			off = pack(i%2 == 0, frac{Hi: 1 << 63}, 0, -155)
		}
		e := func(j int64) Complex {
			z := FromComplex(at(j))
			c := Three{}
			return Complex{c.widen(c.Add(z.Re, off), off), c.widen(c.Add(z.Im, off), off)}
		}
		g := w.Rat(testFraction(r))
		share := g
		if i%3 == 1 {
			share = interval.Union(g, w.Mul(g, w.Rat(testFraction(r))))
		}
		want := interval.Int(0)
		for k := range j {
			a := w.Sub(members[k][0], w.Mul(g, members[k][2]))
			b := w.Sub(members[k][1], w.Mul(g, members[k][3]))
			z := at(j[k])
			want = w.Add(want, w.Sub(w.Mul(a, z.Re), w.Mul(b, z.Im)))
		}
		got, err := p.Sum(t.Context(), e, share)
		if _, meet := interval.Intersect(got.Interval(), want); err != nil || !got.Known() || !meet {
			t.Fatalf("%d: %d terms: %v, %v; want %v", i, n, got.Interval(), err, want)
		}
	}
}

// TestPencilsAreNarrow: long sums of equal numbers, where all roundings have one sign, hold the truth, and keep 140
// bits.
func TestPencilsAreNarrow(t *testing.T) {
	const w = interval.Prec(500)
	r := rand.New(rand.NewSource(5))
	const bits = 140
	for i := range 8 {
		j := make([]int64, 3*pencilBlock)
		for k := range j {
			j[k] = int64(k)
		}
		x, y := FromInterval(w.Rat(testFraction(r))).exact(), FromInterval(w.Rat(testFraction(r))).exact()
		g := w.Rat(testFraction(r))
		if i%4 == 3 { // nearly a unit is left out of a term, and nearly one at each step
			x, y = FromInterval(w.Rat(new(big.Rat).Sub(big.NewRat(1, 1), interval.Pow2(-52)))).exact(), Int(0)
		}
		p, ok := NewPencil(j, func(int) (Complex, Complex) { return Complex{Re: x}, Complex{Re: y} })
		if !ok {
			t.Fatal("words do not do")
		}
		got, err := p.Sum(t.Context(), func(int64) Complex { return Complex{Re: Int(1)} }, g)
		want := w.Mul(interval.Int(int64(len(j))), w.Sub(x.Interval(), w.Mul(g, y.Interval())))
		_, meet := interval.Intersect(got.Interval(), want)
		if err != nil || !meet || got.Interval().RelativeBits(bits) < bits {
			t.Errorf("%v, %v; want %v", got.Interval(), err, want)
		}
	}
}

// TestPencilsRefuse: what words do not hold.
func TestPencilsRefuse(t *testing.T) {
	one := func(int) (Complex, Complex) { return Complex{Re: Int(1)}, Complex{} }
	unknown := func(int) (Complex, Complex) { return Complex{Re: Unknown()}, Complex{} }
	if _, ok := NewPencil([]int64{0}, unknown); ok {
		t.Error("an unknown number")
	}
	if _, ok := NewPencil(make([]int64, maxPencil+1), one); ok {
		t.Error("too many terms")
	}
	p, _ := NewPencil([]int64{0}, one)
	for _, c := range []struct {
		e Complex
		g interval.Interval
	}{{Complex{Re: Unknown()}, interval.Int(1)}, {Complex{Re: Int(1)}, interval.Entire()}} {
		if y, _ := p.Sum(t.Context(), func(int64) Complex { return c.e }, c.g); y.Known() {
			t.Errorf("e = %v, g = %v: %v", c.e, c.g, y.Interval())
		}
	}
}

// TestSumsAbove: what is added up is at most the bound.
func TestSumsAbove(t *testing.T) {
	const w = interval.Prec(400)
	r := rand.New(rand.NewSource(6))
	for range points(200) {
		s, sum := above{exp: r.Intn(100)}, interval.Int(0)
		for range 1 + r.Intn(20) {
			b, exp := testkit.Word(r)>>1, 0
			exp = s.exp - 63 - r.Intn(80)
			s.add(b, exp)
			sum = w.Add(sum, w.Scale(interval.Int(int64(b)), exp))
		}
		if s.bound().Interval().Hi().Cmp(sum.Lo()) < 0 {
			t.Fatalf("%v is below %v", s.bound().Interval(), sum)
		}
	}
}

// TestAround: integers with their errors.
func TestAround(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 7, 1<<60 - 1, -(1 << 60)} {
		for _, err := range []uint64{0, 1, 3, 1 << 55} {
			for _, exp := range []int{0, -3, -500, 90} {
				got := Around(n, err, exp).Interval()
				w := interval.Prec(200)
				for _, d := range []int64{int64(err), -int64(err)} {
					if v := w.Scale(interval.Int(n+d), exp); got.Lo().Cmp(v.Lo()) > 0 || got.Hi().Cmp(v.Hi()) < 0 {
						t.Errorf("(%d ± %d)·2^%d in %v", n, err, exp, got)
					}
				}
			}
		}
	}
}
