// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/least"
)

// A design is what is free to choose in a statistic: it is good for likelihood ratios near one number.
type design struct {
	x       float64 // the weight of a ratio against 1
	tangent float64 // 1/(2V₀), in (0, 5/6)
	spacing float64 // of the lattice, a power of two
}

// A sketch is the base on a few places in float64, to choose designs by.
type sketch struct {
	k, t   float64
	q, y   []float64
	ratios [2]float64 // about log S where δ and its reverse are what is of interest, 0 if that is not known
	chosen map[float64]design
}

func newSketch(ctx context.Context, b *base, k, t int64, set Settings) *sketch {
	const n, w = 400, interval.Prec(64)
	reach := b.reach(set.Cut)
	top := math.Log(double.Of(w.Rat(reach)).Mid())
	s := &sketch{k: float64(k), t: float64(t)}
	last := [2]float64{1, 1}
	for i := 1; i <= n && ctx.Err() == nil; i++ {
		at := math.Exp(-12 + (top+12)*float64(i)/n)
		y, _ := double.Interval{Lo: at, Hi: at}.Exact().UpperRat()
		p, q := b.above(w, y)
		next := [2]float64{double.Of(p).Mid(), double.Of(q).Mid()}
		if mass := last[1] - next[1]; mass > 0 {
			s.q, s.y = append(s.q, mass), append(s.y, max(last[0]-next[0], 0)/mass)
		}
		last = next
	}
	if set.Scale > 0 {
		log := -float64(set.Scale) * math.Ln2
		s.ratios = [2]float64{s.near(log, false), s.near(log, true)}
	}
	return s
}

// A tilt is what steps are that are tilted by (1 + xY)^tau: the means of the number of chosen steps, of its variance
// and of log Π(1 + xY), the variance of that, and the log of E Π(1 + xY)^tau.
type tilt struct{ n, v, sum, variance, log float64 }

func (s *sketch) at(x, tau float64) tilt {
	var total, n, v, sum, square float64
	for i, q := range s.q {
		l, p := math.Log1p(x*s.y[i]), x*s.y[i]/(1+x*s.y[i])
		m := q * math.Exp(tau*l)
		total, n, v, sum, square = total+m, n+m*p, v+m*p*(1-p), sum+m*l, square+m*l*l
	}
	sum /= total
	return tilt{s.t * n / total, s.t * v / total, s.t * sum, s.t * (square/total - sum*sum), s.t * math.Log(total)}
}

// logRatio is about log S where steps are tilted so.
func (s *sketch) logRatio(x float64, a tilt) float64 {
	lgamma := func(x float64) float64 { y, _ := math.Lgamma(x + 1); return y }
	sets := lgamma(s.t) - lgamma(s.k) - lgamma(s.t-s.k)
	return a.sum - math.Log(2*math.Pi*a.v)/2 - s.k*math.Log(x) - sets
}

// near returns a number near the ε at which δ is e^logDelta, by a saddle point: it bounds nothing.
func (s *sketch) near(logDelta float64, reversed bool) float64 {
	from, sign := 1.0, 1.0
	if reversed {
		from, sign = 0, -1
	}
	var eps float64
	least.Halved(0.01, 12, 24, func(d float64) bool {
		tau := from + sign*d
		x := s.weight(tau)
		a, start := s.at(x, tau), s.at(x, from)
		log := a.log - start.log - (tau-from)*a.sum - math.Log(math.Sqrt(2*math.Pi*a.variance)*d*(1+d))
		eps = sign * s.logRatio(x, a)
		return log > logDelta
	})
	return eps
}

// weight returns the x at which N has the mean of k, or a little more, where steps are tilted by tau.
func (s *sketch) weight(tau float64) float64 {
	want := s.k + 0.5 - s.k/s.t
	from, to := math.Log(s.k/s.t)-12, math.Log(s.k/(s.t-s.k))+12
	lo, hi := least.Halved(from, to, 40, func(log float64) bool { return s.at(math.Exp(log), tau).n < want })
	return math.Exp((lo + hi) / 2)
}

// choose returns the design for ratios near e^target: where they are that, N has the mean k, and the variance V₀.
func (s *sketch) choose(target float64, fine int) design {
	if d, ok := s.chosen[target]; ok {
		return d
	}
	lo, hi := least.Halved(-12, 12, 24, func(tau float64) bool {
		x := s.weight(tau)
		return s.logRatio(x, s.at(x, tau)) < target
	})
	if s.chosen == nil {
		s.chosen = make(map[float64]design)
	}
	s.chosen[target] = s.tilted((lo+hi)/2, fine)
	return s.chosen[target]
}

// tilted returns the design for outcomes of steps that are tilted by tau: 1 is what is likely where the record takes
// part.
func (s *sketch) tilted(tau float64, fine int) design {
	x := s.weight(tau)
	fine += min(max(8-math.Ilogb(s.t), 0), 2) // few steps have few numbers
	return design{x: x, tangent: 1 / (2 * max(s.at(x, tau).v, 0.62)),
		spacing: math.Ldexp(1, math.Ilogb(0.03/math.Sqrt(s.t))-fine)}
}

// number is how far in the lattice the statistic of a ratio e^loss is: (log(1 + xy) − tangent·p(1 − p))/spacing.
func (d design) number(loss float64) float64 {
	y := math.Exp(loss)
	p := d.x * y / (1 + d.x*y)
	return (math.Log1p(d.x*y) - d.tangent*p*(1-p)) / d.spacing
}

// ends returns the losses between the cells of the lattice, up to reach: cell i has the numbers about i.
func (d design) ends(reach float64) []float64 {
	last := d.number(reach)
	var out []float64
	loss, step := -40.0, 0.0
	for n := 0.5; n < last && len(out) < maxCells; n++ {
		for step = max(step, 0x1p-20); d.number(loss+step) < n; step *= 2 {
		}
		_, hi := least.Halved(loss, loss+step, 30, func(x float64) bool { return d.number(x) < n })
		if hi >= reach {
			break
		}
		step, loss = hi-loss, hi
		out = append(out, loss)
	}
	return append(out, reach)
}

// maxCells bounds the cells of a lattice.
const maxCells = 1 << 16

// statistic encloses log(1 + xy) − tangent·p(1 − p) and p(1 − p).
func (d design) statistic(y double.Interval) (psi, u double.Interval) {
	one := double.Int(1)
	x := double.Point(d.x).Mul(y)
	u = x.Div(one.Add(x).Sqr())
	return one.Add(x).Log().Sub(double.Point(d.tangent).Mul(u)), u
}
