// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"dpverify/exact"
	"dpverify/exact/domination"
	"dpverify/exact/interval"
)

// An Outcome is the answer to a claim.
type Outcome struct {
	Claim   *Claim
	Verdict Verdict
	// Delta encloses δ at the claimed ε, Epsilon the least ε at the claimed δ; nil
	// where they do not apply or were not reached. Over interval parameters they
	// enclose the whole range.
	Delta, Epsilon *exact.Enclosure
	// Renyi encloses the divergences of a claim about them.
	Renyi []DivergenceBound
	// Domination is the answer to a claim {pld}; nil for others, or if none was reached.
	Domination *domination.Result
	// Value encloses the quantity of a claim about one; nil for others, or if none was reached.
	Value *exact.Enclosure
	// draft says that a first answer decided: no certificate repeats it.
	draft bool
	// Methods names what bounds the event, at Effort, the rung that Delta is from.
	Methods []string
	Effort  exact.Effort
	// MaxMemory is the limit of Options that it was reached with.
	MaxMemory int64
	// Derivation says what the stated derivation gives; nil if none is stated.
	Derivation *Derivation
	// Notes are what the answer rests on, for people.
	Notes []string
	// Reason says why a claim is undecided.
	Reason string
	// Err says why a claim is malformed.
	Err error
}

// Repeatable reports whether deciding the claim again at Effort gives the outcome, and the events of the claim are all
// that it is about: no first answer decided, and no list of probabilities stands for all that it may be rounded from.
func (o *Outcome) Repeatable() bool { return !o.draft && len(o.Claim.notes) == 0 }

// AsExpected reports whether the verdict is the expected one; where nothing is
// expected, whether the claim is VERIFIED, or STATED: then there was nothing to decide.
func (o *Outcome) AsExpected() bool {
	if o.Claim.Expect != "" {
		return o.Verdict == o.Claim.Expect
	}
	return o.Verdict == Verified || o.Verdict == Stated
}

// LeastEpsilon encloses max(0, ε) at the claimed δ, which is what a claim with
// ε ≥ 0 can be compared with; nil where Epsilon is.
func (o *Outcome) LeastEpsilon() *exact.Enclosure {
	if o.Epsilon == nil {
		return nil
	}
	e := o.Epsilon.OrZero()
	return &e
}

// Slack encloses how far the claimed ε is from the least one at the claimed δ:
// the excess of a VERIFIED claim, the shortfall of a REFUTED one. Both are ≥ 0:
// δ(ε) ≤ δ holds from the least ε on, and nowhere below it. The upper end may be
// ∞, where no ε is enough. It reports false for every other outcome.
func (o *Outcome) Slack() (interval.Interval, bool) {
	s, ok := o.Claim.point()
	if o.Epsilon == nil || !ok || s.Epsilon.Sign() < 0 {
		return interval.Interval{}, false
	}
	claimed := s.Epsilon
	const p = interval.Prec(128)
	least := o.LeastEpsilon()
	if least.Value != nil {
		least.Interval = p.Rat(least.Value)
	}
	d := p.Sub(p.Rat(claimed), least.Interval)
	switch {
	case o.Verdict == Refuted:
		d = d.Neg()
	case o.Verdict != Verified:
		return interval.Interval{}, false
	}
	if least.Value != nil && least.Value.Cmp(claimed) == 0 {
		return interval.Int(0), true
	}
	return interval.Max(d, interval.Int(0)), true
}
