// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fraction

import "math/bits"

// ExpErr bounds the error of exp.
const ExpErr = 26

// Exp returns m and e with |e^x − m·2^e| < 26·2^(e−192) and 1/4 − 2^−180 < m < 0.51, for x = n + f.
//
// Requires: −2^20 ≤ n < 2^20.
//
// Reduction. Let I = ⌊2^40/log 2⌋ and t₀ = n·I + ⌊f.hi·I/2^64⌋. Then 2^40·x/log 2 − t₀ is in (−2^20, 2^20 + 3):
// n times the fraction lost of I, and less than 3 for f. For t = t₀ − 2^20 − 1 and k = ⌊t/2^40⌋ the number r = x −
// k·log 2 satisfies r/log 2 > 2^−40 and < 1 + (2^21 + 4)/2^40, so that 2^−41 < r < 0.69316 < 178/256. k·log 2 is low by
// less than 2 ulps: 2^21·2^−256 and the word left out. r is computed modulo 1, and is not near either end.
//
// Tables and series. r = r₁ + r₂ + r₃ + u as in table3; v = e^u − 1 is low by < 10 ulps. With t₃, low by < 1,
// w = (1 + t₃)(1 + v) − 1 is low by < 1.01 + 10.01 + 6 < 18, and w < 2^−15.9. m = a + a·w: a's error, < 8, times
// 1 + w; w's times a < 0.51; and 6: < 23.4 ulps. The error of r counts less than 2·0.51 more, on either side.
func Exp(n int64, f Frac) (m Frac, e int) {
	const inverse = 1586259972792 // ⌊2^40/log 2⌋
	k := (n*inverse + int64(MulHi(f.Hi, inverse)) - 1<<20 - 1) >> 40
	r := Times(uint64(max(k, -k)), &Ln2).F
	if k < 0 {
		r = Add(f, r)
	} else {
		r = Sub(f, r)
	}
	a, t3 := table3(r.Hi)
	v := ExpSeries.Eval(Frac{r.Hi & (1<<40 - 1), r.Mi, r.Lo})
	w := Add(Add(t3, v), Mul(t3, v))
	return Add(a, Mul(a, w)), int(k) + 2
}

// A Mixed is n + f.
type Mixed struct {
	N uint64
	F Frac
}

// Times returns q·c, low by [0, 2) ulps for q < 2^62 and a constant c that its four words are low by less than
// 2^−256 for: q·2^−256, and less than one for the word left out.
func Times(q uint64, c *[4]uint64) Mixed {
	p3h, p3l := bits.Mul64(q, c[0])
	p2h, p2l := bits.Mul64(q, c[1])
	p1h, p1l := bits.Mul64(q, c[2])
	p0h, _ := bits.Mul64(q, c[3])
	lo, carry := bits.Add64(p1l, p0h, 0)
	mi, carry := bits.Add64(p2l, p1h, carry)
	hi, carry := bits.Add64(p3l, p2h, carry)
	return Mixed{p3h + carry, Frac{hi, mi, lo}}
}

// table3 returns a = e^(r₁ + r₂)/4, low by [0, 8) ulps, and t₃ = e^(r₃) − 1, low by [0, 1), for the three
// leading bytes r₁, r₂, r₃ of r.
//
// Requires: r₁ < expFirst/256.
//
// a = t₁ + t₁·t₂: t₁'s error, < 1, times 1 + t₂ < 1.004; t₂'s times t₁ < 0.51; and 6 of the product.
func table3(r uint64) (a, t3 Frac) {
	t1, t2 := &expTable[0][r>>56], &expTable[1][r>>48&255]
	return Add(*t1, Mul(*t1, *t2)), expTable[2][r>>40&255]
}
