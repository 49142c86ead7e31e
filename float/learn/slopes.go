// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"math"
	"slices"
)

// Slopes are parameters θ ≥ 0 of half masses that fall: log p falls from cell j to j + 1 by d_j, and
// d is linear between knots, at which it is θ. With a knot at each border of cells, θ = d.
//
//	p_k = e^(−V_k)/(2Σ_i e^(−V_i)),  V_{k+1} − V_k = d_k
//
// With g = ∂F/∂p: ∂F/∂V_k = −p_k·(g_k − 2Σ_i p_i·g_i), ∂F/∂d_j = Σ_{k>j} ∂F/∂V_k.
type Slopes struct {
	n     int       // cells
	left  []int     // of a border: the knot at or before it
	part  []float64 // of the way to the next one
	knots int
}

// NewSlopes returns slopes with the given knots, in cells from 0, in increasing order.
func NewSlopes(n int, knots []float64) *Slopes {
	s := &Slopes{n: n, knots: len(knots), left: make([]int, n-1), part: make([]float64, n-1)}
	for j := range n - 1 {
		x := float64(j + 1)
		i, _ := slices.BinarySearch(knots, x+1e-9)
		i = min(max(i-1, 0), len(knots)-2)
		s.left[j] = i
		s.part[j] = math.Min(math.Max((x-knots[i])/(knots[i+1]-knots[i]), 0), 1)
	}
	return s
}

// EveryCell returns knots at all borders.
func EveryCell(n int) []float64 {
	var knots []float64
	for j := 1; j < n; j++ {
		knots = append(knots, float64(j))
	}
	return knots
}

// Knots returns about count knots: evenly, and more near 0 and near the end, where the density
// goes to 0.
func Knots(n, count int) []float64 {
	end := float64(n)
	step := end / float64(count)
	xs := []float64{0, end}
	for i := 1; i < count; i++ {
		xs = append(xs, step*float64(i))
	}
	for x := 1.0; x < step; x *= 1.6 {
		xs = append(xs, end-x, x)
	}
	slices.Sort(xs)
	out := xs[:1]
	for _, x := range xs[1:] {
		if x-out[len(out)-1] >= 0.5 {
			out = append(out, x)
		}
	}
	return out
}

// half returns the half masses of θ.
func (s *Slopes) half(theta []float64) []float64 {
	p := make([]float64, s.n)
	v, sum := 0.0, 1.0
	p[0] = 1
	for j := range s.n - 1 {
		i := s.left[j]
		v += theta[i] + s.part[j]*(theta[i+1]-theta[i])
		p[j+1] = math.Exp(-math.Min(v, 650)) // stays positive, so that losses are finite
		sum += p[j+1]
	}
	for k := range p {
		p[k] /= 2 * sum
	}
	return p
}

// back returns ∂F/∂θ from g = ∂F/∂p at p.
func (s *Slopes) back(p, g []float64) []float64 {
	mean := 0.0
	for k := range p {
		mean += 2 * p[k] * g[k]
	}
	out := make([]float64, s.knots)
	sum := 0.0
	for k := s.n - 1; k >= 1; k-- {
		sum -= p[k] * (g[k] - mean)
		j := k - 1
		i := s.left[j]
		out[i] += sum * (1 - s.part[j])
		out[i+1] += sum * s.part[j]
	}
	return out
}

// fit returns θ of masses that fall, near them: at each knot the mean slope around it.
func (s *Slopes) fit(p []float64) []float64 {
	sums, weights := make([]float64, s.knots), make([]float64, s.knots)
	for j := range s.n - 1 {
		d := math.Max(0, math.Log(math.Max(p[j], 1e-280))-math.Log(math.Max(p[j+1], 1e-280)))
		i := s.left[j]
		for _, x := range []struct {
			i int
			w float64
		}{{i, 1 - s.part[j]}, {i + 1, s.part[j]}} {
			sums[x.i] += x.w * d
			weights[x.i] += x.w
		}
	}
	for i := range sums {
		if weights[i] > 0 {
			sums[i] /= weights[i]
		}
	}
	return sums
}
