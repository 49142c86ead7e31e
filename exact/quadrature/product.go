// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A Product is copies of several rules at points −λ + ijh, j = 0 … n, in double precision.
type Product struct {
	// Base is M(−λ) of the product: M(−λ + ijh) is near Base times value j.
	Base   interval.Interval
	values []complex128
	Logs   []double.Interval // bounds Σ κ·log(|z| + e), log(|M(−λ + ijh)|/M(−λ)) from above
	shares []double.Interval // bounds Σ κ·e/(|z| + e)
	copies int64
	step   double.Interval
}

// NewProduct returns a product of nothing, for steps h.
func NewProduct(h double.Interval, n int) *Product {
	p := &Product{Base: interval.Int(1), values: make([]complex128, n+1), Logs: make([]double.Interval, n+1),
		shares: make([]double.Interval, n+1), step: h}
	for j := range p.values {
		p.values[j] = 1
	}
	return p
}

// maxCopies bounds the copies of a product: what is lost is to be a small share.
const maxCopies = 1 << 40

// A Ratio is Ratios of a rule, with M(−λ).
type Ratio struct {
	values []complex128
	off    []float64
	zero   interval.Interval
}

// Ratio has the ratios for steps h, j = 0 … n. It reports false where nothing useful would be left.
func (q DoubleRule) Ratio(h double.Interval, n int) (r Ratio, ok bool) {
	first, rises, off := q.Rises(h, n)
	if rises == nil || !(q.AtZero().Lo > 0) {
		return r, false
	}
	r.values, r.off = q.Ratios(first, rises, off)
	r.zero = coarse.Mul(q.AtZero().Exact(), q.Unit)
	return r, true
}

// Times multiplies by copies of a rule with the steps of the product, as many. It reports false where nothing useful
// would be left.
func (p *Product) Times(r Ratio, count int64) bool {
	if count > maxCopies-p.copies {
		return false
	}
	k := double.Int(count)
	p.copies += count
	for j, z := range r.values {
		p.values[j] = double.Product(p.values[j], power(z, count))
		e := double.Point(r.off[j])
		size := double.Point(real(z)).Sqr().Add(double.Point(imag(z)).Sqr()).Sqrt().Add(e)
		p.Logs[j] = p.Logs[j].Add(k.Mul(size.Log()))
		p.shares[j] = p.shares[j].Add(k.Mul(e.Div(size)))
	}
	p.Base = coarse.Mul(p.Base, coarse.PowInt(r.zero, count))
	return true
}

// power is z^n, n ≥ 1.
func power(z complex128, n int64) complex128 {
	out, started := z, false
	for ; n > 0; n >>= 1 {
		switch {
		case n&1 == 1 && started:
			out = double.Product(out, z)
		case n&1 == 1:
			out, started = z, true
		}
		z = double.Product(z, z)
	}
	return out
}

// A Series is Σ_{|j|≤n} e^{ijθ}·W_j·M(s_j)/(s_j(s_j − 1)), s_j = −λ + ijh, as a function of θ.
type Series struct {
	base   interval.Interval
	values []complex128
}

