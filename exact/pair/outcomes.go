// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
)

// An Outcome is one value of the likelihood ratio with its probabilities, not both
// of which are the point 0. Q is the point 0 for infinite loss, P for loss −∞;
// otherwise, when Exact, Loss is log(P/Q), exactly.
type Outcome struct {
	P, Q  interval.Interval
	Loss  Loss
	Exact bool
}

// EncloseLoss returns an enclosure of the loss: infinite, or any, where a mass may be 0 and the loss is not exact.
func (o Outcome) EncloseLoss(w interval.Prec) interval.Interval {
	if o.Exact {
		return o.Loss.Enclose(w)
	}
	return w.Log(w.Div(o.P, o.Q))
}

// reverse returns the outcome for the pair (Q, P).
func (o Outcome) reverse() Outcome {
	o.P, o.Q = o.Q, o.P
	if o.Exact {
		o.Loss = o.Loss.Neg()
	}
	return o
}

// notListed is what Outcomes returns of a pair whose outcomes cannot be listed.
func notListed() (out []Outcome, rest interval.Interval, ok bool) { return nil, rest, false }

// CountOutcomes returns the number of outcomes of finite loss that ProductOutcomes enumerates, if it is at
// most limit.
func CountOutcomes(prod Product, limit int) (int, bool) {
	n := big.NewInt(1)
	for _, t := range prod {
		most := limit
		if _, ok := t.Pair.(DiscreteGaussian); ok && t.Count > 1 {
			// m outcomes, all of finite loss, make m(m + 1)/2 of two copies.
			most = int(new(big.Int).Sqrt(big.NewInt(2 * int64(limit))).Int64())
		}
		os, _, ok := t.Pair.Outcomes(32, most)
		if !ok {
			return 0, false
		}
		m := int64(0)
		for _, o := range os {
			if !o.P.IsZero() && !o.Q.IsZero() {
				m++
			}
		}
		if m == 0 {
			continue
		}
		// C(count + m − 1, m − 1)
		c := big.NewInt(1)
		for i := int64(1); i < m; i++ {
			c.Mul(c, big.NewInt(t.Count+i))
			if c.Quo(c, big.NewInt(i)); c.BitLen() > 62 {
				return 0, false
			}
		}
		if n.Mul(n, c); n.Cmp(big.NewInt(int64(limit))) > 0 {
			return 0, false
		}
	}
	return int(n.Int64()), true
}

// ProductOutcomes returns the outcomes of a product of discrete pairs by
// enumeration: equal factors contribute their multisets of outcomes, so k copies
// of a pair with m outcomes of finite loss make C(k+m−1, m−1). The rest is as in
// Outcomes. It reports false if a factor is not discrete or there would be more
// than limit outcomes.
func ProductOutcomes(prod Product, p interval.Prec, limit int) (out []Outcome, rest interval.Interval, ok bool) {
	q := p + 32
	acc := split{finite: []Outcome{{P: interval.Int(1), Q: interval.Int(1), Exact: true}}}
	for _, t := range prod {
		base, r, ok := t.Pair.Outcomes(q, limit)
		if !ok {
			return nil, rest, false
		}
		s := newSplit(q, base)
		s.rest = r
		if s, ok = s.power(q, t.Count, limit); !ok {
			return nil, rest, false
		}
		if acc, ok = acc.times(q, s, limit); !ok {
			return nil, rest, false
		}
	}
	out = acc.finite
	if !acc.inf.IsZero() {
		out = append(out, Outcome{P: acc.inf})
	}
	if !acc.ninf.IsZero() {
		out = append(out, Outcome{Q: acc.ninf})
	}
	return out, acc.rest, true
}

// A split holds the outcomes of finite loss, the P-mass of infinite loss and the
// Q-mass of loss −∞.
type split struct {
	finite    []Outcome
	inf, ninf interval.Interval
	rest      interval.Interval // bounds the P- and the Q-mass left out
}

func newSplit(p interval.Prec, os []Outcome) split {
	var s split
	for _, o := range os {
		switch {
		case o.Q.IsZero():
			s.inf = p.Add(s.inf, o.P)
		case o.P.IsZero():
			s.ninf = p.Add(s.ninf, o.Q)
		default:
			s.finite = append(s.finite, o)
		}
	}
	return s
}

// Union returns 1 − (1 − a)(1 − b) = a + b(1 − a), without cancellation.
func Union(p interval.Prec, a, b interval.Interval) interval.Interval {
	return p.Add(a, p.Mul(b, p.Sub(interval.Int(1), a)))
}

// UnionPower returns 1 − (1 − a)^k = −expm1(k·log(1 − a)).
func UnionPower(p interval.Prec, a interval.Interval, k int64) interval.Interval {
	switch {
	case a.IsZero():
		return a
	case a.Less(interval.Int(1)) != interval.True:
		return interval.Clamp(a, 0, 1) // 1, or next to it
	}
	return p.Expm1(p.Mul(interval.Int(k), p.Log1p(a.Neg()))).Neg()
}

