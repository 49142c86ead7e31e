// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/internal/testkit"
)

func TestAtanSeriesContainsAtanAtEveryDegree(t *testing.T) {
	for _, w := range []int{5, 10, 40} {
		limit := int64(1) << (w - 2) // t ≤ 1/4
		for i := int64(0); i <= 64; i++ {
			T := big.NewInt(limit * i / 64)
			x := testkit.Scaled(T, w)
			x2 := new(big.Rat).Mul(x, x)
			p := new(big.Rat).Set(x)
			tlo, thi := testkit.Series(2*w+20, func(i int) *big.Rat {
				if i > 0 {
					p.Mul(p, x2)
					p.Neg(p)
				}
				return new(big.Rat).Mul(p, big.NewRat(1, int64(2*i+1)))
			})
			for _, d := range testkit.Degrees {
				lo, hi := atanSeries(T, w, d)
				testkit.CheckFixed(t, fmt.Sprintf("atanSeries(%v, %d, %d)", T, w, d), lo, hi, w, tlo, thi)
			}
		}
	}
}

// A ratComplex is a point.
type ratComplex struct{ re, im *big.Rat }

func (z ratComplex) mul(y ratComplex) ratComplex {
	m := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	re, im := m(z.re, y.re), m(z.re, y.im)
	return ratComplex{re.Sub(re, m(z.im, y.im)), im.Add(im, m(z.im, y.re))}
}

func (z ratComplex) inv() ratComplex {
	n := new(big.Rat).Add(new(big.Rat).Mul(z.re, z.re), new(big.Rat).Mul(z.im, z.im))
	n.Inv(n)
	return ratComplex{new(big.Rat).Mul(z.re, n), new(big.Rat).Neg(new(big.Rat).Mul(z.im, n))}
}

func (z Complex) contains(y ratComplex) bool { return z.Re.ContainsRat(y.re) && z.Im.ContainsRat(y.im) }

// randomRectangle returns a rectangle and a member.
func randomRectangle(r *rand.Rand) (Complex, ratComplex) {
	side := func() (Interval, *big.Rat) {
		a := new(big.Rat).SetFrac64(r.Int63n(2001)-1000, 1+r.Int63n(300))
		if r.Intn(6) == 0 {
			a.SetInt64(0)
		}
		p := Prec(2 + r.Intn(30))
		x := p.Rat(a)
		if r.Intn(2) == 0 {
			x = Union(x, p.Rat(new(big.Rat).Add(a, new(big.Rat).SetFrac64(r.Int63n(200)-100, 64))))
		}
		return x, a
	}
	re, a := side()
	im, b := side()
	return Complex{re, im}, ratComplex{a, b}
}

func TestComplexArithmeticContainsMembers(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 1500 {
		y, a := randomRectangle(r)
		z, b := randomRectangle(r)
		p := Prec(2 + r.Intn(20))
		check := func(name string, got Complex, want ratComplex) {
			t.Helper()
			if !got.contains(want) {
				t.Fatalf("%s at %d bits of %v, %v: %v misses (%s, %s)", name, p, y, z, got, want.re.FloatString(20), want.im.FloatString(20))
			}
		}
		check("AddC", p.AddC(y, z), ratComplex{new(big.Rat).Add(a.re, b.re), new(big.Rat).Add(a.im, b.im)})
		check("SubC", p.SubC(y, z), ratComplex{new(big.Rat).Sub(a.re, b.re), new(big.Rat).Sub(a.im, b.im)})
		check("MulC", p.MulC(y, z), a.mul(b))
		check("SqrC", p.SqrC(y), a.mul(a))
		check("Conj", y.Conj(), ratComplex{a.re, new(big.Rat).Neg(a.im)})
		check("RoundC", p.RoundC(y), a)
		pow := ratComplex{big.NewRat(1, 1), new(big.Rat)}
		for n := int64(0); n < 6; n++ {
			check("PowIntC", p.PowIntC(y, n), pow)
			pow = pow.mul(a)
		}
		if b.re.Sign() != 0 || b.im.Sign() != 0 {
			check("InvC", p.InvC(z), b.inv())
			check("DivC", p.DivC(y, z), a.mul(b.inv()))
		}
		norm := new(big.Rat).Add(new(big.Rat).Mul(a.re, a.re), new(big.Rat).Mul(a.im, a.im))
		if !p.NormSqr(y).ContainsRat(norm) {
			t.Fatalf("NormSqr at %d bits of %v", p, y)
		}
		if s := p.AbsC(y); !(p + 40).Sqr(s).ContainsRat(norm) {
			t.Fatalf("AbsC at %d bits of %v", p, y)
		}
	}
}

