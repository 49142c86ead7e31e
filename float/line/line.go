// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package line estimates the profile of compositions of Gaussians and of Poisson samples of Gaussians in float64, in
// less than a millisecond for most trainings, by the trapezoidal rule for the inverse Laplace transform of package
// fourier: with M(s) = E_P[e^(−sL)], s_j = −λ + 2πij/T,
//
//	δ(ε) ≈ (1/T)·Σ_j e^(s_j·ε)·M(s_j)/(s_j(s_j − 1)).
//
// The sum is Σ_k e^(λkT)·δ(ε + kT), by Poisson's formula: its terms with k < 0 are at most e^(−λ|k|T), those with k > 0
// at most e^(λkT + log M(−κ) − κ(ε + kT)) for any κ. These aliases are bounds. What the sum leaves out, and what the
// rule for M itself is off by, are estimated: by the last values, and by the same rule with half and a quarter of its
// nodes. So an error here is an estimate, too, and package float proves no bound by it.
package line

import (
	"math"

	"dpverify/float/pair"
	"dpverify/float/value"
)

// A Profile estimates δ(ε) of a product. It is not safe for concurrent use.
type Profile struct {
	direct, mirror law
	accuracy       float64 // the relative error of δ that lines are made for
}

// New reports false for products that it does not know.
func New(p pair.Product) (*Profile, bool) {
	l, ok := newLaw(p)
	return &Profile{l, l.reverse(), 1e-9}, ok
}

// Coarse is p with shorter lines, of which the errors are larger.
func (p *Profile) Coarse() *Profile { return &Profile{p.direct, p.mirror, 1e-6} }

// A line has the values M(s_j)/(s_j(s_j − 1)), over e^(log) = M(−λ), for ε near the one that it was made for.
type line struct {
	law
	mirrored            bool
	lambda, period, log float64
	kappa, logKappa     float64
	re, im              []float64
	// cut and rule estimate the sums of what is left out, and of errors of M.
	cut, rule, sum float64
}

// saddle is a λ next to the least of log M(−λ) − λε − log(λ(λ + 1)), with nodes that reach beyond it.
func (l law) saddle(eps float64) (law, float64, bool) {
	for top := 32.0; top < 1<<22; top *= 8 {
		m, ok := l.prepare(top, 0.5)
		if !ok {
			return l, 0, false
		}
		x, least := value.Minimum(func(t float64) float64 {
			g := math.Exp(t)
			return m.moment(g) - g*eps - math.Log(g*(g+1))
		}, math.Log(1e-3), math.Log(top), 0.05)
		if lambda := math.Exp(x); lambda < top/3 {
			return m, lambda, !math.IsInf(least, 0)
		}
	}
	return l, 0, false
}

// choose chooses λ, T and κ for errors of size e^logSize, and returns how many terms that takes.
func (l law) choose(eps, logSize float64) (out line, terms float64) {
	m, saddle, ok := l.saddle(eps)
	terms = math.Inf(1)
	if !ok {
		return line{}, terms
	}
	out.law = m
	best := m.moment(saddle) - saddle*eps
	for i := range 5 {
		lambda := saddle * (1 - 0.17*float64(i))
		log := m.moment(lambda)
		if log-lambda*eps > best+7 {
			break
		}
		period, kappa, logKappa := math.Inf(1), 0.0, 0.0
		for k := range 12 {
			x := lambda * (1 + math.Ldexp(float64(2+k%2), k/2-4))
			y := m.moment(x)
			if t := max(-logSize/lambda, (y-x*eps-logSize)/(x-lambda)); t > 0 && t < period {
				period, kappa, logKappa = t, x, y
			}
		}
		if n := period * m.end(lambda, logSize+lambda*eps-log) / (2 * math.Pi); n < terms {
			terms = n
			out.lambda, out.log, out.period, out.kappa, out.logKappa = lambda, log, period, kappa, logKappa
		}
	}
	return out, terms
}

