// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package afa is the analytical Fourier accountant as its paper computes it [Zhu, Dong & Wang 2022, Algorithms 1
// and 2, Appendix E]: the logarithms of characteristic functions are added up, and two distribution
// functions of the privacy loss are integrated on the real line by adaptive Gaussian quadrature.
//
// It is something to compare with: its numbers have no bound of their error, and rounding to float64 alone leaves
// some 1e-13 of δ unknown. Package float/fourier is the same accountant on a better line, with a
// bound of its error, and package exact proves its answers.
//
// Where the paper errs, see docs/errata.md, the corrected statement is computed: infinite losses make the
// law of the others one of less mass, and cells have their masses, not the masses of a Riemann sum.
package afa

import (
	"context"
	"math"
	"math/cmplx"

	"dpverify/float/pair"
)

// A factor is the pair of characteristic functions of Count copies of a pair (P, Q): log φ(t) = log E_P e^(it·log P/Q),
// and the same with P and Q exchanged, over finite losses.
type factor struct {
	log, logReverse func(t float64) complex128
	count           float64
}

// An Accountant holds the characteristic functions of a product. It remembers their values, and is not for concurrent
// use.
type Accountant struct {
	factors []factor
	cost    int     // evaluations of one exponential or so for one φ(t)
	panels  int     // at most so many are made for one integral
	wanted  float64 // the error of an integral that is aimed at
	work    int     // the sum of cost until now
	known   [2]map[float64]complex128
}

// New returns the accountant of a product; false if there is a factor with no characteristic function here. Those of
// samples are integrals, by a rule of Nodes points each ("double quadrature").
func New(p pair.Product) (*Accountant, bool) {
	return newAccountant(p, closed)
}

func newAccountant(p pair.Product, of func(pair.Pair) (functions, bool)) (*Accountant, bool) {
	a := &Accountant{panels: maxPanels, known: [2]map[float64]complex128{{}, {}}}
	copies := 0.0
	for _, t := range p {
		f, ok := of(t.Pair)
		if !ok {
			return nil, false
		}
		copies += float64(t.Count)
		a.factors = append(a.factors, factor{f.log, f.logReverse, float64(t.Count)})
		a.cost += f.cost
	}
	// What the paper asks its quadrature for, or what the rounding of φ leaves, to the power of the number of copies.
	a.wanted = max(1e-14, copies*0x1p-52)
	return a, true
}

// The two characteristic functions of a product.
const (
	ofP = iota // φ, of log P/Q under P
	ofQ        // φ′, of log Q/P under Q
)

// phi returns φ(t) of the product, or φ′(t).
func (a *Accountant) phi(of int, t float64) complex128 {
	y, ok := a.known[of][t]
	if ok {
		return y
	}
	a.work += a.cost
	for _, f := range a.factors {
		log := f.log
		if of == ofQ {
			log = f.logReverse
		}
		y += complex(f.count, 0) * log(t)
	}
	y = cmplx.Exp(y)
	if a.cost > len(a.factors) { // not only closed forms
		a.known[of][t] = y
	}
	return y
}

// Within makes the accountant aim at an error of each integral, and not at the least one that there is.
func (a *Accountant) Within(tolerance float64) { a.wanted = max(a.wanted, tolerance) }

// Phi returns φ(t) of the product, and φ′(t), its counterpart for (Q, P).
func (a *Accountant) Phi(t float64) (phi, reverse complex128) { return a.phi(ofP, t), a.phi(ofQ, t) }

// An Answer is the answer of the accountant to one δ.
type Answer struct {
	Delta float64
	// Guess is what the quadrature guesses of its error, which is no bound.
	Guess float64
	// Points is the number of t at which a characteristic function was wanted.
	Points int
}

// Delta returns δ(ε) by Lévy's formula [Theorem 17, Lemma 19]: with m = φ(0) and m′ = φ′(0),
//
//	P(L ≤ ε) = m/2 − (1/π)·∫_0^∞ Im(e^(−itε)·φ(t))/t dt, δ(ε) = 1 − P(L ≤ ε) − e^ε·Q(L′ ≤ −ε),
//
// where the last one is of L′ = log Q/P under Q. The range is mapped to [0, 1] by t = x/(1 − x²) [Lemma 42].
func (a *Accountant) Delta(ctx context.Context, eps float64) Answer {
	m, reverse := a.Phi(0)
	f, guess, points := a.cdf(ctx, ofP, eps, real(m))
	g, other, more := a.cdf(ctx, ofQ, -eps, real(reverse))
	growth := math.Exp(eps)
	return Answer{1 - f - growth*g, guess + growth*other, points + more}
}

// cdf returns the mass of finite losses up to x.
func (a *Accountant) cdf(ctx context.Context, of int, x, mass float64) (f, guess float64, points int) {
	sum, err, points := integrate(ctx, func(u float64) float64 {
		v := 1 - u*u
		t := u / v
		if !(v > 0) || math.IsInf(t, 0) {
			return 0
		}
		y := imag(cmplx.Exp(complex(0, -t*x)) * a.phi(of, t))
		if y == 0 {
			return 0
		}
		return y / t * (1 + u*u) / (v * v)
	}, a.wanted, a.panels)
	return mass/2 - sum/math.Pi, err / math.Pi, points
}

// Epsilon returns the least ε ≥ 0 with δ(ε) ≤ delta, by bisection, and the answer there; ∞ if there is none. It ends
// where the guess of an error reaches most: what is more or less than delta, the quadrature cannot tell then.
func (a *Accountant) Epsilon(ctx context.Context, delta, most float64) (float64, Answer) {
	total := Answer{}
	at := func(eps float64) float64 {
		x := a.Delta(ctx, eps)
		total = Answer{x.Delta, x.Guess, total.Points + x.Points}
		return x.Delta
	}
	lo, hi := 0.0, 1.0
	if at(0) <= delta {
		return 0, total
	}
	over := func() bool { return ctx.Err() != nil || total.Guess >= most }
	for at(hi) > delta {
		if lo, hi = hi, 2*hi; hi > 600 || over() {
			return math.Inf(1), total
		}
	}
	for hi-lo > 1e-12*hi && !over() {
		mid := (lo + hi) / 2
		if at(mid) > delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	if !over() {
		at(hi)
	}
	return hi, total
}
