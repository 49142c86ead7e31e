// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"sync"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Limits on what is summed for draws with replacement.
const (
	sampledCopies = 8    // copies of a record up to which its sample counts, and not only its rate
	listedCopies  = 4096 // copies that are listed
	copiesBits    = 64   // of precision
)

// withReplacement bounds the moments of draws with replacement, of orders α > 1. With p_k = P(K = k), γ = P(K ≥ 1), the pair (P_k, Q_k) of
// k copies exchanged, and V the pair that is (P_k, Q_k) with probability p_k/γ, visibly so, the theorem of pair.WithReplacement is, for b ≥ 1,
//
//	H_{1+γ(b−1)} ≤ γ·H_b(V) = H_{1+γ(b−1)}(S), S = ((1−γ)V_Q + γV_P, V_Q),
//
// for both orientations; and for a < 1, H_a(P‖Q) = 1 − a + a·H_{1/a}(Q‖P). By Lemma 24 (see FromProfile), with b = 1/a,
//
//	(M(α) − 1)/(α(α−1)) = ∫₀^∞ (H_a − (1−a)₊)·a^{α−2} da ≤ ∫₁^∞ H_a(S)·a^{α−2} da + ∫₁^∞ H_b(S)·b^{−α−1} db,
//
// where the second integral is at most the first, and that is at most the one of S: M(α) ≤ 1 + 2(M_S(α) − 1). M_S is the mean over
// k, with weights p_k/γ, of the moments M_k of samples of (P_k, Q_k) of rate γ, which grow with the rate, and are at most 1 − γ + γ·M(P_k‖Q_k), by joint
// convexity. So
//
//	M(α) ≤ 1 + 2·Σ_{k≥1} (p_k/γ)·(M_k − 1),
//
// where any number of copies counts as at most m, its greatest. Between whole orders log M_k is below its chord.
func withReplacement(x pair.WithReplacement) (LogMoment, bool) {
	if _, ok := logMoment(x.Base); !ok {
		return nil, false
	}
	const w = interval.Prec(copiesBits)
	type law struct {
		gamma, rest interval.Interval
		masses      []interval.Interval
	}
	drawn := sync.OnceValue(func() law {
		l := law{gamma: x.Drawn(w)}
		l.masses, l.rest = x.Copies(w, listedCopies)
		return l
	})
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		if alpha.Cmp(ratOne) <= 0 {
			return interval.Entire()
		}
		gamma := drawn().gamma
		_, rate, ok := gamma.Rationals()
		ok = ok && rate.Cmp(ratOne) < 0
		// excess is 2(M_k − 1), from above, as its logarithm.
		excess := func(k int64) interval.Interval {
			copies := x.Group(k)
			whole, _ := logMoment(copies)
			most := w.Add(w.Add(w.Ln2(), w.Log(gamma)), logExcess(w, whole(w, alpha)))
			if !ok || k > sampledCopies {
				return most
			}
			chord, known := sampledBound(pair.Sampled{Rate: rate, Base: pair.Product{{Pair: copies, Count: 1}}})
			if !known {
				return most
			}
			if y := chord(w, alpha).Upper(); y.IsFinite() {
				most = interval.Min(most, w.Add(w.Ln2(), logExcess(w, y)))
			}
			return most
		}
		var logs []interval.Interval
		add := func(mass interval.Interval, k int64) {
			if mass.Hi().Sign() > 0 {
				logs = append(logs, w.Add(w.Log(w.Div(mass.Upper(), gamma)), excess(k)).Upper())
			}
		}
		for i, m := range drawn().masses {
			add(m, int64(i)+1)
		}
		add(drawn().rest, x.Size)
		// log(1 + Σ e^logs)
		top := zero
		for _, l := range logs {
			top = interval.Max(top, l)
		}
		if !top.IsFinite() {
			return interval.Union(zero, posInf)
		}
		more := zero
		for _, l := range logs {
			more = w.Add(more, w.Exp(w.Sub(l, top)))
		}
		if top.IsZero() {
			return interval.Union(zero, w.Log1p(more))
		}
		return interval.Union(zero, w.Add(top, w.Log(w.Add(w.Exp(top.Neg()), more))))
	}, true
}

// logExcess bounds log(e^y − 1) for y ≥ 0 from above.
func logExcess(w interval.Prec, y interval.Interval) interval.Interval {
	y = interval.Max(zero, y)
	return w.Add(y, w.Log(w.Expm1(y.Neg()).Neg())).Upper()
}

// greatestWithReplacement bounds the greatest loss: γ·H_a(V) is 0 from the greatest loss of m copies on.
func greatestWithReplacement(p interval.Prec, x pair.WithReplacement) interval.Interval {
	l := greatestLoss(p, x.Group(x.Size))
	if !l.IsFinite() {
		return interval.Entire()
	}
	w := p + 16
	return interval.Bounds(interval.Entire().Lo(), p.Log1p(w.Mul(x.Drawn(w), w.Expm1(l))).Hi())
}
