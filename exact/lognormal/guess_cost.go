// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import "math"

// Cost is about the seconds that Put takes for errors of t·2^−bits at K = e^logK; infinite where no contour is short.
func (x *Sum) Cost(bits, logK float64) float64 {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	x.scouted()
	c, ok := x.scout.choose(bits*math.Ln2, math.Exp(logK))
	if !ok {
		return math.Inf(1)
	}
	w, need := c.precision()
	t, terms := newTransform(x.mu2, x.terms, w, need), 0.0
	for i := range directions {
		if r := t.choose(float64(i) * math.Pi / directions); r != nil {
			terms += 2 * float64(t.reach(r)) / directions
		}
	}
	term := 3e-6 // seconds, in words
	if w > wordBits {
		term = 2e-7 * float64(w)
	}
	return float64(c.nodes()) * terms * term
}
