// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"

	"dpverify/document"
	"dpverify/internal/show"
	"dpverify/number"
)

// DominatingPair is a guarantee: it stands for the worst mechanism whose privacy
// profile is at most δ_i at ε_i, for every point i and in both orientations.
type DominatingPair struct {
	Profile []ProfilePoint // at least one, Epsilon strictly increasing
}

// A ProfilePoint bounds a privacy profile at one point: δ(Epsilon) ≤ Delta.
type ProfilePoint struct {
	Epsilon *big.Rat // any real, in nats
	Delta   *big.Rat // in [0, 1], and at least 1 − e^Epsilon: no pair has less
}

// ClassName returns "DominatingPairEvent".
func (DominatingPair) ClassName() string { return "DominatingPairEvent" }

// MarshalJSON writes the event as EncodeEvent does.
func (e DominatingPair) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e DominatingPair) encodeFields(w *encoder) {
	w.list("profile", len(e.Profile), func(i int) {
		w.raw("[")
		w.rat(e.Profile[i].Epsilon)
		w.raw(",")
		w.rat(e.Profile[i].Delta)
		w.raw("]")
	})
}

// A smaller δ is satisfied by fewer mechanisms, and the worst of fewer is no
// worse.
func decodeDominatingPair(r *reader) Event {
	const want = "[epsilon, delta]"
	items := r.list("profile", want)
	points := make([]ProfilePoint, 0, len(items))
	for i, n := range items {
		field := index("profile", i)
		if n == nil || n.Kind != document.Sequence || len(n.Items) != 2 {
			r.Err = r.Invalid(field, n, want)
			return nil
		}
		p := ProfilePoint{
			Epsilon: r.scalar(index(field, 0), n.Items[0], number.Any, unproved),
			Delta:   r.scalar(index(field, 1), n.Items[1], number.Probability, lessPrivate),
		}
		if r.Err != nil {
			return nil
		}
		if i > 0 && p.Epsilon.Cmp(points[i-1].Epsilon) <= 0 {
			r.Err = r.Invalid(index(field, 0), n.Items[0], "more than "+index(index("profile", i-1), 0))
			return nil
		}
		if !number.Attainable(p.Epsilon, p.Delta) {
			at := fmt.Sprintf("[%s, %s]", show.Cut(number.Format(p.Epsilon)), show.Cut(number.Format(p.Delta)))
			r.Err = r.InvalidText(field, n, at, "delta >= 1 - e^epsilon: no pair has less")
			return nil
		}
		points = append(points, p)
	}
	return DominatingPair{Profile: points}
}
