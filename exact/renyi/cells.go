// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"sync"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// cells encloses the moment of a pair with closed-form tails and bounded losses, from the masses of cells of its loss.
//
// Let a cell (x_{i−1}, x_i] have the P-mass a and the Q-mass b, and let u = P/Q. It contributes E_Q[u^α; cell] to M.
//
// Claim. With r = e^(x_{i−1}) and s = e^(x_i), for α > 1,
//
//	a^α·b^(1−α) ≤ E_Q[u^α; cell] ≤ r^α·(sb − a)/(s − r) + s^α·(a − rb)/(s − r),
//
// and the other way round for 0 < α < 1.
//
// Proof. E_Q[1] = b, E_Q[u] = a and r ≤ u ≤ s on the cell. For α > 1, t^α is convex: the left side is Jensen's
// inequality, and the right side is its chord over [r, s]. For α < 1 it is concave.
//
//	t^α │        •   chord, above
//	    │     •··      between r and s
//	    │  •··         t^α itself, at the mean a/b: below
//	    └──r──a/b──s
//
// Both sides meet to second order in the width of a cell. Outcomes of infinite loss lie above all cells and have no
// part in M.
//
// It reports false if the losses or their bounds are not known.
func cells(x pair.Pair) (LogMoment, bool) {
	c := cellMassesOf(x)
	if c == nil {
		return nil, false
	}
	return c.moment, true
}

// cellMassesOf returns the cells of a pair, nil if there are none.
func cellMassesOf(x pair.Pair) *cellMasses {
	tails, ok := closed.PairTails(x)
	if !ok {
		return nil
	}
	lo, hi, ok := lossRange(x)
	if !ok {
		return nil
	}
	return &cellMasses{tails: tails, lo: lo, hi: hi, count: cellCount}
}

// lossRange returns rationals below and above all finite losses.
func lossRange(x pair.Pair) (lo, hi *big.Rat, ok bool) {
	const w = interval.Prec(64)
	_, hi, ok1 := greatestLoss(w, x).Rationals()
	_, lo, ok2 := greatestLoss(w, x.Reverse()).Rationals()
	if !ok1 || !ok2 {
		return nil, nil, false
	}
	lo = new(big.Rat).Neg(lo)
	// A cell is open on the left: an atom at the least loss must not be on a border.
	margin := new(big.Rat).Sub(hi, lo)
	lo.Sub(lo, margin.Mul(margin, big.NewRat(1, 1<<12)))
	return lo, hi, lo.Cmp(hi) < 0
}

// A cellMasses keeps the masses of the last precision that was asked for.
type cellMasses struct {
	tails  closed.Tails
	lo, hi *big.Rat
	count  func(interval.Prec) int64

	mu   sync.Mutex
	prec interval.Prec
	list []cell
}

// A cell has the logarithm of the upper end of its likelihood ratio, its masses and
// their logarithms, and the weights (sb − a)/(s − r) and (a − rb)/(s − r) of its chord.
type cell struct {
	logS       interval.Interval
	a, b       interval.Interval
	logA, logB interval.Interval
	low, high  interval.Interval
	positive   bool // a > 0 and b > 0 for certain
}

// cellCount grows with the precision: the relative error is of the order of the square of the width of a cell.
func cellCount(p interval.Prec) int64 {
	n := int64(1) << 8
	for q := interval.Prec(128); q < p && n < 1<<13; q *= 2 {
		n *= 2
	}
	return n
}

func (c *cellMasses) at(w interval.Prec) []cell {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.prec == w {
		return c.list
	}
	n := c.count(w)
	width := new(big.Rat).Sub(c.hi, c.lo)
	width.Quo(width, new(big.Rat).SetInt64(n))
	list := []cell{{logS: w.Rat(c.lo)}} // the first has no mass
	var p, q, r interval.Interval       // tails above the last border, and its ratio
	for i := int64(0); i <= n; i++ {
		x := new(big.Rat).Mul(width, new(big.Rat).SetInt64(i))
		x.Add(x, c.lo)
		tp, tq := c.tails(w, closed.RatArg(w, x))
		y := w.Rat(x)
		s := w.Exp(y)
		if i > 0 {
			d := cell{logS: y, a: atLeastZero(w.Sub(p, tp)), b: atLeastZero(w.Sub(q, tq))}
			ratio := w.Inv(w.Sub(s, r))
			d.low = atLeastZero(w.Mul(w.Sub(w.Mul(s, d.b), d.a), ratio))
			d.high = atLeastZero(w.Mul(w.Sub(d.a, w.Mul(r, d.b)), ratio))
			if d.positive = d.a.Positive() == interval.True && d.b.Positive() == interval.True; d.positive {
				d.logA, d.logB = w.Log(d.a), w.Log(d.b)
			}
			list = append(list, d)
		}
		p, q, r = tp, tq, s
	}
	c.prec, c.list = w, list
	return list
}

func (c *cellMasses) moment(p interval.Prec, alpha *big.Rat) interval.Interval {
	w := p + 64
	a, b := w.Rat(alpha), w.Rat(minusOne(alpha)).Neg()
	convex := alpha.Cmp(ratOne) > 0
	sum := zero
	var r interval.Interval // r^α
	for i, d := range c.at(w) {
		s := w.Exp(w.Mul(a, d.logS))
		if i > 0 {
			chord := w.Add(w.Mul(r, d.low), w.Mul(s, d.high))
			var other interval.Interval // the trivial bound 0
			switch {
			case d.positive: // a^α·b^(1−α)
				other = w.Exp(w.Add(w.Mul(a, d.logA), w.Mul(b, d.logB)))
			case !convex: // E_Q[u^α] ≤ s^α·b
				other = w.Mul(s, d.b)
			}
			sum = w.Add(sum, interval.Union(chord, other))
		}
		r = s
	}
	return p.Round(w.Log(sum))
}
