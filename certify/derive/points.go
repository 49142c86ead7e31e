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
			return nil, notModelled("%s is not stated as (ε, δ)-DP", called(t.Pair))
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
func (d *deriver) basic(ps []point, delta *big.Rat) (exact.Enclosure, error) {
	eps, least := sums(ps)
	if delta.Cmp(least) < 0 {
		d.note = "the claimed δ is less than the sum of the δ"
		return infinite(), nil
	}
	return rational(eps), nil
}

// basicDelta is δ = Σδ_i, for ε ≥ Σε_i.
func (d *deriver) basicDelta(ps []point, eps *big.Rat) (exact.Enclosure, error) {
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

// adaptive is ε = Σε_i, for δ ≥ 1 − Π(1 − δ_i) [Meiser & Mohammadi 2018, Lemma 3].
func (d *deriver) adaptive(ps []point, delta *big.Rat) (exact.Enclosure, error) {
	eps, _ := sums(ps)
	within := missing(4*Bits, ps).LessEqRat(delta)
	if m, ok := missingExactly(ps); ok {
		if within = interval.False; m.Cmp(delta) <= 0 {
			within = interval.True
		}
	}
	switch within {
	case interval.True:
		return rational(eps), nil
	case interval.False:
		d.note = "the claimed δ is less than 1 − Π(1 − δ)"
		return infinite(), nil
	}
	return enclosed(interval.Bounds(spare(eps).Lo(), interval.Entire().Hi())), nil
}

// adaptiveDelta is δ = 1 − Π(1 − δ_i), for ε ≥ Σε_i.
func (d *deriver) adaptiveDelta(ps []point, eps *big.Rat) (exact.Enclosure, error) {
	least, _ := sums(ps)
	if eps.Cmp(least) < 0 {
		d.note = "ε is less than the sum of the ε"
		return nothing(), nil
	}
	if m, ok := missingExactly(ps); ok {
		return rational(m), nil
	}
	return probability(missing(2*Bits, ps)), nil
}

// missing encloses 1 − Π(1 − δ_i).
func missing(w interval.Prec, ps []point) interval.Interval {
	log := interval.Int(0)
	for _, x := range ps {
		if x.delta.Cmp(one) >= 0 {
			return interval.Int(1)
		}
		log = w.Add(log, w.Mul(interval.Int(x.count), w.Log1p(w.Rat(x.delta).Neg())))
	}
	return w.Expm1(log).Neg()
}

// missingExactly returns 1 − Π(1 − δ_i) unless it is a long number.
func missingExactly(ps []point) (*big.Rat, bool) {
	const most = 1 << 13 // bits
	size := int64(0)
	for _, x := range ps {
		if x.delta.Sign() > 0 {
			if x.count > most {
				return nil, false
			}
			size += x.count * int64(x.delta.Denom().BitLen())
		}
	}
	if size > most {
		return nil, false
	}
	left := new(big.Rat).Set(one)
	for _, x := range ps {
		if x.delta.Sign() > 0 {
			n := big.NewInt(x.count)
			y := new(big.Rat).Sub(one, x.delta)
			left.Mul(left, new(big.Rat).SetFrac(new(big.Int).Exp(y.Num(), n, nil), new(big.Int).Exp(y.Denom(), n, nil)))
		}
	}
	return left.Sub(one, left), true
}

// advanced is ε = √(2·log(1/δ′)·Σε_i²) + Σε_i(e^ε_i − 1), δ′ = δ − Σδ_i [Dwork, Rothblum & Vadhan 2010].
func (d *deriver) advanced(ps []point, delta *big.Rat) (exact.Enclosure, error) {
	const w = 2 * Bits
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
func (d *deriver) advancedDelta(ps []point, eps *big.Rat) (exact.Enclosure, error) {
	const w = 2 * Bits
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

// kovOptimal is the optimal composition of the point guarantees: the least ε of as many
// randomized responses, which Kairouz, Oh & Viswanath's theorem gives at some ε only [Murtagh &
// Vadhan 2016; Chourasia et al. 2024, Theorem 4.6].
func (d *deriver) kovOptimal(q exact.Question, delta *big.Rat) (exact.Enclosure, error) {
	r, err := exact.Epsilon(d.ctx, q, delta, epsilonBits, kovEffort)
	return r.Enclosure, err
}

// kovOptimalDelta is δ(ε) of the same randomized responses.
func (d *deriver) kovOptimalDelta(q exact.Question, eps *big.Rat) (exact.Enclosure, error) {
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
		all.Events = append(all.Events, mechanism.SelfComposed{Event: mechanism.EpsilonDelta{Epsilon: x.eps,
			Delta: x.delta}, Count: x.count})
	}
	return exact.Question{Event: all}, nil
}
