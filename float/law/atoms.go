// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package law

import (
	"math"

	"dpverify/float/value"
)

// A Law is the law of a loss L under P, up to errors: there are an enumeration of the
// true atoms and a grouping of them such that the atoms of group i have losses within
// LossErr of Loss[i] and masses that add up to P[i]·(1 + η), |η| ≤ Rel; but for atoms
// of finite loss and total mass Rest, which belong to no group.
type Law struct {
	Loss, P []float64 // losses strictly increasing
	Inf     value.Value
	LossErr float64
	Rel     float64
	Rest    float64
}

// The limits of a product.
const (
	maxAtoms = 1 << 17 // of a result
	maxWork  = 3 << 25 // multiplications of one convolution
)

// span returns an upper bound of |L|.
func (l Law) span() float64 {
	if len(l.Loss) == 0 {
		return 0
	}
	return max(math.Abs(l.Loss[0]), math.Abs(l.Loss[len(l.Loss)-1]))
}
