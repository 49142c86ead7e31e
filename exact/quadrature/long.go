// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"context"
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
)

// A long is an integer in two's complement: its words, least significant first.
type long []uint64

// A longWave is one part of a·e^{−ijθ} at two steps that follow each other.
type longWave struct{ now, next long }

// longSums are sums of waves at j = 0 … n, in units of 2^(E−w), where 2^E bounds the sum of all |a|.
type longSums struct {
	size   int // words of a long: w + 4 bits at least
	re, im []uint64
	lacks  []int // words that sums at j have fewer, which do not become less with j
	acc    long  // scratch of size + 1 words
	turned long  // the words of a fraction, most significant first
}

// leastScale is the scale of waves next to nothing, in bits.
const leastScale = 16

// fixedSum is fallingSum in scale w ≥ 2.
//
// Both parts of a wave are carried on by x_{j+1} = 2cos θ·x_j − x_{j−1}. Let X_j be the exact values in units, Y = |a|
// in units, and c = 2cf with an integer cf·2^w, |cf − cos θ| ≤ ρ·2^−w. A step errs by less than s = 2·size + 3 units,
// see next. With e_j = x_j − X_j,
//
//	e_{j+1} = c·e_j − e_{j−1} + r_j,  |r_j| ≤ |c − 2cos θ|·|X_j| + s ≤ 2ρ·2^−w·Y + s.
//
// Let U_m be the Chebyshev polynomials of the second kind at c/2, U_{−1} = 0: |U_m| ≤ m + 1, as |c/2| ≤ 1. By induction
//
//	e_j = U_{j−1}·e_1 − U_{j−2}·e_0 + Σ_{0<i<j} U_{j−1−i}·r_i,
//
// so |e_j| ≤ (2j + 1)·e + (2ρ·2^−w·Y + s)·j²/2 if |e_0|, |e_1| ≤ e. As the Y add up to at most 2^w, the error of a
// sum of N waves is, for the largest ρ, at most
//
//	(2j + 1)·Σ e + (2ρ + N·s)·j²/2.
//
// Where that is below 2^w, nothing overflows: 64·size ≥ w + 5. However many waves were added, |S_j| of those is at most
// their Σ Y and their errors, parts of what all have, and so below 2^(w+1), as |x_j| is. |c·x_j| is below 2^(w+2), and
// x_{j+1} with its s ≤ 2^(w+1) below 2^(w+3) ≤ 2^(64·size − 2). Where it is not, the trivial |S_j| ≤ Σ |a_k| is the
// bound; it is so for all larger j, so that nothing is taken from what has overflowed.
//
// Where sums lack m words more from j on, so do x_j, x_{j+1} and cf, which are rounded down: that is the start of a sum
// in scale w − 64m with the bounds ⌈E·2^−64m⌉ + N of Σ e, where E bounds the errors at j + 1, which are no less than
// those at j, and ⌈ρ·2^−64m⌉ + 1 of ρ. What was not below 2^w is not below 2^(w−64m) then.
func fixedSum(
	ctx context.Context, p interval.Prec, a, theta []interval.Interval, lacks Lacks, w int,
) ([]interval.Complex, error) {
	const sums = interval.Prec(32)
	total := interval.Int(0)
	for _, x := range a {
		total = sums.Add(total, x.Abs())
	}
	out := make([]interval.Complex, len(lacks))
	hi := total.Hi()
	if hi.Sign() == 0 {
		return out, nil
	}
	all := interval.Bounds(new(big.Float).Neg(hi), hi)
	if hi.IsInf() {
		all = interval.Entire()
		for j := range out {
			out[j] = interval.Complex{Re: all, Im: all}
		}
		return out, nil
	}
	E := hi.MantExp(nil) // Σ |a_k| < 2^E
	s := newLongSums(len(lacks)-1, w)
	for j, most := range lacks {
		s.lacks[j] = min(most, max(w-leastScale, 0)) / 64
	}
	start, worst, err := s.addWaves(ctx, a, theta, w, E)
	if err != nil {
		return nil, err
	}
	from, lack := 0, 0
	for j := range out {
		if m := s.lacks[j] - lack; m > 0 {
			start = shortened(s.errorAt(j+1-from, len(a), start, worst), m, len(a))
			worst = shortened(worst, m, 1)
			from, lack, w = j, lack+m, w-64*m
		}
		e := s.errorAt(j-from, len(a), start, worst)
		if e.BitLen() > w {
			out[j] = interval.Complex{Re: all, Im: all}
			continue
		}
		out[j] = interval.Complex{
			Re: p.FromFixed(s.at(s.re, j).integer(), e, w-E), Im: p.FromFixed(s.at(s.im, j).integer(), e, w-E),
		}
	}
	return out, nil
}

