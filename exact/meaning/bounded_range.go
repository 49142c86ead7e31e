// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"

	"dpverify/exact/pair"
)

// BoundedRange returns x and how many steps there are, where an event is steps of which each may be, in view of earlier
// outputs, every pair whose losses are in [t − x, t] for some t: exponential mechanisms, see pair.Logistic. It reports
// false where it is anything else.
func (p Problem) BoundedRange() (x *big.Rat, count int64, ok bool) {
	f := p.meaning.factors
	if len(f.Choices) > 0 || len(f.Fixed) != 1 || f.Fixed[0].Count < 2 {
		return nil, 0, false
	}
	l, ok := f.Fixed[0].Pair.(pair.Logistic)
	return l.Shift, f.Fixed[0].Count, ok
}
