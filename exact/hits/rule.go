// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package hits

import (
	"context"
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// A layout has a trapezoidal rule's nodes first·η … last·η, and the b of its strip.
type layout struct {
	step, strip *big.Rat
	first, last int64
}

// A rule is Σ weight·e^{−it·loss}, which is off by at most err from the transform of a part.
type rule struct {
	weights, losses []interval.Interval
	zero            interval.Interval // at least the transform at −λ
	err             interval.Interval
}

// rule returns a trapezoidal rule for |t| ≤ t. It reports false where it has none.
//
// Claim. Let 0 < b < π/μ, V = 1 + 1/w², or 1 for the whole, m = 0 where B = 1 and else 1, and
//
//	r = 2·e^{b²V/2 + tb(1+m)μ − 2πb/η}·cos(mμb/2)^{−λ}/(1 − e^{−2πb/η}) < 1.
//
// The sum over all kη, which is S at t = 0, is off by at most r·φ(−λ) ≤ r/(1 − r)·S. Nodes beyond an outermost one X
// add at most, with R = μ(1 + λ + mλ) and the factor g, h or 1 of the part,
//
//   - on the right F(X)/(X − R), and for clear ones F(X)·g(X)/(X − R + max(0, X − c)/w²);
//   - on the left F(X)/−X, and for hits F(X)·h(X)/(max(0, c − X)/w² − X),
//
// where what they are divided by is positive.
//
// Proof. Terms of A and B have arguments between 0 and ±μ·Im z, less than π: A and B have principal powers where
// |Im z| ≤ b, arguments of at most μb, |A| ≤ A(x), and |B| ≥ cos(μb/2)·B(x), by its part along the bisector of the
// angle. |g| and |h| are at most e^{b²/2w²} times those on the line, see fall. So integrals along both borders are at
// most r·(e^{2πb/η} − 1)/2·φ(−λ), and a trapezoidal sum is off by both of them over e^{2πb/η} − 1. Slopes: A′/A is in
// [0, μ] and B′/B in [−mμ, 0], so that log F has a slope of at least −x and at most R − x; that of log Φ(−u) is at most
// −u and at most 0. So from X on a bound falls exponentially at the rate by which is divided, and a sum over nodes of
// what falls is at most its integral over η. ∎
func (s step) rule(p part, c split, lambda *big.Rat, t interval.Interval, lay layout) (r rule, ok bool) {
	w := s.w
	l := w.Rat(lambda)
	eta, b := w.Rat(lay.step), coarse.Rat(lay.strip)
	angle := coarse.Mul(s.mu, b)
	if !positive(eta) || !positive(b) || angle.Less(coarse.Pi()) != interval.True || lay.first > lay.last {
		return r, false
	}
	vary, turning, reach := one, angle, w.Mul(s.mu, w.Add(one, l))
	if p != whole {
		vary = coarse.Add(one, coarse.Inv(coarse.Sqr(coarse.Rat(c.width))))
	}
	turns := coarse.Scale(coarse.Div(coarse.Mul(coarse.Pi(), b), eta), 1)
	grow := coarse.Sub(coarse.Scale(coarse.Mul(coarse.Sqr(b), vary), -1), turns)
	if s.two {
		turning, reach = coarse.Scale(angle, 1), w.Add(reach, w.Mul(s.mu, l))
		cos := coarse.Cos(coarse.Scale(angle, -1))
		if !positive(cos) {
			return r, false
		}
		grow = coarse.Sub(grow, coarse.Mul(l, coarse.Log(cos)))
	}
	grow = coarse.Add(grow, coarse.Mul(t, turning))
	off := coarse.Scale(coarse.Div(coarse.Exp(grow), coarse.Expm1(turns.Neg()).Neg()), 1).Upper()
	if off.Less(one) != interval.True {
		return r, false
	}
	center, w2 := w.Rat(c.center), w.Sqr(w.Rat(c.width))
	nodes := func(k int64) (x, f, g interval.Interval) {
		x = w.Mul(interval.Int(k), eta)
		f, loss := s.density(l, x)
		g = c.of(w, p, x)
		r.weights, r.losses = append(r.weights, w.Mul(eta, w.Mul(f, g))), append(r.losses, loss)
		return x, f, g
	}
	over := func(f, rate interval.Interval) interval.Interval {
		if !positive(rate) {
			return interval.PosInf()
		}
		return coarse.Div(f, rate)
	}
	x, f, g := nodes(lay.first)
	rate := x.Neg()
	if p == hit {
		f, rate = w.Mul(f, g), w.Add(rate, interval.Max(interval.Int(0), w.Div(w.Sub(center, x), w2)))
	}
	cut := over(f, rate)
	for k := lay.first + 1; k <= lay.last; k++ {
		x, f, g = nodes(k)
	}
	rate = w.Sub(x, reach)
	if p == clear {
		f, rate = w.Mul(f, g), w.Add(rate, interval.Max(interval.Int(0), w.Div(w.Sub(x, center), w2)))
	}
	cut = coarse.Add(cut, over(f, rate))
	sum := cut
	for _, y := range r.weights {
		sum = w.Add(sum, y)
	}
	r.zero = coarse.Div(sum, coarse.Sub(one, off)).Upper()
	r.err = coarse.Add(cut, coarse.Mul(off, r.zero)).Upper()
	return r, r.err.IsFinite()
}

// waves encloses the transform at −λ + ijh, j = 0 … n. It is nil where words do not hold it.
//
// Sums of waves are of the middles of weights and turns: as |e^{−ijθ} − e^{−ijθ′}| ≤ j·|θ − θ′|, others differ from
// them by at most Σ (2r_k + n·ρ_k·a_k), where weights a_k are known within r_k and turns within ρ_k.
func (r rule) waves(ctx context.Context, w interval.Prec, h interval.Interval, n int) ([]interval.Complex, error) {
	weights, turns := make([]fixed.Real, len(r.weights)), make([]fixed.Real, len(r.weights))
	off := r.err
	for k, y := range r.weights {
		theta := w.Mul(h, r.losses[k])
		a, b := w.Mid(y), w.Mid(theta)
		weights[k], turns[k] = fixed.FromInterval(a), fixed.FromInterval(b)
		turned := coarse.Mul(interval.Int(int64(n)), coarse.Mul(coarse.Sub(theta, b).Abs(), y))
		off = coarse.Add(off, coarse.Add(coarse.Scale(coarse.Sub(y, a).Abs(), 1), turned))
	}
	sums, ok, err := fixed.Waves(ctx, weights, turns, n)
	if !ok || err != nil {
		return nil, err
	}
	off = off.Upper()
	both := interval.Union(off.Neg(), off)
	out := make([]interval.Complex, len(sums))
	for j, z := range sums {
		out[j] = w.AddC(z.Interval(), interval.Complex{Re: both, Im: both})
	}
	return out, nil
}