// end is about the w beyond which |M(−λ + iw)|/M(−λ) adds less than e^logSize.
func (l law) end(lambda, logSize float64) float64 {
	for w := lambda / 4; w < 1e9; w *= 1.5 {
		size := -l.mu2*w*w/2 - 2*math.Log(w) + math.Log(w)
		for _, s := range l.samples {
			var re, im, all float64
			for k, x := range s.nodes.logs {
				y := x + lambda*s.nodes.losses[k]
				if y < -60 {
					continue
				}
				p := math.Exp(y)
				sin, cos := math.Sincos(w * s.nodes.losses[k])
				re, im, all = re+p*cos, im+p*sin, all+p
			}
			size += s.count * math.Log(math.Hypot(re, im)/all)
		}
		if size < logSize {
			return w
		}
	}
	return math.Inf(1)
}

// maxSteps bounds the terms of a line times its nodes, some 3 ns each.
const maxSteps = 1 << 21

// at makes a line for ε, if δ(ε) is about e^logDelta; false if it would be too long.
func (p *Profile) at(eps, logDelta float64) (*line, bool) {
	logSize := logDelta + math.Log(p.accuracy)
	l, n := p.direct.choose(eps, logSize)
	if n > 256 && eps > 0 {
		// δ(ε) = 1 − e^ε + e^ε·δ′(−ε): the reverse has no large losses.
		const digits = 1e-12
		if m, n2 := p.mirror.choose(-eps, max(logSize-eps, math.Log(digits))); n2 < n/2 {
			l, n = m, n2
			l.mirrored, logSize = true, max(logSize-eps, math.Log(digits))
		}
	}
	if !(n < 1<<16) {
		return nil, false
	}
	for step := 0.5; step > 0.01; step /= 2 {
		m, ok := l.prepare(max(4*l.lambda, 2*l.kappa, 32), step)
		if !ok {
			return nil, false
		}
		next := l
		next.law = m
		if !next.fill(logSize + l.lambda*l.sign(eps) - l.log) {
			return nil, false
		}
		if next.rule <= 1e-2*math.Exp(logSize+l.lambda*l.sign(eps)-l.log)*l.period || step < 0.03 {
			return &next, true
		}
	}
	return nil, false
}

func (l *line) sign(eps float64) float64 {
	if l.mirrored {
		return -eps
	}
	return eps
}

// fill computes values until those that are left out are below e^logSize. False if they are too many.
func (l *line) fill(logSize float64) bool {
	size, steps := 0, 0
	for _, s := range l.samples {
		size += len(s.nodes.logs)
	}
	re, im := make([]float64, size), make([]float64, size)
	turnRe, turnIm := make([]float64, size), make([]float64, size)
	mass := make([]float64, size)
	h := 2 * math.Pi / l.period
	first := 0
	for _, s := range l.samples {
		total := 0.0
		for k, x := range s.nodes.logs {
			mass[first+k] = x + l.lambda*s.nodes.losses[k]
		}
		part := mass[first : first+len(s.nodes.logs)]
		top := part[0]
		for _, x := range part {
			top = max(top, x)
		}
		for k := range part {
			part[k] = math.Exp(part[k] - top)
			total += part[k]
		}
		for k, x := range s.nodes.losses {
			part[k] /= total
			turnIm[first+k], turnRe[first+k] = math.Sincos(-h * x)
		}
		first += len(part)
	}
	limit := math.Exp(logSize) * l.period
	largest := 0.0 // of a block of 32
	for j := 0; ; j++ {
		w := float64(j) * h
		logs, angle, off := -l.mu2*w*w/2, -l.mu2*w*(2*l.lambda+1)/2, 0.0
		first := 0
		for _, s := range l.samples {
			n := len(s.nodes.logs)
			zr, zi, tr, ti := re[first:first+n], im[first:first+n], turnRe[first:first+n], turnIm[first:first+n]
			if j%64 == 0 {
				for k, x := range s.nodes.losses {
					sin, cos := math.Sincos(-w * x)
					zr[k], zi[k] = mass[first+k]*cos, mass[first+k]*sin
				}
			} else {
				for k, x := range zr {
					y, a, b := zi[k], tr[k], ti[k]
					zr[k], zi[k] = x*a-y*b, x*b+y*a
				}
			}
			var sr, si [4]float64 // of every fourth node
			for k := 0; k+3 < n; k += 4 {
				for i := range 4 {
					sr[i], si[i] = sr[i]+zr[k+i], si[i]+zi[k+i]
				}
			}
			x, y := sr[0]+sr[1]+sr[2]+sr[3], si[0]+si[1]+si[2]+si[3]
			abs := math.Hypot(x, y)
			logs += s.count * math.Log(abs)
			angle += s.count * math.Atan2(y, x)
			// Steps that are halved square the error, or more, where the waves are resolved; where they are not, it stays.
			half := math.Hypot(sr[0]+sr[2]-sr[1]-sr[3], si[0]+si[2]-si[1]-si[3])
			quarter := 2 * math.Hypot(sr[0]-sr[2], si[0]-si[2])
			off += s.count * half * half / (half + quarter + 1e-300) / abs
			first += n
			steps += n
		}
		a, b := l.lambda*(l.lambda+1)-w*w, -w*(2*l.lambda+1)
		norm := math.Exp(logs) / (a*a + b*b)
		sin, cos := math.Sincos(angle)
		l.re, l.im = append(l.re, norm*(cos*a+sin*b)), append(l.im, norm*(sin*a-cos*b))
		abs := norm * math.Hypot(a, b)
		l.sum += 2 * abs
		l.rule += 2 * abs * math.Min(off, 1)
		largest = max(largest, abs)
		if j%32 == 31 {
			// |M| falls, and 1/|s(s − 1)| as 1/w²: Σ over all later ones is at most j times the last.
			if l.cut = 2 * largest * float64(j+1); l.cut <= limit {
				return true
			}
			largest = 0
		}
		if steps > maxSteps {
			return false
		}
	}
}

