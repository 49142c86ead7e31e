// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package line estimates the profile of compositions of Gaussians and of Poisson samples of Gaussians in float64, where
// a record is added, removed or replaced, in less than a millisecond for most trainings, by the trapezoidal rule for
// the inverse Laplace transform of package fourier: with M(s) = E_P[e^(−sL)],
//
//	δ(ε) = 1/(2πi)·∫ e^(sε)·M(s)/(s(s − 1)) ds
//
// along the hyperbola s(u) = −λ + b(sin α − sin(α − iu)), λ > 0. Where losses have no upper bound, it is bent to the
// left, where e^(sε) falls, and x in E_Q[A^(1−s)] takes a path on which A^(1−s) does not grow. Where losses end on the
// right, ε is below that end, and all is mirrored. So a few dozen terms are enough also for few steps of a small rate,
// of which M hardly falls on a vertical line.
//
// All errors are estimated: by the same rules with half and a quarter of their nodes, by the last terms, and by the
// sizes of terms that cancel. Package float proves no bound by them.
package line

import (
	"math"
	"math/cmplx"

	"dpverify/float/pair"
	"dpverify/float/value"
)

// A Profile estimates δ(ε) of a product. It is not safe for concurrent use.
type Profile struct{ law }

// New reports false for products that it does not know.
func New(p pair.Product) (*Profile, bool) {
	l, ok := newLaw(p)
	return &Profile{l}, ok
}

// A contour has terms of the rule at u = 0, step, 2·step, …: f = e^(sε)·M(s)/(s(s − 1))·ds/du, over e^base.
type contour struct {
	law
	eps, base      float64
	lambda, b      float64
	bend, sin, cos float64
	step           float64
	s, f           []complex128
	off            []float64 // errors of f
	// M may have a period at first times the width of the saddle, and revival is a bound of what it adds.
	width, first, revival float64
}

// enough is the size of the last terms, relative to the largest.
const enough = 1e-13

// contour goes next to the saddle at ε. Before it is λ = 0, behind it large losses of a small probability come up.
func (l law) contour(at saddle, bend float64) *contour {
	c := &contour{law: l, eps: at.eps, bend: bend, width: at.width, step: 0.2}
	// 0.7 costs few digits, and next to λ the contour is wide.
	next := l.saddle(0.7*at.lambda, 0)
	c.lambda, c.b = next.lambda, math.Min(next.lambda, 2.5*next.width)
	c.base = next.bound + next.lambda*(next.eps-at.eps)
	if l.reversed() {
		bend = -bend
	}
	c.sin, c.cos = math.Sincos(bend)
	return c
}

// term appends that at u.
func (c *contour) term(u float64) (s, f complex128, off float64) {
	sinh, cosh := math.Sinh(u), math.Cosh(u)
	s = complex(-c.lambda+c.b*c.sin*(1-cosh), c.b*c.cos*sinh)
	w := complex(-c.b*c.sin*sinh, c.b*c.cos*cosh) / (s * (s - 1))
	log, off := c.transform(s, c.bend)
	log += s*complex(c.eps, 0) - complex(c.base, 0)
	f = cmplx.Exp(log) * w
	return s, f, cmplx.Abs(f) * math.Min(off+value.U*(c.copies()+cmplx.Abs(log)), 1)
}

// fill computes terms from u = 0 on, until they are small; false if they do not become so.
func (c *contour) fill() bool {
	largest, small := 0.0, 0
	end, first, size := c.revivals(c.lambda, c.eps)
	c.first = first / c.width
	c.revival = size * math.Exp(c.first*c.sin*c.first*c.sin/2)
	for u := 0.0; u < 30; u += c.step {
		s, f, off := c.term(u)
		c.s, c.f, c.off = append(c.s, s), append(c.f, f), append(c.off, off)
		size := cmplx.Abs(f)
		largest = math.Max(largest, size)
		switch {
		case math.IsNaN(size) || math.IsInf(off, 0):
			return false
		case size > enough*largest:
			small = 0
		default:
			small++
		}
		if small >= 2 && imag(s) > end {
			return true
		}
	}
	return false
}

// halve halves the step.
func (c *contour) halve() {
	c.step /= 2
	n := 2 * len(c.s)
	s, f, off := make([]complex128, n), make([]complex128, n), make([]float64, n)
	for j := range n {
		if j&1 == 0 {
			s[j], f[j], off[j] = c.s[j/2], c.f[j/2], c.off[j/2]
		} else {
			s[j], f[j], off[j] = c.term(float64(j) * c.step)
		}
	}
	c.s, c.f, c.off = s, f, off
}

