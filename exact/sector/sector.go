// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package sector encloses profiles of few Poisson samples of Gaussian noise, or of many rare ones, composed, to any
// number of digits, by the transform of their losses in a sector of the plane.
//
// Steps. A step is ((1−q)·N(0, 1) + q·N(μ, 1), N(0, 1)), or of a replaced record ((1−q)·N(0, 1) + q·N(μ, 1), (1−q)·N(0,
// 1) + q·N(−μ, 1)), of the loss v + X under its second side: v = log(1−q) and X = log(1 + e^t) > 0, t normal, or v = 0
// and X as law says, of both signs.
//
// N(s) = E e^{−sX} is entire, as X grows like a normal variable, |N| ≤ 1 where Re s = 0, and N(−1) = e^{−v}. For T_i
// steps of several kinds let Φ = Π N_i^{T_i}, V = Σ T_i·v_i, z = ε − V ≥ 0, and g(s) = e^{sz}·Φ(s)/(1+s). Let
//
//	I = (1/2πi)·∫ g(s) ds/s  upwards along Re s = c > 0.
//
// Claim 1. δ(ε) of the steps is 1 − e^ε + e^ε·I. Of the reversed steps, δ(−ε) is I. Steps of replaced records are their
// own reverse.
//
// Proof. For real x and Re s > 0, ∫_{y≥x} e^{−sy}·(1 − e^{x−y}) dy = e^{−sx}/(s(1+s)), which is summable on the line:
// so I = E(1 − e^{ΣX−z})₊. The loss of the steps is V + ΣX, that of the reversed ones its negative, and so I is δ(−ε)
// of the latter. For any two measures δ_{P‖Q}(ε) = ∫(p − e^ε·q) + ∫(e^ε·q − p)₊ = 1 − e^ε + e^ε·δ_{Q‖P}(−ε). ∎
//
// On a vertical line |Φ| of few steps falls late. In a sector all falls exponentially:
//
//	       ╲  s, an angle d left of the imaginary axis
//	        ╲           │
//	         ╲          │ Re s = c          ╱ Re X
//	──────────•─────────┼──────   ─────────•──────────
//	         ╱          │                   ╲
//	        ╱           │                    ╲ X > 0, an angle 2d below the positive axis
//	       ╱
//
// The part X < 0 of N needs no turn, as e^{−sX} falls with it left of the imaginary axis. Let 0 < d < π/12, pivots
// bound |N_i| where |arg s| ≤ π/2 + 2d, M bound |g| where |s| ≤ ½, and J = ∫|g|·d|s|/|s| where arg s = π/2 + 2d, |s| ≥
// ½.
//
// Claim 2. With s_j = e^{jh}·i·e^{id},
//
//	I = (π/2 + d)/π + (h/π)·Σ_j Im g(s_j) + off,
//	|off| ≤ (1/π)·(J + 2M + 4)/(e^{2πd/h} − 1),  M = 2·e^{z/2}·Π(E e^{|X|/2})^T.
//
// Proof. In the sector |g| ≤ Π(1 + K(2d))^T/|1+s|, as |e^{sz}| ≤ 1 left of the imaginary axis, so that arcs of a large
// radius add nothing to the integral of g/s. The line moves to the rays of ±β, β = π/2 + d, but for a small arc around
// 0 that passes on the right, and has β/π in the limit, as g(0) = 1. On the rays ds/s = du with |s| = e^u: the rest is
// (1/π)·∫G du, with G = (g(e^{u+iβ}) − g(e^{u−iβ}))/2i, which is Im g for real u. At Im u = d one point has the
// argument β + d and the other one −π/2, and at Im u = −d it is the other way round. Where |s| ≥ ½, |g| ≤ 1/|s| at
// ±π/2: ∫|G| du is at most (J + 2)/2. Where |s| ≤ ½, |g − 1| ≤ 2(M+1)·|s| by Schwarz's lemma, and ∫|G| du ≤ M + 1.
// Between, arguments are in [π/2, π/2 + 2d] up to a sign, and G falls likewise on both sides. So it is the trapezoidal
// rule of a function that is analytic in a strip: off by both integrals over e^{2πd/h} − 1. And for |s| ≤ ½, |N| ≤ E
// e^{|X|/2}, |e^{sz}| ≤ e^{z/2} and |1+s| ≥ ½. Where z = 0, |g| falls like 1/|s| in the sector, and J and the sum are
// finite, too. ∎
//
// Claim 3. What the terms j > j₁ add is bounded by |g| on the ray, see fall. Those j < j₀ are Σ_n g_n·sin(nβ)·e^{nj₀h}/
// (e^{nh} − 1), where g = Σg_n·s^n. If y = 2·e^{(j₀−1)h} < 1, orders n > m add M·y^{m+1}/((1−y)(1 − e^{−(m+1)h})) to
// that at most.
//
// Proof. Cauchy: |g_n| ≤ M·2^n. ∎
package sector

