// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

const (
	// maxFiniteTrials bounds the binomials that become finite pairs with exact
	// rational masses, whose length grows with the number of trials.
	maxFiniteTrials = 64
	// maxExactMassTrials bounds the trials for which masses of infinite loss are
	// computed as rationals.
	maxExactMassTrials = 1 << 12
	// maxExactShift bounds the shifts for which losses are written as logarithms of
	// rationals, whose length grows with the shift.
	maxExactShift = 64
)

// Binomial is (Bin(Trials, Prob), Sensitivity + Bin(Trials, Prob)), for
// 0 < Prob < 1 and 0 < Sensitivity ≤ Trials. With n, p, s for the three and q = 1 − p,
//
//	P(x) = C(n, x)·p^x·q^(n−x), Q(x) = P(x − s),
//	P(x)/Q(x) = (p/q)^s·Π (n − x + s − i)/(x − i), i = 0 … s − 1,   s ≤ x ≤ n,
//
// which falls as x grows; for x < s the loss is ∞, for x > n it is −∞.
type Binomial struct {
	Trials      int64
	Prob        *big.Rat
	Sensitivity int64
	Reversed    bool
}

// SelfDual: for p = 1/2 the map x → n + s − x exchanges P and Q.
func (b Binomial) SelfDual() bool { return b.Prob.Cmp(big.NewRat(1, 2)) == 0 }

func (b Binomial) String() string {
	return fmt.Sprintf("Binomial(%d, %s, %d)%s", b.Trials, b.Prob.RatString(), b.Sensitivity, reversedMark(b.Reversed))
}

// Reverse returns (Q, P).
func (b Binomial) Reverse() Pair {
	if !b.SelfDual() {
		b.Reversed = !b.Reversed
	}
	return b
}

func (b Binomial) isReversed() bool          { return b.Reversed }
func (Binomial) Kind() Kind                  { return Discrete }
func (Binomial) parts() []Product            { return nil }
func (b Binomial) infMass() (*big.Rat, bool) { return b.inf() }
func (b Binomial) reach() reach {
	if l, ok := b.maxLoss(); ok {
		return upTo(l)
	}
	return unknownReach()
}

// NewBinomial returns the pair of a binomial event.
func NewBinomial(e mechanism.Binomial) Pair {
	n, s := e.Trials, e.Sensitivity
	if s > n || e.Probability.Sign() == 0 || e.Probability.Cmp(ratOne) == 0 {
		return FiniteOf([]Mass{{ratOne, new(big.Rat)}, {new(big.Rat), ratOne}}) // disjoint supports
	}
	b := Binomial{Trials: n, Prob: e.Probability, Sensitivity: s}
	if n > maxFiniteTrials {
		return b
	}
	masses := b.masses(0, n)
	ms := make([]Mass, n+s+1)
	for x := range ms {
		ms[x] = Mass{new(big.Rat), new(big.Rat)}
		if int64(x) <= n {
			ms[x].P = masses[x]
		}
		if y := int64(x) - s; y >= 0 {
			ms[x].Q = masses[y]
		}
	}
	return FiniteOf(ms)
}

// masses returns C(n, x)·p^x·q^(n−x) for x = lo … hi.
func (b Binomial) masses(lo, hi int64) []*big.Rat {
	n := b.Trials
	q := new(big.Rat).Sub(ratOne, b.Prob)
	ratio := new(big.Rat).Quo(b.Prob, q)
	m := new(big.Rat).SetInt(new(big.Int).Binomial(n, lo))
	m.Mul(m, ratPow(b.Prob, lo))
	m.Mul(m, ratPow(q, n-lo))
	out := []*big.Rat{m}
	for x := lo + 1; x <= hi; x++ {
		r := new(big.Rat).Mul(ratio, big.NewRat(n-x+1, x))
		m = r.Mul(r, m)
		out = append(out, m)
	}
	return out
}

// inf returns the mass of infinite loss, if it is short: P(x < s), or Q(x > n) =
// P(x > n − s) for the reverse.
func (b Binomial) inf() (*big.Rat, bool) {
	if b.Trials > maxExactMassTrials {
		return nil, false
	}
	lo, hi := int64(0), b.Sensitivity-1
	if b.Reversed {
		lo, hi = b.Trials-b.Sensitivity+1, b.Trials
	}
	sum := new(big.Rat)
	for _, m := range b.masses(lo, hi) {
		sum.Add(sum, m)
	}
	return sum, true
}

// loss returns log P(x)/Q(x) for s ≤ x ≤ n, if it is short.
func (b Binomial) loss(x int64) (Loss, bool) {
	n, s := b.Trials, b.Sensitivity
	if s > maxExactShift {
		return Loss{}, false
	}
	r := ratPow(new(big.Rat).Quo(b.Prob, new(big.Rat).Sub(ratOne, b.Prob)), s)
	num, den := new(big.Int), new(big.Int)
	num.MulRange(n-x+1, n-x+s)
	den.MulRange(x-s+1, x)
	return LogLoss(r.Mul(r, new(big.Rat).SetFrac(num, den))), true
}

// maxLoss is the loss at x = s, or the reverse's at x = n.
func (b Binomial) maxLoss() (Loss, bool) {
	if b.Reversed {
		l, ok := b.loss(b.Trials)
		return l.Neg(), ok
	}
	return b.loss(b.Sensitivity)
}

