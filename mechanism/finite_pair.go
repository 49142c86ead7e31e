// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import "math/big"

// FinitePair is a pair given outright: P(x) and Q(x) for every outcome x.
type FinitePair struct {
	P, Q []*big.Rat // of equal length ≥ 1, elements ≥ 0, each with sum exactly 1
}

func (FinitePair) ClassName() string              { return "FinitePairEvent" }
func (e FinitePair) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e FinitePair) encodeFields(w *encoder) {
	w.Numbers("p", e.P)
	w.Numbers("q", e.Q)
}

func decodeFinitePair(r *reader) Event {
	p, q := r.distribution("p"), r.distribution("q")
	r.sameLength("p", "q")
	if r.Err != nil || p.IsExact() && q.IsExact() {
		return FinitePair{P: p.Least(), Q: q.Least()}
	}
	e := FinitePair{}
	e.P, e.Q = r.s.corner.Pair(p, q)
	return e
}
