// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// A point is count mechanisms that are (ε, δ)-DP.
type point struct {
	eps, delta *big.Rat
	count      int64
}

// points returns the point guarantees of all factors.
func (d *deriver) points() ([]point, error) {
	var out []point
	for _, t := range d.prob.Dominating() {
		if r, ok := t.Pair.(pair.Response); ok {
			out = append(out, point{r.Eps, r.Delta, t.Count})
			continue
		}
		eps, ok := pureEpsilon(t.Pair)
		if !ok {
			return nil, notModelled("%s is not stated as (ε, δ)-DP", t.Pair)
		}
		out = append(out, point{eps, new(big.Rat), t.Count})
	}
	return out, nil
}

// sums returns Σε_i and Σδ_i.
func sums(ps []point) (eps, delta *big.Rat) {
	eps, delta = new(big.Rat), new(big.Rat)
	for _, x := range ps {
		n := new(big.Rat).SetInt64(x.count)
		eps.Add(eps, new(big.Rat).Mul(x.eps, n))
		delta.Add(delta, n.Mul(n, x.delta))
	}
	return eps, delta
}

// basic is ε = Σε_i, for δ ≥ Σδ_i.
func (d *deriver) basic(delta *big.Rat) (exact.Enclosure, error) {
	ps, err := d.points()
	if err != nil {
		return exact.Enclosure{}, err
	}
	eps, least := sums(ps)
	if delta.Cmp(least) < 0 {
		d.note = "the claimed δ is less than the sum of the δ"
		return infinite(), nil
	}
	return rational(eps), nil
}

// basicDelta is δ = Σδ_i, for ε ≥ Σε_i.
func (d *deriver) basicDelta(eps *big.Rat) (exact.Enclosure, error) {
	ps, err := d.points()
	if err != nil {
		return exact.Enclosure{}, err
	}
	least, delta := sums(ps)
	if eps.Cmp(least) < 0 {
		d.note = "ε is less than the sum of the ε"
		return nothing(), nil
	}
	if delta.Cmp(one) > 0 {
		return nothing(), nil
	}
	return rational(delta), nil
}

// advanced is ε = √(2·log(1/δ′)·Σε_i²) + Σε_i(e^ε_i − 1), δ′ = δ − Σδ_i [Dwork, Rothblum & Vadhan 2010].
func (d *deriver) advanced(delta *big.Rat) (exact.Enclosure, error) {
	const w = 2 * Bits
	ps, err := d.points()
	if err != nil {
		return exact.Enclosure{}, err
	}
	_, sum := sums(ps)
	left := new(big.Rat).Sub(delta, sum)
	if left.Sign() <= 0 {
		d.note = "the claimed δ leaves nothing for the theorem beyond the sum of the δ"
		return infinite(), nil
	}
	drift, squares := driftAndSquares(w, ps)
	need := interval.Max(w.Log(w.Rat(left)).Neg(), interval.Int(0))
	return enclosed(w.Add(drift, w.Sqrt(w.Scale(w.Mul(need, squares), 1)))), nil
}

// advancedDelta is δ = Σδ_i + exp(−(ε − Σε_i(e^ε_i − 1))²/2Σε_i²), the same the other way round,
// for ε above Σε_i(e^ε_i − 1); below it is 1.
func (d *deriver) advancedDelta(eps *big.Rat) (exact.Enclosure, error) {
	const w = 2 * Bits
	ps, err := d.points()
	if err != nil {
		return exact.Enclosure{}, err
	}
	_, sum := sums(ps)
	drift, squares := driftAndSquares(w, ps)
	over := interval.Max(w.Sub(w.Rat(eps), drift), interval.Int(0))
	if squares.IsZero() { // no loss at all: ε ≥ 0 is enough, and any δ′ > 0
		return probability(w.Rat(sum)), nil
	}
	left := w.Exp(w.Div(w.Sqr(over), w.Scale(squares, 1)).Neg())
	return probability(w.Add(left, w.Rat(sum))), nil
}

// driftAndSquares encloses Σε_i(e^ε_i − 1) and Σε_i².
func driftAndSquares(w interval.Prec, ps []point) (drift, squares interval.Interval) {
	drift, squares = interval.Int(0), interval.Int(0)
	for _, x := range ps {
		n, e := interval.Int(x.count), w.Rat(x.eps)
		drift = w.Add(drift, w.Mul(n, w.Mul(e, w.Expm1(e))))
		squares = w.Add(squares, w.Mul(n, w.Sqr(e)))
	}
	return drift, squares
}

// kovEffort is the rung for the optimal composition, which settles its digits.
const kovEffort exact.Effort = 2

// kov is the optimal composition of the point guarantees [Kairouz, Oh & Viswanath 2015]:
// the least ε of as many randomized responses.
func (d *deriver) kov(delta *big.Rat) (exact.Enclosure, error) {
	q, err := d.responses()
	if err != nil {
		return exact.Enclosure{}, err
	}
	r, err := exact.Epsilon(d.ctx, q, delta, epsilonBits, kovEffort)
	return r.Enclosure, err
}

// kovDelta is δ(ε) of the same randomized responses.
func (d *deriver) kovDelta(eps *big.Rat) (exact.Enclosure, error) {
	q, err := d.responses()
	if err != nil {
		return exact.Enclosure{}, err
	}
	r, err := exact.Delta(d.ctx, q, eps, kovEffort)
	return r.Enclosure, err
}

// responses asks about a randomized response for each point guarantee.
func (d *deriver) responses() (exact.Question, error) {
	ps, err := d.points()
	if err != nil {
		return exact.Question{}, err
	}
	var all mechanism.Composed
	for _, x := range ps {
		all.Events = append(all.Events, mechanism.SelfComposed{Event: mechanism.EpsilonDelta{Epsilon: x.eps, Delta: x.delta}, Count: x.count})
	}
	return exact.Question{Event: all}, nil
}
