// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import "dpverify/exact/interval"

// Slack encloses how far the claimed ε is from the least one at the claimed δ:
// the excess of a VERIFIED claim, the shortfall of a REFUTED one. Both are ≥ 0:
// δ(ε) ≤ δ holds from the least ε on, and nowhere below it. The upper end may be
// ∞, where no ε is enough. It reports false for every other outcome.
func (o *Outcome) Slack() (interval.Interval, bool) {
	s, ok := o.Claim.Point()
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
