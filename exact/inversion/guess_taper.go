// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"

	"dpverify/exact/double"
	"dpverify/exact/inversion/tapering"
)

// maxTaperedCopies is the number of copies up to which a taper is tried.
// ΠK grows with them, but is moderate for small angles. One pair has a closed form.
const maxTaperedCopies = 1 << 20

// chooseTaper chooses start, width, radius and height of newTaper, for an angle of continuation.
// end is the t from which on nothing is left.
func (x *Transform) chooseTaper(c parameters, at neighbourhood, bits float64) (t *taper, angle, end float64, ok bool) {
	k := x.continued
	if !x.tapers() {
		return nil, 0, 0, false
	}
	z, last := x.nearest(at).Lo, double.Of(coarse.Rat(at.last()))
	lambda := double.Near(c.lambda)
	slope := max(lambda, double.Near(c.kappa)-lambda) // for moderate E
	for _, b := range tapering.Angles {
		growth, ok := k.Growth(b)
		if !ok {
			break
		}
		for j := 1; j < 32; j++ {
			r := z * float64(j) / 32
			rho := tapering.HeightOf(b, z-r) * (1 - 0x1p-10)
			if !(rho > 0) {
				break
			}
			need := bits - at.logDelta + max(growth.Hi, 0) + max(last.Hi+r, 0) + lambda*r + 4
			w := x.memo.up(max(2*math.Sqrt(need)/r, slope))
			start := x.memo.up(need/rho + w*w*rho/4)
			if to := start + w*math.Sqrt(need); w < start && (t == nil || to < end) {
				end, angle = to, b
				t = &taper{Kernel: tapering.Kernel{Start: start, Width: w},
					Rectangle: tapering.Rectangle{Radius: r, Height: rho}}
			}
		}
	}
	return t, angle, end, t != nil && isNumber(end)
}
