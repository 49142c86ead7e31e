// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"fmt"
	"math/big"
	"testing"

	"dpverify/exact/kernel"
	"dpverify/internal/testkit"
)

// ratErfSeries encloses S(a) for 0 ≤ a ≤ 1/4.
func ratErfSeries(a *big.Rat, bits int) (lo, hi *big.Rat) {
	t := big.NewRat(1, 1)
	return testkit.Series(bits, func(i int) *big.Rat {
		if i > 0 {
			t.Mul(t, a)
			t.Mul(t, big.NewRat(2, int64(2*i+1)))
		}
		return new(big.Rat).Set(t)
	})
}

func TestErfSeriesContainsItsLimitAtEveryDegree(t *testing.T) {
	for _, w := range []int{6, 12, 40} {
		for i := int64(0); i <= 64; i++ {
			a := new(big.Float).SetMantExp(new(big.Float).SetInt64(i), -8)
			r, _ := a.Rat(nil)
			tlo, thi := ratErfSeries(r, 2*w+20)
			for _, d := range testkit.Degrees {
				lo, hi := erfSeries(a, w, d)
				testkit.CheckFixed(t, fmt.Sprintf("erfSeries(%v, %d, %d)", a, w, d), lo, hi, w, tlo, thi)
			}
		}
	}
}

// R of erfcPositive at every number of nodes, against exact rational sums over
// enclosures of the nodes.
func TestNodeSumContainsItsLimitAtEveryDegree(t *testing.T) {
	for _, bits := range []int{32, 64} {
		table := newNodeTable(bits)
		h := big.NewRat(int64(table.H), 1<<nodeBits)
		h2 := new(big.Rat).Mul(h, h)
		for _, a := range []*big.Rat{big.NewRat(1, 4), big.NewRat(1, 2), big.NewRat(9, 8), big.NewRat(50, 1), big.NewRat(10000, 1)} {
			tlo, thi := new(big.Rat).Inv(a), new(big.Rat).Inv(a)
			for k := int64(1); k < 60; k++ {
				y := new(big.Rat).Mul(h2, big.NewRat(k*k, 1))
				q := Prec(200)
				e := q.Exp(q.Rat(y).Neg())
				d := new(big.Rat).Inv(new(big.Rat).Add(y, a))
				d.Add(d, d)
				l, _ := e.l().Rat(nil)
				u, _ := e.h().Rat(nil)
				tlo.Add(tlo, l.Mul(l, d))
				thi.Add(thi, u.Mul(u, d))
			}
			af := new(big.Float).SetPrec(100).SetRat(a)
			for _, d := range testkit.Degrees {
				lo, hi := table.sum(af, d)
				testkit.CheckFixed(t, fmt.Sprintf("sum(%v) of %d bits, degree %d", a, bits, d), lo, hi, table.v, tlo, thi)
			}
		}
	}
}

func TestNodeTableEnclosesItsNodes(t *testing.T) {
	for _, bits := range []int{32, 160, 1024} {
		table := newNodeTable(bits)
		q := Prec(bits + 80)
		for k, G := range table.g {
			y := q.Scale(q.Mul(Int(int64(k)*int64(k)), Int(int64(table.H)*int64(table.H))), -2*nodeBits)
			e := q.Scale(q.Exp(y.Neg()), table.v)
			hi := new(big.Int).Add(G, big.NewInt(table.slack))
			if (q+64).BigInt(G).LessEq(e) == False || e.LessEq((q+64).BigInt(hi)) == False {
				t.Errorf("%d bits: node %d = %v with slack %d is not around %s", bits, k, G, table.slack, e)
			}
		}
		if table.slack > 2 {
			t.Errorf("%d bits: slack %d", bits, table.slack)
		}
	}
}

