// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import (
	"context"
	"math/bits"

	"dpverify/exact/interval"
)

// MaxCount bounds the number of equal guarantees in Equal.
const MaxCount = 4_000_000

// checkpoint is the distance of the stored partial sums of Equal.
const checkpoint = 512

// Equal is the exact composition of k equal guarantees, prepared for queries at
// many ε. By Chourasia et al. 2024, Corollary 4.7,
//
//	δ(t) = m + (1 − m)·Σ_y C(k,y)·e^(εy)/(1+e^ε)^k·(1 − e^(t − ε(2y−k)))₊,
//
// m = 1 − (1−δ)^k. With P_y = C(k,y)·e^(εy)/(1+e^ε)^k and Q_y = C(k,y)·e^(ε(k−y))/(1+e^ε)^k,
// the probabilities of y true answers under either input, the sum is
// Σ_{y≥j} P_y − e^t·Σ_{y≥j} Q_y for the least j with ε(2j − k) > t.
//
// Both suffix sums are accumulated from y = k downwards,
//
//	P_{y−1} = P_y·y/(k−y+1)·e^−ε,  Q_{y−1} = Q_y·y/(k−y+1)·e^ε,
//
// positive terms only, so that they are relatively accurate however small they
// are; every 512th state is kept, and a query continues from there.
type Equal struct {
	g      Guarantee
	w      interval.Prec
	states []state // at y = k, k − checkpoint, …
	m      interval.Interval
	shrink interval.Interval // e^−ε
	grow   interval.Interval // e^ε
}

// A state holds P_y, Q_y and the sums over all indices ≥ y.
type state struct {
	y          int64
	p, q       interval.Interval
	sumP, sumQ interval.Interval
}

// NewEqual prepares the composition for about p settled bits. The suffix sums
// cancel by a factor of about √k in the bulk, and 2k roundings add up.
//
// Requires: 1 ≤ g.Count ≤ MaxCount.
func NewEqual(ctx context.Context, p interval.Prec, g Guarantee) (*Equal, error) {
	k := g.Count
	w := p + interval.Prec(2*bits.Len64(uint64(k))) + 24
	// P_k = e^(kε)/(1+e^ε)^k = (1 + e^−ε)^−k needs log2 k more bits in e^−ε.
	v := w + interval.Prec(bits.Len64(uint64(k)))
	e := v.Rat(g.Eps)
	s := &Equal{g: g, w: w, m: infinite(w, []Guarantee{g}), grow: w.Exp(e), shrink: w.Exp(e.Neg())}
	top := v.Exp(v.Mul(interval.Int(-k), v.Log1p(v.Exp(e.Neg()))))
	bottom := v.Exp(v.Mul(interval.Int(-k), v.Log1p(v.Exp(e))))
	st := state{y: k, p: w.Round(top), q: w.Round(bottom)}
	st.sumP, st.sumQ = st.p, st.q
	s.states = append(s.states, st)
	for st.y > 0 {
		if st.y%checkpoint == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		s.down(&st)
		if (k-st.y)%checkpoint == 0 {
			s.states = append(s.states, st)
		}
	}
	return s, nil
}

// down goes from y to y − 1.
func (s *Equal) down(st *state) {
	w := s.w
	num, den := interval.Int(st.y), interval.Int(s.g.Count-st.y+1)
	st.p = w.Mul(w.Div(w.Mul(st.p, num), den), s.shrink)
	st.q = w.Mul(w.Div(w.Mul(st.q, num), den), s.grow)
	st.y--
	st.sumP = w.Add(st.sumP, st.p)
	st.sumQ = w.Add(st.sumQ, st.q)
}

// at returns the state at y.
func (s *Equal) at(y int64) state {
	st := s.states[(s.g.Count-y)/checkpoint]
	for st.y > y {
		s.down(&st)
	}
	return st
}

// Delta returns an enclosure of δ(t). It is a profile.Func.
func (s *Equal) Delta(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	w, k := s.w, s.g.Count
	t := eps(w)
	// The least j with ε(2j − k) > t, between lo and hi; t/ε = ±∞ for ε = 0.
	var lo, hi int64
	if s.g.Eps.Sign() == 0 {
		lo, hi = 0, 0 // one loss, 0
		if t.Negative() != interval.True {
			hi = k + 1
		}
		if t.Negative() == interval.False {
			lo = k + 1
		}
	} else {
		r := w.Div(t, w.Rat(s.g.Eps))
		r = w.Scale(w.Add(r, interval.Int(k)), -1)
		lo, hi = interval.IndexAbove(r.Lo(), k+1), interval.IndexAbove(r.Hi(), k+1)
	}
	// Indices in [lo, hi) may or may not count: they add between 0 and P_y.
	sum := zero
	alpha := w.Exp(t)
	if hi <= k {
		st := s.at(hi)
		sum = interval.Max(zero, w.Sub(st.sumP, w.Mul(alpha, st.sumQ)))
	}
	switch {
	case s.g.Eps.Sign() == 0 && lo < hi:
		sum = interval.Max(zero, w.Expm1(t).Neg())
	case lo < hi:
		var d interval.Interval
		if hi-lo == 1 && lo <= k {
			st := s.at(lo)
			d = interval.Max(zero, w.Sub(st.p, w.Mul(alpha, st.q)))
		} else {
			d = unit
		}
		sum = interval.Union(sum, w.Add(sum, d))
	}
	y := w.Add(s.m, w.Mul(w.Sub(one, s.m), sum))
	return interval.Clamp(p.Round(y), 0, 1), nil
}