import (
	"context"
	"math/big"
	"sync"

	"dpverify/exact/interval"
	"dpverify/exact/inversion/remembered"
	"dpverify/exact/pair"
)

// Steps are a product of Poisson samples of Gaussian noise. They keep their lines, and may be used by several
// goroutines.
type Steps struct {
	steps    []step
	reversed bool
	replaced bool
	mu       sync.Mutex
	lines    map[lineKey]*line
}

// A lineKey says how many bits a line is for, and for which z: at least 2^size, and less than twice that, or for z = 0,
// of size zero.
type lineKey struct {
	bits interval.Prec
	size int
}

const zero = -1 << 30

// New returns the steps that a product is. It reports false for other products.
func New(prod pair.Product) (*Steps, bool) {
	x := &Steps{lines: make(map[lineKey]*line)}
	for i, t := range prod {
		y := step{count: t.Count}
		reversed := false
		switch p := t.Pair.(type) {
		case pair.Sampled:
			mu2, others := p.Base.Gaussians()
			if len(others) > 0 {
				return nil, false
			}
			y.q, y.mu2, reversed = p.Rate, mu2, p.Reversed
		case pair.SampledReplaceGaussian:
			y.q, y.mu2, y.replaced = p.Rate, p.Mu2, true
		default:
			return nil, false
		}
		if i > 0 && (reversed != x.reversed || y.replaced != x.replaced) || y.mu2.Sign() <= 0 || y.q.Sign() <= 0 ||
			y.q.Cmp(big.NewRat(1, 1)) >= 0 {
			return nil, false
		}
		x.reversed, x.replaced = reversed, y.replaced
		x.steps = append(x.steps, y)
	}
	return x, len(prod) > 0
}

// Copies is the number of steps.
func (x *Steps) Copies() (n int64) {
	for _, s := range x.steps {
		n += s.count
	}
	return n
}

// Replaced reports whether records are replaced.
func (x *Steps) Replaced() bool { return x.replaced }

// Delta encloses δ(ε). It reports false where it has no line for it, or one that gives far fewer bits than p.
// An answer depends on the question alone, not on lines that others left. δ seems to be about 2^−scale or more.
//
// Next to the edge, where z may be 0 or less, no answer is given unless z is known to be: there δ is 1 − e^ε, and 0 of
// reversed steps. Of replaced records, whose losses have both signs, z is |ε|.
func (x *Steps) Delta(ctx context.Context, p interval.Prec, eps interval.Real, scale int) (
	interval.Interval, bool, error) {
	const room, guard, few = 64, 8, 4
	// cancelled are the bits that 1 − e^ε + e^ε·I loses, or that I is below 1.
	cancelled := interval.Prec(min(max(scale, 16), int(p)+room)+7) / 8 * 8
	var y interval.Interval
	for range 3 {
		w := p + cancelled + guard
		e := eps(w + room)
		at, reversed := e, x.reversed || x.replaced && e.Negative() == interval.True
		if reversed {
			at = e.Neg()
		}
		z := (w + room).Sub(at, edge(w+room, x.steps))
		below := interval.Max(interval.Int(0), (w + room).Expm1(at).Neg())
		if z.Positive() == interval.False && !x.replaced {
			if reversed {
				return interval.Int(0), true, nil
			}
			return (p + guard).Round(below), true, nil
		}
		l, err := x.line(ctx, w, z)
		if l == nil || err != nil {
			return y, false, err
		}
		if y, err = l.integral(ctx, z); err != nil {
			return y, false, err
		}
		if !reversed {
			y = w.Sub(w.Mul((w+room).Exp(at), y), (w + room).Expm1(at))
		}
		y = interval.Clamp(interval.Max(y, interval.Int(0)), 0, 1)
		short := int(p) - y.RelativeBits(int(p))
		if short <= few || y.Hi().Sign() == 0 {
			return (p + guard).Round(y), true, nil
		}
		cancelled += (interval.Prec(short) + 4 + 15) / 16 * 16
	}
	return y, false, nil
}

// line returns the line for z and so many bits, or nil if there is none.
func (x *Steps) line(ctx context.Context, bits interval.Prec, z interval.Interval) (*line, error) {
	if z.Negative() != interval.False || !z.IsFinite() {
		return nil, nil
	}
	key := lineKey{bits, zero}
	if z.Lo().Sign() > 0 {
		key.size = z.Lo().MantExp(nil) - 1
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return remembered.Of(&x.lines, key, 16, func() (*line, error) {
		if lay, ok := chooseLayout(x.steps, bits, key.size); ok {
			return newLine(ctx, x.steps, bits+32, lay)
		}
		return nil, nil
	})
}
