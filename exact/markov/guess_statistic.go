// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"math"

	"dpverify/exact/double"
)

// newStatistic returns a statistic of which the work is about what is allowed, to tell apart ratios below and above
// e^target, of rows whose Gram matrix atMost finds to be at most that of the bins; nil if there is none. What it is
// chosen by proves nothing.
func newStatistic(g [][]float64, enclosed [][]double.Interval, target float64, set Settings) *statistic {
	rows := rowsOf(g)
	if !atMost(gramOf(rows), enclosed, square(len(g))) {
		return nil
	}
	s := &statistic{rows: rows}
	const manyBins = 48 // where few of them see x_0
	cycle := isCycle(g) && len(g) < manyBins
	least := math.Inf(1)
	for rho := 0.0; rho < 0.9; rho += 0.05 {
		c := &statistic{rows: rows, rho: rho}
		if missed := c.fit(cycle); missed < least-1e-9 {
			s, least = c, missed
		}
	}
	var best *statistic
	for scale := 2.0; scale > 0x1p-5; scale *= 0.93 {
		c := *s
		c.lay(scale, cycle, target, set.Cut)
		if best != nil && c.work() > set.Work {
			break
		}
		best = &c
	}
	return best
}

// rowsOf returns a root of a matrix, a little smaller so that this can be seen.
func rowsOf(g [][]float64) [][]float64 {
	rows := factorOf(g)
	for _, row := range rows {
		for k := range row {
			if row[k] *= 1 - 0x1p-14; math.Abs(row[k]) < 0x1p-30 {
				row[k] = 0
			}
		}
	}
	return rows
}

// fit chooses the terms: the means of exp(⟨rows_t, y⟩ − …) given x_t, x_{t−1} and, on a cycle, x_0. It returns about
// how much of the variances they miss.
func (s *statistic) fit(cycle bool) float64 {
	n := len(s.rows)
	s.now, s.before, s.first, s.rest = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	x, missed := square(n), 0.0 // x_t as sums of y
	for t := range n {
		x[t][t] = 1
		if t > 0 {
			for k := range t {
				x[t][k] = s.rho * x[t-1][k]
			}
		}
		features := [][]float64{x[t]}
		if t > 0 {
			features = append(features, x[t-1])
		}
		if t > 1 && cycle {
			features = append(features, x[0])
		}
		c := projected(s.rows[t], features)
		s.now[t] = c[0]
		if t > 0 {
			s.before[t] = c[1]
		}
		if t > 1 && cycle {
			s.first[t] = c[2]
		}
		var seen, all float64
		for k, y := range s.rows[t] {
			u := 0.0
			for i, f := range features {
				u += float64(c[i] * f[k])
			}
			seen += float64(u * u)
			all += float64(y * y)
		}
		s.rest[t] = -seen / 2
		missed += max(all-seen, 0)
	}
	return missed
}

// projected returns the multiples of features whose sum is nearest to a vector.
func projected(v []float64, features [][]float64) []float64 {
	n := len(features)
	normal, right := square(n), make([]float64, n)
	for i, f := range features {
		right[i] = inner(f, v)
		for j, h := range features {
			normal[i][j] = inner(f, h)
		}
		normal[i][i] *= 1 + 1e-9
	}
	l := factorOf(normal)
	for i := range n {
		right[i] = (right[i] - inner(l[i][:i], right)) / max(l[i][i], 1e-9)
	}
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			right[i] -= float64(l[j][i] * right[j])
		}
		right[i] /= max(l[i][i], 1e-9)
	}
	return right
}

// lay chooses the lattice, the layers and the places at a scale.
func (s *statistic) lay(scale float64, cycle bool, target float64, cut int) {
	h := dyadic(0.25 * scale)
	s.reach = math.Sqrt(2 * math.Ln2 * float64(cut))
	shift, variance := 0.0, 0.0
	for _, row := range s.rows {
		at := 0.0
		for _, y := range row {
			at = float64(s.rho*at) + y
			shift = max(shift, at)
		}
		variance = float64(float64(variance*s.rho)*s.rho) + 1
	}
	far := float64(s.reach * math.Sqrt(variance))
	s.us = from(h, -far, far+shift)
	s.per = 0
	if cycle {
		s.per = max(1, int(scale/h+0.5))
	}
	// Sums that are far above that of e^target are all alike. Places are about·sinh(x).
	const about, most = 0.3, 6.0
	s.places = []float64{0}
	ratio := double.Exp64(0.04 * scale)
	for e := ratio; s.places[len(s.places)-1] < most; e *= ratio {
		s.places = append(s.places, float64(about/2*(e-1/e)))
	}
	s.unit = float64(len(s.rows)) * double.Exp64(target)
	s.plan()
}

// work is about how many products a run takes.
func (s *statistic) work() float64 {
	flows := 0
	for _, f := range s.passes {
		flows += len(f)
	}
	n := float64(s.us.n)
	return n * min(n, 2*s.reach/s.us.h) * float64(s.layers()) * float64(len(s.places)) * float64(flows) * 0.3
}
