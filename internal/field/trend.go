// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package field

// A Trend is how privacy moves with a parameter while all others stay, for
// every event that contains it: composition and sampling preserve that one pair
// dominates another. Only where a Trend is proved may an interval stand for the
// parameter, because only then do its two ends bound everything between them.
type Trend int

const (
	Unproved Trend = iota
	// MorePrivate: as the parameter grows the privacy profile does not grow.
	MorePrivate
	// LessPrivate: as the parameter grows the privacy profile does not shrink.
	LessPrivate
)
