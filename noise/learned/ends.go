// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import "dpverify/exact/interval"

// Ends are the ends of an enclosure, in decimals rounded outward.
type Ends struct {
	Lo string `json:"lo"`
	Hi string `json:"hi"`
}

// Digits is how many significant digits enclosures are printed with.
const Digits = 12

const precision = interval.Prec(128)

func ends(x interval.Interval) Ends {
	lo, hi := x.Decimal(Digits)
	return Ends{lo, hi}
}
