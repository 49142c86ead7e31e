// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"math"

	"dpverify/exact/double"
)

// atMost reports whether xᵀ(above − below)x ≥ 0 is certain for all x ≥ 0 and all members of the enclosures of two
// symmetric matrices.
//
// M = above − below = N + R, N ≥ 0 beside the diagonal and 0 on it: a share of what is above 0 in M stays in R, the
// rest is N. R is positive semidefinite if R − sI = L·Lᵀ + E with the greatest row sum of |E| at most s: all
// eigenvalues of E are in [−s, s], and L·Lᵀ is positive semidefinite whatever L is. L is a Cholesky factor in
// float64, and E is enclosed.
func atMost(below, above [][]double.Interval, share [][]float64) bool {
	n := len(below)
	r := make([][]double.Interval, n)
	largest := 0.0
	for i := range r {
		r[i] = make([]double.Interval, n)
		for j := range r[i] {
			m := above[i][j].Sub(below[i][j])
			if i != j {
				if x := float64((1 - share[max(i, j)][min(i, j)]) * m.Mid()); x > 0 {
					m = m.Sub(double.Point(x)) // x is an entry of N
				}
			}
			r[i][j] = m
		}
		largest = max(largest, r[i][i].Mid())
	}
	s := float64(largest * 0x1p-30)
	l, ok := cholesky(r, s)
	if !ok {
		return false
	}
	for i := range r {
		row := double.Point(0)
		for j := range r {
			e := r[i][j]
			for k := range min(i, j) + 1 {
				e = e.Sub(double.Point(l[i][k]).Mul(double.Point(l[j][k])))
			}
			if i == j {
				e = e.Sub(double.Point(s))
			}
			row = row.Add(e.Abs())
		}
		if !(row.Hi <= s) {
			return false
		}
	}
	return true
}

// cholesky returns about L with L·Lᵀ = R − sI; false if a pivot is not above 0.
func cholesky(r [][]double.Interval, s float64) ([][]float64, bool) {
	l := make([][]float64, len(r))
	for i := range l {
		l[i] = make([]float64, len(r))
		for j := range i + 1 {
			x := r[i][j].Mid()
			if i == j {
				x -= s
			}
			for k := range j {
				x -= float64(l[i][k] * l[j][k])
			}
			if i != j {
				l[i][j] = x / l[j][j]
				continue
			}
			if !(x > 0) {
				return nil, false
			}
			l[i][i] = math.Sqrt(x)
		}
	}
	return l, true
}
