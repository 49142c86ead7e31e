// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"fmt"
	"math/big"
	"testing"
)

// The kernels are tested with their sums cut at every small degree, where the
// remainder is most of the answer: with guard bits and full sums a forgotten
// remainder would go unnoticed. The other side is exact rational arithmetic.

var degrees = []int{0, 1, 2, 3, 4, -1}

func ratPow2(e int) *big.Rat {
	if e >= 0 {
		return new(big.Rat).SetInt(new(big.Int).Lsh(oneInt, uint(e)))
	}
	return new(big.Rat).SetFrac(oneInt, new(big.Int).Lsh(oneInt, uint(-e)))
}

// scaledRat returns n·2^−v.
func scaledRat(n *big.Int, v int) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt(n), ratPow2(-v))
}

// A ratSeries sums term(0), term(1), … exactly until a term is below 2^−bits,
// and returns rationals around the limit given that what is left out is at most
// twice the next term in magnitude.
func ratSeries(bits int, term func(i int) *big.Rat) (lo, hi *big.Rat) {
	sum := new(big.Rat)
	small := ratPow2(-bits)
	for i := 0; ; i++ {
		t := term(i)
		if i > 2 && new(big.Rat).Abs(t).Cmp(small) < 0 {
			t.Abs(t)
			t.Add(t, t)
			return new(big.Rat).Sub(sum, t), new(big.Rat).Add(sum, t)
		}
		sum.Add(sum, t)
	}
}

// ratExp encloses e^u for 0 ≤ u ≤ 1.
func ratExp(u *big.Rat, bits int) (lo, hi *big.Rat) {
	t := big.NewRat(1, 1)
	return ratSeries(bits, func(i int) *big.Rat {
		if i > 0 {
			t.Mul(t, u)
			t.Mul(t, big.NewRat(1, int64(i)))
		}
		return new(big.Rat).Set(t)
	})
}

// ratLog encloses log m for m in [1/2, 2] by 2·atanh((m−1)/(m+1)).
func ratLog(m *big.Rat, bits int) (lo, hi *big.Rat) {
	one := big.NewRat(1, 1)
	z := new(big.Rat).Quo(new(big.Rat).Sub(m, one), new(big.Rat).Add(m, one))
	t := new(big.Rat).Add(z, z)
	z2 := new(big.Rat).Mul(z, z)
	return ratSeries(bits, func(i int) *big.Rat {
		if i > 0 {
			t.Mul(t, z2)
		}
		return new(big.Rat).Mul(t, big.NewRat(1, int64(2*i+1)))
	})
}

// ratErfSeries encloses S(a) for 0 ≤ a ≤ 1/4.
func ratErfSeries(a *big.Rat, bits int) (lo, hi *big.Rat) {
	t := big.NewRat(1, 1)
	return ratSeries(bits, func(i int) *big.Rat {
		if i > 0 {
			t.Mul(t, a)
			t.Mul(t, big.NewRat(2, int64(2*i+1)))
		}
		return new(big.Rat).Set(t)
	})
}

// checkKernel verifies lo·2^−v ≤ [tlo, thi] ≤ hi·2^−v for a true value known to
// lie between tlo and thi, which must be far closer together than lo and hi.
func checkKernel(t *testing.T, name string, lo, hi *big.Int, v int, tlo, thi *big.Rat) {
	t.Helper()
	if scaledRat(lo, v).Cmp(tlo) > 0 || scaledRat(hi, v).Cmp(thi) < 0 {
		t.Fatalf("%s: [%v, %v]·2^−%d does not contain %s", name, lo, hi, v, tlo.FloatString(20))
	}
}

func TestExpSeriesContainsExpAtEveryDegree(t *testing.T) {
	for _, v := range []int{6, 10, 40} {
		limit := int64(1) << (v - 1) // u ≤ 1/2
		for i := int64(0); i <= 64; i++ {
			U := big.NewInt(limit * i / 64)
			tlo, thi := ratExp(scaledRat(U, v), 2*v+20)
			for _, d := range degrees {
				lo, hi := expSeries(U, v, d)
				checkKernel(t, fmt.Sprintf("expSeries(%v, %d, %d)", U, v, d), lo, hi, v, tlo, thi)
			}
		}
	}
}

func TestExpFixedContainsExpAtEveryDegree(t *testing.T) {
	for _, w := range []int{8, 14, 30} {
		for i := int64(-70); i <= 70; i++ {
			if i == 0 {
				continue
			}
			x := new(big.Float).Quo(big.NewFloat(float64(i)), big.NewFloat(16))
			r, _ := x.Rat(nil)
			tlo, thi := ratExpAny(r, 2*w+60)
			for _, d := range degrees {
				lo, hi, n, v := expFixed(x, w, d)
				checkKernel(t, fmt.Sprintf("expFixed(%v, %d, %d)", x, w, d), lo, hi, v-n, tlo, thi)
			}
		}
	}
}

