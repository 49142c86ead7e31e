// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/binomial"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// coinBlocks is the number of blocks of numbers of coins.
const coinBlocks = 24

// A clones is what hides a record's own report at least: C ~ Bin(others, rate) fair coins, A of which are heads,
//
//	P = (A + D, C − A + 1 − D), Q = (A + 1 − D, C − A + D), D ~ Bernoulli(truth), 1/2 < truth < 1, 0 < rate < 1.
//
// With c coins and a of c + 1 heads, the likelihood ratio is (t·a + (1−t)·(c+1−a))/((1−t)·a + t·(c+1−a)), t = truth.
type clones struct {
	others      int64
	rate, truth *big.Rat
}

// hiding returns clones that dominate shuffled reports. It reports false where a report may show whose it is.
//
// Claim. Let E be the greatest of P/Q and Q/P, t = E/(1 + E), and ρ the least of 2·Other/(P + Q). Clones with the
// truth t and the rate ρ dominate.
//
// Proof. Randomized response with the truth t has every pair with such ratios as a post-processing: P = tS + (1−t)S′
// and Q = (1−t)S + tS′, for some S and S′ with S + S′ = P + Q. Then Other ≥ ρ(S + S′)/2. So the report of another
// record is drawn from S or S′ by a fair coin with probability ρ, and otherwise from the rest. Reveal who tosses no
// coin, and their reports. A smaller ρ is less private.
func hiding(x pair.Reports) (clones, bool) {
	one := interval.Pow2(0)
	rate, most := new(big.Rat).Sub(one, interval.Pow2(-64)), new(big.Rat)
	for _, c := range x.Cells {
		switch {
		case c.P.Sign() == 0 && c.Q.Sign() == 0:
			continue
		case c.P.Sign() == 0 || c.Q.Sign() == 0 || c.Other.Sign() == 0:
			return clones{}, false
		}
		for _, r := range []*big.Rat{new(big.Rat).Quo(c.P, c.Q), new(big.Rat).Quo(c.Q, c.P)} {
			if r.Cmp(most) > 0 {
				most = r
			}
		}
		r := new(big.Rat).Add(c.Other, c.Other)
		if r.Quo(r, new(big.Rat).Add(c.P, c.Q)).Cmp(rate) < 0 {
			rate = r
		}
	}
	return clones{x.Others, rate, new(big.Rat).Quo(most, new(big.Rat).Add(most, one))}, most.Cmp(one) > 0
}

// shuffled bounds the moment of shuffled reports by that of clones, and by the one of equal distributions, which is 1.
func shuffled(x pair.Reports) (LogMoment, bool) {
	if x.Kind() == pair.Discrete {
		return discrete(x)
	}
	if c, ok := hiding(x); ok {
		return towardsOne(c.moment(), true)
	}
	return nil, false
}

// towardsOne bounds a moment by the moment of a pair that dominates it, and by 1.
func towardsOne(of LogMoment, ok bool) (LogMoment, bool) {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval { return interval.Union(zero, of(p, alpha)) }, ok
}

// moment is that of shuffled reports among their clones, M(α) = Σ_c P(C = c)·M_c(α), where C is the number of coins.
//
// Let c + 1 coins show a heads, a ~ Bin(c + 1, 1/2) with the masses b(a), z = 2a/(c + 1) − 1 and κ = 2t − 1. Then
//
//	P = b(a)·(1 + κz),  Q = b(a)·(1 − κz),  M_c(α) = E ψ(z),  ψ(z) = (1 + κz)^α·(1 − κz)^(1−α).
//
// ψ is convex for α > 1 and concave for α < 1.
//
// Claim. M_c falls with c for α > 1, and rises for α < 1. So a block of numbers of coins is bounded by its ends.
//
// Proof. Adding coins is a post-processing.
func (x clones) moment() LogMoment {
	kappa := new(big.Rat).Sub(new(big.Rat).Add(x.truth, x.truth), ratOne)
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		w := p + 32
		sum := zero
		known := make(map[int64]interval.Interval)
		at := func(c int64) interval.Interval {
			y, ok := known[c]
			if !ok {
				y = coins(w, c, kappa, alpha)
				known[c] = y
			}
			return y
		}
		x.blocks(w, coinBlocks, func(mass interval.Interval, from, to int64) {
			sum = w.Add(sum, w.Mul(mass, interval.Union(at(from), at(to))))
		})
		return p.Round(w.Log(sum))
	}
}

