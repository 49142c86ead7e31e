// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import "math/big"

// A point is a divergence of an order above 1, or of the order ∞ if it is nil. A claim is true if all are at most
// enough, and false if one is above the most that it allows.
type point struct{ order, enough, most *big.Rat }

// An outcome has p, q > 0: log p, and log p/q.
type outcome struct{ log, loss iv }

// divergences decides a claim of Rényi divergences of finite pairs in a direction: VERIFIED, REFUTED or neither.
func (c *claim) divergences(d direction) string {
	setPrecision(512)
	var terms [][]outcome
	for _, f := range c.factors {
		var ts []outcome
		for _, m := range f.pair.(*finite).outcomes(d) {
			if m.p.lo.Sign() > 0 && m.q.hi.Sign() == 0 {
				return "REFUTED" // every divergence is ∞
			} else if m.p.hi.Sign() > 0 {
				l := m.p.log()
				ts = append(ts, outcome{l, l.sub(m.q.log())})
			}
		}
		terms = append(terms, ts)
	}
	points, verdict := c.points, "VERIFIED"
	if c.rho != nil {
		points = everyOrder(c.rho, c.divergence(terms, nil).high())
	}
	for _, p := range points {
		x := c.divergence(terms, p.order)
		if p.most != nil && x.low().Cmp(p.most) > 0 {
			return "REFUTED"
		} else if x.high().Cmp(p.enough) > 0 {
			verdict = ""
		}
	}
	return verdict
}

// everyOrder are points for D_α ≤ ρα for all α > 1. As D_α does not fall with α, D_b ≤ ρa shows it from a to b, and
// D_∞ ≤ ρa from a on.
func everyOrder(rho, greatest *big.Rat) (points []point) {
	line := rho // ρa
	for a := big.NewRat(1, 1); greatest.Cmp(line) > 0 && len(points) < 1000; {
		a = new(big.Rat).Mul(a, big.NewRat(33, 32))
		next := new(big.Rat).Mul(rho, a)
		points, line = append(points, point{a, line, next}), next
	}
	return append(points, point{enough: line})
}

// divergence is D_α, the sum over all copies of log(Σ p^α·q^(1−α))/(α − 1) = l + log(Σ p·e^((α−1)·(log p/q − l)))/(α −
// 1), where l = max log p/q, which is D_∞.
func (c *claim) divergence(terms [][]outcome, alpha *big.Rat) iv {
	total := integer(0)
	for i, ts := range terms {
		d := ts[0].loss
		for _, t := range ts {
			d = d.max(t.loss)
		}
		if alpha != nil {
			more, sum := new(big.Rat).Sub(alpha, big.NewRat(1, 1)), integer(0)
			for _, t := range ts {
				sum = sum.add(t.log.add(rational(more).mul(t.loss.sub(d))).exp())
			}
			d = d.add(sum.log().mul(rational(more.Inv(more))))
		}
		total = total.add(d.times(big.NewInt(c.factors[i].count)))
	}
	return total
}