// shortened is ⌈e·2^−64m⌉ + more.
func shortened(e *big.Int, m, more int) *big.Int {
	up := new(big.Int).Neg(e)
	return up.Add(up.Neg(up.Rsh(up, uint(64*m))), big.NewInt(int64(more)))
}

// errorAt bounds the error of S_j of so many waves, from Σ e and the largest ρ of fixedSum.
func (s *longSums) errorAt(j, waves int, start, worst *big.Int) *big.Int {
	bend := new(big.Int).Lsh(worst, 1)
	bend.Add(bend, big.NewInt(int64(waves)*int64(2*s.size+3)))
	bend.Mul(bend, new(big.Int).Mul(big.NewInt(int64(j)), big.NewInt(int64(j))))
	bend.Rsh(bend.Add(bend, big.NewInt(1)), 1)
	return bend.Add(bend, new(big.Int).Mul(start, big.NewInt(2*int64(j)+1)))
}

// newLongSums returns sums of no waves, in scale w.
func newLongSums(n, w int) *longSums {
	size := (w+4)/64 + 1
	words := func(n int) []uint64 { return make([]uint64, n) }
	return &longSums{size, words((n + 1) * size), words((n + 1) * size), make([]int, n+1), words(size + 1), words(size)}
}

// addWaves adds the waves a_k·e^{−ijθ_k}. It returns Σ e and the largest ρ of fixedSum.
func (s *longSums) addWaves(
	ctx context.Context, a, theta []interval.Interval, w, exponent int,
) (start, worst *big.Int, err error) {
	q := interval.Prec(max(w, interval.MinPrec)) + 4
	start, worst = new(big.Int), new(big.Int)
	one := new(big.Int).Lsh(big.NewInt(1), uint(w))
	limit := new(big.Int).Sub(one, big.NewInt(1)) // of |cf·2^w|
	for k := range a {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		turn := q.ExpI(theta[k].Neg())
		cos, rho := Integer(turn.Re, w)
		flip := uint64(0)
		if cos.Sign() < 0 {
			flip = ^flip
			cos.Neg(cos)
		}
		if cos.Cmp(limit) > 0 {
			rho.Add(rho, new(big.Int).Sub(cos, limit))
			cos.Set(limit)
		}
		if rho.Cmp(worst) > 0 {
			worst = rho
		}
		x0, e := Integer(a[k], w-exponent)
		x1, e1 := Integer(q.Mul(a[k], turn.Re), w-exponent)
		y1, e2 := Integer(q.Mul(a[k], turn.Im), w-exponent)
		for _, other := range []*big.Int{e1, e2} {
			if other.Cmp(e) > 0 {
				e = other
			}
		}
		start.Add(start, e)
		c := s.of(cos.Lsh(cos, uint(64*s.size-w)))
		s.add(c, flip, longWave{s.of(x0), s.of(x1)}, longWave{s.of(new(big.Int)), s.of(y1)})
	}
	return start, worst, nil
}

