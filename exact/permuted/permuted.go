// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package permuted has what the batches of a random order of all records attain: sums with Gaussian noise, of which an
// observer looks at the greatest.
package permuted

import (
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// fraction is how many bits a probability that is rounded has. Working precision is higher.
const fraction = 192

// maxPlaces bounds how many places of the greatest sum are told apart.
const maxPlaces = 300

// Greatest returns a pair that is dominated by the sums of batches: one of them, at random, is N(to·μ, 1) under P and
// N(from·μ, 1) under Q, and all others are N(0, 1), 0 <= from < to, μ² = mu2 > 0. It returns nil where rounding leaves
// nothing.
//
// An observer who looks at the greatest sum sees whether it is above c with the probabilities P(c) and Q(c) of
//
//	1 − Φ(c − x)·Φ(c)^(batches−1),   x = to·μ or x = from·μ.
//
// (Q(c), P(c)) is a point of the curve of the powers of tests, which is concave. A point with less power at a higher
// level is below that curve, and so is the concave hull of such points, of (0, 0) and of (1, 1): the curve of a finite
// pair, which is dominated (Blackwell). P(c) is rounded down and Q(c) up. Any places c will do.
//
// Source: Chua et al., How private are DP-SGD implementations?, 2024, for one c, to = 2 and from = 1.
func Greatest(mu2 *big.Rat, from, to *big.Rat, batches int64) pair.Product {
	return greatest(mu2, from, to, batches, fraction)
}

func greatest(mu2 *big.Rat, from, to *big.Rat, batches int64, fraction uint) pair.Product {
	w := interval.Prec(fraction + 64)
	mu := w.Sqrt(w.Rat(mu2))
	x, y := w.Mul(mu, w.Rat(to)), w.Mul(mu, w.Rat(from))
	one := interval.Int(1)
	curve := hull{{new(big.Int), new(big.Int)}}
	for _, c := range places(mu2, from, to, batches) {
		at := w.Rat(c)
		others := w.PowInt(w.NormalCDF(at), batches-1)
		above := func(x interval.Interval) interval.Interval {
			return w.Sub(one, w.Mul(w.NormalCDF(w.Sub(at, x)), others))
		}
		curve = curve.with(point{interval.CeilScaled(above(y), fraction), interval.FloorScaled(above(x), fraction)})
	}
	unit := new(big.Int).Lsh(big.NewInt(1), fraction)
	curve = curve.with(point{unit, unit})
	var masses []pair.Mass
	for i, b := range curve[1:] {
		a := curve[i]
		masses = append(masses, pair.Mass{P: new(big.Rat).SetFrac(new(big.Int).Sub(b.power, a.power), unit),
			Q: new(big.Rat).SetFrac(new(big.Int).Sub(b.level, a.level), unit)})
	}
	if f := pair.FiniteOf(masses); !f.Trivial() {
		return pair.Copies(f, 1)
	}
	return nil
}

// places are where the greatest sum is compared, from the highest down: 1/8 apart, or so that losses differ by a
// quarter, from where nothing is above to where nearly all is. A batch's noise is seldom more than √(2·log batches).
func places(mu2 *big.Rat, from, to *big.Rat, batches int64) []*big.Rat {
	mu := pair.SqrtBelow(mu2)
	place := new(big.Rat).Mul(to, mu)
	place.Add(place, big.NewRat(12, 1))
	low := pair.SqrtBelow(big.NewRat(int64(bits.Len64(uint64(batches)))*7, 5))
	low.Sub(low, big.NewRat(5, 1))
	step := big.NewRat(1, 8)
	apart := new(big.Rat).Sub(to, from)
	if apart.Mul(apart, mu).Cmp(big.NewRat(2, 1)) > 0 {
		step = apart.Inv(apart.Mul(apart, big.NewRat(4, 1)))
	}
	least := new(big.Rat).Sub(place, low)
	if least.Quo(least, big.NewRat(maxPlaces, 1)); step.Cmp(least) < 0 {
		step = least
	}
	var cs []*big.Rat
	for ; place.Cmp(low) >= 0 && len(cs) <= maxPlaces; place = new(big.Rat).Sub(place, step) {
		cs = append(cs, place)
	}
	return cs
}

// A point is the level of a test, its probability under Q, and its power, that under P, in units of 2^−fraction.
type point struct{ level, power *big.Int }

// A hull has the corners of a concave curve that rises, from the left to the right.
type hull []point

// with adds a point to the right of all that were added, if it is above them: rounding may exchange two that are next
// to each other.
func (h hull) with(c point) hull {
	if last := h[len(h)-1]; c.power.Cmp(last.power) <= 0 || c.level.Cmp(last.level) < 0 {
		return h
	}
	for n := len(h); n > 1; n-- {
		a, b := h[n-2], h[n-1]
		left, right := new(big.Int).Sub(b.power, a.power), new(big.Int).Sub(c.power, b.power)
		left.Mul(left, new(big.Int).Sub(c.level, b.level))
		if left.Cmp(right.Mul(right, new(big.Int).Sub(b.level, a.level))) > 0 {
			break
		}
		h = h[:n-1]
	}
	return append(h, c)
}
