// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

// logErr bounds the error of log.
const logErr = 85

// log returns −log m for m ≥ 1/2, low by less than 10 ulps and high by less than 85.
//
// For y with e^y·m = 1 − g, −log m = y − log(1 − g), whatever y is. nearLog returns such a y of 24 bits with
// 0 ≤ g < 2^−24·(1 + 2^−5.9), and e^y/4 comes from the tables alone: E = a + a·t₃ is low by < 8·1.01 + 0.51 + 6 < 15
// ulps, P = m·E ≤ 1/4 by < 15 + 6 = 21, and g = 1 − 4P is high by < 84, so that it stays below 2^−24·(1 + 2^−5), which
// series requires. Σ g^k/k is high by less than 84.1 for that, and the series low by < 10.
func log(m frac) frac {
	y := nearLog(m.hi)
	a, t3 := table3(y)
	p := mul(m, add(a, mul(a, t3)))
	v := logSeries.eval(sub(frac{}, p.shl(2)))
	v.hi += y
	return v
}

// nearLog returns y, a multiple of 2^−24 in units of 2^−64, with −log m − 2^−24·(1 + 2^−5.9) < y ≤ −log m, for all
// m in [h, h + 1)·2^−64, h ≥ 2^63.
//
// The nine leading bits of h place m in [(i + 256)/512, (i + 257)/512), and j/256 ≤ −log m < (j + 2)/256 by the table,
// since the logarithms of the two ends differ by at most 1/256. So e^(j/256)·m = 1 − d with 0 ≤ d < 2^−7. p is (1 −
// d)/4·2^64, low by less than e^(j/256)/4 + m ≤ 5/4 for the words h and of the table, and 1 for the product: D is
// d·2^64 or high by less than 10. −log(1 − d) exceeds d + d²/2 + d³/3 by less than d⁴/4·(1 + 2^−6) < 2^−29.9; the terms
// computed are low by less than 0, 1 and 3, and high by less than 10·(1 + 2^−6) in all. So Y − 11 is at most the truth
// and less than it by at most 2^34.1 + 15 units, and dropping 40 bits takes less than 2^40. (Y < 11 stands for 11.)
func nearLog(h uint64) uint64 {
	j := logIndex[h>>55&255]
	d := -(mulHi(h, expTable[0][j].hi) << 2)
	d2 := mulHi(d, d)
	y := d + d2>>1 + mulHi(mulHi(d2, d), third)
	return j<<56 + (max(y, 11)-11)&^(1<<40-1)
}

const third = (1<<64 - 1) / 3 // ⌊2^64/3⌋

// Log returns an enclosure of log x. It is Unknown unless x is known to be positive, by 128 bits or so.
//
// x = m·2^e: log x = e·log 2 − (−log m). An error of err ulps of m ≥ 1/2 is one of at most 2·err·(1 + 2^−128) < 2·err +
// 1 ulps of the logarithm.
func (Three) Log(x Real) Real {
	if x.err() > maxErr/2 || x.neg() || x.m.hi>>63 == 0 {
		return Unknown()
	}
	err := uint64(logErr + 2)
	if x.err() > 0 {
		err += 2*x.err() + 1
	}
	y := log(x.m)
	t := times(uint64(max(x.exp(), -x.exp())), &ln2Words)
	if x.exp() <= 0 {
		f, c := addCarry(t.f, y)
		return fromFixed(true, t.n+c, f, err)
	}
	f, b := subBorrow(t.f, y)
	if b > t.n { // next to 1
		return fromFixed(true, 0, sub(frac{}, f), err)
	}
	return fromFixed(false, t.n-b, f, err)
}