// delta is δ(ε), with an estimate of the error, and its derivative.
func (l *line) delta(eps float64) (d value.Value, slope float64) {
	e := l.sign(eps)
	theta := 2 * math.Pi / l.period * e
	turnIm, turnRe := math.Sincos(theta)
	sum, moved := l.re[0]/2, -l.lambda*l.re[0]/2
	cr, ci := 1.0, 0.0
	for j := 1; j < len(l.re); j++ {
		if j%64 == 0 {
			ci, cr = math.Sincos(float64(j) * theta)
		} else {
			cr, ci = cr*turnRe-ci*turnIm, cr*turnIm+ci*turnRe
		}
		x, y := l.re[j]*cr-l.im[j]*ci, l.re[j]*ci+l.im[j]*cr
		sum += x
		moved += -l.lambda*x - 2*math.Pi/l.period*float64(j)*y
	}
	scale := 2 * math.Exp(l.log-l.lambda*e) / l.period
	const ulps = 1e-14 // of sums, and of each copy
	aliases := math.Exp(-l.lambda*l.period) + math.Exp(l.lambda*l.period+l.logKappa-l.kappa*(e+l.period))
	err := scale/2*(l.cut+10*l.rule+l.sum*ulps*(10+l.copies()+math.Abs(l.log)+math.Abs(l.lambda*e))) + 2*aliases
	d, slope = value.Within(scale*sum, err), scale*moved
	if l.mirrored {
		d = value.Exact(math.Expm1(eps)).Neg().Add(value.Exact(math.Exp(eps)).Mul(d))
		d.Err += 4 * value.U * math.Exp(eps)
		slope = -math.Exp(eps) + math.Exp(eps)*(scale*sum-slope)
	}
	if !(d.V-d.Err <= 1 && d.V+d.Err >= 0) || math.IsNaN(d.V) {
		return value.Value{Err: math.Inf(1)}, slope
	}
	return d.Clamp(0, 1), slope
}

// about is log δ(ε) by the saddle point, roughly.
func (p *Profile) about(eps float64) (float64, bool) {
	m, x, ok := p.direct.saddle(eps)
	if !ok {
		return 0, false
	}
	y := m.moment(x) - x*eps - math.Log(x*(x+1))
	d := x / 64
	curvature := (m.moment(x+d) - 2*m.moment(x) + m.moment(x-d)) / (d * d)
	return min(y+math.Log(x/(1+x*math.Sqrt(2*math.Pi*max(curvature, 0)))), 0), true
}

