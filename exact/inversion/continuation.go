// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/continuation"
	"dpverify/exact/inversion/tapering"
)

// newContinuation returns nil if the lemma of package continuation is not about the product.
func (x *Transform) newContinuation() *continuation.Profile {
	c := new(continuation.Profile)
	for i, t := range x.terms {
		m, ok := plain(t.f).(*mixture)
		if !ok || !m.onOneSide() || m.thinning.Thins() {
			return nil
		}
		mixed, reversed := m.doubleA, meanRange(m.doubleA).Hi == 0
		if reversed {
			mixed = m.doubleB
		}
		if i > 0 && reversed != c.Reversed {
			return nil
		}
		c.Reversed = reversed
		s := continuation.Side{Count: t.count}
		rest, edge := false, double.Interval{}
		for _, o := range mixed {
			switch {
			case o.mean.Lo == 0 && o.mean.Hi == 0:
				if rest {
					return nil
				}
				rest, edge = true, o.logProb
			case s.Greatest.Hi == 0:
				s.Least, s.Greatest = o.mean, o.mean
			default:
				s.Least, s.Greatest = double.Min(s.Least, o.mean), double.Max(s.Greatest, o.mean)
			}
		}
		if !rest || !(s.Least.Lo > 0) {
			return nil
		}
		c.Sides = append(c.Sides, s)
		c.Edge = c.Edge.Add(double.Int(t.count).Mul(edge))
		c.Copies += t.count
	}
	return c
}

// nearest returns a lower bound of z over a neighbourhood.
func (x *Transform) nearest(at neighbourhood) double.Interval {
	e := at.first()
	if x.continued.Reversed {
		e = at.last()
	}
	return x.continued.Distance(double.Of(coarse.Rat(e))).Lower()
}

// nearEdge reports whether a range reaches so near to the edge that it has no useful taper.
func (x *Transform) nearEdge(a neighbourhood) bool {
	if !x.tapers() {
		return false
	}
	z := x.continued.Distance(double.Of(coarse.Rat(a.center)))
	return z.Lo > 0 && 2*x.nearest(a).Lo < z.Lo
}

// beyondEdge returns δ(ε) where all losses are on one side of ε.
// It is 1 − e^ε below the least loss of pairs (C, 1), and 0 above the greatest loss of pairs (1, C).
func (x *Transform) beyondEdge(p interval.Prec, eps interval.Real) (interval.Interval, bool) {
	if x.continued == nil || !(x.continued.Distance(double.Of(eps(coarse))).Hi <= 0) {
		return interval.Interval{}, false
	}
	if x.continued.Reversed {
		return interval.Int(0), true
	}
	return interval.Clamp(p.Expm1(eps(p+8)).Neg(), 0, 1), true
}

// A taper ends a line whose |M| falls late. The slowly falling part of M belongs to the edge of the losses.
type taper struct {
	tapering.Kernel
	tapering.Rectangle
	first, last *big.Rat // the ends of the ε about which d is analytic in the rectangle and at most Size
}

// newTaper returns a taper for a neighbourhood with errors of about e^{logDelta − bits}, if there is one,
// and the t from which on nothing is left.
func (x *Transform) newTaper(c parameters, at neighbourhood, bits float64) (t *taper, end float64, ok bool) {
	t, angle, end, ok := x.chooseTaper(c, at, bits)
	if !ok {
		return nil, 0, false
	}
	k := x.continued
	t.first, t.last = at.first(), at.last()
	radius := double.Point(t.Radius)
	t.Size, ok = k.Size(angle, double.Of(coarse.Rat(t.last)).Add(radius))
	return t, end, ok && k.Contains(angle, t.Height, x.nearest(at).Sub(radius).Lower())
}

// tapers reports whether tapers are tried.
func (x *Transform) tapers() bool {
	return x.continued != nil && x.continued.Copies > 1 && x.continued.Copies <= maxTaperedCopies
}
