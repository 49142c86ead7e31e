// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// Allocation is a random allocation of a record to Selected of Steps steps of the pair
// (P, Q) = Base: the mean of Π_{i∈S} P × Π_{i∉S} Q over all sets S of Selected steps, against
// Q^Steps; the other way round when Reversed. 0 < Selected < Steps.
type Allocation struct {
	Base            Pair
	Selected, Steps int64
	Reversed        bool
}

func (a Allocation) String() string {
	return fmt.Sprintf("Allocation(%d of %d, %s)%s", a.Selected, a.Steps, a.Base, reversedMark(a.Reversed))
}

// Reverse exchanges the mean and Q^Steps: Base stays what it is.
func (a Allocation) Reverse() Pair {
	a.Reversed = !a.Reversed
	return a
}
func (Allocation) SelfDual() bool     { return false }
func (a Allocation) isReversed() bool { return a.Reversed }

// Kind: outcomes of a base that has few, of few steps, are listed; engines bound all else.
func (a Allocation) Kind() Kind {
	if a.Base.Kind() == Guarantee {
		return Guarantee
	}
	if _, ok := a.listed(32, maxOrders); ok {
		return Discrete
	}
	return Unlisted
}

// maxOrders bounds how many outcomes an allocation lists: how often each outcome of the base is seen.
const maxOrders = 1 << 11

// listed returns the outcomes of the base, if those of the allocation can be listed.
func (a Allocation) listed(p interval.Prec, limit int) ([]Outcome, bool) {
	const maxSelected, maxBase = 32, 8
	if a.Selected > maxSelected || a.Steps > maxOrders || a.Base.Kind() != Discrete {
		return nil, false
	}
	os, rest, ok := a.Base.Outcomes(p, maxBase)
	if !ok || !rest.IsZero() || len(os) == 0 {
		return nil, false
	}
	n, d := new(big.Int), int64(len(os))-1
	n.Binomial(a.Steps+d, d)
	return os, n.Cmp(big.NewInt(int64(min(limit, maxOrders)))) <= 0
}
func (Allocation) parts() []Product { return nil }

// infMass: under the mean, an outcome is impossible under Q^Steps if it is so in one of the
// Selected steps. Under Q^Steps, with a set of steps in which P = 0 has mass, it is
// impossible under the mean if more than Steps − Selected steps have such an outcome.
func (a Allocation) infMass() (*big.Rat, bool) {
	if !a.Reversed {
		return InfMass(Product{{a.Base, a.Selected}})
	}
	m, ok := a.Base.Reverse().infMass()
	if ok && m.Sign() == 0 {
		return m, true
	}
	if ok && a.Selected == 1 {
		return ratPowWithin(m, a.Steps)
	}
	return nil, false
}

// ratPowWithin returns r^n, if that is a rational number of moderate length.
func ratPowWithin(r *big.Rat, n int64) (*big.Rat, bool) {
	const maxBits = 1 << 17
	if n > maxBits || int64(r.Denom().BitLen())*n > maxBits {
		return nil, false
	}
	return ratPow(r, n), true
}

// reach: the ratio is the mean of products of Selected ratios of the base, which are independent under Q^Steps: its
// supremum is the one of the product of Selected of them, and so is its infimum, unless a ratio may be 0: then the mean
// of 0 and others may be smaller.
func (a Allocation) reach() reach {
	base := a.Base
	if a.Reversed {
		base = base.Reverse()
		if m, ok := base.infMass(); !ok || m.Sign() != 0 {
			return unknownReach()
		}
	}
	single := Product{{base, a.Selected}}
	if l, ok := MaxLoss(single); ok {
		return upTo(l)
	}
	if l, ok := LossBound(single); ok {
		return within(l)
	}
	if Unbounded(single) {
		return endless()
	}
	return unknownReach()
}

// Outcomes: an outcome of the allocation is how often each outcome of the base is seen, n_i times in Steps steps. The
// record is in the first Selected steps: with k and t for the two numbers, the masses are
//
//	P = k!·(t−k)!·[z^k] Π_i Σ_m (p_i·z)^m·q_i^(n_i−m)/(m!·(n_i−m)!),  Q = t!·Π_i q_i^(n_i)/n_i!,
//
// and the same for each set of steps, as orders do not count.
func (a Allocation) Outcomes(p interval.Prec, limit int) ([]Outcome, interval.Interval, bool) {
	w := p + 32
	base, ok := a.listed(w, limit)
	if !ok {
		return notListed()
	}
	k, t := int(a.Selected), int(a.Steps)
	over := make([]interval.Interval, t+1) // 1/n!
	over[0] = interval.Int(1)
	for n := 1; n <= t; n++ {
		over[n] = w.Div(over[n-1], interval.Int(int64(n)))
	}
	powers := func(x interval.Interval) []interval.Interval { // x^n/n!
		out := make([]interval.Interval, t+1)
		y := interval.Int(1)
		for n := range out {
			out[n] = w.Mul(y, over[n])
			y = w.Mul(y, x)
		}
		return out
	}
	ps, qs := make([][]interval.Interval, len(base)), make([][]interval.Interval, len(base))
	for i, o := range base {
		ps[i], qs[i] = powers(o.P), powers(o.Q)
	}
	var out []Outcome
	var walk func(i, left int, record []interval.Interval, q interval.Interval)
	walk = func(i, left int, record []interval.Interval, q interval.Interval) {
		if i == len(base) {
			o := Outcome{P: w.Div(record[k], w.Mul(over[k], over[t-k])), Q: w.Div(q, over[t])}
			if a.Reversed {
				o.P, o.Q = o.Q, o.P
			}
			if !o.P.IsZero() || !o.Q.IsZero() {
				out = append(out, o)
			}
			return
		}
		from := 0
		if i == len(base)-1 {
			from = left
		}
		for n := from; n <= left; n++ {
			next := make([]interval.Interval, k+1)
			for m := 0; m <= min(n, k); m++ {
				x := w.Mul(ps[i][m], qs[i][n-m])
				for j := 0; j+m <= k; j++ {
					next[j+m] = w.Add(next[j+m], w.Mul(record[j], x))
				}
			}
			walk(i+1, left-n, next, w.Mul(q, qs[i][n]))
		}
	}
	none := make([]interval.Interval, k+1)
	none[0] = interval.Int(1)
	walk(0, t, none, interval.Int(1))
	return out, interval.Int(0), true
}
