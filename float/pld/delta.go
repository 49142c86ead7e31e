// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math"

	"dpverify/float/value"
)

// Delta returns δ(ε): a value between the lower and the upper bound. Where ctx ends, they are
// trivial.
func (a *Accountant) Delta(ctx context.Context, eps value.Value) value.Value {
	lambda := a.saddle(ctx, eps.V)
	if a.last == nil || a.last.lambda != lambda {
		a.last = nil
		t := a.tilted(ctx, lambda)
		if ctx.Err() != nil {
			return value.Between(0, 1)
		}
		a.last = t
	}
	hi := a.last.upper(eps)
	lo := a.last.lower(eps)
	return value.Between(math.Min(lo, hi), hi).Clamp(0, 1)
}

// near is how far the logarithms of tilts are apart: the δ of all ε between have one composition.
const near = 0.1

// saddle returns a tilt next to the minimum of the bound e^(−λε)·Π M^k/(λ(1 + λ)).
func (a *Accountant) saddle(ctx context.Context, eps float64) float64 {
	f := func(t float64) float64 {
		lambda := math.Exp(t)
		sum := -lambda*eps - math.Log(lambda*(1+lambda))
		for _, l := range a.leaves {
			if ctx.Err() != nil {
				return 0
			}
			sum += l.count * logMoment(l.Upper, l.First, a.spacing, lambda)
		}
		return sum
	}
	x, _ := value.Minimum(f, math.Log(1e-3), math.Log(math.Min(1e4, 0.25/a.spacing)), near)
	return math.Exp(near * math.Round(x/near))
}

// logMoment returns log Σ m_i·e^(λx_i).
func logMoment(m []float64, first int, h, lambda float64) float64 {
	most := math.Inf(-1)
	for i := range m {
		if m[i] > 0 {
			most = math.Max(most, lambda*float64(first+i)*h+math.Log(m[i]))
		}
	}
	sum, w := 0.0, math.Exp(lambda*h)
	// e^(λx) by multiplication, in blocks that restart from the exponential.
	e := 0.0
	for i := range m {
		if i%256 == 0 {
			e = math.Exp(lambda*float64(first+i)*h - most)
		}
		if m[i] > 0 {
			if math.IsInf(e, 0) || e == 0 {
				sum += m[i] * math.Exp(lambda*float64(first+i)*h-most)
			} else {
				sum += m[i] * e
			}
		}
		e *= w
	}
	return most + math.Log(sum)
}

// window chooses the length of the transform: all points, if they are few, else those
// within 18 deviations of the mean, and bounds what is outside by Chernoff's bound, with
// moments of the tilted vectors.
func (a *Accountant) window(ctx context.Context, vs []vector) window {
	var w window
	points, first := 1.0, 0.0
	mean, variance := 0.0, 0.0
	for _, v := range vs {
		points += v.count * float64(len(v.masses)-1)
		first += v.count * float64(v.first)
		mean += v.count * v.mean
		variance += v.count * math.Max(0, v.square-v.mean*v.mean)
	}
	if points <= maxLength {
		w.length = 1 << int(math.Ceil(math.Log2(math.Max(points, 2))))
		w.lo = int(first)
		w.hi = w.lo + int(points) - 1
		return w
	}
	// Any scale does for the moments below; equal losses have none.
	sd := math.Max(math.Sqrt(variance), a.spacing)
	w.length = 1 << int(math.Ceil(math.Log2(min(max(4096, 36*sd/a.spacing), 2*maxLength))))
	centre := int(math.Round(mean / a.spacing))
	w.lo, w.hi = centre-w.length/2, centre+w.length/2-1
	for sign := -1.0; sign <= 1; sign += 2 {
		edge := float64(w.hi) * a.spacing
		if sign < 0 {
			edge = float64(w.lo) * a.spacing
		}
		best := 1.0
		for _, t := range []float64{0.5, 1, 2, 4, 8, 12, 16, 24} {
			theta := sign * t / sd
			sum := -theta * edge
			for _, v := range vs {
				if ctx.Err() != nil {
					sum = math.Inf(1) // no bound
					break
				}
				sum += v.count * logMoment(v.masses, v.first, a.spacing, theta)
			}
			if bound := math.Exp(sum + 1e-6*(1+math.Abs(sum))); bound < best { // or it is no number
				best = bound
			}
		}
		w.alias += best
	}
	return w
}

// tilted composes; not to be read where ctx ends.
func (a *Accountant) tilted(ctx context.Context, lambda float64) *tilted {
	t := &tilted{spacing: a.spacing, lambda: lambda}
	ups, as, bs := make([]vector, len(a.leaves)), make([]vector, len(a.leaves)), make([]vector, len(a.leaves))
	t.up.ok, t.a.ok = true, true
	most, least := 0.0, 0.0 // log Π(1 − m)^k
	for i, l := range a.leaves {
		if ctx.Err() != nil {
			return t
		}
		ups[i] = tilt(l.Upper, l.UpperErr, l.First, a.spacing, lambda, l.count)
		as[i] = tilt(l.A, l.AErr, l.First, a.spacing, lambda, l.count)
		bs[i] = tilt(l.B, l.BErr, l.First, a.spacing, 1+lambda, l.count)
		t.up.ok = t.up.ok && l.UpperInf < 1 && ups[i].isOrdinary()
		t.a.ok = t.a.ok && as[i].isOrdinary() && bs[i].isOrdinary()
		most += l.count * math.Log1p(-l.UpperInf)
		least += l.count * math.Log1p(-math.Max(0, l.Inf.Lo()))
	}
	t.upperInf = -math.Expm1(most * (1 + 1e-12))
	t.lowerInf = math.Max(0, -math.Expm1(least*(1-1e-12)))
	if t.up.ok {
		t.up.window = a.window(ctx, ups)
		t.up.composition, t.up.ok = compose(ctx, ups, t.up.length)
	}
	if t.a.ok {
		t.a.window = a.window(ctx, as)
		t.a.composition, t.a.ok = compose(ctx, as, t.a.length)
		t.b.composition, t.b.ok = compose(ctx, bs, t.a.length)
	}
	return t
}