// Delta returns δ(ε); false where no line is short enough, or the error is not below rel times δ.
func (p *Profile) Delta(eps, rel float64) (value.Value, bool) {
	about, ok := p.about(eps)
	if !ok {
		return value.Value{}, false
	}
	for range 4 {
		l, ok := p.at(eps, about)
		if !ok {
			return value.Value{}, false
		}
		d, _ := l.delta(eps)
		if d.V > 0 && d.Rel() <= rel {
			return d, true
		}
		if d.V > d.Err {
			about = math.Log(d.V) - 3
		} else {
			about -= 10
		}
	}
	return value.Value{}, false
}

// Epsilon returns the least ε with δ(ε) ≤ delta, where it is above 0 and an error of rel is reached; else false.
func (p *Profile) Epsilon(delta, rel float64) (value.Value, bool) {
	goal := math.Log(delta)
	eps, ok := p.start(goal)
	if !ok || !(eps > 0) {
		return value.Value{}, false
	}
	lo, hi := 0.0, math.Inf(1) // δ is above the goal at lo, and below it at hi
	for range 12 {
		l, ok := p.at(eps, goal)
		if !ok {
			return value.Value{}, false
		}
		x, converged := eps, false
		low, high := max(lo, eps-2/l.lambda), min(hi, eps+2/l.lambda)
		for i := 0; i < 30 && !converged; i++ {
			d, slope := l.delta(x)
			switch {
			case d.V-d.Err > delta:
				lo = x
			case d.V+d.Err < delta:
				hi = x
			}
			next := x - d.V/slope*(math.Log(d.V)-goal)
			if !(d.V > d.Err) || !(slope < 0) || math.IsNaN(next) {
				next = (x + low) / 2 // too small to be told from errors
			}
			// log δ is convex, or nearly so: a step may go too far to the left, and is made shorter then.
			if next <= low {
				next = (x + low) / 2
			}
			next = min(next, high)
			converged = math.Abs(next-x) < 1e-13*x
			x = next
		}
		moved := math.Abs(x-eps) > 1/l.lambda
		eps = x
		if !(eps > 0) {
			return value.Value{}, false
		}
		if moved {
			continue
		}
		if v, ok := l.bracket(eps, delta, rel); ok {
			return v, true
		}
	}
	return value.Value{}, false
}

// bracket returns ε with an error at which δ, error included, is above and below delta.
func (l *line) bracket(eps, delta, rel float64) (value.Value, bool) {
	d, slope := l.delta(eps)
	for err := 1.01 * (d.Err + math.Abs(d.V-delta)) / math.Abs(slope); err <= rel*eps; err *= 2 {
		err = max(err, 4*value.U*eps)
		above, _ := l.delta(eps - err)
		below, _ := l.delta(eps + err)
		if above.V-above.Err > delta && below.V+below.Err < delta {
			return value.Within(eps, err), true
		}
	}
	return value.Value{}, false
}

// start is an ε near to where log δ(ε) is goal.
func (p *Profile) start(goal float64) (float64, bool) {
	for top := 32.0; top < 1<<22; top *= 8 {
		m, ok := p.direct.prepare(top, 0.5)
		if !ok {
			return 0, false
		}
		x, least := value.Minimum(func(t float64) float64 {
			g := math.Exp(t)
			return (m.moment(g) - goal - math.Log(g+1) - g*math.Log1p(1/g)) / g // [Canonne, Kamath & Steinke 2020]
		}, math.Log(1e-3), math.Log(top), 0.05)
		if math.Exp(x) >= top/3 {
			continue
		}
		if !(least > 0) || math.IsInf(least, 0) {
			return 0, false
		}
		// A step by the saddle point, which is closer than the bound.
		for range 3 {
			about, ok := p.about(least)
			if !ok {
				return least, true
			}
			if d := (about - goal) / math.Exp(x); least+d > 0 {
				least += d
			}
		}
		return least, true
	}
	return 0, false
}
