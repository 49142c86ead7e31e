// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"math"

	"dpverify/exact/double"
	"dpverify/exact/least"
)

// cuts are points that cut the line for gathered. Whatever they are, it is right.
//
// From the right, where masses fall, they come to lie half way between those of the grid, wherever they begin. From the
// left, where most of the mass is, a few are right at once. They meet where it costs least: where the affinity
// Σ √(m₀m₁) of all cells is least.
func (x *Records) cuts(delta float64, cut int, second bool) []float64 {
	s := newSplitter(x, second)
	least := int(math.Floor(math.Log1p(-s.q)/delta)) + 1
	n := max(int(x.reach(cut).up/delta)+1-least, 2)
	half := func(i int) float64 { return double.Exp64(float64(least+i) * delta / 2) }
	right := make([]float64, n) // where the cell of each point begins
	rest := make([]float64, n+1)
	for i, z := n-1, math.Inf(1); i >= 0; i-- {
		right[i] = s.before(z, float64(least+i)*delta)
		rest[i] = rest[i+1] + float64((tail64(right[i])-tail64(z))*half(i))
		z = right[i]
	}
	affinity, best, from := math.Inf(1), []float64(nil), 0
	for late := range min(3, n-1) {
		z, sum := math.Inf(-1), 0.0
		var points []float64
		for i := late; i < min(n-1, late+joints); i++ {
			next := s.after(z, float64(least+i)*delta)
			sum += float64((tail64(z) - tail64(next)) * half(i))
			points, z = append(points, next), next
			total := sum + rest[i+1]
			if end := right[i+1]; end > z {
				total += s.rounded(z, end, delta)
			} else if end < z {
				continue
			}
			if total < affinity {
				affinity, best, from = total, append([]float64(nil), points...), i+1
			}
		}
	}
	if best == nil {
		return right
	}
	return append(best, right[from:]...)
}

// joints is about how many cells come from the left.
const joints = 24

// A splitter finds cells of P/Q = 1 − q + q·e^(μz − μ²/2) with the mean of a point of the grid.
type splitter struct{ q, mu, over float64 }

func newSplitter(x *Records, second bool) splitter {
	s := splitter{double.Of(wide.Rat(x.Rate)).Mid(), math.Sqrt(double.Of(wide.Rat(x.Mu2)).Mid()), 0x1p-36}
	if second {
		s.over = -s.over
	}
	return s
}

// rounded is the affinity of a cell whose mean is rounded to a grid.
func (s splitter) rounded(x, y, delta float64) float64 {
	p := tail64(x) - tail64(y)
	mean := 1 - s.q + float64(s.q*(tail64(x-s.mu)-tail64(y-s.mu)))/p
	if l := double.Log64(mean) / delta; s.over > 0 {
		return p * mean * double.Exp64(-math.Floor(l)*delta/2)
	} else {
		return p * double.Exp64(math.Ceil(l)*delta/2)
	}
}

// ratio is P/Q at z.
func (s splitter) ratio(z float64) float64 {
	return 1 - s.q + float64(s.q*double.Exp64(float64(s.mu*z)-float64(s.mu*s.mu)/2))
}

// above reports that P/Q has more than a mean from x to y.
func (s splitter) above(x, y, mean float64) bool {
	p, m := tail64(x)-tail64(y), tail64(x-s.mu)-tail64(y-s.mu)
	return float64(s.q*m) > float64((mean-1+s.q)*p)
}

// after is the point to which from z on P/Q has the mean e^l, z if it is more there already.
func (s splitter) after(z, l float64) float64 {
	mean := double.Exp64(l + s.over)
	if s.ratio(z) >= mean {
		return z
	}
	lo, hi := max(z, -40), 0.0
	for hi = lo + 0x1p-10; hi < 60 && !s.above(z, hi, mean); hi = lo + 2*(hi-lo) {
	}
	_, hi = least.Halved(lo, hi, 50, func(x float64) bool { return !s.above(z, x, mean) })
	return hi
}

// before is the point from which to z P/Q has the mean e^l, z if it is less there already.
func (s splitter) before(z, l float64) float64 {
	mean := double.Exp64(l + s.over)
	if s.ratio(z) <= mean {
		return z
	}
	hi, lo := min(z, 40), 0.0
	for lo = hi - 0x1p-10; lo > -40 && s.above(lo, z, mean); lo = hi - 2*(hi-lo) {
	}
	_, hi = least.Halved(lo, hi, 50, func(x float64) bool { return !s.above(x, z, mean) })
	return hi
}

func tail64(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// reach is how far losses of the two ends go, but for masses of about 2^−cut.
func (x *Records) reach(cut int) losses {
	q, mu := double.Of(wide.Rat(x.Rate)).Mid(), math.Sqrt(double.Of(wide.Rat(x.Mu2)).Mid())
	z := math.Sqrt(2*math.Ln2*float64(cut)) + mu
	for z > 0 && q*tail64(z-mu) < math.Ldexp(1, -cut) {
		z -= 0x1p-6
	}
	far := math.Log1p(q * math.Expm1(mu*z-mu*mu/2))
	far = max(far, -math.Log1p(-q))
	return losses{far, far}
}
