// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import "dpverify/exact/interval"

// compared decides a statement that fails the more easily the less private an event is, by its truth at the two ends
// of a range of events: worst is of the least private one, best of the most private one. It is verified if it
// holds at the worst, and refuted if it fails at the best; split says that it holds for some events of the range and
// for others it does not, which no effort changes.
func compared(worst, best interval.Truth) (v Verdict, split bool) {
	switch {
	case worst == interval.True:
		return Verified, false
	case best == interval.False:
		return Refuted, false
	}
	return Undecided, worst == interval.False && best == interval.True
}
