// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A sampleSource is a sample of a composition (pair.Sampled of a product without a closed form), or a part of a mean:
// see meanSource. It is put on a grid from a composition of its base on a grid of its own. Sampling
// preserves that one pair dominates another [Zhu, Dong & Wang 2022, Theorem 11,
// corrected], so the sample of the base's dominating pair dominates, and the sample of a
// post-processing of the base is a post-processing of the sample.
type sampleSource struct {
	rate     *big.Rat
	reversed bool      // (P, (1−γ)P + γQ) of the base (P, Q), otherwise ((1−γ)Q + γP, Q)
	part     bool      // (γP, γQ): the rest of the mean is elsewhere
	base     []*factor // composed once
	composed *composed[*bracket]
}

// prepare composes the base; count samples of it will be composed.
func (s *sampleSource) prepare(ctx context.Context, set Settings, count int64) (bool, error) {
	set.Progress, set.Leaves = nil, nil
	set.Cut += bits.Len64(uint64(count)) + 2
	c, err := compose(ctx, s.base, set, func(l *leaf, p *plan) *bracket { return l.bracket(p.prec) })
	s.composed = c
	return c != nil, err
}

// masses returns the masses of an outcome of the sample, from those a, b of an outcome
// of the base.
func (s *sampleSource) masses(w interval.Prec, a, b interval.Interval) (p, q interval.Interval) {
	rate := w.Rat(s.rate)
	keep := w.Rat(new(big.Rat).Sub(ratOne, s.rate))
	mix := func(x, y interval.Interval) interval.Interval { return w.Add(w.Mul(keep, x), w.Mul(rate, y)) }
	switch {
	case s.part:
		return w.Mul(rate, a), w.Mul(rate, b)
	case s.reversed:
		return a, mix(a, b)
	}
	return mix(b, a), b
}

// dominating returns the outcomes of a pair that dominates the sample. The base's
// dominating pair has the P-masses v_i and the Q-masses e^(−x_i)·v_i; what is missing to 1
// is P-mass of infinite loss, and Q-mass of loss −∞. Of these, a sample has one at the end
// of the range of its losses: log(1 − γ), or −log(1 − γ) when reversed.
func (s *sampleSource) dominating(w interval.Prec) []pair.Outcome {
	u := s.composed.upper
	out := make([]pair.Outcome, 0, u.v.Len()+3)
	add := func(o pair.Outcome) {
		o.P, o.Q = s.masses(w, o.P, o.Q)
		if !o.P.IsZero() || !o.Q.IsZero() {
			out = append(out, o)
		}
	}
	one := interval.Int(1)
	scale := -int(u.v.Prec())
	implied := interval.Int(0)
	for i := range u.v.Len() {
		if u.v.IsZero(i) {
			continue
		}
		a := w.Scale(w.BigInt(u.v.At(i)), scale)
		b := w.Mul(a, w.Exp(u.loss(i).Enclose(w).Neg()))
		implied = w.Add(implied, b)
		add(pair.Outcome{P: a, Q: b})
	}
	missingP := pair.Outcome{P: mass(w, one, w.Scale(w.BigInt(u.v.Sum()), scale))}
	missingQ := pair.Outcome{Q: mass(w, one, implied)}
	if keep := new(big.Rat).Sub(ratOne, s.rate); keep.Sign() > 0 && !s.part {
		if s.reversed {
			missingP.Loss, missingP.Exact = pair.LogLoss(keep).Neg(), true
		} else {
			missingQ.Loss, missingQ.Exact = pair.LogLoss(keep), true
		}
	}
	add(missingP)
	add(missingQ)
	return out
}

// dominated returns the outcomes of a post-processing of the sample: the base's groups,
// the group of infinite loss, and the rest as one.
func (s *sampleSource) dominated(w interval.Prec) []pair.Outcome {
	c := s.composed
	var out []pair.Outcome
	add := func(a, b interval.Interval) {
		p, q := s.masses(w, a, b)
		out = append(out, pair.Outcome{P: p, Q: q})
	}
	one := interval.Int(1)
	restP, restQ := w.Sub(one, c.infP), w.Sub(one, c.infQ)
	ps, qs := c.lower.masses(w)
	for k := range ps {
		restP, restQ = w.Sub(restP, ps[k]), w.Sub(restQ, qs[k])
		add(ps[k], qs[k])
	}
	add(c.infP, c.infQ)
	add(interval.Clamp(restP, 0, 1), interval.Clamp(restQ, 0, 1))
	return out
}
