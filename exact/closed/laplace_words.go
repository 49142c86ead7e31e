// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"context"
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

const (
	wordInput    = 192     // bits of ε in three words
	mostTerms    = 1 << 11 // of the series of an m
	checkedTerms = 8       // after so many terms the end of a series is looked for
)

// plusMinusOne encloses [−1, 1].
var plusMinusOne = fixed.FromInterval(interval.Union(one.Neg(), one))

// maxLaplaceWords bounds k of laplaceSumInWords, whose cost grows as k.
const maxLaplaceWords = 1 << 16

// LaplaceSumBits is about the number of bits that three words have of LaplaceSum: they lose some k·x. It is 0 where
// they are not asked.
func LaplaceSumBits(shift *big.Rat, k int64) interval.Prec {
	const all = 150
	lost := new(big.Rat).Mul(shift, new(big.Rat).SetInt64(k))
	if k > maxLaplaceWords || lost.Cmp(big.NewRat(all, 1)) >= 0 {
		return 0
	}
	return all - interval.Prec(new(big.Int).Quo(lost.Num(), lost.Denom()).Int64())
}

// laplaceSumInWords is LaplaceSum for ε ≥ 0 in three words. What is about so many bits below the largest terms is
// bounded only. It is Unknown if the context ends.
//
// The sum over m goes downwards, from the largest coefficients, whose terms have the least u. What the largest terms
// are does not bear on the enclosure.
func laplaceSumInWords(ctx context.Context, bits int, shift *big.Rat, k int64, e interval.Interval) fixed.Real {
	eps, x, of := fixed.FromInterval(e), three.Rat(shift), laplaceSeries{k: k}
	var choose, sum, most fixed.Real
	for m := k; m >= 0; m-- {
		if ctx.Err() != nil {
			return fixed.Unknown()
		}
		u := three.Scale(three.Sub(three.Times(x, k-2*m), eps), -1)
		if choose.Positive() != interval.True {
			if u.Positive() == interval.False {
				continue
			}
			choose = wordOne
			for i := range m { // C(k, m)
				choose = three.Mul(choose, three.Div(fixed.Int(k-i), fixed.Int(i+1)))
			}
		}
		bound, r := laplaceTermBound(k, u)
		below := three.Div(fixed.Int(m), fixed.Int(k-m+1))
		y := three.Mul(choose, bound)
		if three.Scale(y, bits).Less(most) == interval.True {
			rest := laplaceRest(y, below, x, r)
			if three.Scale(rest, bits).Less(most) == interval.True {
				sum = three.Add(sum, three.Mul(rest, plusMinusOne))
				break
			}
		}
		y = three.Mul(choose, of.term(m, u, bits+12))
		if most.Less(y.Abs()) == interval.True {
			most = y.Abs()
		}
		sum = three.Add(sum, y)
		choose = three.Mul(choose, below)
	}
	d := three.Mul(sum, three.Exp(three.Scale(three.Sub(eps, three.Times(x, k)), -1)))
	return three.Scale(d, int(1-k))
}

// laplaceRest bounds what all terms for j ≤ m add up to without their signs, by y = C(k,m)·B, where B and r are those
// of laplaceTermBound, and below = m/(k − m + 1). It is Unknown where it knows no bound.
//
// B is e^(kr + u_m/r), and u_j = u_m + (m − j)·x. As C(k,j−1)/C(k,j) = j/(k − j + 1) rises with j, for the same r
//
//	C(k,j)·e^(kr + u_j/r) ≤ y·q^(m−j),  q = below·e^(x/r),
//
// which for q < 1 add up to at most y/(1 − q).
func laplaceRest(y, below, x, r fixed.Real) fixed.Real {
	left := three.Sub(wordOne, three.Mul(below, three.Exp(three.Div(x, r))))
	if left.Positive() != interval.True {
		return fixed.Unknown()
	}
	return three.Div(y, left).Upper()
}