// delta is δ(ε), with an estimate of the error and of the part that smaller steps lessen, and its derivative.
func (c *contour) delta(eps float64) (d value.Value, rule, slope float64) {
	var sums [4]float64
	moved, abs, off, last := 0.0, 0.0, 0.0, 0.0
	for j, s := range c.s {
		e := cmplx.Exp(s * complex(eps-c.eps, 0))
		if j == 0 {
			e /= 2
		}
		x := c.f[j] * e
		sums[j&3] += imag(x)
		moved += imag(x * s)
		last = cmplx.Abs(x)
		abs += last
		off += c.off[j] * cmplx.Abs(e)
	}
	scale := c.step / math.Pi * math.Exp(c.base)
	// The same of the rule in u, of which errors may be 0 by chance.
	half := math.Abs(sums[0] + sums[2] - sums[1] - sums[3])
	quarter := 2 * math.Abs(sums[0]-sums[2])
	r := quarter / (abs + 1e-300)
	const cautious = 10 // rules are next to this sequence, not on it
	rule = cautious * scale * (half*math.Max(half/(half+quarter+1e-300), r) + abs*r*r*r*math.Min(1, 1e3*r))
	if !math.IsInf(c.first, 0) && c.step*c.first > 1 { // a period that is narrower than steps
		rule += scale * abs * c.revival
	}
	err := rule + scale*(off+10*last+abs*value.U*(10+math.Abs(c.base))) + c.copies()*leftMass
	d, slope = value.Within(scale*(sums[0]+sums[1]+sums[2]+sums[3]), err), scale*moved
	if !(d.V-d.Err <= 1 && d.V+d.Err >= 0) || math.IsNaN(d.V) {
		return value.Value{Err: math.Inf(1)}, rule, slope
	}
	return d, rule, slope
}

// good is the relative error of δ that steps are halved for.
const good = 1e-6

// at makes a contour at a saddle, with steps for δ(ε) where it is near to want, or for the δ(ε) that comes out, where
// want is 0: the first of which the error is below 1e-5 or rel of that, or small, or the one of the least error; nil if
// there is none.
func (p *Profile) at(at saddle, want, rel float64) (best *contour, d value.Value) {
	d.Err = math.Inf(1)
	for bend := p.bend(at); ; bend /= 2 {
		if bend < 0.02 {
			bend = 0
		}
		if c := p.contour(at, bend); c.fill() {
			x := c.refine(at.eps, want, rel)
			if x.Err < d.Err {
				best, d = c, x
			}
			if x.Err < math.Max(1e-5, rel)*size(want, x.V) || want == 0 && x.Err < small {
				return best, d
			}
		}
		if bend == 0 {
			return best, d
		}
	}
}

// size is want, or |v| if that is 0.
func size(want, v float64) float64 {
	if want == 0 {
		return math.Abs(v)
	}
	return want
}

// refine halves steps until the rule adds little to the error of δ(ε), which it returns.
func (c *contour) refine(eps, want, rel float64) value.Value {
	for i := 0; ; i++ {
		d, rule, _ := c.delta(eps)
		if rule <= rel*size(want, d.V) || rule < d.Err/4 || i == 3 {
			return d
		}
		c.halve()
	}
}

// small is the error of δ that is taken where it is not small beside δ.
const small = 1e-12

// Delta returns δ(ε); false where no contour has an error of at most rel times δ, nor a small one. Below ε = 0 it is
// 1 − e^ε + e^ε·δ′(−ε), with δ′ of the reversed pair.
func (p *Profile) Delta(eps, rel float64) (value.Value, bool) {
	if eps < 0 {
		reverse := Profile{p.reverse()}
		d, ok := reverse.Delta(-eps, 1)
		d = value.Exact(eps).Expm1().Neg().Add(value.Exact(eps).Exp().Mul(d)).Clamp(0, 1)
		return d, ok && d.Rel() <= rel
	}
	s, ok := p.near(eps)
	most := value.Between(0, math.Min(math.Exp(s.bound)*(1+small)+p.copies()*leftMass, 1))
	if !ok {
		return most, most.Err < small
	}
	d := most
	if _, x := p.at(s, 0, good); x.Err < d.Err {
		d = x.Clamp(0, 1)
	}
	return d, d.V > 0 && d.Rel() <= rel || d.Err < small
}

