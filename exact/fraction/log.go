// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fraction

// LogErr bounds the error of log.
const LogErr = 85

// Log returns −log m for m ≥ 1/2, low by less than 10 ulps and high by less than 85.
//
// For y with e^y·m = 1 − g, −log m = y − log(1 − g), whatever y is. nearLog returns such a y of 24 bits with
// 0 ≤ g < 2^−24·(1 + 2^−5.9), and e^y/4 comes from the tables alone: E = a + a·t₃ is low by < 8·1.01 + 0.51 + 6 < 15
// ulps, P = m·E ≤ 1/4 by < 15 + 6 = 21, and g = 1 − 4P is high by < 84, so that it stays below 2^−24·(1 + 2^−5), which
// series requires. Σ g^k/k is high by less than 84.1 for that, and the series low by < 10.
func Log(m Frac) Frac {
	y := nearLog(m.Hi)
	a, t3 := table3(y)
	p := Mul(m, Add(a, Mul(a, t3)))
	v := LogSeries.Eval(Sub(Frac{}, p.Shl(2)))
	v.Hi += y
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
	d := -(MulHi(h, expTable[0][j].Hi) << 2)
	d2 := MulHi(d, d)
	y := d + d2>>1 + MulHi(MulHi(d2, d), third)
	return j<<56 + (max(y, 11)-11)&^(1<<40-1)
}

const third = (1<<64 - 1) / 3 // ⌊2^64/3⌋
