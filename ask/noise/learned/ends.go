// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"dpverify/exact/interval"
	"dpverify/internal/shown"
)

// Digits is how many significant digits enclosures are printed with.
const Digits = 12

const precision = interval.Prec(128)

// ends are the ends of an enclosure, in decimals rounded outward.
func ends(x interval.Interval) shown.Bounds { return shown.BoundsOf(x.Decimal(Digits)) }
