// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"fmt"

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
	m := meaning{NewFactors(of...), attained{}, all}
	switch {
	case wholly:
	case everywhere:
		m.evidence = pointwise{some}
	default:
		m.evidence = bounded{some}
	}
	return m, nil
}
