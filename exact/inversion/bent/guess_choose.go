// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bent

import (
	"math"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/quadrature"
)

// short is x with few bits.
func short(x float64) float64 { return math.Round(x*256) / 256 }

// farthest is the greatest mean.
func (f *Integrand) farthest() (most float64) {
	for _, c := range append(append([]Component{}, f.A...), f.B...) {
		most = max(most, c.Mean.Hi)
	}
	return most
}

// maxNodes is how many nodes a rule may have, about.
const maxNodes = 1 << 16

// rows are those from one sample to the next.
const rows = 4

// A sample is an x with the logarithm of F without B, and the terms of both sides.
type sample struct {
	x, log float64
	a, b   []float64 // exponents
}

// Rule returns a rule for |t| ≤ t along a curve: its step, and what it is off by in units, up to some t, about 2^−p of
// the peak and of what values may lack. It reports false where none is known, or where strips as wide as
// they may be everywhere take fewer nodes.
func (f *Integrand) Rule(p interval.Prec, t float64, lacks quadrature.Lacks) (
	c *Curve, step float64, off func(t float64) interval.Interval, ok bool) {
	if !f.Ready() {
		return nil, 0, nil, false
	}
	target := float64(p+9) * math.Ln2
	need := func(log func(share float64) float64) float64 { return lacks.Need(target, log) }
	curve, nodes := f.Choose(t, need)
	widest := math.Pi * (31.0 / 64) / f.farthest()
	straight := (f.at(f.To) - f.at(f.From)) * target / (2 * math.Pi * widest)
	bound, ok := f.NewBound(curve)
	if !ok || !(nodes < min(straight, maxNodes)) {
		return nil, 0, nil, false
	}
	step = 2 * math.Pi * curve.Width / need(func(share float64) float64 { return bound.Log(share * t).Hi })
	const bits = 8
	m, e := math.Frexp(step)
	step = math.Ldexp(math.Floor(math.Ldexp(m, bits)), e-bits)
	outside := f.Outside()
	off = func(t float64) interval.Interval { return coarse.Add(bound.Off(t, step), outside) }
	return &curve, step, off, step > 0 && off(t).IsFinite()
}

// Choose returns a curve with few nodes, and how many those are, where e^{2πb/step} is to be e^need: need is a function
// of the logarithm of N at a share of the greatest t.
func (f *Integrand) Choose(t float64, need func(log func(share float64) float64) float64) (Curve, float64) {
	var samples []sample
	middles := func(es []double.Interval) (out []float64) {
		for _, e := range es {
			out = append(out, e.Mid())
		}
		return out
	}
	for i := 0; i <= f.N; i += rows {
		s := sample{x: f.at(i), a: middles(f.a[i]), b: middles(f.b[i])}
		s.log = (1+f.Lambda.Mid())*double.LogSum(f.a[i]).Mid() - s.x*s.x/2 - f.Peak
		samples = append(samples, s)
	}
	nodes := func(c Curve) float64 { return f.about(samples, c, t, need) }
	best := Curve{Center: 0, Scale: short(min(2/f.farthest(), 8)), Width: 0.625}
	least := nodes(best)
	for by := 1.0; by >= 0.25; by /= 2 {
		for better := true; better; {
			better = false
			for _, c := range []Curve{
				{best.Center + 2*by, best.Scale, best.Width}, {best.Center - 2*by, best.Scale, best.Width},
				{best.Center, best.Scale * (1 + by/2), best.Width}, {best.Center, best.Scale / (1 + by/2), best.Width},
				{best.Center, best.Scale, best.Width + by/8}, {best.Center, best.Scale, best.Width - by/8},
				{best.Center, best.Scale * (1 + by/4), best.Width / (1 + by/4)},
				{best.Center, best.Scale / (1 + by/4), best.Width * (1 + by/4)},
			} {
				c.Scale, c.Width = short(c.Scale), short(c.Width)
				if !(c.Width > 0 && c.Width < 0.7852 && c.Scale > 0) {
					continue
				}
				if n := nodes(c); n < least*(1-1e-3) {
					best, least, better = c, n, true
				}
			}
		}
	}
	return best, least
}

// about is about the number of nodes that a curve takes.
func (f *Integrand) about(samples []sample, c Curve, t float64,
	need func(log func(share float64) float64) float64) float64 {
	cos, sin := double.Cis64(c.Width)
	logs, turns := make([]float64, len(samples)), make([]float64, len(samples))
	for i, s := range samples {
		u := solve(s.x, c.Center, c.Scale, cos)
		y := c.Scale * (c.Width + double.Exp64(-u)*sin)
		log, turnB, ok1 := aboutSide(f.B, s.b, y, rows*f.Step)
		_, turnA, ok2 := aboutSide(f.A, s.a, y, rows*f.Step)
		if !ok1 || !ok2 {
			return math.Inf(1)
		}
		logs[i], turns[i] = s.log-f.Lambda.Mid()*log+y*y/2, turnA+turnB
	}
	nats := need(func(share float64) float64 {
		most := math.Inf(-1)
		for i, y := range logs {
			most = max(most, y+share*t*turns[i])
		}
		return most
	})
	from, to := solve(f.at(f.From), c.Center, c.Scale, 1), solve(f.at(f.To), c.Center, c.Scale, 1)
	return (to - from) * nats / (2 * math.Pi * c.Width)
}

// aboutSide is sideOf at a sample, with others so far apart.
func aboutSide(cs []Component, e []float64, height, apart float64) (log, turn float64, ok bool) {
	d, widest := 0, 0.0
	for i, c := range cs {
		widest = max(widest, c.Mean.Hi)
		if e[i] > e[d] {
			d = i
		}
	}
	var w, real, imag float64
	for i, c := range cs {
		r := double.Exp64(e[i] - e[d])
		cos, sin := double.Cis64(c.Mean.Mid() * min(height, 2))
		real, imag = real+r*cos, imag+r*sin
		if i != d {
			w += r
		}
	}
	if widest*height < quarter-0.01 && real > 0 {
		return e[d] + double.Log64(real), min(math.Atan2(imag, real), widest*height), true
	}
	if w < double.Exp64(-apart*widest) { // or terms are alike before the next sample
		return e[d] + double.Log64(1-w), cs[d].Mean.Mid()*height + math.Asin(w), true
	}
	return 0, 0, false
}
