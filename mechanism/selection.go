package mechanism

import "math/big"

// ExponentialMechanism selects a candidate with probability ∝ e^(ε·score/2) for
// scores of sensitivity 1. It stands for the worst ε-differentially private
// mechanism: |log P/Q| ≤ ε.
type ExponentialMechanism struct {
	Epsilon *big.Rat // ≥ 0, in nats
}

// ClassName returns "ExponentialMechanismDpEvent".
func (ExponentialMechanism) ClassName() string { return "ExponentialMechanismDpEvent" }
func (ExponentialMechanism) isEvent()          {}

// MarshalJSON writes the event as EncodeEvent does.
func (e ExponentialMechanism) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e ExponentialMechanism) encodeFields(w *encoder) { w.number("epsilon", e.Epsilon) }

// A smaller ε is satisfied by fewer mechanisms, and the worst of fewer is no
// worse.
func decodeExponentialMechanism(r *reader) Event {
	return ExponentialMechanism{Epsilon: r.number("epsilon", nonNegative, lessPrivate)}
}

// PermuteAndFlip selects a candidate as McKenna and Sheldon (2020) do. It is
// ε-differentially private; dp_accounting takes its privacy loss to be that of
// the Laplace mechanism with noise multiplier 1/ε.
type PermuteAndFlip struct {
	Epsilon *big.Rat // ≥ 0, in nats
}

// ClassName returns "PermuteAndFlipDpEvent".
func (PermuteAndFlip) ClassName() string { return "PermuteAndFlipDpEvent" }
func (PermuteAndFlip) isEvent()          {}

// MarshalJSON writes the event as EncodeEvent does.
func (e PermuteAndFlip) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e PermuteAndFlip) encodeFields(w *encoder) { w.number("epsilon", e.Epsilon) }

// Both readings of the event, the worst ε-differentially private mechanism and
// Laplace noise of multiplier 1/ε, are ordered in ε.
func decodePermuteAndFlip(r *reader) Event {
	return PermuteAndFlip{Epsilon: r.number("epsilon", nonNegative, lessPrivate)}
}
