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

// NormalSF returns an enclosure of 1 − Φ(x) in the same way. It falls in x: its ends are its values at the ends of x.
func NormalSF(p interval.Prec, x interval.Interval) interval.Interval {
	w := Three{}
	hi := w.NormalSF(FromInterval(x.Lower()))
	if !hi.Good(uint(p)) {
		return p.NormalSF(x)
	}
	lo := hi
	if !x.IsPoint() {
		if lo = w.NormalSF(FromInterval(x.Upper())); !lo.Good(uint(p)) {
			return p.NormalSF(x)
		}
	}
	return p.Round(interval.Bounds(lo.Interval().Lo(), hi.Interval().Hi()))
}

// NormalCDF returns an enclosure of Φ(x) = 1 − Φ(−x) in the same way.
func NormalCDF(p interval.Prec, x interval.Interval) interval.Interval { return NormalSF(p, x.Neg()) }
