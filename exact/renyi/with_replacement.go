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
	sampledCopies = 32   // copies of a record up to which its sample counts, and not only its rate
	listedCopies  = 4096 // copies that are listed
	copiesBits    = 64   // of precision
)

// withReplacement bounds the moments of draws with replacement, of orders α > 1.
//
// Claim. M(α) ≤ 1 + 2·Σ_{k≥1} v_k·(M_k − 1). Here w_k = P(K = k), v_k = w_k + w₀·p_k for any p_k ≥ 0 with the sum 1
// over k ≥ 1, and M_k is the moment of S_k, a sample of rate w_k/v_k of the pair (P_k, Q_k) of k copies exchanged.
//
// Proof. Let δ_k be the profile of (P_k, Q_k) as a function of a, and α_k = 1 + (a − 1)·v_k/w_k for a ≥ 1. The
// theorem of pair.WithReplacement holds for these: Σ_{k≤i} w_k·α_k = Σ_{k≤i} w_k + (a − 1)·Σ_{1≤k≤i} v_k, and
// Σ_{1≤k≤i} v_k ≤ 1 − Σ_{k>i} w_k. As w_k·δ_k(α_k) = v_k·H_a(S_k),
//
//	H_a ≤ Σ_{k≥1} v_k·H_a(S_k), a ≥ 1,
//
// for both orientations. For a < 1, H_a(P‖Q) = 1 − a + a·H_{1/a}(Q‖P). So by Lemma 24 (see FromProfile), with b =
// 1/a,
//
//	(M(α) − 1)/(α(α−1)) = ∫₀^∞ (H_a − (1−a)₊)·a^{α−2} da ≤ Σ v_k·(∫₁^∞ H_a(S_k)·a^{α−2} da + ∫₁^∞ H_b(S_k)·b^{−α−1} db).
//
// The second integral is at most the first, and the first at most the integral over all a. ∎
//
// M_k grows with the rate, and is at most 1 − w_k/v_k + w_k/v_k·M(P_k‖Q_k), by joint convexity. The p_k are chosen so
// that v_k is about in proportion to w_k·(M(P_k‖Q_k) − 1)^{1/α}: this is best where the moments of samples fall with
// the power α of the rate. A number of copies beyond those listed counts as m, the greatest. Between whole orders log
// M_k is below its chord.
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
		none := interval.Max(zero, w.Sub(interval.Int(1), drawn().gamma))
		type group struct {
			copies pair.Pair
			mass   interval.Interval
			excess interval.Interval // log(M(P_k‖Q_k) − 1), from above
			share  interval.Interval // log of what p_k is in proportion to; −∞ for 0
		}
		var groups []group
		first := interval.NegInf()
		power := w.Inv(interval.Max(w.Rat(alpha), interval.Int(2)))
		add := func(mass interval.Interval, k int64) {
			if mass.Hi().Sign() <= 0 {
				return
			}
			g := group{copies: x.Group(k), mass: mass.Upper(), share: interval.NegInf()}
			whole, _ := logMoment(g.copies)
			g.excess = logExcess(w, whole(w, alpha))
			if k <= sampledCopies && g.excess.IsFinite() {
				g.share = w.Mid(w.Add(w.Log(g.mass), w.Mul(power, g.excess)))
				first = interval.Max(first, g.share)
			}
			groups = append(groups, g)
		}
		for i, m := range drawn().masses {
			add(m, int64(i)+1)
		}
		add(drawn().rest, x.Size)
		shares := zero
		for i := range groups {
			if g := &groups[i]; g.share.IsFinite() {
				shares = w.Add(shares, w.Exp(w.Sub(g.share, first)))
			}
		}
		var logs []interval.Interval
		for _, g := range groups {
			most := w.Add(w.Add(w.Ln2(), w.Log(g.mass)), g.excess)
			if g.share.IsFinite() {
				v := w.Add(g.mass, w.Mul(none, w.Div(w.Exp(w.Sub(g.share, first)), shares)))
				_, rate, ok := w.Div(g.mass, v).Rationals()
				if ok && rate.Cmp(ratOne) < 0 {
					if chord, known := sampledBound(pair.Sampled{Rate: rate, Base: pair.Product{{Pair: g.copies, Count: 1}}}); known {
						if y := chord(w, alpha).Upper(); y.IsFinite() {
							most = interval.Min(most, w.Add(w.Add(w.Ln2(), w.Log(v)), logExcess(w, y)))
						}
					}
				}
			}
			logs = append(logs, most.Upper())
		}
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
