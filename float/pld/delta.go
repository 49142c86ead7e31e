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
	hi := a.upper(ctx, eps, lambda)
	lo := a.lower(ctx, eps, lambda)
	return value.Between(math.Min(lo, hi), hi).Clamp(0, 1)
}

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
	x, _ := value.Minimum(f, math.Log(1e-3), math.Log(math.Min(1e4, 0.25/a.spacing)), 0.1)
	return math.Exp(x)
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

// A window is where a composition is read: points from lo to hi, both inclusive.
type window struct {
	lo, hi int
	length int     // of the transform
	alias  float64 // bounds the mass outside, which wraps around
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

// upper returns an upper bound of δ(ε): m + Σ_{x>ε} p(x)·(1 − e^(ε−x)). With p untilted
// that is e^(log total − λε)·Σ m·e^(−λ(x−ε))·(1 − e^(ε−x)), whose weights are at most 1.
func (a *Accountant) upper(ctx context.Context, eps value.Value, lambda float64) float64 {
	vs := make([]vector, len(a.leaves))
	stay := 0.0 // log Π(1 − m)^k
	for i, l := range a.leaves {
		if ctx.Err() != nil {
			return 1
		}
		vs[i] = tilt(l.Upper, l.UpperErr, l.First, a.spacing, lambda, l.count)
		if l.UpperInf >= 1 || !vs[i].isOrdinary() {
			return 1
		}
		stay += l.count * math.Log1p(-l.UpperInf)
	}
	w := a.window(ctx, vs)
	c, ok := compose(ctx, vs, w.length)
	if !ok {
		return 1
	}
	sum, norm := 0.0, 0.0
	for i := w.hi; i >= w.lo; i-- {
		x := float64(i) * a.spacing
		d := x - eps.V + eps.Err
		if d <= 0 {
			break
		}
		// The weight falls with ε: at most its value at the lowest ε.
		weight := math.Exp(-lambda*d) * -math.Expm1(-d)
		sum += c.at(i) * weight
		norm += weight * weight
	}
	// Errors count by the inequality of Cauchy and Schwarz.
	sum = (math.Max(0, sum) + math.Sqrt(norm)*c.err + w.alias) * (1 + 1e-12)
	scale := c.log.Sub(eps.Scale(lambda)).Exp()
	if math.IsInf(scale.Err, 1) {
		return 1
	}
	return math.Min(1, (scale.Hi()*math.Exp(lambda*2*eps.Err)*sum-math.Expm1(stay*(1+1e-12)))*(1+1e-12)+0x1p-1000)
}

// lower returns a lower bound of δ(ε): m + Σ_{x≥ε} (A(x) − e^ε·B(x))₊, A tilted by λ and
// B by 1 + λ. What wraps around in A is taken off in full; in B it only lowers the sum.
func (a *Accountant) lower(ctx context.Context, eps value.Value, lambda float64) float64 {
	as, bs := make([]vector, len(a.leaves)), make([]vector, len(a.leaves))
	stay := 0.0
	for i, l := range a.leaves {
		if ctx.Err() != nil {
			return 0
		}
		as[i] = tilt(l.A, l.AErr, l.First, a.spacing, lambda, l.count)
		bs[i] = tilt(l.B, l.BErr, l.First, a.spacing, 1+lambda, l.count)
		stay += l.count * math.Log1p(-math.Max(0, l.Inf.Lo()))
	}
	m := math.Max(0, -math.Expm1(stay*(1-1e-12)))
	for i := range as {
		if !as[i].isOrdinary() || !bs[i].isOrdinary() {
			return m * (1 - 1e-12)
		}
	}
	w := a.window(ctx, as)
	ca, ok := compose(ctx, as, w.length)
	if !ok {
		return m * (1 - 1e-12)
	}
	cb, ok := compose(ctx, bs, w.length)
	if !ok {
		return m * (1 - 1e-12)
	}
	ratio := cb.log.Sub(ca.log).Exp()
	if math.IsInf(ratio.Err, 1) {
		return m * (1 - 1e-12)
	}
	r := ratio.Hi() * (1 + 1e-12)
	sum, norm := 0.0, 0.0
	for i := w.hi; i >= w.lo; i-- {
		d := float64(i)*a.spacing - eps.V - eps.Err
		if d < 0 {
			break
		}
		// e^(ε−x) is at most its value at the highest ε. Σ(y − e)₊ ≥ Σy₊ − Σ|e|.
		weight := math.Exp(-lambda * d)
		if y := ca.at(i) - r*math.Exp(-d)*(1+4*value.U)*cb.at(i); y > 0 {
			sum += y * weight
		}
		norm += weight * weight
	}
	sum = math.Max(0, sum*(1-1e-12)-math.Sqrt(norm)*(ca.err+r*cb.err)-w.alias)
	scale := ca.log.Sub(eps.Scale(lambda)).Exp()
	return math.Max(0, (scale.Lo()*math.Exp(-lambda*2*eps.Err)*sum+m)*(1-1e-12))
}
