// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/big"

	"dpverify/exact/interval"
)

// Exp returns an enclosure of e^r: in words where these are good to p bits, and by exact/interval elsewhere.
func Exp(p interval.Prec, r *big.Rat) interval.Interval {
	w := Three{}
	if y := w.Exp(w.Rat(r)); y.Good(uint(p)) {
		return p.Round(y.Interval())
	}
	return p.Exp(p.Rat(r))
}

// Log returns an enclosure of log x in the same way.
func Log(p interval.Prec, x interval.Interval) interval.Interval {
	if y := (Three{}).Log(FromInterval(x)); y.Good(uint(p)) {
		return p.Round(y.Interval())
	}
	return p.Log(x)
}