// blocks calls f for blocks of numbers of coins that cover all numbers. mass is the probability of a number between
// from and to.
func (x clones) blocks(w interval.Prec, most int64, f func(mass interval.Interval, from, to int64)) {
	mean := new(big.Rat).Mul(x.rate, new(big.Rat).SetInt64(x.others))
	centre := new(big.Int).Quo(mean.Num(), mean.Denom()).Int64()
	spread := int64(1)
	for spread*spread < centre+1 {
		spread *= 2
	}
	deviations := int64(4)
	for deviations*deviations < 2*int64(w) {
		deviations++
	}
	from, to := max(0, centre-deviations*spread), min(x.others, centre+deviations*spread)
	step := (to-from)/most + 1
	above := interval.Int(1)
	if from > 0 {
		above = binomial.AtLeast(w, x.others, from, x.rate)
		f(interval.Max(interval.Int(0), w.Sub(interval.Int(1), above)), 0, from-1)
	}
	for c := from; c <= x.others; {
		next, end := interval.Int(0), x.others
		if c+step <= to {
			next, end = binomial.AtLeast(w, x.others, c+step, x.rate), c+step-1
		}
		f(interval.Max(interval.Int(0), w.Sub(above, next)), c, end)
		above, c = next, end+1
	}
}

// coins encloses M_c(α) by groups of numbers of heads. Where ψ is convex, the mean of ψ over a group is at least ψ at
// the mean of the group, and at most the chord of ψ there; where ψ is concave, the other way round.
func coins(w interval.Prec, c int64, kappa, alpha *big.Rat) interval.Interval {
	n := c + 1
	spread := int64(1)
	for 4*spread*spread < n {
		spread *= 2
	}
	reach := spread
	for r := int64(4); r*r < 2*int64(w); r++ {
		reach = (r + 1) * spread
	}
	from, to := max(0, n/2-reach), min(n, n/2+reach)
	group := spread/16 + 1
	k := w.Rat(kappa)
	a, b := w.Rat(alpha), w.Rat(minusOne(alpha))
	psi := func(z interval.Interval) interval.Interval {
		y := w.Mul(k, z)
		return w.Exp(w.Sub(w.Mul(a, w.Log1p(y)), w.Mul(b, w.Log1p(y.Neg()))))
	}
	place := func(a int64) interval.Interval { return w.Rat(big.NewRat(2*a-n, n)) }
	mass := binomial.Mass(w, n, from, big.NewRat(1, 2))
	sum, total := zero, zero
	for first := from; first <= to; {
		last := min(first+group-1, to)
		part, mean := zero, zero
		for i := first; i <= last; i++ {
			part = w.Add(part, mass)
			mean = w.Add(mean, w.Mul(mass, interval.Int(i-first)))
			mass = w.Div(w.Mul(mass, interval.Int(n-i)), interval.Int(i+1))
		}
		left := psi(place(first))
		y := w.Mul(part, left)
		if last > first {
			share := w.Div(mean, interval.Int(last-first)) // of the mass on the right end
			y = w.Add(y, w.Mul(share, w.Sub(psi(place(last)), left)))
			middle := w.Add(place(first), w.Mul(w.Div(mean, part), w.Rat(big.NewRat(2, n))))
			y = interval.Union(y, w.Mul(part, psi(middle)))
		}
		sum, total = w.Add(sum, y), w.Add(total, part)
		first = last + 1
	}
	// What is left out: ψ is between its least and greatest values, at the ends and where it is 1 or less.
	rest := interval.Max(zero, w.Sub(one, total))
	ends := interval.Max(psi(one), psi(one.Neg()))
	return w.Add(sum, w.Mul(rest, interval.Union(zero, interval.Max(ends, interval.Int(2)))))
}
