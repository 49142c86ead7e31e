// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"slices"
)

// Covers reports that H_α(p) ≥ H_α(q) for every α ≥ 0, so that q may stand wherever p does. It is
// decided by theorems alone: false says nothing.
//
//   - A product dominates the product of some of its factors, and factors may be replaced by those that
//     they dominate [Zhu, Dong & Wang 2022, Theorem 10].
//   - Gaussian factors are together one Gaussian, whose profile rises with μ².
//   - Gaussian, Laplace, discrete Laplace and truncated noise of one shape: the profile rises with the
//     shift [Theorem 15 of Sommer et al. 2020] and falls with the scale.
//   - Approximate randomized response keeps every guarantee (ε′, δ′) with ε′ ≥ ε, δ′ ≥ δ, and the
//     pair of that one is the greatest that does.
//   - Pairs of finitely many outcomes are compared exactly.
//   - Let M_γ = (1−γ)Q + γP. Then M_γ = (1−t)Q + t·M_η with t = γ/η for γ ≤ η, so that by the convexity of
//     H_α, H_α(M_γ‖Q) ≤ t·H_α(M_η‖Q) + (1−t)·(1−α)₊ ≤ H_α(M_η‖Q), and the same for (Q, M_γ). With
//     η = 1, the base dominates its samples. A sample of what dominates dominates
//     [Zhu, Dong & Wang 2022, Theorem 11]; that one pair dominates another for all α ≥ 0 holds for
//     their reverses too, by H_α(Q‖P) = 1 − α + α·H_{1/α}(P‖Q).
func (p Product) Covers(q Product) bool {
	have, ps := p.Gaussians()
	want, qs := q.Gaussians()
	if have = new(big.Rat).Sub(have, want); have.Sign() < 0 {
		return false
	}
	ps, qs = slices.Clone(ps.Merged()), slices.Clone(qs.Merged())
	// First what is equal, so that it is not spent on what less would do for.
	for _, order := range []func(x, y Pair) bool{equalPairs, covers} {
		for j := range qs {
			for i := range ps {
				if n := min(ps[i].Count, qs[j].Count); n > 0 && order(ps[i].Pair, qs[j].Pair) {
					ps[i].Count -= n
					qs[j].Count -= n
				}
			}
		}
	}
	// A Gaussian is as many of a part of its μ² as fit.
	for _, t := range qs {
		s, ok := t.Pair.(Sampled)
		if t.Count == 0 {
			continue
		}
		if !ok {
			return false
		}
		each, rest := s.Base.Gaussians()
		if each.Mul(each, new(big.Rat).SetInt64(t.Count)); len(rest) > 0 || each.Cmp(have) > 0 {
			return false
		}
		have.Sub(have, each)
	}
	return true
}

func equalPairs(x, y Pair) bool { return x.String() == y.String() }

// covers is Covers of pairs.
func covers(x, y Pair) bool {
	if equalPairs(x, y) {
		return true
	}
	atLeast := func(a, b *big.Rat) bool { return a.Cmp(b) >= 0 }
	same := func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }
	switch y := y.(type) {
	case Laplace:
		x, ok := x.(Laplace)
		return ok && atLeast(x.Shift, y.Shift)
	case DiscreteLaplace:
		x, ok := x.(DiscreteLaplace)
		return ok && atLeast(x.A, y.A) && x.Sensitivity == y.Sensitivity
	case Truncated:
		x, ok := x.(Truncated)
		return ok && x.Noise == y.Noise && same(x.Width, y.Width) && same(x.Radius, y.Radius) &&
			atLeast(x.Sensitivity, y.Sensitivity)
	case Response:
		x, ok := x.(Response)
		return ok && atLeast(x.Eps, y.Eps) && atLeast(x.Delta, y.Delta)
	case Finite:
		x, ok := x.(Finite)
		if !ok || len(x.Masses)+len(y.Masses) > maxCompared {
			return false
		}
		_, excess := x.Excess(y)
		return excess.Sign() <= 0
	case Sampled:
		if x, ok := x.(Sampled); ok {
			return x.Reversed == y.Reversed && atLeast(x.Rate, y.Rate) && x.Base.Covers(y.Base)
		}
		base := y.Base
		if y.Reversed {
			base = base.Reverse()
		}
		return Product{{x, 1}}.Covers(base)
	}
	return false
}

// maxCompared bounds the outcomes of finite pairs that are compared on the way of another question.
const maxCompared = 1 << 10

// Excess returns an α ≥ 0 at which H_α(g) − H_α(f) is greatest, and that difference: f dominates g
// iff it is not positive. At α = 0 both are 1, so that it is never negative.
//
// H(f) is affine in α between the ratios of its outcomes and constant beyond the last, H(g) is convex
// and falls. So the difference is convex between neighbours of 0 and those ratios, greatest at one of
// them, and does not rise beyond the last.
func (f Finite) Excess(g Finite) (alpha, excess *big.Rat) {
	alphas := []*big.Rat{new(big.Rat)}
	for _, m := range slices.Backward(f.Masses) {
		if m.P.Sign() > 0 && m.Q.Sign() > 0 {
			alphas = append(alphas, new(big.Rat).Quo(m.P, m.Q))
		}
	}
	fs, gs := f.deltas(alphas), g.deltas(alphas)
	for i, a := range alphas {
		if d := new(big.Rat).Sub(gs[i], fs[i]); excess == nil || d.Cmp(excess) > 0 {
			alpha, excess = a, d
		}
	}
	return alpha, excess
}

// Expand returns a product of finite pairs as one, if it has at most limit outcomes before equal
// ratios are merged.
func (p Product) Expand(limit int) (Finite, bool) {
	out := FiniteOf([]Mass{{ratOne, ratOne}})
	for _, t := range p {
		f, ok := t.Pair.(Finite)
		if !ok || t.Count > int64(limit) {
			return out, false
		}
		for range t.Count {
			if len(out.Masses)*len(f.Masses) > limit {
				return out, false
			}
			ms := make([]Mass, 0, len(out.Masses)*len(f.Masses))
			for _, a := range out.Masses {
				for _, b := range f.Masses {
					ms = append(ms, Mass{new(big.Rat).Mul(a.P, b.P), new(big.Rat).Mul(a.Q, b.Q)})
				}
			}
			out = FiniteOf(ms)
		}
	}
	return out, true
}
