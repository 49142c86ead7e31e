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

// choose returns log α_k, k ≥ 1, for which Σ_{k≥1} w_k·δ_k(α_k) is about least, if w₀ + Σ_{1≤k≤i} w_k·α_k is to be at
// most e^eps·Σ_{k≤i} w_k for every i. The multipliers of these conditions make the t of the k rise: neighbours whose t
// would fall share one.
func (f levels) choose(logw []float64, eps float64) []float64 {
	type group struct {
		from, to int
		budget   float64 // log of Σ w_k·α_k over the group
		t        float64
	}
	used := func(g group, t float64) float64 {
		sum := math.Inf(-1)
		for k := g.from; k <= g.to; k++ {
			sum = logAdd(sum, logw[k]+f(k, t))
		}
		return sum
	}
	solve := func(g group, lo, hi float64) float64 {
		if used(g, hi) <= g.budget {
			return hi
		}
		lo, _ = least.Halved(lo, hi, 64, func(t float64) bool { return used(g, t) <= g.budget })
		return lo
	}
	var groups []group
	for k := 1; k < len(logw); k++ {
		g := group{from: k, to: k, budget: logw[k] + eps}
		if k == 1 && eps > 0 { // what is left of the record that is not drawn
			g.budget = logAdd(g.budget, logw[0]+eps+math.Log(-math.Expm1(-eps)))
		}
		g.t = solve(g, -farLevel, farLevel)
		for len(groups) > 0 && groups[len(groups)-1].t > g.t {
			last := groups[len(groups)-1]
			groups = groups[:len(groups)-1]
			m := group{from: last.from, to: g.to, budget: logAdd(last.budget, g.budget)}
			m.t = solve(m, g.t, last.t)
			g = m
		}
		groups = append(groups, g)
	}
	out := make([]float64, len(logw))
	for _, g := range groups {
		for k := g.from; k <= g.to; k++ {
			x := f(k, g.t)
			out[k] = x - slack*(1+math.Abs(x))
		}
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
