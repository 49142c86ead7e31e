// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crossing

import (
	"context"

	"dpverify/exact/interval"
)

// Solve returns an enclosure of inf{x : f(x) ≤ level}, of about Bits settled leading bits if Full
// allows it. Of a search by one end only that end of the result is meaningful. An end at which no
// point was found is infinite.
func (p *Problem) Solve(ctx context.Context) (interval.Interval, error) {
	s := &search{Problem: *p}
	for _, step := range []func(context.Context) error{s.begin, s.bracket, s.narrow} {
		if err := step(ctx); err != nil {
			return interval.Entire(), err
		}
	}
	w := p.Full + 64
	lo, hi := interval.NegInf(), interval.PosInf()
	if s.lo != nil {
		lo = w.Rat(s.lo)
	}
	if s.hi != nil {
		hi = w.Rat(s.hi)
	}
	return interval.Bounds(lo.Lo(), hi.Hi()), nil
}
