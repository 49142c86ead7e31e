// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fourier

import (
	"math"
	"math/cmplx"

	"dpverify/float/law"
	"dpverify/float/value"
)

// gaussian has M(s) = e^(μ²s(s−1)/2), an entire function.
type gaussian struct{ mu2 value.Value }

func (g gaussian) log(gamma float64) value.Value {
	return g.mu2.Scale(0.5).Mul(value.Exact(gamma)).Mul(value.Exact(gamma).Sub(value.Exact(1)))
}

func (g gaussian) line(gamma float64, _ *budget) line { return gaussianLine{g.mu2, gamma} }

// gaussianLine: log(M(γ+iw)/M(γ)) = (μ²/2)·(−w² + iw(2γ − 1)).
type gaussianLine struct {
	mu2   value.Value
	gamma float64
}

func (l gaussianLine) at(w float64) (complex128, float64) {
	z := complex(-l.mu2.V/2*w*w, l.mu2.V/2*w*(2*l.gamma-1))
	return z, (math.Abs(real(z)) + math.Abs(imag(z))) * (l.mu2.Rel() + 6*value.U)
}

func (l gaussianLine) tail(w, _ float64) float64 { return -l.mu2.Lo() / 2 * w * w * (1 - 8*value.U) }

// laplace has M(s) = ½(e^(−sx)(1 + v) + e^(−(1−s)x)(1 − v)), v = 1/(1 − 2s): atoms ½ at x
// and ½e^−x at −x, and the density ¼e^((l−x)/2) between. For s < 0 all terms are positive.
type laplace struct{ x value.Value }

// log: with e^(−γx) taken out, M(γ) = e^(−γx)·½(1 + v + e^(−(1−2γ)x)(1 − v)).
func (l laplace) log(gamma float64) value.Value {
	one := value.Exact(1)
	d := one.Sub(value.Exact(2 * gamma))
	v := one.Div(d)
	w := value.Exact(-2 * gamma).Div(d) // 1 − v
	inner := one.Add(v).Add(d.Mul(l.x).Neg().Exp().Mul(w)).Scale(0.5)
	return l.x.Scale(-gamma).Add(inner.Log())
}

func (l laplace) line(gamma float64, _ *budget) line {
	return laplaceLine{l.x, gamma, l.inner(complex(gamma, 0))}
}

// inner returns e^(sx)·M(s).
func (l laplace) inner(s complex128) complex128 {
	d := 1 - 2*s
	return (1 + 1/d + cmplx.Exp(-d*complex(l.x.V, 0))*(-2*s/d)) / 2
}

type laplaceLine struct {
	x     value.Value
	gamma float64
	base  complex128 // inner(γ)
}

// at: M(s)/M(γ) = e^(−iwx)·inner(s)/inner(γ). Re inner(γ) ≥ ½, |1/d| ≤ 1, |2s/d| ≤ 1 and
// the exponential is at most 1, off by |d·x|·(4u + relative error of x) and 8u; divisions
// and sums of numbers of size at most 3 add 40u.
func (l laplaceLine) at(w float64) (complex128, float64) {
	r := laplace{l.x}.inner(complex(l.gamma, w)) / l.base
	size := (1 + 2*math.Abs(l.gamma) + 2*math.Abs(w)) * l.x.V
	z, err := logRatio(r, 4*(size*(8*value.U+l.x.Rel())*math.Exp(-math.Min(700, (1-2*l.gamma)*l.x.V))+64*value.U))
	return z - complex(0, w*l.x.V), err + math.Abs(w*l.x.V)*(2*value.U+l.x.Rel())
}

func (laplaceLine) tail(float64, float64) float64 { return 0 }

// logRatio returns log r for a number of size at most 1 that is off by err.
func logRatio(r complex128, err float64) (complex128, float64) {
	abs := cmplx.Abs(r)
	if !(abs > 4*err) {
		return complex(math.Min(0, math.Log(abs+err)+1e-9), 0), math.Inf(1)
	}
	return cmplx.Log(r), -math.Log1p(-err/abs)*(1+1e-9) + 16*value.U
}

// atoms has M(s) = Σ p·e^(−sl), over the atoms that are listed: those left out are
// accounted for by the Accountant.
type atoms struct{ l law.Law }

// largest returns max(−γl), which the sums take out.
func (a atoms) largest(gamma float64) float64 {
	n := len(a.l.Loss)
	return math.Max(-gamma*a.l.Loss[0], -gamma*a.l.Loss[n-1])
}

// rel bounds the relative error of a term p·e^(−sl) and of their sum.
func (a atoms) rel(s float64) float64 {
	n := len(a.l.Loss)
	span := math.Max(math.Abs(a.l.Loss[0]), math.Abs(a.l.Loss[n-1]))
	return (a.l.Rel + s*(a.l.LossErr+6*value.U*span) + float64(n+24)*value.U) * (1 + 1e-6)
}

func (a atoms) log(gamma float64) value.Value {
	m := a.largest(gamma)
	sum := 0.0
	for i, l := range a.l.Loss {
		sum += a.l.P[i] * math.Exp(-gamma*l-m)
	}
	rel := a.rel(math.Abs(gamma))
	if !(rel < 0.1) {
		return value.Value{Err: math.Inf(1)}
	}
	return value.Within(m, 0).Add(value.Within(sum, sum*rel).Log())
}

func (a atoms) line(gamma float64, b *budget) line {
	n := &atomsLine{atoms: a, gamma: gamma, left: b, weights: make([]float64, len(a.l.Loss))}
	m := a.largest(gamma)
	for i, l := range a.l.Loss {
		n.weights[i] = a.l.P[i] * math.Exp(-gamma*l-m)
		n.sum += n.weights[i]
	}
	return n
}

type atomsLine struct {
	atoms
	gamma   float64
	left    *budget
	weights []float64
	sum     float64
}

func (a *atomsLine) at(w float64) (complex128, float64) {
	if !a.left.spend(len(a.weights)) {
		return 0, math.Inf(1)
	}
	var re, im float64
	for i, l := range a.l.Loss {
		s, c := math.Sincos(-w * l)
		re += a.weights[i] * c
		im += a.weights[i] * s
	}
	err := 3 * a.rel(math.Abs(a.gamma)+math.Abs(w))
	return logRatio(complex(re/a.sum, im/a.sum), err)
}

func (*atomsLine) tail(float64, float64) float64 { return 0 }
