// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
)

// A Profile computes δ(ε) of the composition, and its gradient, from a loss distribution
// on a grid of spacing h.
//
// Let w_j be the masses of one release at the losses l_j = jh: the mass a_i of a cell of loss
// L_i = log(a_i/b_i) = l_j + θh is split, 1 − θ at j and θ at j + 1. With φ(s) = (1 − e^(ε−s))₊,
// Φ(l) = Σ_s w^*(n−1)(s)·φ(s + l), linear between grid points, and the mass ω of infinite loss,
//
//	δ = Σ_j w_j·Φ(l_j) + 1 − (1 − ω)^n
//	∂δ/∂a_i = n·(Φ(L_i) + Φ′(L_i)),  ∂δ/∂b_i = −n·Φ′(L_i)·a_i/b_i,
//	∂δ/∂a_i = n·(1 − ω)^(n−1)  where b_i = 0:
//
// the derivative of the discretised δ, exactly. So that small values keep their digits, w is tilted
// to q_j = w_j·e^(λl_j)/M, M = Σ w_j·e^(λl_j), with n·(log M)′(λ) = ε:
//
//	Φ(l) = M^(n−1)·e^(λl)·Σ_s q^*(n−1)(s)·φ_λ(s + l),  φ_λ(s) = e^(−λs)·φ(s),
//
// a correlation: one Fourier transform of q, its power, and one back. Splitting adds to the
// variance of a loss θ(1 − θ)h² ≈ h²/6, which changes δ by about the factor 1 + nλ²h²/12.
//
// What is left of Φ(l) below the rounding of the transform, relative to its greatest value, is nothing;
// there it is at least, and nearly, Σ_s w^*(n−1)(s)·(1 − e^(ε−s−l)) = (1−ω)^(n−1) − e^(ε−l)·(Σ w_j·e^(−l_j))^(n−1).
type Profile struct {
	Problem
	order Order
	// soft: LossPDP of a composition, about P(L > ε). With ψ the sigmoid in place of (1 − e^(ε−s))₊,
	//
	//	Σ_j w_j·Ψ(l_j) + 1 − (1 − ω)^n,  Ψ(l) = Σ_s w^*(n−1)(s)·ψ(s + l).
	//
	// ψ(s) falls below ε as e^(500s), faster than a tilt of at most 400 raises it, and is at least 1 − e^(ε−s) above ε,
	// so that what stands for Ψ below the rounding of the transform is a lower bound of it, too. A step of the grid is
	// an eighth of the width of ψ.
	soft   bool
	h      float64
	size   int // of the grid: losses (j − size/2)·h
	lambda float64
	fft    *fourier.FFT
	phi    []complex128 // transform of φ_λ
	// Scratch.
	grow, decay []float64 // e^(λl_j), of at most 700, and e^(−l_j)
	w, seq      []float64
	coeff       []complex128
	Phi         []float64
}

// NewProfile chooses the grid for noise near the given one, such that the discretisation
// changes δ by about the factor 1 ± tolerance. Two releases need no grid: see two.
func NewProfile(p Problem, o Order, half []float64, tolerance float64) *Profile {
	return newProfile(&Profile{Problem: p, order: o}, half, tolerance)
}

func newProfile(e *Profile, half []float64, tolerance float64) *Profile {
	p := e.Problem
	if p.Count == 2 && !e.soft {
		return e
	}
	a, b := e.pair(e.order, half)
	losses := finite(a, b)
	e.lambda = e.saddle(a, b, losses)
	mean, variance := e.tilted(a, b, losses, e.lambda)
	n := float64(p.Count)
	e.h = math.Sqrt(12*tolerance/n) / math.Max(e.lambda, leastTilt)
	if e.soft {
		e.h = math.Min(e.h, 1.0/(8*slopePDP))
	}
	reach := p.Eps + math.Abs(mean)*n + 12*math.Sqrt(variance*n)
	for _, l := range losses {
		if math.Abs(l) < 2*p.Eps+1 {
			reach = math.Max(reach, p.Eps+math.Abs(l))
		}
	}
	const least, most = 1 << 12, 1 << 17
	for e.size = least; e.size < most && float64(e.size)*e.h < 2*reach; e.size *= 2 {
	}
	e.h = math.Max(e.h, 2*reach/float64(e.size))
	e.fft = fourier.NewFFT(e.size)
	e.w, e.seq, e.Phi = make([]float64, e.size), make([]float64, e.size), make([]float64, e.size)
	e.coeff = make([]complex128, e.size/2+1)
	e.tilt()
	return e
}

// tilted returns the mean and the variance of the loss under a·e^(λL).
func (e *Profile) tilted(a, b, losses []float64, lambda float64) (mean, variance float64) {
	top := math.Inf(-1)
	for i, l := range losses {
		if a[i] > 0 && b[i] > 0 {
			top = math.Max(top, lambda*l+math.Log(a[i]))
		}
	}
	var s0, s1, s2 float64
	for i, l := range losses {
		if a[i] > 0 && b[i] > 0 {
			x := math.Exp(lambda*l + math.Log(a[i]) - top)
			s0 += x
			s1 += x * l
			s2 += x * l * l
		}
	}
	mean = s1 / s0
	return mean, math.Max(s2/s0-mean*mean, 0)
}

const (
	// maxTilt keeps e^(λL) in range.
	maxTilt = 400
	// leastTilt keeps grids fine where δ is large.
	leastTilt = 25
)

