// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package binomial encloses the masses and tails of binomial distributions, with up to 2^63 trials.
package binomial

import (
	"math/big"

	"dpverify/exact/interval"
)

var ratOne = big.NewRat(1, 1)

// Mass encloses P(Bin(n, q) = k), 0 ≤ k ≤ n, 0 < q < 1, to about p bits:
// C(n, k)·q^k·(1−q)^(n−k), the logarithm of the last factors times integers.
func Mass(p interval.Prec, n, k int64, q *big.Rat) interval.Interval {
	w := p + 64 + 64 // the exponents are below 2^64
	rest := new(big.Rat).Sub(ratOne, q)
	e := w.Add(w.Mul(interval.Int(k), w.Log(w.Rat(q))), w.Mul(interval.Int(n-k), w.Log(w.Rat(rest))))
	if m := min(k, n-k); m >= stirlingFrom && int(p) <= stirlingGood(m) {
		e = w.Add(e, w.Sub(logFactorial(w, n), w.Add(logFactorial(w, k), logFactorial(w, n-k))))
		return p.Round(w.Exp(e))
	}
	c := interval.Int(1)
	for i := range min(k, n-k) {
		c = w.Div(w.Mul(c, interval.Int(n-i)), interval.Int(i+1))
	}
	return p.Round(w.Mul(c, w.Exp(e)))
}

// AtLeast encloses P(Bin(n, q) ≥ k) for 0 ≤ q ≤ 1, to about p bits: the sum of the masses from k
// on, or 1 less those below it, whichever is the side on which they fall. Either side ends where what is left is
// below 2^−p of the sum: the ratio r of one mass to the one before falls, so that it is at most r/(1 − r) of the last
// mass.
func AtLeast(p interval.Prec, n, k int64, q *big.Rat) interval.Interval {
	switch {
	case k <= 0:
		return interval.Int(1)
	case k > n || q.Sign() == 0:
		return interval.Int(0)
	case q.Cmp(ratOne) == 0:
		return interval.Int(1)
	}
	w := p + 64
	odds := w.Rat(new(big.Rat).Quo(q, new(big.Rat).Sub(ratOne, q)))
	mean := new(big.Rat).Mul(q, new(big.Rat).SetInt64(n))
	above := mean.Cmp(new(big.Rat).SetInt64(k)) <= 0
	i := k
	if !above {
		i = k - 1
	}
	term := Mass(w, n, i, q)
	sum := term
	one := interval.Int(1)
	for terms := 1; ; terms++ {
		var ratio interval.Interval
		if above {
			if i == n {
				break
			}
			ratio = w.Div(w.Mul(interval.Int(n-i), odds), interval.Int(i+1))
			i++
		} else {
			if i == 0 {
				break
			}
			ratio = w.Div(interval.Int(i), w.Mul(interval.Int(n-i+1), odds))
			i--
		}
		term = w.Mul(term, ratio)
		sum = w.Add(sum, term)
		if terms%8 == 0 && ratio.Less(one) == interval.True {
			left := w.Div(w.Mul(term, ratio), w.Sub(one, ratio))
			if left.LessEq(w.Scale(sum, -int(p)-8)) == interval.True {
				sum = w.Add(sum, interval.Union(interval.Int(0), left))
				break
			}
		}
	}
	if !above {
		sum = w.Sub(interval.Int(1), sum)
	}
	return p.Round(interval.Clamp(sum, 0, 1))
}
