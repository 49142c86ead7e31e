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
	most := int(math.Ceil(turn(c) * directions / math.Pi))
	for i := range most + 1 {
		if r := t.choose(float64(i) * math.Pi / directions); r != nil {
			terms += 2 * float64(t.reach(r)) / float64(most+1)
		}
	}
	term := wordCost
	if w > wordBits {
		term = bitCost * float64(w)
	}
	return float64(c.nodes()) * terms * term
}

// turn is the greatest argument of a node.
func turn(c contour) float64 {
	switch c := c.(type) {
	case line:
		return math.Atan2(float64(c.n)*c.h, c.c)
	case hyperbola:
		return math.Pi/2 + c.theta
	}
	return math.Pi
}
