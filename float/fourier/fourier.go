// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package fourier is the analytical Fourier accountant in float64, with a bound of the
// error [Zhu, Dong & Wang 2022, Algorithm 1; Chourasia et al. 2024, Theorem 3.4].
//
// Moment transforms M(s) = E_P[e^(−sL); L < ∞] multiply under composition. For every
// γ < 0 with M(γ) finite,
//
//	δ(ε) = m + (1/π)·∫_0^∞ Re f(γ + iw) dw,  f(s) = e^(sε)·M(s)/(s(s − 1)),
//
// m the mass of infinite loss. The paper integrates along γ = 0, where δ is the
// difference of numbers near 1; on the line through the saddle point of f the integrand
// has the size of δ itself, and tails keep their relative accuracy.
//
// Err adds up: Gauss–Legendre quadrature, by the ellipse on which f is analytic (see
// panel); truncation, by a bound of |M| on the rest of the line (see line.tail); the
// rounding of every node's f, derived with each transform; the rounding of the parameters.
package fourier

import (
	"context"
	"math"

	"dpverify/float/law"
	"dpverify/float/pair"
	"dpverify/float/value"
)

// An Accountant knows the transform of a product.
type Accountant struct {
	terms []term
	inf   value.Value
	// rest bounds the P-mass of finite losses that no transform knows of. It can add at
	// most itself to δ.
	rest float64
}

// New returns an accountant for a product; false if a factor has no transform here, or
// none makes the integrand decay: it takes a Gaussian, or a Poisson sample of one.
func New(p pair.Product) (*Accountant, bool) {
	a, smooth, ok := terms(p)
	return a, ok && smooth && a.inf.Hi() < 1
}

// terms returns the transforms of a product, and whether one of them decays.
func terms(p pair.Product) (a *Accountant, smooth, ok bool) {
	a = new(Accountant)
	stay := value.Exact(0) // log Π(1 − m)^count
	certain := false
	for _, t := range p {
		if t.Count > 1<<50 {
			return nil, false, false
		}
		var tr transform
		switch x := t.Pair.(type) {
		case pair.Gaussian:
			tr, smooth = gaussian{value.Rat(x.Mu2)}, true
		case pair.Laplace:
			tr = laplace{value.Rat(x.Shift)}
		case pair.Discrete:
			l, _ := law.One(x)
			if len(l.Loss) == 0 {
				return nil, false, false
			}
			tr = atoms{l}
			a.rest += float64(t.Count) * l.Rest * (1 + 1e-9)
			switch m := l.Inf; {
			case m.Hi() >= 1:
				certain = true
			case m.V > 0:
				stay = stay.Add(m.Neg().Log1p().Scale(float64(t.Count)))
			}
		case pair.Sampled:
			g, ok := newSampled(x)
			if !ok {
				return nil, false, false
			}
			tr, smooth = g, true
		default:
			return nil, false, false
		}
		a.terms = append(a.terms, term{tr, float64(t.Count)})
	}
	switch {
	case certain:
		a.inf = value.Exact(1)
	case stay != (value.Value{}):
		a.inf = stay.Expm1().Neg()
	}
	return a, smooth, true
}

// exponent returns γε + Σ count·log M(γ), the logarithm of the numerator of f(γ).
func (a *Accountant) exponent(gamma float64, eps value.Value) value.Value {
	sum := eps.Scale(gamma)
	for _, t := range a.terms {
		sum = sum.Add(t.log(gamma).Scale(t.count))
	}
	return sum
}

// saddle returns a γ < 0 next to the minimum of f on the negative axis, which is convex
// in log(−γ) or nearly so. Any γ is valid; a bad one only costs accuracy.
func (a *Accountant) saddle(ctx context.Context, eps value.Value) (gamma, curvature float64) {
	f := func(t float64) float64 {
		if ctx.Err() != nil {
			return math.Inf(1)
		}
		g := -math.Exp(t)
		e := a.exponent(g, eps)
		if math.IsInf(e.Err, 1) {
			return math.Inf(1)
		}
		return e.V - math.Log(g*(g-1))
	}
	x, _ := value.Minimum(f, math.Log(1e-6), math.Log(1e5), 0.02)
	gamma = -math.Exp(x)
	d := 0.05 * -gamma
	curvature = (a.exponent(gamma-d, eps).V - 2*a.exponent(gamma, eps).V + a.exponent(gamma+d, eps).V) / (d * d)
	return gamma, math.Max(curvature, 1e-12)
}

// maxPanels bounds the panels of one δ.
const maxPanels = 600

// accuracy is the relative error from truncation that is aimed at, as a power of 2.
const accuracy = -42

// Delta returns δ(ε). Where the accountant does not reach an answer, it is only known
// to lie between m and Chernoff's bound m + e^(γε)·M(γ)·λ^λ/(1 + λ)^(1+λ), λ = −γ: for
// (1 − e^(ε−l))₊ ≤ that constant times e^(λ(l−ε)). It does not where ctx ends.
func (a *Accountant) Delta(ctx context.Context, eps value.Value) value.Value {
	gamma, curvature := a.saddle(ctx, eps)
	peak := a.exponent(gamma, eps)
	if math.IsInf(peak.Err, 1) || math.IsNaN(curvature) || math.IsInf(curvature, 1) {
		return value.Between(0, 1)
	}
	left := &budget{ctx, maxWork}
	constant := gamma*math.Log1p(1/-gamma) - math.Log1p(-gamma)
	chernoff := peak.Add(value.Within(constant, math.Abs(gamma)*0x1p-48)).Exp().Hi() + a.rest
	unknown := value.Between(0, math.Min(1, chernoff)).Add(a.inf).Clamp(0, 1)
	lines := make([]line, len(a.terms))
	for i, t := range a.terms {
		lines[i] = t.line(gamma, left)
	}
	// b is how far the ellipses reach to the left and to the right.
	b := math.Min(1.7/math.Sqrt(curvature), -gamma/2)
	r := 2 * b / (rho - 1/rho)
	growth := math.Max(a.exponent(gamma-b, eps).Hi(), a.exponent(gamma+b, eps).Hi()) - peak.Lo()
	if !(growth < 60) {
		return unknown
	}
	in := integrand{a.terms, lines, gamma, eps, math.Exp(growth) * (1 + 1e-9)}
	sum, err := 0.0, 0.0
	tried := 0.0
	for n := range maxPanels {
		if !left.spend(0) {
			break
		}
		w0 := (2*float64(n) + 1) * r
		v, e, end := panel(&in, w0, r, b)
		sum, err = sum+v, err+e+4*value.U*math.Abs(sum)
		w := 2 * float64(n+1) * r
		end -= math.Log(math.Hypot(in.gamma, w) * math.Hypot(1-in.gamma, w) / w)
		goal := math.Log(math.Max(math.Ldexp(math.Abs(sum), accuracy), err/4))
		// end is log|f| where the panel ends; look for a bound once it is small.
		if end > goal-1 || w < 1.3*tried {
			continue
		}
		tried = w
		if t := in.tail(w, goal); t <= goal+1 {
			// ∫_w^∞ dv/|s(s − 1)| ≤ 1/w
			err += math.Exp(t) * (1 + 1e-9)
			scale := peak.Exp().Scale(1 / math.Pi)
			scale.Err += scale.V * 4 * value.U
			return value.Within(sum, err*(1+1e-9)).Mul(scale).Add(value.Value{Err: a.rest}).Add(a.inf).Clamp(0, 1)
		}
	}
	return unknown
}