// ratExpAny encloses e^x for rational |x| ≤ 8 by e^(x/8)^8.
func ratExpAny(x *big.Rat, bits int) (lo, hi *big.Rat) {
	u := new(big.Rat).Mul(new(big.Rat).Abs(x), big.NewRat(1, 8))
	lo, hi = ratExp(u, bits)
	for range 3 {
		lo.Mul(lo, lo)
		hi.Mul(hi, hi)
	}
	if x.Sign() < 0 {
		lo, hi = hi.Inv(hi), lo.Inv(lo)
	}
	return lo, hi
}

func TestLogSeriesContainsLogAtEveryDegree(t *testing.T) {
	const k = 8
	for _, w := range []int{6, 12, 40} {
		for M := int64(171); M <= 341; M++ { // 2/3 … 4/3
			m := big.NewInt(M)
			tlo, thi := ratLog(scaledRat(m, k), 2*w+20)
			for _, d := range degrees {
				lo, hi := logSeries(m, k, w, d)
				checkKernel(t, fmt.Sprintf("logSeries(%d/256, %d, %d)", M, w, d), lo, hi, w, tlo, thi)
			}
		}
	}
}

func TestLogNearOneContainsLogAtEveryDegree(t *testing.T) {
	for _, w := range []int{6, 12, 40} {
		one := new(big.Int).Lsh(oneInt, uint(w))
		for i := int64(-15); i <= 15; i++ {
			d := new(big.Int).Mul(one, big.NewInt(i))
			d.Rsh(d, 6)
			rlo := new(big.Int).Add(one, d)
			for _, gap := range []int64{0, 1, 5} {
				rhi := new(big.Int).Add(rlo, big.NewInt(gap))
				tlo, _ := ratLog(scaledRat(rlo, w), 2*w+20)
				_, thi := ratLog(scaledRat(rhi, w), 2*w+20)
				for _, deg := range degrees {
					lo, hi := logNearOne(rlo, rhi, w, deg)
					checkKernel(t, fmt.Sprintf("logNearOne(%v, %v, %d, %d)", rlo, rhi, w, deg), lo, hi, w, tlo, thi)
				}
			}
		}
	}
}

// The recursion of logFixed must agree with the series it reduces to.
func TestLogFixedMeetsLogSeries(t *testing.T) {
	const k = 12
	for _, w := range []int{logSplit + 1, 300, 1000} {
		for M := int64(2731); M <= 5461; M += 39 {
			m := big.NewInt(M)
			alo, ahi := logFixed(m, k, w, -1)
			blo, bhi := logSeries(m, k, w, -1)
			if alo.Cmp(bhi) > 0 || blo.Cmp(ahi) > 0 {
				t.Fatalf("logFixed(%d/4096, %d) = [%v, %v], logSeries = [%v, %v]", M, w, alo, ahi, blo, bhi)
			}
			for _, d := range degrees {
				clo, chi := logFixed(m, k, w, d)
				if clo.Cmp(bhi) > 0 || blo.Cmp(chi) > 0 {
					t.Fatalf("logFixed(%d/4096, %d, degree %d) = [%v, %v] misses [%v, %v]", M, w, d, clo, chi, blo, bhi)
				}
			}
		}
	}
}

func TestErfSeriesContainsItsLimitAtEveryDegree(t *testing.T) {
	for _, w := range []int{6, 12, 40} {
		for i := int64(0); i <= 64; i++ {
			a := new(big.Float).SetMantExp(new(big.Float).SetInt64(i), -8)
			r, _ := a.Rat(nil)
			tlo, thi := ratErfSeries(r, 2*w+20)
			for _, d := range degrees {
				lo, hi := erfSeries(a, w, d)
				checkKernel(t, fmt.Sprintf("erfSeries(%v, %d, %d)", a, w, d), lo, hi, w, tlo, thi)
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
			for _, d := range degrees {
				lo, hi := table.sum(af, d)
				checkKernel(t, fmt.Sprintf("sum(%v) of %d bits, degree %d", a, bits, d), lo, hi, table.v, tlo, thi)
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
		k := map[string]*constant{"pi": &piConstant, "ln2": &ln2Constant}[c.name]
		for w := 1; w < 600; w++ {
			n := k.fixed(w)
			q := Prec(2000)
			if q.BigInt(n).LessEq(q.Scale(ref, w)) != True || q.Scale(ref, w).Less(q.BigInt(new(big.Int).Add(n, big.NewInt(2)))) != True {
				t.Fatalf("%s.fixed(%d) = %v", c.name, w, n)
			}
		}
	}
}

// Next to 1 the step of logFixed is from y = 0, and the series is all there is.
func TestLogFixedNextToOne(t *testing.T) {
	const k, w = 300, 300
	one := new(big.Int).Lsh(oneInt, k)
	for _, d := range []int64{-3, -1, 0, 1, 5} {
		lo, hi := logFixed(new(big.Int).Add(one, big.NewInt(d)), k, w, -1)
		if lo.Cmp(big.NewInt(d)) > 0 || hi.Cmp(big.NewInt(d)) < 0 { // 2^w·log(1 + d/2^k) = d, but for d²/2^301
			t.Errorf("2^300·log(1 + %d/2^300) ∈ [%v, %v]", d, lo, hi)
		}
	}
}