// Series returns the series up to n, and a bound of 2·Σ_j of the distances of its values from
// W_j·M(s_j)/(s_j(s_j − 1)), in units of Base. The W_j are in weights, and 1 if these are nil. It reports false if
// there is none.
//
// Lemma. If |M_i − z_i| ≤ e_i for all factors, and κ_i counts copies, then
//
//	|Π M_i^κ_i − Π z_i^κ_i| ≤ Π (|z_i| + e_i)^κ_i − Π |z_i|^κ_i ≤ Π (|z_i| + e_i)^κ_i · Σ κ_i·e_i/(|z_i| + e_i).
//
// Proof. |M_i| ≤ |z_i| + e_i, and all products of the binomials but Π z_i^κ_i are bounded by their moduli. And
// 1 − Π (1 − x_i)^κ_i ≤ Σ κ_i·x_i for x_i = e_i/(|z_i| + e_i) in [0, 1].
//
// What is rounded: with u = 2^−53, a product of two complex numbers is within 3u of the exact one, see
// double.Product, so that K copies lose at most (1 + 3u)^K − 1 ≤ 6uK for 3uK ≤ 1/4. In s(s − 1) = λ(λ + 1) − t² −
// i(2λ + 1)t, no term is above |s(s − 1)|, as |s(s − 1)|² = (λ² + t²)((λ + 1)² + t²) ≥ (λ(λ + 1) + t²)². λ and h are
// known within 8u each, t within 9u, the terms within 20u, and so s(s − 1) within 30u and the quotient within 40u of
// itself. A weight w in the place of W costs |z·w − M·W| ≤ |M − z|·W + |z|·|W − w|, and u.
func (p *Product) Series(
	lambda *big.Rat, n int, weights []double.Interval,
) (s Series, distance interval.Interval, ok bool) {
	const u = 0x1p-53
	lost := double.Int(p.copies).Mul(double.Point(8 * u)).Add(double.Point(64 * u)).Upper()
	l := double.Of(coarse.Rat(lambda))
	floor := l.Mul(l.Add(double.Int(1)))
	near, step := l.Mid(), p.step.Mid()
	if !(l.Hi-l.Lo <= 8*u*l.Lo && p.step.Hi-p.step.Lo <= 8*u*p.step.Lo) {
		return s, distance, false
	}
	var sum double.Interval
	for j := range p.values[:n+1] {
		t := float64(j) * step
		re, im := float64(near*(near+1))-float64(t*t), -float64(t*(2*near+1))
		square := float64(re*re) + float64(im*im)
		if !(square > 0x1p-800 && square < 0x1p800) {
			return s, distance, false
		}
		y := double.Product(p.values[j], complex(re, -im))
		if !(math.Abs(real(y))+math.Abs(imag(y)) < math.Inf(1)) { // a value beyond float64, or none
			return s, distance, false
		}
		weight := double.Int(1)
		if weights != nil {
			weight = weights[j]
		}
		w := weight.Mid()
		s.values = append(s.values, complex(real(y)/square*w, imag(y)/square*w))
		// What is subnormal loses less than 2^−900.
		size := weight.Mul(p.shares[j].Add(lost)).Add(double.Point(weight.Hi).Sub(double.Point(weight.Lo)))
		size = size.Mul(p.Logs[j].Exp()).Add(double.Point(0x1p-900))
		sum = sum.Add(size.Div(p.step.Mul(double.Int(int64(j))).Sqr().Add(floor))).Upper()
	}
	s.base = p.Base
	distance = coarse.Scale(sum.Exact(), 1)
	return s, distance, lost.Hi < 0.25 && sum.Hi < math.Inf(1)
}

// N is the index of the last value.
func (s Series) N() int { return len(s.values) - 1 }

// About returns log Base, and about the values in units of it.
func (s Series) About() (log float64, values []complex128) {
	return double.Of(coarse.Log(s.base)).Mid(), s.values
}

// At encloses the series of the values, where θ/2π is within 2^−64 of turn·2^−64, up to an integer.
func (s Series) At(turn uint64) interval.Interval {
	unit := double.Of(coarse.Scale(coarse.Pi(), -63))
	var sum double.Interval
	for j := s.N(); j > 0; j-- {
		n := float64(j)
		theta := double.Int(int64(uint64(j) * turn)).Add(double.Interval{Lo: -n, Hi: n}) // less an integer
		cos, sin := theta.Mul(unit).Cis()
		v := s.values[j]
		sum = sum.Add(cos.Mul(double.Point(real(v)))).Sub(sin.Mul(double.Point(imag(v))))
	}
	sum = sum.Mul(double.Int(2)).Add(double.Point(real(s.values[0])))
	return coarse.Mul(sum.Exact(), s.base)
}

// Turn returns x as At takes it. It reports false if x is not known well enough.
func Turn(x interval.Interval) (turn uint64, ok bool) {
	const w = interval.Prec(256)
	x = w.Scale(x, 64)
	if !x.IsFinite() {
		return 0, false
	}
	k, _ := x.Lo().Int(nil)
	far := w.Sub(x, w.BigInt(k)).Abs()
	turn = new(big.Int).And(k, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	return turn, far.LessEqRat(big.NewRat(1, 1)) == interval.True
}
