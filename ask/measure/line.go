// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package measure

import "dpverify/exact/interval"

// workBits is the precision of comparisons.
const workBits = interval.Prec(96)

// A line says that P(S) ≤ slope·Q(S) + intercept for every set S of outputs and neighbours with the laws P and Q, on
// average over which of the two has the record: e^ε and (δ(P‖Q) + δ(Q‖P))/2 or more. Its ends are rounded up, which
// keeps that true.
type line struct{ slope, intercept interval.Interval }

func newLine(eps, delta interval.Interval) line {
	return line{workBits.Exp(eps).Upper(), interval.Min(delta.AtLeastZero(), interval.Int(1)).Upper()}
}
