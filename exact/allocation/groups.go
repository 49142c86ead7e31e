// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// groups are the sums of the numbers of cells of some steps, with bounds of their masses under
// the mean and under Q: entry i has the number first + i.
//
// Whatever is dropped is dropped from all four. With the same numbering of the cells in two halves,
// or in all steps, the mean over the steps that the record takes part in is as in the document of
// the package, whatever outcomes either half leaves out.
type groups struct {
	first                  int64
	pDown, pUp, qDown, qUp convolve.Vector
}

func (g groups) outcomes(w interval.Prec, prec uint) []pair.Outcome {
	var out []pair.Outcome
	between := func(lo, hi *big.Int) interval.Interval {
		return w.Scale(interval.Union(w.BigInt(lo), w.BigInt(hi)), -int(prec))
	}
	for i := range g.pDown.Len() {
		o := pair.Outcome{P: between(g.pDown.At(i), g.pUp.At(i)), Q: between(g.qDown.At(i), g.qUp.At(i))}
		if o.P.Positive() == interval.True && o.Q.Positive() == interval.True {
			out = append(out, o)
		}
	}
	return out
}
