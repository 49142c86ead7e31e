// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math"

	"dpverify/exact/least"
)

// levels is log α_k as a function of t: where the slopes of the profiles of k copies, at α_k, are the same for all k,
// it is the greatest loss of k copies that has the probability of some t under Q. It rises with t. What is chosen here
// is checked elsewhere.
type levels func(k int, t float64) float64

// gaussianLevels: the loss of N(kμ, 1) at t.
func gaussianLevels(mu float64) levels {
	return func(k int, t float64) float64 {
		s := float64(k) * mu
		return s*t - s*s/2
	}
}

// laplaceLevels: the slope of 1 − √α·e^(−s/2), for a shift of s, is −e^(−s/2)/(2√α), and 0 beyond e^s.
func laplaceLevels(shift float64) levels {
	return func(k int, t float64) float64 {
		s := float64(k) * shift
		return math.Min(s, math.Max(t-s, -s))
	}
}

// slack is what the chosen logarithms are below what they may be.
const slack = 1.0 / (1 << 40)

// farLevel bounds t.
const farLevel = 1 << 20

// rising returns t_k for k = 1, …, n, which do not fall: of each run of k with one t, at which the run wants what it
// has. want and have are logarithms, and want rises more than have.
func rising(n int, want, have func(k int, t float64) float64) []float64 {
	type group struct {
		from, to int
		t        float64
	}
	of := func(f func(int, float64) float64, g group, t float64) float64 {
		sum := math.Inf(-1)
		for k := g.from; k <= g.to; k++ {
			sum = logAdd(sum, f(k, t))
		}
		return sum
	}
	solve := func(g group, lo, hi float64) float64 {
		enough := func(t float64) bool { return of(want, g, t) <= of(have, g, t) }
		if enough(hi) {
			return hi
		}
		lo, _ = least.Halved(lo, hi, 64, enough)
		return lo
	}
	var groups []group
	for k := 1; k <= n; k++ {
		g := group{from: k, to: k}
		g.t = solve(g, -farLevel, farLevel)
		for len(groups) > 0 && groups[len(groups)-1].t > g.t {
			last := groups[len(groups)-1]
			groups = groups[:len(groups)-1]
			m := group{from: last.from, to: g.to}
			m.t = solve(m, g.t, last.t)
			g = m
		}
		groups = append(groups, g)
	}
	ts := make([]float64, n+1)
	for _, g := range groups {
		for k := g.from; k <= g.to; k++ {
			ts[k] = g.t
		}
	}
	return ts
}

// supply is the logarithm of what there is for k = 0, 1, …: α·w_k, but (α − 1)·w₀.
func supply(logw []float64, eps float64) []float64 {
	have := make([]float64, len(logw))
	for k, w := range logw {
		have[k] = w + eps
	}
	have[0] += math.Log(-math.Expm1(-eps))
	return have
}

// choose returns log α_k, k ≥ 1, for which Σ_{k≥1} w_k·δ_k(α_k) is about least, if w₀ + Σ_{1≤k≤i} w_k·α_k is to be at
// most e^eps·Σ_{k≤i} w_k for every i. The multipliers of these conditions make the t of the k rise: neighbours whose t
// would fall share one.
func (f levels) choose(logw []float64, eps float64) []float64 {
	have := supply(logw, eps)
	if len(have) > 1 {
		have[1] = logAdd(have[1], have[0])
	}
	out := rising(len(logw)-1, func(k int, t float64) float64 { return logw[k] + f(k, t) },
		func(k int, _ float64) float64 { return have[k] })
	for k := 1; k < len(out); k++ {
		x := f(k, out[k])
		out[k] = x - slack*(1+math.Abs(x))
	}
	return out
}

func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// A part is what Q_j has in the bound of P_k: log c_kj, and t_kj.
type part struct {
	j    int
	c, t float64
}

// share chooses what the Q_j have in the bounds of the P_k, k ≥ 1, for Gaussian noise: P_k is N(2kμ, 1), Q_j is
// N(jμ, 1), and at the end of a half-line P_k has the density of what it is given of them: of the Q_j with the least j
// that are left.
func share(logw []float64, mu, eps float64) [][]part {
	density := func(copies int, t float64) float64 { // of N(copies·μ, 1) relative to N(0, 1), a logarithm
		y := float64(copies) * mu
		return y * (t - y/2)
	}
	left := supply(logw, eps)
	ts := rising(len(logw)-1, func(k int, t float64) float64 { return logw[k] + density(2*k, t) },
		func(k int, t float64) float64 {
			if k == 1 {
				return logAdd(left[1]+density(1, t), left[0])
			}
			return left[k] + density(k, t)
		})
	parts := make([][]part, len(logw))
	j := 0
	for k := 1; k < len(logw); k++ {
		sum := 0.0 // of what P_k wants
		for j <= k && sum < 1-slack {
			ratio := density(2*k, ts[k]) - density(j, ts[k])
			t, from := math.Exp(left[j]-logw[k]-ratio), j
			if t > 1-sum { // more than is wanted
				left[j] += math.Log1p(-(1 - sum) / t)
				t = 1 - sum
			} else {
				j++
			}
			if sum += t; t > slack*slack {
				parts[k] = append(parts[k], part{from, ratio + math.Log(t) - slack, t})
			}
		}
		for i := range parts[k] {
			parts[k][i].t *= (1 + slack) / sum
		}
	}
	return parts
}