// laplaceTermBound returns a number above the modulus of laplaceTerm for u > 0 and all m, and the r that it is for. It
// is Unknown if u may be 0.
//
// By Cauchy's estimate on |z| = r < 1, |f_n| ≤ M·r^−n for M = (1 + r)^(k−1)/(1 − r): the modulus of f is at most
// (1 + r)^(k−2) for 0 < m < k, and M for m = 0. So Σ |f_{n−1}|·u^n/n! ≤ r·M·e^(u/r), which is at most e^(k·r + u/r) for
// r ≤ 1/2, as r/(1 − r) ≤ 1.
func laplaceTermBound(k int64, u fixed.Real) (bound, r fixed.Real) {
	if u.Positive() != interval.True {
		return fixed.Unknown(), wordOne
	}
	r = three.Sqrt(three.Div(u, fixed.Int(k)))
	if three.Scale(r, 1).Less(wordOne) != interval.True {
		r = three.Scale(wordOne, -1)
	}
	return three.Exp(three.Add(three.Times(r, k), three.Div(u, r))).Upper(), r
}

// A laplaceSeries has the terms of k copies. It keeps what their recurrences have in common.
type laplaceSeries struct {
	k     int64
	steps [][2]fixed.Real // (k − n)/n and 1/(n·(n+1)), for n from 1 on
}

// step returns (k − n)/n and 1/(n·(n+1)).
func (s *laplaceSeries) step(n int64) (ratio, inverse fixed.Real) {
	for i := int64(len(s.steps)) + 1; i <= n; i++ {
		s.steps = append(s.steps, [2]fixed.Real{
			three.Div(fixed.Int(s.k-i), fixed.Int(i)), three.Div(wordOne, fixed.Int(i*(i+1)))})
	}
	return s.steps[n-1][0], s.steps[n-1][1]
}

// term is laplaceTerm in three words, and for u ≤ 0, where there is no term, 0. The series ends so many
// bits below its size, and is Unknown where that takes too long.
//
// For u of unknown sign, |S_n| ≤ k^(n−1), see laplaceTerm: a term is at most (e^(k·u) − 1)/k. Elsewhere, with
// T_n = f_{n−1}·u^n/n!, T_0 = 0 and T_1 = u, the recurrence of laplaceTerm is
//
//	T_{n+1} = (d·u·T_n − (k − n)/n·u²·T_{n−1})/(n·(n+1)),  d = k − 2m > 0.
//
// Truncation. Where falling says so, |T_{j+1}| ≤ |T_j|/4 + |T_{j−1}|/8 for all j ≥ n. With B = max(|T_j|, |T_{j−1}|/2)
// that is at most B/2, and by induction |T_{j+i}| ≤ B·2^−i: the terms after T_j add up to at most B.
func (s *laplaceSeries) term(m int64, u fixed.Real, bits int) fixed.Real {
	k := s.k
	if u.Positive() != interval.True {
		return three.Mul(three.Div(three.Expm1(three.Times(u.Upper(), k)), fixed.Int(k)), plusMinusOne)
	}
	du, uu := three.Times(u, k-2*m), three.Sqr(u)
	falls := s.falling(du, u)
	var before fixed.Real
	at, sum, size := u, u, u
	for n := int64(1); n <= mostTerms; n++ {
		ratio, inverse := s.step(n)
		next := three.Mul(three.Sub(three.Mul(du, at), three.Mul(three.Mul(uu, before), ratio)), inverse)
		before, at = at, next
		sum, size = three.Add(sum, at), three.Add(size, at.Abs())
		if n%checkedTerms > 0 {
			continue
		}
		rest := three.Add(at.Abs(), before.Abs()).Upper() // B, and more
		if three.Scale(rest, bits).Less(size) == interval.True && falls(n) {
			return three.Add(sum, three.Mul(rest, plusMinusOne))
		}
	}
	return fixed.Unknown()
}

// falling returns a function that is true of n only if for all j ≥ n
//
//	d·u/(j(j+1)) ≤ 1/4 and |k − j|·u²/(j²(j+1)) ≤ 1/8.
//
// That holds where n(n+1) ≥ 4·d·u, n²(n+1) ≥ 8·k·u² and n ≥ 3u: as |k − j| ≤ max(k, j), the second quotient is at most
// k·u²/(j²(j+1)) or u²/j².
func (s *laplaceSeries) falling(du, u fixed.Real) func(n int64) bool {
	first, second, third := three.Scale(du, 2), three.Times(three.Scale(three.Sqr(u), 3), s.k), three.Times(u, 3)
	atMost := func(x fixed.Real, n int64) bool { return fixed.Int(n).Less(x) == interval.False }
	return func(n int64) bool { return atMost(first, n*(n+1)) && atMost(second, n*n*(n+1)) && atMost(third, n) }
}
