// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"fmt"
	"math/big"

	"dpverify/exact/drawn"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// maximumMeaning: the adversary runs one of several mechanisms. Let (P_i, Q_i) dominate the i-th.
//
// Alone, the event is the set of the mechanisms: its profile is the greatest of theirs, its trade-off function the
// least of theirs, and its Rényi divergence the greatest, each attained by one of them.
//
// Composed, whatever is chosen in view of earlier outputs has a profile of at most max_i H_α(P_i‖Q_i), the profile of a
// pair [Zhu, Dong & Wang 2022, Proposition 8]; so the product of that pair with the pairs of all other factors
// dominates [ibid., Theorem 10]. Every fixed sequence of choices is a mechanism of the event.
//
// Of a mechanism that is only bounded, witnesses bound the event from below: the mechanism may be the one that is
// chosen.
//
// Where records may be exchanged, each copy of a pair inside of a mechanism is oriented by itself, before the
// mechanisms are compared.
func (r *resolver) maximumMeaning(e mechanism.Maximum, path string) (meaning, error) {
	var of, some []pair.Product
	all := traits{}
	wholly, everywhere := true, true
	for i, x := range e.Events {
		m, err := r.composition(x, fmt.Sprintf("%s.events[%d]", path, i))
		switch {
		case err != nil:
			return meaning{}, err
		case m.traits.nonPrivate:
			all.nonPrivate = true
		}
		all = all.or(m.traits)
		if m.factors.empty() {
			continue // no profile is smaller
		}
		if r.exchange {
			m = m.freely()
		}
		alternatives, ok := m.factors.Alternatives()
		if ok = ok && m.factors.mixing() == OneOf; !ok {
			alternatives = []pair.Product{m.factors.Product()}
		}
		wholly = wholly && ok && m.evidence.wholly()
		everywhere = everywhere && ok && m.evidence.everywhere()
		of = append(of, alternatives...)
		some = append(some, m.evidence.witnesses(m.factors)...)
	}
	switch {
	case all.nonPrivate:
		m := nonPrivate()
		m.traits = all
		return m, nil
	case len(of) == 0:
		return neutral(), nil
	}
	return meaning{NewFactors(of...), newEvidence(wholly, everywhere, some), all}, nil
}

// meanMeaning: M_i runs with probability p_i, whatever the data are, and which one it was may show.
//
// Claim: if (P_i, Q_i) dominates the i-th event, pair.Mean of them dominates the mean. Proof: H_α is jointly convex, so
// that for outputs of M_i(D), M_i(D′) with the laws μ_i, ν_i, H_α(Σ p_i·μ_i‖Σ p_i·ν_i) ≤ Σ p_i·H_α(μ_i‖ν_i).
// Attained by: mechanisms that attain the (P_i, Q_i) on the same data, as in a composition, and whose outputs are
// disjoint. Each event has a query, scores or reports of its own, which read every record as its worst case wants;
// of noise on a common line queries that are far apart have disjoint outputs in the limit.
//
// Each mechanism may be another one of the alternatives of its event. All means of one alternative of each are listed,
// if they are not too many; otherwise, and where only the profile of alternatives is known, the pair of the greatest
// profile stands for them. docs/theorems.md, Means of events.
func (r *resolver) meanMeaning(e mechanism.Mean, path string) (meaning, error) {
	all := traits{nonPrivate: true, coin: true}
	var of []meaning
	var shares []*big.Rat
	for i, x := range e.Events {
		m, err := r.composition(x, fmt.Sprintf("%s.events[%d]", path, i))
		if err != nil {
			return meaning{}, err
		}
		if e.Probabilities[i].Sign() == 0 {
			continue // it has a meaning, and does not run
		}
		if r.exchange && !m.factors.empty() {
			m = m.freely()
		}
		of, shares = append(of, m), append(shares, e.Probabilities[i])
		every := traits{nonPrivate: all.nonPrivate && m.traits.nonPrivate, coin: all.coin && m.traits.coin}
		all = all.or(m.traits)
		all.nonPrivate, all.coin = every.nonPrivate, every.coin
	}
	if all.nonPrivate {
		m := nonPrivate()
		m.traits = all
		return m, nil
	}
	above, below := make([][]pair.Product, len(of)), make([][]pair.Product, len(of))
	wholly, everywhere := true, true
	for i, m := range of {
		alternatives, ok := m.factors.Alternatives()
		if ok = ok && m.factors.mixing() == OneOf; !ok {
			alternatives = []pair.Product{m.factors.Product()}
		}
		wholly = wholly && ok && m.evidence.wholly()
		everywhere = everywhere && ok && len(alternatives) == 1 && m.evidence.everywhere()
		above[i], below[i] = alternatives, m.evidence.witnesses(m.factors)
	}
	upper, listed := drawn.Ways(shares, above)
	if !listed {
		wholly, everywhere = false, false
		for i, m := range of {
			above[i] = []pair.Product{m.factors.Product()}
		}
		upper, _ = drawn.Ways(shares, above)
	}
	return meaning{NewFactors(upper...), newEvidence(wholly, everywhere, drawn.Some(shares, below)), all}, nil
}
