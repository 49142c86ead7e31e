// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"fmt"
	"math"
	mathbits "math/bits"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A thinning leaves out outcomes x of a mixture at random, each with probability 1 − g(x), under P as under Q:
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
// All bounds of a mixture hold with f = φ·A^{1−s}·B^s·g in the place of φ·A^{1−s}·B^s:
//
//   - g is entire, and |g(x + iy)| = g(x)^{cos ρy} ≤ √g(x) ≤ 1 for |ρy| ≤ π/3.
//     As log g is concave, √g is at most the larger one of its values at x = 0 and at the ends of a cell;
//     0 is an end, so that it is largest at an end.
//   - F = −(log g)′ = ηρ(e^{ρx} − ςe^{−ρx}) rises. So right of x₁ the slopes of log f, and of log of its bound with √g in
//     the place of g, are at most −x + R − min(F, F/2)(x₁), where R is the right of reach.
//     Left of x₀ they are at least those without g less max(F, F/2)(x₀).
type thinning struct {
	rate    float64           // ρ, of a few bits
	left    bool              // ς is 1
	turning float64           // 3ρ: where b·turning ≤ π, |ρy| ≤ π/3 for |y| ≤ b
	scale   interval.Interval // η
	lost    interval.Interval // an upper bound of the mass left out
}

// thins reports whether any outcome is left out.
func (g thinning) thins() bool { return g.rate > 0 }

// growth is ρ.
func (g thinning) growth() interval.Interval { return point64(g.rate) }

// exponentIn encloses −log g.
func (g thinning) exponentIn(w interval.Prec, z interval.Complex) interval.Complex {
	turn := w.ScaleC(g.growth(), z)
	sum := w.ExpC(turn)
	if g.left {
		sum = w.AddC(sum, w.ExpC(interval.Complex{Re: turn.Re.Neg(), Im: turn.Im.Neg()}))
	}
	return w.ScaleC(g.scale, sum)
}

// arms encloses ηe^{ρx} and ςηe^{−ρx}.
func (g thinning) arms(x double.Interval) (right, left double.Interval) {
	if !g.thins() {
		return right, left
	}
	scale, turn := double.Of(g.scale), double.Point(g.rate).Mul(x)
	if g.left {
		left = scale.Mul(turn.Neg().Exp())
	}
	return scale.Mul(turn.Exp()), left
}

// exponent encloses −log g.
func (g thinning) exponent(x double.Interval) double.Interval {
	right, left := g.arms(x)
	return right.Add(left)
}

// fall encloses −(log g)′.
func (g thinning) fall(x double.Interval) double.Interval {
	right, left := g.arms(x)
	return double.Point(g.rate).Mul(right.Sub(left))
}

// thin returns m without rare outcomes of a large loss, of a mass of at most 2^−bits.
// It reports false if m has no large losses on the right.
func (m *mixture) thin(bits int) (*mixture, bool) {
	if up, ok := m.apart(); !ok || !up || m.thins() {
		return nil, false
	}
	out := &mixture{a: m.a, b: m.b, doubleA: m.doubleA, doubleB: m.doubleB}
	g := &out.thinning
	g.rate = m.chooseRate(float64(bits) * math.Ln2)
	g.turning = 3 * g.rate // exact
	g.left = meanRange(m.doubleB).Lo < 0
	mass, half := interval.Int(0), coarse.Scale(coarse.Sqr(g.growth()), -1)
	for _, c := range m.a {
		y := coarse.Mul(g.growth(), c.mean(coarse))
		sum := coarse.Exp(coarse.Add(half, y))
		if g.left {
			sum = coarse.Add(sum, coarse.Exp(coarse.Sub(half, y)))
		}
		mass = coarse.Add(mass, coarse.Mul(coarse.Rat(c.prob), sum))
	}
	budget := coarse.Scale(one, -bits)
	g.scale = interval.Point(coarse.Div(budget, mass).Lo())
	g.lost = upper(budget)
	out.table = sync.OnceValue(out.newTable)
	return out, true
}

// thinned returns the transform without rare outcomes, of a mass of at most 2^−bits in all. It is nil if there is none
// to leave out.
func (x *Transform) thinned(bits int) *Transform {
	if y, known := x.thin[bits]; known {
		return y
	}
	y := &Transform{memo: x.memo}
	any := false
	for _, t := range x.terms {
		share := bits + mathbits.Len64(uint64(t.count)) + mathbits.Len(uint(len(x.terms)))
		if m, ok := plain(t.f).(*mixture); ok {
			if thin, ok := m.thin(share); ok {
				any = true
				if k, ok := t.f.(keptFactor); ok {
					t.f = keptFactor{thin, k.memo, memoKey{pair: fmt.Sprint(k.key.pair, " but ", share)}}
				} else {
					t.f = thin
				}
			}
		}
		y.terms = append(y.terms, t)
	}
	y.falls, y.limited = y.decays()
	if !any || !y.falls {
		y = nil
	} else {
		y.quantum, y.inWords = y.chooseQuantum(), true
	}
	const maxThinned = 16
	remember(&x.thin, bits, y, maxThinned)
	return y
}

// throughThinned encloses δ(ε) without outcomes of a mass of 2^−bits, with bits such that it has p bits or little less.
func (x *Transform) throughThinned(
	ctx context.Context, p interval.Prec, bits int, eps interval.Real,
) (d interval.Interval, err error) {
	for range 3 {
		x.mu.Lock()
		y := x.thinned(bits)
		x.mu.Unlock()
		if d, err = y.Delta(ctx, p, eps); err != nil {
			return d, err
		}
		short := int(p) - d.RelativeBits(int(p))
		if short <= 2 || d.Hi().Sign() == 0 {
			break
		}
		bits += (min(short, 128) + 4 + 15) / 16 * 16
	}
	return d, nil
}
