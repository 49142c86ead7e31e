// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fourier

import (
	"math"
	"math/big"

	"dpverify/float/pair"
	"dpverify/float/value"
)

// sampled is a Poisson sample of a Gaussian. With r(x) = 1 − q + q·e^(μx − μ²/2) the
// likelihood ratio, L = log r and x normal,
//
//	M(s) = ∫ φ·r^(1−s) dx,  or ∫ φ·r^s dx for the reversed pair,
//
// the inner integral of double quadrature, here by the trapezoidal rule. Both are
// ∫ φ·e^(cL)·e^(±iwL) with a real power c: 1 − γ, or γ.
//
// In the strip |Im x| < a ≤ 1.5/μ, q·e^y and 1 − q enclose an angle of at most
// μa < π, so cos(μa/2)·r(Re x) ≤ |r(x)| ≤ r(Re x) and |arg r| ≤ μa. The integrand is analytic
// there, and ∫|…| ≤ N(w) = M(γ)·e^(a²/2 + |w|μa)·cos(μa/2)^min(c, 0) along every line. So the
// rule with step h is off by at most 2N/(e^(2πa/h) − 1) [Trefethen & Weideman 2014,
// Theorem 5.1].
type sampled struct {
	q, mu    value.Value
	reversed bool
}

func newSampled(x pair.Sampled) (sampled, bool) {
	if len(x.Base) != 1 || x.Base[0].Count != 1 {
		return sampled{}, false
	}
	g, ok := x.Base[0].Pair.(pair.Gaussian)
	if !ok {
		return sampled{}, false
	}
	mu := value.Rat(g.Mu2).Sqrt()
	if !(mu.V > 1e-9 && mu.V < 100) || x.Rate.Cmp(big.NewRat(1, 1<<40)) < 0 {
		return sampled{}, false
	}
	return sampled{value.Rat(x.Rate), mu, x.Reversed}, true
}

// loss returns L(x), a bound of its error, and its derivative over μ, the share of
// q·e^y in r.
//
// y is off by (3u + rel μ)·(|μx| + μ²), which counts with that share; q·(e^y − 1) by
// (6u + rel q) of itself, which counts with |1 − 1/r|.
func (s sampled) loss(x float64) (l, err, share float64) {
	mu, q := s.mu.V, s.q.V
	y := mu*x - mu*mu/2
	if y > 30 {
		l = math.Log(q) + y + math.Log1p((1-q)/q*math.Exp(-y))
		share = 1 / (1 + (1-q)/q*math.Exp(-y))
	} else {
		l = math.Log1p(q * math.Expm1(y))
		share = q * math.Exp(y-l)
	}
	err = share*(3*value.U+s.mu.Rel())*(mu*math.Abs(x)+mu*mu) +
		math.Abs(math.Expm1(-l))*(6*value.U+s.q.Rel()) + 4*value.U*math.Abs(l)
	if y > 30 {
		err += 8 * value.U * (math.Abs(math.Log(q)) + y)
	}
	return l, err * (1 + 1e-6), share
}

// A rule is a trapezoidal rule on the line Re s = γ that serves |w| ≤ wmax.
type rule struct {
	s      sampled
	c      float64
	h      float64
	wmax   float64
	lowest float64 // its first point
	// For each point: h·φ·e^(cL), a bound of its relative error, L and its error.
	weight, weightErr, loss, lossErr []float64
	// cut bounds |Σ − ∫| of φ·e^(cL)·e^(iwL), |w| ≤ wmax, over M(γ) or 1, whichever
	// is larger: both the strip and the tails.
	cut float64
}

// log2Cut: the strip and the tails are made smaller than 2^−log2Cut.
const log2Cut = 64

// newRule chooses the range and the step. For c < 0 the integrand is at most (1 − q)^c·φ,
// which is cut at ±Z. For c ≥ 0 it is at most φ below −Z, since L ≤ 0 there; above B, as
// L' ≤ μ, it is at most φ(B)·e^(cL(B))·e^(−(B−cμ)(x−B)), with integral t(B)/(B − cμ).
func (s sampled) newRule(gamma, wmax float64) (*rule, bool) {
	r := &rule{s: s, c: 1 - gamma, wmax: wmax}
	if s.reversed {
		r.c = gamma
	}
	mu := s.mu.V
	const goal = -log2Cut * math.Ln2
	left := 0.0
	if r.c < 0 {
		left = r.c * math.Log1p(-s.q.V)
	}
	z := math.Sqrt(2 * (left - goal))
	b := math.Max(z, r.c*mu+1)
	if r.c < 0 {
		b = z
	} else {
		for ; ; b += 0.5 {
			l, _, _ := s.loss(b)
			if r.c*l-b*b/2 <= goal {
				break
			}
			if b > 1e4 {
				return nil, false
			}
		}
	}
	a := math.Min(1.5/mu, 6)
	if r.c < 0 {
		a = math.Min(a, 1/mu*math.Min(1.5, math.Sqrt(80/-r.c)))
	}
	bend := math.Min(r.c, 0) * math.Log(math.Cos(mu*a/2))
	h := 2 * math.Pi * a / (-goal + a*a/2 + wmax*mu*a + bend)
	h = math.Ldexp(math.Floor(math.Ldexp(h, 20-math.Ilogb(h))), math.Ilogb(h)-20)
	first, last := int(math.Floor(-z/h)), int(math.Ceil(b/h))
	if last-first > 1<<15 {
		return nil, false
	}
	r.h = h
	// Tails, and the sum of those points against their integral: for each side at most
	// (1 + h)·2^−64, with φ < ½ and z > 1.
	r.cut = (2*math.Exp(a*a/2+wmax*mu*a+bend-2*math.Pi*a/h)/(1-1e-9) + 2*(1+h)*math.Exp(goal)) * (1 + 1e-6)
	r.lowest = float64(first) * h
	n := last - first + 1
	for _, v := range []*[]float64{&r.weight, &r.weightErr, &r.loss, &r.lossErr} {
		*v = make([]float64, n)
	}
	for j := range n {
		x := float64(first+j) * h // exact: h has 21 bits
		l, e, _ := s.loss(x)
		exponent := r.c*l - x*x/2
		if exponent > 690 {
			return nil, false
		}
		r.loss[j], r.lossErr[j] = l, e
		r.weight[j] = h * math.Exp(exponent) / math.Sqrt(2*math.Pi)
		r.weightErr[j] = math.Abs(r.c)*e + (3*math.Abs(r.c*l)+2*x*x+12)*value.U
	}
	return r, true
}

