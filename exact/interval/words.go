// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"math/bits"
	"sync"

	"dpverify/exact/fraction"
)

// maxThree is the greatest precision p of e^x and log x in three words: they err by less than 2^−(p+12) of themselves
// there, as the integers of exact/kernel do.
const maxThree = 172

// A near number is ±t·2^exp for a t within err ulps of m, which are 2^−192.
//
// Invariant: m ≥ 1/2, err < 2^50.
type near struct {
	negative bool
	m        fraction.Frac
	err      uint64
	exp      int
}

// threeWords is the memory that numbers go through on their way to words and back, so that none is allocated for it.
type threeWords struct {
	f      big.Float
	n, m   big.Int
	digits [256 / bits.UintSize]big.Word
}

var memory = sync.Pool{New: func() any {
	s := new(threeWords)
	s.f.SetPrec(big.MaxPrec) // it rounds nothing
	return s
}}

// inWords encloses a non-decreasing f on x by its values at the ends, in three words. It reports false where f does, or
// where p is more than they are good to.
func (p Prec) inWords(x Interval, f func(s *threeWords, x *big.Float, p Prec) (near, bool)) (y Interval, ok bool) {
	if p > maxThree {
		return y, false
	}
	s := memory.Get().(*threeWords)
	defer memory.Put(s)
	lo, ok := f(s, x.l(), p)
	if !ok {
		return y, false
	}
	hi := lo
	if !x.IsPoint() {
		if hi, ok = f(s, x.h(), p); !ok {
			return y, false
		}
	}
	ends := new([2]big.Float)
	return Interval{s.end(&ends[0], p, down, &lo), s.end(&ends[1], p, up, &hi)}, true
}

// truncated returns n and f with 0 ≤ |x|·2^k − (n + f) < 2^−192.
//
// Requires: |x|·2^k < 2^64.
func (s *threeWords) truncated(x *big.Float, k int) (n uint64, f fraction.Frac) {
	s.f.SetMantExp(x, k+192).Int(&s.n)
	var w [4]uint64
	for i, d := range s.n.Bits() {
		at := i * bits.UintSize
		w[at/64] |= uint64(d) << (at % 64)
	}
	return w[3], fraction.Make(w[2], w[1], w[0])
}

// exp is e^x. It reports false unless 2^−(p+5) ≤ |x| < 2^20.
//
// With y = n + f, |x − y| < 1 ulp, and |e^y·2^−k − m| < ExpErr ulps. As |e^t − 1| ≤ |t| + t² for |t| ≤ 1, and m < 0.51,
// e^x·2^−k is within ExpErr + 0.52 ulps of m.
func (s *threeWords) exp(x *big.Float, p Prec) (y near, ok bool) {
	if k := x.MantExp(nil); x.Sign() == 0 || x.IsInf() || k > 20 || k < -int(p)-4 {
		return y, false
	}
	u, f := s.truncated(x, 0)
	n := int64(u)
	if x.Sign() < 0 {
		n = -n
		if !f.IsZero() {
			n, f = n-1, fraction.Sub(fraction.Frac{}, f)
		}
	}
	m, k := fraction.Exp(n, f)
	z := m.LeadingZeros() // 1 or 2
	return near{false, m.Shl(z), (fraction.ExpErr + 1) << z, k - int(z)}, true
}

// log is log x. It reports false unless x > 0, and where x is so close to 1 that bits of the result are unknown.
//
// Let x = μ·2^e, 1/2 ≤ μ < 1, and m ≤ μ < m + 1 ulp. −log m is between z − LogErr and z + 10 ulps, log μ − log m is
// between 0 and 1/m ≤ 2 ulps, and |e|·log 2 between t and t + 2 ulps. So log x = e·log 2 + log μ is
//
//	for e > 0 between t − z − 10 and t − z + LogErr + 4 ulps,
//	for e ≤ 0 between −(t + z) − 12 and −(t + z) + LogErr + 2.
//
// In units of the last place of m, the error is shifted with it, and half a unit is added at most for what falls out.
func (s *threeWords) log(x *big.Float, p Prec) (y near, ok bool) {
	if x.Sign() <= 0 || x.IsInf() {
		return y, false
	}
	e := x.MantExp(nil)
	_, m := s.truncated(x, -e)
	z, t := fraction.Log(m), fraction.Times(uint64(max(e, -e)), &fraction.Ln2)
	var f fraction.Frac
	var c uint64
	n := t.N
	if e > 0 {
		f, c = fraction.SubBorrow(t.F, z)
		n -= c
	} else {
		f, c = fraction.AddCarry(t.F, z)
		n += c
	}
	const err = fraction.LogErr + 4
	if n == 0 {
		z := f.LeadingZeros()
		return near{e <= 0, f.Shl(z), err << z, -int(z)}, z <= uint(min(maxThree-p, 40))
	}
	k := uint(bits.Len64(n))
	f = f.Shr(k)
	f.Hi |= n << (64 - k)
	return near{e <= 0, f, err>>k + 2, int(k)}, k < 64 // n = −1 next to 1
}

// beyond[k] is 2^(64·k) − 1 ulps.
var beyond = [3]fraction.Frac{{}, {Lo: 1<<64 - 1}, {Mi: 1<<64 - 1, Lo: 1<<64 - 1}}

// end sets z, which is 0, to a bound of y, and returns it.
//
// k words are beyond p bits. They are dropped from the bound of t below, and from the one above when it is raised by
// 2^(64·k) − 1 ulps: that is ⌈(m + err)·2^(192−64k)⌉. z rounds what is left.
func (s *threeWords) end(z *big.Float, p Prec, to direction, y *near) *big.Float {
	k := 3 - (int(p)+63)/64
	e, c := fraction.Frac{Lo: y.err}, uint64(0)
	f := fraction.Sub(y.m, e)
	if y.negative == (to == down) {
		f, c = fraction.AddCarry(y.m, fraction.Add(e, beyond[k]))
	}
	for i, w := range [4]uint64{f.Lo, f.Mi, f.Hi, c} {
		for j := range 64 / bits.UintSize {
			s.digits[i*64/bits.UintSize+j] = big.Word(w >> (j * bits.UintSize))
		}
	}
	s.m.SetBits(s.digits[k*64/bits.UintSize:])
	if y.negative {
		s.m.Neg(&s.m)
	}
	return z.SetMantExp(p.rounding(z, to).SetInt(&s.m), y.exp-64*(3-k))
}
