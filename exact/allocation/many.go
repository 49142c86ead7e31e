// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"math/big"

	"dpverify/exact/binomial"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// manyReports is from how many reports on laws on lattices take too long, and manyLocal those of any local randomizer.
const (
	manyReports = 1 << 30
	manyLocal   = 1 << 23
)

// chernoff bounds E(X₁ + … + X_n)₊ from above, where the X_j are independent and each of them is, to increasing convex
// functions, at most one of the laws. As s₊ ≤ e^{λs−1}/λ for any λ > 0, the tangent of a convex function at 1/λ being
// s, that is at most (max E e^{λX})^n/(eλ).
func chernoff(laws [][]atom, n int64) interval.Interval {
	const w = interval.Prec(192)
	lambda := bestTilt(laws, n)
	most := interval.Int(0)
	for _, law := range laws {
		sum := interval.Int(0)
		for _, x := range law {
			sum = w.Add(sum, w.Mul(w.Rat(x.mass), w.Exp(w.Mul(w.Rat(lambda), w.Rat(x.at)))))
		}
		most = interval.Max(most, sum)
	}
	power := w.Exp(w.Sub(w.Mul(interval.Int(n), w.Log(most)), interval.Int(1)))
	return w.Div(power, w.Rat(lambda)).Upper()
}

// counted bounds H_α from below, but for what Other is 0 of: where at least c of all reports, with the own one, have
// values of which P > αQ. B ~ Bin(Others, r) of the others do, and P(B ≥ c − 1) = P(B ≥ c) + P(B = c − 1).
func counted(x pair.Reports, alpha *big.Rat) interval.Interval {
	gain, all, r := new(big.Rat), new(big.Rat), new(big.Rat)
	for _, c := range x.Cells {
		if c.Other.Sign() == 0 {
			continue
		}
		y := new(big.Rat).Mul(alpha, c.Q)
		if y.Sub(c.P, y); y.Sign() > 0 {
			gain.Add(gain, y)
			r.Add(r, c.Other)
		}
		all.Add(all, y)
	}
	zero := interval.Int(0)
	lost := new(big.Rat).Sub(gain, all) // of values below
	n, one := x.Others, big.NewRat(1, 1)
	if gain.Sign() == 0 || lost.Sign() <= 0 || r.Cmp(one) >= 0 {
		return zero
	}
	// Where the next outcome is worth it: C(n, c)/C(n, c − 1)·odds ≤ gain/lost.
	odds := new(big.Rat).Quo(r, new(big.Rat).Sub(one, r))
	at := new(big.Rat).Quo(gain, lost)
	at.Quo(odds, at.Add(at, odds)).Mul(at, new(big.Rat).SetInt64(n+1))
	c := new(big.Int).Quo(at.Num(), at.Denom()).Int64() + 1
	if c < 1 || c >= n {
		return zero
	}
	const w = interval.Prec(192)
	y := w.Mul(w.Rat(gain), binomial.Mass(w, n, c-1, r))
	if all.Sign() < 0 {
		y = w.Add(y, w.Mul(w.Rat(all), tailAbove(w, n, c, r)))
	}
	return interval.Max(zero, y.Lower())
}

// tailAbove bounds P(Bin(n, r) ≥ c) from above: the ratio of a mass to the one before falls, so that from any mass on
// the next ones are at most those of a geometric sum.
func tailAbove(w interval.Prec, n, c int64, r *big.Rat) interval.Interval {
	one, sum := interval.Int(1), interval.Int(0)
	odds := new(big.Rat).Quo(r, new(big.Rat).Sub(big.NewRat(1, 1), r))
	sd, _ := w.Sqrt(w.Mul(interval.Int(n), w.Rat(new(big.Rat).Mul(r, new(big.Rat).Sub(big.NewRat(1, 1), r))))).Hi().Int64()
	step := max(sd/16, 1)
	const most = 400 // beyond, masses are next to nothing, or so small that only bounds of them are known
	for k := 0; ; k++ {
		mass := binomial.Mass(w, n, c, r)
		fall := w.Mul(w.Rat(odds), w.Div(interval.Int(n-c), interval.Int(c+1)))
		rest := w.Sub(one, fall)
		if rest.Positive() != interval.True {
			return one
		}
		all := w.Div(mass, rest)
		if k == most || c > n-step || all.LessEq(w.Scale(sum, -32)) == interval.True {
			return interval.Min(one, w.Add(sum, all).Upper())
		}
		sum = w.Add(sum, w.Mul(all, w.Sub(one, w.PowInt(fall, step))))
		c += step
	}
}
