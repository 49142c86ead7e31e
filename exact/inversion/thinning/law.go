// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package thinning leaves out outcomes of mixtures of Gaussians that have a large loss and are rare.
package thinning

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// A Law leaves out outcomes x of a mixture at random, each with probability 1 − g(x), under P as under Q:
//
//	g(x) = e^{−η(e^{ρx} + ςe^{−ρx})}, η ≥ 0, ρ > 0, ς = 0 or 1.
//
// Rare samples have rare losses a million times as large as all others. M(−λ) soon comes from them alone, which holds
// λ down to about 1 over the largest, and a line then has as many more terms as the others are smaller.
// Without the outcomes whose mass does not matter at δ, λ is 1 over the scale of the losses that do.
//
// Claim. The pair with the densities φ·A·g and φ·B·g leaves out the P-mass
//
//	lost ≤ η·Σ p_i·e^{ρ²/2}·(e^{ρ·m_i} + ςe^{−ρ·m_i}) over A.
//
// Proof. An outcome is x with a coin of probability g(x), which says whether it is kept. The coin does not depend on
// the dataset, so that the pair with coins has the δ of the pair, and x with either coin has the loss of x.
// What is left out has the mass ∫φ·A·(1 − g), 1 − g ≤ −log g, and ∫φ(x − m_i)·e^{±ρx} dx = e^{ρ²/2 ± ρ·m_i}.
//
// All bounds of package inversion hold with f = φ·A^{1−s}·B^s·g in the place of φ·A^{1−s}·B^s:
//
//   - g is entire, and |g(x + iy)| = g(x)^{cos ρy} ≤ √g(x) ≤ 1 for |ρy| ≤ π/3.
//     As log g is concave, √g is at most the larger one of its values at x = 0 and at the ends of a cell;
//     0 is an end, so that it is largest at an end.
//   - F = −(log g)′ = ηρ(e^{ρx} − ςe^{−ρx}) rises. So right of x₁ the slopes of log f, and of log of its bound with √g
//     in the place of g, are at most −x + R − min(F, F/2)(x₁), where R is the right of reach. Left of x₀ they are at
//     least those without g less max(F, F/2)(x₀).
type Law struct {
	rate    double.Interval   // ρ, a point of a few bits, or 0 where all is kept
	left    bool              // ς is 1
	turning double.Interval   // see Turning
	scale   interval.Interval // η, a point
	lost    interval.Interval
}

// A Normal is a component of A: a normal distribution of variance 1.
type Normal struct {
	Prob *big.Rat
	Mean interval.Interval
}

// coarse is the precision at which masses are bounded.
const coarse = interval.Prec(64)

// New leaves a mass of at most 2^−bits of A out, at a rate ρ > 0, which is a point; on the left, too, if ς is 1.
func New(rate float64, left bool, a []Normal, bits int) Law {
	g := Law{rate: double.Point(rate), left: left}
	g.turning = double.Int(3).Mul(g.rate)
	mass, half := interval.Int(0), coarse.Scale(coarse.Sqr(g.growth()), -1)
	for _, c := range a {
		y := coarse.Mul(g.growth(), c.Mean)
		sum := coarse.Exp(coarse.Add(half, y))
		if g.left {
			sum = coarse.Add(sum, coarse.Exp(coarse.Sub(half, y)))
		}
		mass = coarse.Add(mass, coarse.Mul(coarse.Rat(c.Prob), sum))
	}
	budget := coarse.Scale(interval.Int(1), -bits)
	g.scale = interval.Point(coarse.Div(budget, mass).Lo())
	g.lost = interval.Point(budget.Hi())
	return g
}

// Thins reports whether any outcome is left out.
func (g Law) Thins() bool { return g.rate.Hi > 0 }

// Rate is ρ.
func (g Law) Rate() float64 { return g.rate.Hi }

// Turning is a number of at least 3ρ, and 0 where all is kept. Where b·Turning ≤ π, |ρy| ≤ π/3 for |y| ≤ b.
func (g Law) Turning() float64 { return g.turning.Hi }

// Lost bounds the mass that is left out from above.
func (g Law) Lost() interval.Interval { return g.lost }

func (g Law) growth() interval.Interval { return g.rate.Exact() }

// ExponentC encloses −log g at a complex z.
func (g Law) ExponentC(w interval.Prec, z interval.Complex) interval.Complex {
	turn := w.ScaleC(g.growth(), z)
	sum := w.ExpC(turn)
	if g.left {
		sum = w.AddC(sum, w.ExpC(interval.Complex{Re: turn.Re.Neg(), Im: turn.Im.Neg()}))
	}
	return w.ScaleC(g.scale, sum)
}

// arms encloses ηe^{ρx} and ςηe^{−ρx}.
func (g Law) arms(x double.Interval) (right, left double.Interval) {
	if !g.Thins() {
		return right, left
	}
	scale, turn := double.Of(g.scale), g.rate.Mul(x)
	if g.left {
		left = scale.Mul(turn.Neg().Exp())
	}
	return scale.Mul(turn.Exp()), left
}

// Exponent encloses −log g.
func (g Law) Exponent(x double.Interval) double.Interval {
	right, left := g.arms(x)
	return right.Add(left)
}

// Fall encloses −(log g)′.
func (g Law) Fall(x double.Interval) double.Interval {
	right, left := g.arms(x)
	return g.rate.Mul(right.Sub(left))
}

// InWords returns −log g off the line, in words.
func (g Law) InWords() func(z fixed.Complex) fixed.Complex {
	if !g.Thins() {
		return func(fixed.Complex) (none fixed.Complex) { return none }
	}
	words := fixed.Three{}
	scale, growth := fixed.FromInterval(g.scale), fixed.FromInterval(g.growth())
	return func(z fixed.Complex) fixed.Complex {
		turn := words.ScaleC(growth, z)
		sum := words.ExpC(turn)
		if g.left {
			sum = words.AddC(sum, words.ExpC(words.SubC(fixed.Complex{}, turn)))
		}
		return words.ScaleC(scale, sum)
	}
}