// Outcomes lists x in a range of values that leaves out little of either mass.
//
// Tails. Let m = ⌊(n + 1)p⌋, a mode, and g(x) = P(x)/P(m). The ratio g(x + 1)/g(x) = p(n − x)/(q(x + 1)) falls in x and
// is at most 1 from m on. So Σ_{x>X} g(x) ≤ g(X + 1)/(1 − r) if the ratio r at X + 1 is below 1. To the left of m the
// same holds of the inverse ratios.
//
// Norm. P(m)^−1 = Σ g lies between the sum G over the range and G plus both tails.
//
// Rounding. One factor of a product is off by at most 2 units. So g is off by at most 3n units in the last place of q,
// which has log2 n + 32 bits to spare.
//
// Range. Let [a, b] be the range of g > 2^−(p+16) or so.
//
//	0 ──── a − s ──────── a ──────────── b ──────── b + s ──── n
//	         └──────────── g is computed ─────────────┘
//	                      └──── P and Q are listed ───┘
//
// The x in [a, b + s] are listed, as P(x) and Q(x) = P(x − s) are known there. (One more on either side may be
// computed. It is not listed.) Left out are the P-mass of x < a and x > b + s, and the Q-mass of x − s < a − s and
// x − s > b: what was computed of it, and both tails. The x < s are one outcome, of infinite loss, and the x > n
// another one, of loss −∞.
func (b Binomial) Outcomes(p interval.Prec, limit int) (out []Outcome, rest interval.Interval, ok bool) {
	n, s := b.Trials, b.Sensitivity
	w := p + 32 + interval.Prec(big.NewInt(n).BitLen())
	prob := w.Rat(b.Prob)
	odds := w.Div(prob, w.Sub(interval.Int(1), prob)) // p/q
	ratio := func(x int64) interval.Interval {        // g(x+1)/g(x)
		return w.Mul(odds, w.Rat(big.NewRat(n-x, x+1)))
	}
	t := new(big.Rat).Mul(b.Prob, new(big.Rat).SetInt64(n+1))
	mode := min(new(big.Int).Quo(t.Num(), t.Denom()).Int64(), n)
	small := w.Scale(interval.Int(1), -int(p)-16)

	// walk appends g of up to spare further terms to those above small.
	walk := func(terms int64, next func(k int64,
		last interval.Interval) interval.Interval) (g []interval.Interval, above int64, ok bool) {
		g = []interval.Interval{interval.Int(1)}
		spare := s
		for k := int64(0); k < terms; k++ {
			if last := g[k]; last.LessEq(small) == interval.True {
				if spare == 0 {
					break
				}
				spare--
			} else {
				above = k
			}
			if k > int64(limit) {
				return nil, 0, false
			}
			g = append(g, next(k, g[k]))
		}
		if spare == s {
			above = int64(len(g)) - 1
		}
		return g, above, true
	}
	right, b1, ok1 := walk(n-mode, func(k int64, last interval.Interval) interval.Interval {
		return w.Mul(last, ratio(mode+k))
	})
	left, a1, ok2 := walk(mode, func(k int64, last interval.Interval) interval.Interval {
		return w.Div(last, ratio(mode-k-1))
	})
	from, to := mode-a1, mode+b1                                // [a, b]
	lo, hi := mode-int64(len(left)-1), mode+int64(len(right)-1) // where g is computed
	if !ok1 || !ok2 || hi-lo+1+s > int64(limit) {
		return nil, rest, false
	}
	g := func(x int64) interval.Interval {
		switch {
		case x < lo || x > hi: // no x below asks for more than [a − s, b + s] in [0, n]
			panic("pair: internal error: a binomial term that was not computed")
		case x < mode:
			return left[mode-x]
		}
		return right[x-mode]
	}
	sum := interval.Interval{}
	for x := lo; x <= hi; x++ {
		sum = w.Add(sum, g(x))
	}
	one := interval.Int(1)
	tail := interval.Interval{}
	bounded := true
	add := func(first, r interval.Interval) {
		if d := w.Sub(one, r); d.Positive() == interval.True {
			tail = w.Add(tail, w.Div(first, d))
		} else {
			bounded = false
		}
	}
	if hi < n { // the terms from hi + 1 on
		first := w.Mul(g(hi), ratio(hi))
		if hi+1 < n {
			add(first, ratio(hi+1))
		} else {
			tail = w.Add(tail, first)
		}
	}
	if lo > 0 { // the terms down from lo − 1
		first := w.Div(g(lo), ratio(lo-1))
		if lo-1 > 0 {
			add(first, w.Inv(ratio(lo-2)))
		} else {
			tail = w.Add(tail, first)
		}
	}
	if !bounded {
		return nil, rest, false
	}
	tail = interval.Union(interval.Int(0), tail)
	z := w.Add(sum, tail)
	mass := func(x int64) interval.Interval { return p.Round(w.Div(g(x), z)) }

	lost := [2]interval.Interval{tail, tail} // under P and under Q
	for x := lo; x <= hi; x++ {
		if x < from || x > to+s {
			lost[0] = w.Add(lost[0], g(x))
		}
		if x < from-s || x > to {
			lost[1] = w.Add(lost[1], g(x))
		}
	}
	var infinite, minusInfinite interval.Interval
	for x := from; x <= to+s; x++ {
		switch {
		case x < s:
			infinite = w.Add(infinite, g(x))
		case x > n:
			minusInfinite = w.Add(minusInfinite, g(x-s))
		default:
			o := Outcome{P: mass(x), Q: mass(x - s)}
			o.Loss, o.Exact = b.loss(x)
			out = append(out, o)
		}
	}
	if !infinite.IsZero() {
		out = append([]Outcome{{P: p.Round(w.Div(infinite, z))}}, out...)
	}
	if !minusInfinite.IsZero() {
		out = append(out, Outcome{Q: p.Round(w.Div(minusInfinite, z))})
	}
	if b.Reversed {
		for i := range out {
			out[i] = out[i].reverse()
		}
	}
	rest = interval.Union(interval.Int(0), p.Round(w.Div(interval.Max(lost[0], lost[1]), sum)))
	return out, rest, true
}
