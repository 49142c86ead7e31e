// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/least"
)

// chosenPrec is the precision of what is rounded to float64.
const chosenPrec = interval.Prec(96)

// A part is k copies of ε = n·g.
type part struct {
	n, k  int64
	eps   double.Interval
	about float64
}

// choose returns λ and a power of two N for 0 ≤ ε < E, with NG ≥ E − ε. λ is nil if there is none.
//
// λ is about the saddle point, or 1 over the losses' scale where that is greater: see package inversion.
func choose(parts []part, total, step, eps *big.Rat) (lambda *big.Rat, n int64) {
	e := double.Of(chosenPrec.Rat(eps)).Mid()
	variance := 0.0
	for _, q := range parts {
		variance += float64(q.k) * q.about * q.about
	}
	log := func(l float64) float64 { // log M(−λ) − λε
		sum := -l * e
		for _, q := range parts {
			a := q.about * (0.5 + l)
			sum += float64(q.k) * (l*q.about + softplus(2*a) - softplus(q.about))
		}
		return sum
	}
	least := 1 / math.Sqrt(variance)
	best, at := log(least), least
	for i := 1; i <= 120; i++ {
		l := least * math.Exp2(float64(i)/4)
		y := log(l)
		if !(y < best) {
			break
		}
		best, at = y, l
	}
	if !(at > 0) || math.IsInf(at, 0) || math.IsNaN(best) {
		return nil, 0
	}
	m, exp := math.Frexp(at)
	lambda = double.Rat(math.Ldexp(math.Floor(m*16)/16, exp))
	const nats = 36
	period := new(big.Rat).Sub(total, eps)
	if t := double.Rat((nats - best) / at); t != nil && t.Cmp(period) > 0 {
		period = t
	}
	count := floorRat(period.Quo(period, step)).BitLen() // 2^count > NG
	const most = 40
	if count >= most {
		return nil, 0
	}
	return lambda, 1 << max(count, 1)
}

// Near returns a number near ε(delta) of a composition, which bounds nothing. It reports false if it has none.
func Near(gs []Guarantee, delta *big.Rat) (*big.Rat, bool) {
	var parts []part
	for _, g := range gs {
		parts = append(parts, part{k: g.Count, about: double.Of(chosenPrec.Rat(g.Eps)).Mid()})
	}
	return near(parts, total(gs), infinite(chosenPrec, gs), delta)
}

// near returns a number near ε(delta), by the saddle point method: see package inversion. It reports false if it has
// none.
func near(parts []part, total *big.Rat, infinite interval.Interval, delta *big.Rat) (*big.Rat, bool) {
	finite := chosenPrec.Sub(chosenPrec.Rat(delta), infinite)
	if finite.Positive() != interval.True {
		return nil, false
	}
	goal := math.Log(double.Of(finite).Mid())
	at := func(l float64) (logDelta, eps float64) {
		k, bend := 0.0, 0.0
		for _, q := range parts {
			a := q.about * (0.5 + l)
			tanh := math.Tanh(a)
			k += float64(q.k) * (l*q.about + softplus(2*a) - softplus(q.about))
			eps += float64(q.k) * q.about * tanh
			bend += float64(q.k) * q.about * q.about * (1 - tanh*tanh)
		}
		return k - l*eps - math.Log(l*(l+1)) - math.Log(2*math.Pi*bend)/2, eps
	}
	eps := math.NaN()
	least.Halved(-12, 24, 30, func(log float64) (left bool) {
		var d float64
		d, eps = at(math.Exp2(log))
		return d > goal
	})
	y := double.Rat(eps)
	if y == nil || y.Sign() <= 0 || y.Cmp(total) >= 0 {
		return nil, false
	}
	return y, true
}

// usual are ε about the mean of the losses, and some 6 of their scale above it.
func usual(parts []part, total *big.Rat) (out []*big.Rat) {
	mean, variance := 0.0, 0.0
	for _, q := range parts {
		mean += float64(q.k) * q.about * math.Tanh(q.about/2)
		variance += float64(q.k) * q.about * q.about
	}
	for _, k := range []float64{0, 6} {
		eps := double.Rat(mean + k*math.Sqrt(variance))
		if eps != nil && eps.Cmp(total) < 0 {
			out = append(out, eps)
		}
	}
	return out
}

// softplus is near log(1 + e^−x).
func softplus(x float64) float64 { return math.Log1p(math.Exp(-x)) }