// meet reports whether two rectangles have a common point.
func meet(y, z Complex) bool {
	_, a := Intersect(y.Re, z.Re)
	_, b := Intersect(y.Im, z.Im)
	return a && b
}

// TestComplexFunctionalEquations: enclosures of the two sides meet, at a low and at a
// high precision, and what is computed for a rectangle encloses what is computed
// for its member.
func TestComplexFunctionalEquations(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for n := range 64 {
		y, a := randomRectangle(r)
		_, b := randomRectangle(r)
		scale := Prec(300).Rat(big.NewRat(1, 1+int64(n%64)))
		shrink := func(z Complex) Complex { return Prec(300).ScaleC(scale, z) }
		point := func(a ratComplex) Complex { return shrink(Complex{Prec(300).Rat(a.re), Prec(300).Rat(a.im)}) }
		y = shrink(y)
		u, v := point(a), point(b)
		for _, p := range []Prec{2, 3, 8, 53, 128} {
			check := func(name string, x, y Complex) {
				t.Helper()
				if !meet(x, y) {
					t.Fatalf("%s at %d bits of %v and %v: %v and %v are disjoint", name, p, u, v, x, y)
				}
			}
			check("e^(u+v)", p.ExpC(p.AddC(u, v)), p.MulC(p.ExpC(u), p.ExpC(v)))
			check("e^log u", p.ExpC(p.LogC(u)), u)
			if pi := Prec(64).Pi(); u.Im.Less(pi) == True && pi.Neg().Less(u.Im) == True {
				check("log e^u", p.LogC(p.ExpC(u)), u)
			}
			for _, f := range []func(Complex) Complex{p.ExpC, p.LogC} {
				if w, narrow := f(y), f(u); !meet(w, narrow) {
					t.Fatalf("at %d bits: f%v = %v misses f of the member %v, %v", p, y, w, u, narrow)
				}
			}
			// Two precisions overlap.
			check("ExpC", p.ExpC(u), (p + 61).ExpC(u))
			check("LogC", p.LogC(u), (p + 61).LogC(u))
		}
	}
}

// TestExpCWidth: tested, not proved.
func TestExpCWidth(t *testing.T) {
	for _, p := range []Prec{24, 64, 200, 500} {
		for _, z := range [][2]int64{{0, 1}, {-5, 100}, {300, -12345}, {-7, 3}} {
			y := p.ExpC(Complex{p.Rat(big.NewRat(z[0], 4)), p.Rat(big.NewRat(z[1], 4))})
			size := p.AbsC(y)
			for _, x := range []Interval{y.Re, y.Im} {
				if w := p.Sub(Point(x.Hi()), Point(x.Lo())); w.Less(p.Scale(size, 3-int(p))) != True {
					t.Errorf("e^(%d + %di)/4 at %d bits is %v", z[0], z[1], p, y)
				}
			}
		}
	}
}

// TestTrigOfIntervals: wide arguments, points of large exponent, infinities.
func TestTrigOfIntervals(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 500 {
		z, a := randomRectangle(r)
		for _, p := range []Prec{2, 8, 53} {
			x := p.Rat(a.re)
			s, c := p.SinCos(z.Re)
			for _, f := range []struct{ wide, member Interval }{{p.Sin(z.Re), p.Sin(x)}, {p.Cos(z.Re), p.Cos(x)}, {s, p.Sin(x)}, {c, p.Cos(x)}, {p.Atan(z.Re), p.Atan(x)}} {
				if _, ok := Intersect(f.wide, f.member); !ok {
					t.Fatalf("at %d bits over %v: %v misses %v", p, z.Re, f.wide, f.member)
				}
			}
		}
	}
	for _, x := range []Interval{Entire(), Int(1 << 62), Prec(8).Scale(Int(1), MaxExp-1), Union(Int(0), Int(7))} {
		if y := Prec(64).Sin(x); !unitRange.Encloses(y) {
			t.Errorf("sin %v = %v", x, y)
		}
	}
	if y := Prec(64).Atan(Entire()); !y.Encloses(Prec(8).Round(Union(Int(-1), Int(1)))) || y.Lo().Cmp(Prec(64).Round(Int(-2)).Lo()) < 0 {
		t.Errorf("arctan of everything is %v", y)
	}
}

func BenchmarkExpC(b *testing.B) {
	for _, p := range []Prec{64, 192, 512} {
		z := Complex{p.Rat(big.NewRat(-7, 3)), p.Rat(big.NewRat(100, 7))}
		b.Run(fmt.Sprint(p), func(b *testing.B) {
			for range b.N {
				p.ExpC(z)
			}
		})
	}
}
