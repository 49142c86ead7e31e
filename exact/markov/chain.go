// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"slices"

	"dpverify/exact/double"
)

// A Chain is a mean over bins of N(m_i, I) against N(0, I), whose Gram matrix is that of normal variables V_i which
// are seen along a Markov chain u_0, u_1, … u_T: with independent normals ξ_t,
//
//	u_0 = ξ_0,  u_t = Rho_t·u_{t−1} + First_t·u_0 + √Variance_t·ξ_t,
//	V_i = Now_i·u_i + Before_i·u_{i−1} + √Common·ξ,  1 ≤ i ≤ T,
//
// and on a cycle V_0 = Now_0·u_0 + Before_0·u_T + √Common·ξ as well: the bins are numbered from 0, on a path from 1.
// All numbers are what these float64 are; index 0 of the first three is unused.
type Chain struct {
	Cycle                bool
	Rho, First, Variance []float64 // by step t = 1 … T
	Now, Before          []float64 // by i = 0 … T
	Common               float64
}

// steps is T.
func (c *Chain) steps() int { return len(c.Rho) - 1 }

// first is the number of the first bin.
func (c *Chain) first() int {
	if c.Cycle {
		return 0
	}
	return 1
}

// bins is how many there are.
func (c *Chain) bins() int { return c.steps() + 1 - c.first() }

// covariances encloses cov(u_s, u_t) in [t][s], s ≤ t, where ξ_0 has the variance v[0] in place of 1 and
// √Variance_t·ξ_t the variance v[t].
func (c *Chain) covariances(v []float64) [][]double.Interval {
	out := [][]double.Interval{{double.Point(v[0])}}
	for t := 1; t <= c.steps(); t++ {
		row := make([]double.Interval, t+1)
		rho, first := double.Point(c.Rho[t]), double.Point(c.First[t])
		for s := range t {
			row[s] = rho.Mul(out[t-1][s]).Add(first.Mul(out[s][0]))
		}
		row[t] = rho.Mul(row[t-1]).Add(first.Mul(row[0])).Add(double.Point(v[t]))
		out = append(out, row)
	}
	return out
}

// before is the place of u_{i−1}, on a cycle of u_T for bin 0.
func (c *Chain) before(i int) int {
	if i == 0 {
		return c.steps()
	}
	return i - 1
}

// seen encloses cov(u_t, V_i) without what is common, by cov(u, u).
func (c *Chain) seen(u [][]double.Interval, t, i int) double.Interval {
	at := func(s int) double.Interval { return u[max(s, t)][min(s, t)] }
	return double.Point(c.Now[i]).Mul(at(i)).Add(double.Point(c.Before[i]).Mul(at(c.before(i))))
}

// variance encloses var V_i without what is common.
func (c *Chain) variance(u [][]double.Interval, i int) double.Interval {
	before := double.Point(c.Before[i]).Mul(c.seen(u, c.before(i), i))
	return double.Point(c.Now[i]).Mul(c.seen(u, i, i)).Add(before).AtLeastZero()
}

// Gram encloses the covariances of the V_i, from the first bin on.
func (c *Chain) Gram() [][]double.Interval {
	v := append([]float64{1}, c.Variance[1:]...)
	u := c.covariances(v)
	out := make([][]double.Interval, c.bins())
	for i := range out {
		out[i] = make([]double.Interval, c.bins())
		for j := range i + 1 {
			a, b := i+c.first(), j+c.first()
			now, before := double.Point(c.Now[a]).Mul(c.seen(u, a, b)), double.Point(c.Before[a]).Mul(c.seen(u, c.before(a), b))
			out[i][j] = now.Add(before).Add(double.Point(c.Common))
			out[j][i] = out[i][j]
		}
	}
	return out
}

// valid reports whether variances are above 0 and all numbers are finite and of moderate size.
func (c *Chain) valid() bool {
	const most = 1 << 10
	for _, list := range [][]float64{c.Rho, c.First, c.Variance, c.Now, c.Before, {c.Common}} {
		for _, x := range list {
			if !(x >= -most && x <= most) {
				return false
			}
		}
	}
	for _, x := range c.Variance[1:] {
		if !(x > 0) {
			return false
		}
	}
	// On a path, what a step does does not depend on u_0.
	return c.Common >= 0 && (c.Cycle || !slices.ContainsFunc(c.First, func(x float64) bool { return x != 0 }))
}
