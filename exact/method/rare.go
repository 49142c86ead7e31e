// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpverify/exact/binomial"
	"dpverify/exact/double"
	"dpverify/exact/drawn"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// mostRare bounds the copies of rare ones, and mostGaussian those of Gaussian noise.
const (
	mostRare     = 4
	mostGaussian = 1 << 10
)

// Rare: copies of a pair that is likely one product visibly, and rarely others, see pair.Mean: by the number of copies
// that are of the others,
//
//	δ(X × (s·A ⊕ (1−s)·B)^n) = Σ_k P(Bin(n, s) = k)·δ(X × A^k × B^{n−k}),
//
// as H_α of what is visible is the mean. The terms beyond the first few are at most P(Bin(n, s) > k) together. The
// first one, without the rare pair, often has a method without a grid, and the grids of the others count by their small
// weights. If all that may come out is Gaussian noise, one Gaussian for each number of copies, the terms cost next to
// nothing, and none has to be rare.
func Rare(s *Solver, prod pair.Product, e Effort) *Plan {
	at := slices.IndexFunc(prod, func(t pair.Term) bool {
		m, ok := t.Pair.(pair.Mean)
		return ok && (!m.Nothing() || gaussianCopies(m))
	})
	if at < 0 || len(prod) == 1 && prod[0].Count == 1 {
		return nil
	}
	n := prod[at].Count
	mean := prod[at].Pair.(pair.Mean)
	likely, share, others := drawn.Apart(mean)
	_, beside := prod.Gaussians()
	gaussians := len(beside) == 1 && gaussianCopies(mean)
	if mean.Nothing() && !gaussians {
		return nil
	}
	// P(Bin(n, s) > k) ≤ (n·s)^{k+1}/(k+1)!
	const w = interval.Prec(64)
	log := double.Of(w.Log(w.Rat(new(big.Rat).Mul(share, new(big.Rat).SetInt64(n))))).Mid()
	bits, limit := 24+8*int(e), int64(mostRare) // that the terms left out are to be below δ
	if gaussians {
		bits, limit = int(e.Bits()), mostGaussian
	}
	need := float64(max(s.scale, 0)+bits) * math.Ln2
	most := int64(0)
	for k := int64(0); ; k++ {
		fact, _ := math.Lgamma(float64(k) + 2)
		if most = min(k, n); most == n || float64(k+1)*log-fact < -need {
			break
		}
		if k == limit {
			return nil
		}
	}
	means := 0
	for _, t := range prod {
		if m, ok := t.Pair.(pair.Mean); ok && !m.Nothing() {
			means++
		}
	}
	if most > 0 && means > 2 || means > MaxDepth/2 {
		return nil // too many products
	}
	with := func(k int64) pair.Product { // k copies that are of the others
		out := slices.Delete(slices.Clone(prod), at, at+1)
		if k < n {
			out = append(out, likely.Times(n-k)...)
		}
		if k > 0 {
			out = append(out, others.Times(k)...)
		}
		return out.Merged()
	}
	cost := 0.1 + 0.5*float64(most)
	if gaussians {
		cost = 1e-3 * float64(most+1)
	}
	var first *Solution
	short := Shortcuts{Near: func(ctx context.Context, delta *big.Rat) (*big.Rat, bool) {
		if first == nil || first.Short.Near == nil {
			return nil, false
		}
		return first.Short.Near(ctx, delta)
	}}
	out := &Plan{Cost: cost, TwoSided: true, Sharp: true, Draft: Coarse, Shortcuts: short}
	out.Prepare = func(ctx context.Context) (profile.Func, error) {
		var fs []profile.Func
		for k := range most + 1 {
			f, sol, err := s.ProfileOf(ctx, with(k))
			if err != nil {
				return nil, err
			}
			out.restsOn(sol)
			if fs = append(fs, f); k == 0 {
				first = sol
			}
		}
		return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			w := p + 32
			sum := interval.Union(interval.Int(0), binomial.AtLeast(w, n, most+1, share))
			for k, f := range fs {
				d, err := f(ctx, w, eps)
				if err != nil {
					return profile.Unit(), err
				}
				sum = w.Add(sum, w.Mul(binomial.Mass(w, n, int64(k), share), d))
			}
			return interval.Clamp(p.Round(sum), 0, 1), nil
		}, nil
	}
	return out
}

// gaussianCopies reports whether x is one Gaussian or another one, or nothing.
func gaussianCopies(x pair.Mean) bool {
	likely, _, others := drawn.Apart(x)
	_, a := likely.Gaussians()
	_, b := others.Gaussians()
	return len(a) == 0 && len(b) == 0
}
