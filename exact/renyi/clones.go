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

// clones is the moment of shuffled reports among their clones, M(α) = Σ_c P(C = c)·M_c(α), where C is the number of
// coins.
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
func clones(x pair.Clones) LogMoment {
	kappa := new(big.Rat).Sub(new(big.Rat).Add(x.Truth, x.Truth), ratOne)
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
		x.Blocks(w, coinBlocks, func(mass interval.Interval, from, to int64) {
			sum = w.Add(sum, w.Mul(mass, interval.Union(at(from), at(to))))
		})
		return p.Round(w.Log(sum))
	}
}

// coins encloses M_c(α). Numbers of heads are grouped: where ψ is convex it is at least its value at the mean of a
// group, and at most the chord over it, and the other way round where it is concave.
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