// power returns k copies of s.
func (s split) power(p interval.Prec, k int64, limit int) (split, bool) {
	out := split{inf: UnionPower(p, s.inf, k), ninf: UnionPower(p, s.ninf, k)}
	out.rest = interval.Min(interval.Int(1), p.Mul(interval.Int(k), s.rest)) // union bound
	m := len(s.finite)
	if m == 0 {
		return out, true
	}
	if !typesWithin(k, m, limit) {
		return out, false
	}
	one := interval.Int(1)
	powers := make([]powerOf, m)
	for i, f := range s.finite {
		powers[i] = newPowerOf(p, f, k)
	}
	if m == 1 { // only the last power is needed, and k may be any number
		powers[0] = func(n int64) (interval.Interval, interval.Interval) {
			return p.PowInt(s.finite[0].P, n), p.PowInt(s.finite[0].Q, n)
		}
	}
	var walk func(i int, left int64, o Outcome, coeff *big.Int)
	walk = func(i int, left int64, o Outcome, coeff *big.Int) {
		if left == 0 || i == m-1 {
			if left > 0 {
				o = combine(p, o, s.finite[i], left, powers[i])
			}
			c := p.BigInt(coeff)
			o.P, o.Q = p.Mul(o.P, c), p.Mul(o.Q, c)
			out.finite = append(out.finite, o)
			return
		}
		c := new(big.Int).Set(coeff)
		for n := int64(0); ; n++ {
			next := o
			if n > 0 {
				next = combine(p, o, s.finite[i], n, powers[i])
			}
			walk(i+1, left-n, next, c)
			if n == left {
				return
			}
			// C(left, n+1) = C(left, n)·(left − n)/(n + 1)
			c = new(big.Int).Mul(c, big.NewInt(left-n))
			c.Quo(c, big.NewInt(n+1))
		}
	}
	walk(0, k, Outcome{P: one, Q: one, Exact: true}, big.NewInt(1))
	return out, true
}

// A powerOf is the masses of n ≥ 1 copies of an outcome.
type powerOf func(n int64) (p, q interval.Interval)

// newPowerOf returns the powers of the masses of f, up to the k-th, by one product after the other: of all powers that
// are asked for up to k, each takes one product, and not some 2·log₂ k.
//
// Enclosures of factors make an enclosure of the product. A product of w bits is wider by a part of 2^(2−w), so that n
// of them are by some k·2^(2−w) < 2^−p/k, which is little beside the last rounding.
func newPowerOf(p interval.Prec, f Outcome, k int64) powerOf {
	w := p + interval.Prec(2*bits.Len64(uint64(k))) + 2
	var ps, qs []interval.Interval
	return func(n int64) (interval.Interval, interval.Interval) {
		for int64(len(ps)) < n {
			if len(ps) == 0 {
				ps, qs = append(ps, f.P), append(qs, f.Q)
				continue
			}
			last := len(ps) - 1
			ps, qs = append(ps, w.Mul(ps[last], f.P)), append(qs, w.Mul(qs[last], f.Q))
		}
		return p.Round(ps[n-1]), p.Round(qs[n-1])
	}
}

// combine adds n copies of the outcome f to o.
func combine(p interval.Prec, o, f Outcome, n int64, power powerOf) Outcome {
	x, y := power(n)
	out := Outcome{P: p.Mul(o.P, x), Q: p.Mul(o.Q, y), Exact: o.Exact && f.Exact}
	if out.Exact {
		out.Loss = o.Loss.Add(f.Loss.Times(n))
	}
	return out
}

// typesWithin reports C(k+m−1, m−1) ≤ limit.
func typesWithin(k int64, m, limit int) bool {
	n := big.NewInt(1)
	l := big.NewInt(int64(limit))
	for i := int64(1); i < int64(m); i++ {
		n.Mul(n, big.NewInt(k+i))
		n.Quo(n, big.NewInt(i)) // C(k+i, i), rising in i
		if n.Cmp(l) > 0 {
			return false
		}
	}
	return true
}

// times returns the product of two splits.
func (s split) times(p interval.Prec, t split, limit int) (split, bool) {
	if len(s.finite)*len(t.finite) > limit {
		return split{}, false
	}
	out := split{inf: Union(p, s.inf, t.inf), ninf: Union(p, s.ninf, t.ninf)}
	out.rest = interval.Min(interval.Int(1), p.Add(s.rest, t.rest))
	for _, a := range s.finite {
		for _, b := range t.finite {
			out.finite = append(out.finite, combine(p, a, b, 1, func(int64) (interval.Interval, interval.Interval) {
				return b.P, b.Q
			}))
		}
	}
	return out, true
}