// moment returns M(γ) − 1 = Σ h·φ·(e^(cL) − 1), which keeps its relative accuracy where
// the sample is small.
func (r *rule) moment() value.Value {
	var sum adder
	err := 0.0
	for j, l := range r.loss {
		x := r.lowest + float64(j)*r.h
		phi := r.h * math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		e := math.Expm1(r.c * l)
		v := phi * e
		sum.add(v)
		err += math.Abs(v)*(x*x+16)*value.U + phi*(1+e)*(math.Abs(r.c)*r.lossErr[j]+2*value.U*math.Abs(r.c*l))
	}
	total := sum.value()
	return value.Within(total, err*(1+1e-6)+sum.err()+2*r.cut*(2+math.Abs(total)))
}

func (s sampled) log(gamma float64) value.Value {
	r, ok := s.newRule(gamma, 0)
	if !ok {
		return value.Value{Err: math.Inf(1)}
	}
	return r.moment().Log1p()
}

func (s sampled) line(gamma float64, b *budget) line {
	return &sampledLine{s: s, gamma: gamma, left: b}
}

// A sampledLine makes its rule as fine as the largest w asks.
type sampledLine struct {
	s     sampled
	gamma float64
	left  *budget
	*rule
	base value.Value  // M(γ)
	deep *sampledLine // the same for tail, which looks further out
}

func (l *sampledLine) prepare(w float64) bool {
	if l.rule != nil && w <= l.wmax {
		return l.left.spend(len(l.loss))
	}
	r, ok := l.s.newRule(l.gamma, math.Max(2*w, 8))
	if !ok {
		return false
	}
	l.rule = r
	l.base = r.moment().Add(value.Exact(1))
	return true
}

// at returns log(1 + D/M(γ)) with D = ∫ φ·e^(cL)·(e^(±iwL) − 1): the error of D is
// relative to ∫ φ·e^(cL)·|wL|, not to M(γ).
func (l *sampledLine) at(w float64) (complex128, float64) {
	if !l.prepare(w) {
		return 0, math.Inf(1)
	}
	var re, im adder
	err := 0.0
	sign := -1.0
	if l.s.reversed {
		sign = 1
	}
	for j, x := range l.loss {
		y := sign * w * x
		s, c := math.Sincos(y / 2)
		t := l.weight[j]
		re.add(-2 * s * s * t)
		im.add(2 * s * c * t)
		size := math.Min(2, math.Abs(y))
		err += t * (size*(l.weightErr[j]+8*value.U) + w*l.lossErr[j] + 2*value.U*math.Abs(y))
	}
	m := l.base
	err = (err*(1+1e-6)+re.err()+im.err())/m.Lo() + 4*l.cut
	dr, di := re.value()/m.V, im.value()/m.V
	err += math.Hypot(dr, di) * (m.Rel() + 4*value.U) * (1 + 1e-6)
	near := 2*dr + dr*dr + di*di // |1 + D/M|² − 1
	abs := math.Hypot(1+dr, di)
	if !(abs > 4*err) || abs < 1e-12 {
		return complex(math.Min(0, math.Log(abs+err+0x1p-50)+1e-9), 0), math.Inf(1)
	}
	z := complex(math.Log(abs), math.Atan2(di, 1+dr))
	// 1 + dr is off by u, and so is abs. Near 1, log1p keeps the accuracy of D.
	rounding := 8 * value.U / abs
	if math.Abs(near) < 0.5 {
		z = complex(math.Log1p(near)/2, imag(z))
		rounding = 16 * value.U * math.Hypot(dr, di)
	}
	return z, -math.Log1p(-err/abs)*(1+1e-6) + rounding + 8*value.U*(math.Abs(real(z))+math.Abs(imag(z)))
}

// An adder sums numbers with compensation [Neumaier 1974]: off by at most
// 2u|Σ| + 2n²u²·Σ|x|.
type adder struct {
	sum, low, abs float64
	n             float64
}

func (a *adder) add(x float64) {
	t := a.sum + x
	if math.Abs(a.sum) >= math.Abs(x) {
		a.low += (a.sum - t) + x
	} else {
		a.low += (x - t) + a.sum
	}
	a.sum = t
	a.abs += math.Abs(x)
	a.n++
}

func (a *adder) value() float64 { return a.sum + a.low }

func (a *adder) err() float64 {
	return 2*value.U*math.Abs(a.value()) + 4*a.n*a.n*value.U*value.U*a.abs
}