// of returns the words of n modulo 2^(64·size).
func (s *longSums) of(n *big.Int) long {
	x := make(long, s.size)
	for i, d := range n.Bits() {
		if at := i * bits.UintSize; at/64 < s.size {
			x[at/64] |= uint64(d) << (at % 64)
		}
	}
	if n.Sign() < 0 {
		carry := uint64(1)
		for i := range x {
			x[i], carry = bits.Add64(^x[i], 0, carry)
		}
	}
	return x
}

// integer is x as a big.Int.
func (x long) integer() *big.Int {
	const each = 64 / bits.UintSize
	negative := x[len(x)-1]>>63 != 0
	digits := make([]big.Word, each*len(x))
	carry := uint64(0)
	if negative {
		carry = 1
	}
	for i, d := range x {
		if negative {
			d, carry = bits.Add64(^d, 0, carry)
		}
		for k := range each {
			digits[each*i+k] = big.Word(d >> (k * bits.UintSize))
		}
	}
	n := new(big.Int).SetBits(digits)
	if negative {
		n.Neg(n)
	}
	return n
}

// at is the sum at j.
func (s *longSums) at(part []uint64, j int) long { return part[j*s.size : (j+1)*s.size-s.lacks[j]] }

// add adds a wave with the fraction c and the parts x and y to the sums. It changes x and y.
func (s *longSums) add(c long, flip uint64, x, y longWave) {
	s.turn(c)
	lack := 0
	for j, now := range s.lacks {
		if m := now - lack; m > 0 {
			lack, c = now, c[m:]
			x, y = longWave{x.now[m:], x.next[m:]}, longWave{y.now[m:], y.next[m:]}
		}
		s.at(s.re, j).plus(x.now)
		s.at(s.im, j).plus(y.now)
		s.next(&x, c, flip)
		s.next(&y, c, flip)
	}
}

// turn sets the fraction of next.
func (s *longSums) turn(c long) {
	for i, d := range c {
		s.turned[s.size-1-i] = d
	}
}

// plus sets x to x + y.
func (x long) plus(y long) {
	carry := uint64(0)
	y = y[:len(x)]
	for i := range x {
		x[i], carry = bits.Add64(x[i], y[i], carry)
	}
}

// next carries a wave on by a step: x_{j+1} = ±2·x_j·c − x_{j−1}, where the sign is − if flip is all ones. c is the
// fraction of turn, or as many of its first words as x has.
//
// Rounding: of the products of words of x_j and c, those below the word before the last of the result are left out.
// There are size − 1 of the weight 2^−64 next below it, less than a unit each, and less than a unit of all others
// together; the word before the last is cut off, less than a unit again. So x_j·c is low by less than size + 1 units,
// and twice that by less than 2·size + 2. As words without a sign a negative x_j exceeds what it stands for by
// 2^(64·size), so that the product exceeds by c, exactly. And ^t is −t − 1.
func (s *longSums) next(x *longWave, c long, flip uint64) {
	size := len(x.next)
	acc, v := s.acc[:size+1], x.next
	var low, mid, high uint64 // of a column: the products of words of one weight
	for t := range size {
		row := s.turned[:size-t]
		for i, d := range v[t:][:len(row)] {
			hi, lo := bits.Mul64(d, row[i])
			var carry uint64
			low, carry = bits.Add64(low, lo, 0)
			mid, carry = bits.Add64(mid, hi, carry)
			high, _ = bits.Add64(high, 0, carry)
		}
		acc[t], low, mid, high = low, mid, high, 0
	}
	acc[size] = low
	mask := uint64(int64(v[size-1]) >> 63)
	u := x.now[:size]
	var below, minus, last uint64
	for i := range u {
		d := acc[i+1]
		d, below = bits.Sub64(d, c[i]&mask, below)
		t := (d<<1 | last) ^ flip
		last = d >> 63
		u[i], minus = bits.Sub64(t, u[i], minus)
	}
	x.now, x.next = x.next, x.now
}