// Below reports whether δ(ε) is below delta; false also where that is not known.
func (p *Profile) Below(eps, delta float64) bool {
	if eps < 0 {
		d, ok := p.Delta(eps, 1)
		return ok && d.V+d.Err < delta
	}
	s, ok := p.near(eps)
	if s.bound < math.Log(delta)-1 && delta > small*small {
		return true
	}
	_, d := p.at(s, delta, 0.1)
	return ok && d.V+d.Err < delta
}

// Epsilon returns the least ε with δ(ε) ≤ delta < 1; false where no error of rel is reached.
func (p *Profile) Epsilon(delta, rel float64) (value.Value, bool) {
	goal := math.Log(delta)
	// Without losses that are rarer than delta, the saddle is next to the end.
	start, ok := p.search(delta/4, func(s saddle) float64 { return s.log - goal })
	eps := start.eps
	if !ok || !(eps > 0) {
		if d, ok := p.Delta(0, 1); ok && d.V-d.Err <= delta {
			return p.negative(delta, rel)
		}
		eps = 0
	}
	for range 6 {
		s, ok := p.near(eps)
		if !ok {
			return value.Value{}, false
		}
		c, d := p.at(s, delta, good)
		if d.Err > delta/2 {
			return value.Value{}, false
		}
		settled := false
		if eps, settled = c.solve(eps, goal); !settled {
			continue
		}
		if v, ok := c.bracket(eps, delta, rel); ok {
			return v, true
		}
	}
	return value.Value{}, false
}

// negative is Epsilon below 0: δ(ε) = 1 − e^ε + e^ε·δ′(−ε), with δ′ of the reversed pair, is delta where x = −ε is
// −log(1 − delta) + log(1 − δ′(x)), and above that before.
func (p *Profile) negative(delta, rel float64) (value.Value, bool) {
	reverse := Profile{p.reverse()}
	most := -math.Log1p(-delta)
	image := func(x float64) (low, middle, high float64) {
		d, ok := reverse.Delta(x, 1)
		if !ok || !(d.V+d.Err < 1) {
			return math.Inf(-1), math.NaN(), math.Inf(1)
		}
		return most + math.Log1p(-d.V-d.Err), most + math.Log1p(-d.V), most + math.Log1p(-math.Max(d.V-d.Err, 0))
	}
	x := most
	for range 100 {
		_, next, _ := image(x)
		if !(next > 0) {
			return value.Value{}, false
		}
		near := math.Abs(next-x) <= 1e-9*x
		if x = next; near {
			break
		}
	}
	for err := 1e-10 * x; err < rel*x; err *= 8 {
		_, _, high := image(x + err)
		low, _, _ := image(x - err)
		if high < x+err && low > x-err {
			return value.Within(-x, err), true
		}
	}
	return value.Value{}, false
}

// solve moves ε towards the one where log δ(ε) is goal; false where it leaves the contour.
func (c *contour) solve(eps, goal float64) (float64, bool) {
	low, high := 0.0, math.Inf(1)
	for range 30 {
		d, _, slope := c.delta(eps)
		if !(d.V > 2*d.Err) || !(slope < 0) {
			// too small to be told from errors
			return eps * 0.7, false
		}
		y := math.Log(d.V) - goal
		if y > 0 {
			low = eps
		} else {
			high = eps
		}
		next := eps - y*d.V/slope
		if !(next > low && next < high) {
			next = math.Min(2*eps, low/2+high/2)
		}
		if math.Abs(next-eps) <= 1e-13*eps {
			return next, true
		}
		eps = next
	}
	return eps, true
}

// bracket returns ε with an error at which δ, error included, is above and below delta.
func (c *contour) bracket(eps, delta, rel float64) (value.Value, bool) {
	c.refine(eps, delta, good)
	d, _, slope := c.delta(eps)
	for err := 1.01 * (d.Err + math.Abs(d.V-delta)) / math.Abs(slope); err <= rel*eps; err *= 2 {
		err = math.Max(err, 4*value.U*eps)
		above, _, _ := c.delta(eps - err)
		below, _, _ := c.delta(eps + err)
		if above.V-above.Err > delta && below.V+below.Err < delta {
			return value.Within(eps, err), true
		}
	}
	return value.Value{}, false
}
