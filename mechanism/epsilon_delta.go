// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
)

// EpsilonDelta is a guarantee: it stands for the worst mechanism that is
// (ε, δ)-differentially private, that is H_{e^ε}(P‖Q) ≤ δ and H_{e^ε}(Q‖P) ≤ δ
// for all neighbours under the relation asked.
type EpsilonDelta struct {
	Epsilon *big.Rat // ≥ 0, in nats
	Delta   *big.Rat // in [0, 1]
}

func (EpsilonDelta) ClassName() string              { return "EpsilonDeltaDpEvent" }
func (e EpsilonDelta) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e EpsilonDelta) encodeFields(w *encoder) {
	w.Number("epsilon", e.Epsilon)
	w.Number("delta", e.Delta)
}

// A smaller ε or δ is satisfied by fewer mechanisms, and the worst of fewer is
// no worse.
func decodeEpsilonDelta(r *reader) Event {
	return EpsilonDelta{
		Epsilon: r.number("epsilon", number.NonNegative, lessPrivate),
		Delta:   r.number("delta", number.Probability, lessPrivate),
	}
}
