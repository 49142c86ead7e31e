// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A roughly is about what a pair with finitely many losses is.
type roughly struct {
	logs, apart []float64 // log P of its outcomes, and their losses less the least
	least, mean float64   // loss
}

func newRoughly(losses []*big.Rat, masses []interval.Interval) (y roughly) {
	for k, l := range losses {
		p := double.Of(masses[k]).Mid()
		y.logs, y.apart = append(y.logs, math.Log(p)), append(y.apart, double.Near(new(big.Rat).Sub(l, losses[0])))
		y.least, y.mean = double.Near(losses[0]), y.mean+p*double.Near(l)
	}
	return y
}

// logMoment is about log E e^(aL) of one copy.
func (y *roughly) logMoment(a float64) float64 {
	top, sum := math.Inf(-1), 0.0
	for k := range y.logs {
		top = max(top, y.logs[k]+a*y.apart[k])
	}
	for k := range y.logs {
		sum += math.Exp(y.logs[k] + a*y.apart[k] - top)
	}
	return top + math.Log(sum) + a*y.least
}