// Either choice about the pole term is proved near c₀; both must give erfc
// there. At the switch the two formulas differ by κ, which must not exceed the
// remainder they share.
func TestErfcAcrossThePoleSwitch(t *testing.T) {
	for _, p := range []Prec{2, 24, 53, 128} {
		table := gaussNodes(int(p) + 10 + 6 + 8)
		c0 := Prec(64).Div(Prec(64).Scale(Prec(64).Pi(), nodeBits), Int(int64(table.H)))
		for i := int64(-40); i <= 40; i++ {
			x := Prec(53).Add(c0, Prec(53).Rat(big.NewRat(i, 100)))
			x = Point(x.l())
			got := p.Erfc(x)
			fine := (p + 200).Erfc(x)
			if _, ok := Intersect(got, fine); !ok {
				t.Errorf("%d bits: erfc(%s) = %s, with more bits %s", p, x, got, fine)
			}
		}
	}
}

func TestConstants(t *testing.T) {
	// 60 digits of A000796 and A002162.
	known := []struct {
		name   string
		f      func(Prec) Interval
		digits string
	}{
		{"pi", Prec.Pi, "3.14159265358979323846264338327950288419716939937510582097494"},
		{"ln2", Prec.Ln2, "0.693147180559945309417232121458176568075500134360255254120680"},
	}
	for _, c := range known {
		r, _ := new(big.Rat).SetString(c.digits)
		ulp := new(big.Rat).SetFrac(oneInt, new(big.Int).Exp(big.NewInt(10), big.NewInt(59), nil))
		lo, hi := new(big.Rat).Sub(r, ulp), new(big.Rat).Add(r, ulp)
		for p := Prec(2); p < 400; p++ {
			x := c.f(p)
			if cmpRat(x.l(), hi) > 0 || cmpRat(x.h(), lo) < 0 {
				t.Fatalf("%s at %d bits: %s", c.name, p, x)
			}
			if !narrow(p, x) {
				t.Fatalf("%s at %d bits: %s is too wide", c.name, p, x)
			}
		}
		// c ≤ C·2^w < c + 2 for the fixed-point form, at every offset in a class.
		ref := c.f(2000)
		fixed := map[string]func(int) *big.Int{"pi": kernel.Pi, "ln2": kernel.Ln2}[c.name]
		for w := 1; w < 600; w++ {
			n := fixed(w)
			q := Prec(2000)
			if q.BigInt(n).LessEq(q.Scale(ref, w)) != True || q.Scale(ref, w).Less(q.BigInt(new(big.Int).Add(n, big.NewInt(2)))) != True {
				t.Fatalf("%s(%d) = %v", c.name, w, n)
			}
		}
	}
}

// Erf returns an enclosure of the error function (2/√π)∫_0^x e^(−t²) dt.
func (p Prec) Erf(x Interval) Interval { return p.increasing(x, p.erfPoint) }

// Erfc returns an enclosure of 1 − erf(x), of full relative accuracy also where
// it is tiny: erfc(10^4) is about 10^−43429453. From x = 2^15 on the result is
// outside the range of the package, and the lower end is 0.
//
// Width: a point argument gives a relative width ≤ 2^(4−p); tested.
func (p Prec) Erfc(x Interval) Interval {
	p.check()
	if y, ok := p.narrowTail(x, Prec.erfcPoint, 0); ok {
		return y
	}
	return p.decreasing(x, p.erfcPoint)
}

func (p Prec) erfPoint(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return Interval{}
	case x.Sign() < 0:
		return p.erfPoint(new(big.Float).Neg(x)).Neg()
	case x.MantExp(nil) < 0: // x < 1/2
		return p.erfSmall(newGauss(x, 0))
	}
	// 1 − erfc(x) ≥ 1/2: a relative error of erfc is at most one of erf.
	return p.Sub(Int(1), (p + 4).erfcPoint(x))
}

func (p Prec) erfcPoint(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return Int(1)
	case x.Sign() < 0:
		return p.Add(Int(1), p.erfPoint(new(big.Float).Neg(x)))
	}
	return p.erfcPositive(newGauss(x, 0))
}