// saddle returns λ ≥ 0 with n·E_λ L = ε, about.
func (e *Profile) saddle(a, b, losses []float64) float64 {
	n := float64(e.Count)
	if mean, _ := e.tilted(a, b, losses, 0); n*mean >= e.Eps {
		return 0
	}
	lo, hi := 0.0, 1.0
	for hi < maxTilt {
		if mean, _ := e.tilted(a, b, losses, hi); n*mean >= e.Eps {
			break
		}
		lo, hi = hi, 2*hi
	}
	for range 8 {
		x := (lo + hi) / 2
		if mean, _ := e.tilted(a, b, losses, x); n*mean >= e.Eps {
			hi = x
		} else {
			lo = x
		}
	}
	return math.Min(hi, maxTilt)
}

// tilt transforms φ_λ; index 0 is the loss 0.
func (e *Profile) tilt() {
	for j := range e.seq {
		s := float64(j) * e.h
		if j >= e.size/2 {
			s -= float64(e.size) * e.h
		}
		e.seq[j] = 0
		switch {
		case e.soft:
			x, _ := e.indicator(s)
			e.seq[j] = x * math.Exp(-e.lambda*s)
		case s > e.Eps:
			e.seq[j] = -math.Expm1(e.Eps-s) * math.Exp(-e.lambda*s)
		}
	}
	e.phi = e.fft.Coefficients(e.phi, e.seq)
	e.grow, e.decay = make([]float64, e.size), make([]float64, e.size)
	for j := range e.grow {
		l := float64(j-e.size/2) * e.h
		e.grow[j], e.decay[j] = math.Exp(math.Min(e.lambda*l, 700)), math.Exp(-l)
	}
}

// Delta returns δ of the order.
func (e *Profile) Delta(half []float64) float64 {
	d, _, _ := e.delta(half, false)
	return d
}

// Gradient returns δ of the order and its derivatives by the half masses.
func (e *Profile) Gradient(half []float64) (float64, []float64) {
	d, ga, gb := e.delta(half, true)
	return d, e.back(e.order, ga, gb)
}

func (e *Profile) delta(half []float64, gradient bool) (d float64, ga, gb []float64) {
	if e.Count == 2 && !e.soft {
		return e.two(e.order, half, gradient)
	}
	a, b := e.pair(e.order, half)
	n := float64(e.Count)
	losses := finite(a, b)
	clear(e.w)
	omega := 0.0
	at := make([]int, len(a))
	part := make([]float64, len(a))
	for i := range a {
		switch {
		case a[i] <= 0:
		case b[i] <= 0:
			omega += a[i]
		default:
			u := losses[i]/e.h + float64(e.size/2)
			u = math.Min(math.Max(u, 0), float64(e.size)-1.001)
			at[i] = int(u)
			part[i] = u - float64(at[i])
			e.w[at[i]] += a[i] * (1 - part[i])
			e.w[at[i]+1] += a[i] * part[i]
		}
	}
	e.correlate()
	for j, w := range e.w {
		d += w * e.Phi[j]
	}
	d -= math.Expm1(n * math.Log1p(-omega))
	if !gradient {
		return d, nil, nil
	}
	ga, gb = make([]float64, len(a)), make([]float64, len(a))
	for i := range a {
		switch {
		case a[i] <= 0:
		case b[i] <= 0:
			ga[i] = n * math.Pow(1-omega, n-1)
		default:
			rise := e.Phi[at[i]+1] - e.Phi[at[i]]
			slope := rise / e.h
			ga[i] = n * (e.Phi[at[i]] + part[i]*rise + slope)
			gb[i] = -n * slope * (a[i] / b[i])
		}
	}
	return d, ga, gb
}

// correlate computes Φ from the masses w.
func (e *Profile) correlate() {
	half := e.size / 2
	total := 0.0
	for j, w := range e.w {
		x := 0.0
		if w > 0 {
			x = w * e.grow[j]
		}
		e.seq[(j+half)%e.size] = x
		total += x
	}
	for j := range e.seq {
		e.seq[j] /= total
	}
	e.fft.Coefficients(e.coeff, e.seq)
	for j, c := range e.coeff {
		e.coeff[j] = cmplx.Conj(power(c, e.Count-1)) * e.phi[j]
	}
	e.fft.Sequence(e.seq, e.coeff)
	n := float64(e.Count - 1)
	scale := math.Exp(n*math.Log(total)) / float64(e.size)
	most := slices.Max(e.seq)
	mass, reversed := 0.0, 0.0 // Σ w_j and Σ w_j·e^(−l_j)
	for j, w := range e.w {
		if w > 0 {
			mass += w
			reversed += w * e.decay[j]
		}
	}
	mass, reversed = math.Pow(mass, n), math.Exp(e.Eps)*math.Pow(reversed, n)
	for j := range e.Phi {
		x := math.Max(0, mass-e.decay[j]*reversed)
		if c := e.seq[(j+half)%e.size]; c > rounding*most {
			x = math.Max(x, math.Min(scale*c*e.grow[j], mass))
		}
		e.Phi[j] = x
	}
}

// rounding is what of a transform is noise, relative to its greatest value, with a margin.
const rounding = 1e-12

func power(c complex128, n int) complex128 {
	out := complex(1, 0)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out *= c
		}
		c *= c
	}
	return out
}
