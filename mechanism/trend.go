// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

// A trend is how privacy moves with a parameter while all others stay, for
// every event that contains it: composition and sampling preserve that one pair
// dominates another. Only where a trend is proved may an interval stand for the
// parameter, because only then do its two ends bound everything between them.
type trend int

const (
	unproved trend = iota
	// morePrivate: as the parameter grows the privacy profile does not grow.
	morePrivate
	// lessPrivate: as the parameter grows the privacy profile does not shrink.
	lessPrivate
)
