// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A DoubleRule is a rule in double precision, in a unit of its own:
// M(−λ + it) is within err of Σ_k weight_k·e^{−itL_k}, times unit.
type DoubleRule struct {
	Weights, Losses []double.Interval
	Err             float64
	Unit            interval.Interval
}

// AtZero encloses M(−λ) in units.
func (q DoubleRule) AtZero() double.Interval {
	var sum double.Interval
	for _, w := range q.Weights {
		sum = sum.Add(w)
	}
	return sum.Add(double.Interval{Lo: -q.Err, Hi: q.Err}).AtLeastZero()
}

// Sweep returns numbers near M(−λ + ijh), j = 0 … n, in units, with |values_j − M| ≤ err.
// It is for |t| ≤ nh as far as the rule is.
//
// Lemma. Let a_k be the middle of weight_k and ω_k ≥ |weight_k − a_k|.
// Let z_k be the rotation, with |z_k − e^{−ihL_k}| ≤ ρ, and u = 2^−53.
// If n(ρ + 4u) ≤ 1/2, the sums of N terms are within Σ ω_k + 2A·(n(ρ + 4u) + 2Nu) of those of the rule, A = Σ a_k.
//
// Proof. Terms y_j start as a_k and are multiplied by z_k, with rounding.
// For xz = (xc − ys, xs + yc) the parts are off by at most 2.01u·(|x||c| + |y||s|) ≤ 2.01u·|y||z|.
// Together they are off by at most 3u·|y||z|, and by next to nothing more where they are subnormal.
// So with y*_j = a_k·e^{−ijhL_k}, |y_{j+1} − y*_{j+1}| ≤ |y_j − y*_j| + |y_j|(ρ + 3u(1 + ρ)).
// As |y_j| ≤ e^{1/2}·a_k < 2a_k, |y_j − y*_j| ≤ 2a_k·n(ρ + 4u).
// The sum of N such terms, in any order, is rounded by less than 2·N·u·2A.
func (q DoubleRule) Sweep(h double.Interval, n int) (values []complex128, err float64) {
	const u = 0x1p-53
	values = make([]complex128, n+1)
	re, im := make([]float64, n+1), make([]float64, n+1)
	var omega, sum double.Interval
	rho := 0.0
	var three [3]floatWave
	for k, w := range q.Weights {
		a := w.Mid()
		omega = omega.Add(double.Max(double.Point(a).Sub(w.Lower()), w.Upper().Sub(double.Point(a))))
		sum = sum.Add(double.Point(a))
		theta := h.Mul(q.Losses[k])
		c, s := theta.Cis()
		rho = max(rho, c.Hi-c.Lo, s.Hi-s.Lo) // the middles are off by about half of that
		three[k%len(three)] = floatWave{a, 0, c.Mid(), -s.Mid()}
		if k%len(three) == len(three)-1 || k == len(q.Weights)-1 {
			addWaves(re, im, &three)
			three = [3]floatWave{}
		}
	}
	for j := range values {
		values[j] = complex(re[j], im[j])
	}
	turn := double.Int(int64(n)).Mul(double.Point(rho).Add(double.Point(4 * u)))
	if !(turn.Hi <= 0.5) {
		return nil, 0
	}
	round := turn.Add(double.Int(2 * int64(len(q.Weights))).Mul(double.Point(u)))
	e := omega.Add(double.Int(2).Mul(sum).Mul(round)).Add(double.Point(q.Err))
	return values, e.Add(double.Point(0x1p-900)).Hi
}

// A floatWave is a term x + iy with its rotation c + is.
type floatWave struct{ x, y, c, s float64 }

// addWaves adds three waves to sums: a processor turns them at the same time, and keeps them in registers.
func addWaves(re, im []float64, three *[3]floatWave) {
	x0, y0, c0, s0 := three[0].x, three[0].y, three[0].c, three[0].s
	x1, y1, c1, s1 := three[1].x, three[1].y, three[1].c, three[1].s
	x2, y2, c2, s2 := three[2].x, three[2].y, three[2].c, three[2].s
	im = im[:len(re)]
	for j := range re {
		re[j] += x0 + x1 + x2
		im[j] += y0 + y1 + y2
		x0, y0 = float64(x0*c0)-float64(y0*s0), float64(x0*s0)+float64(y0*c0)
		x1, y1 = float64(x1*c1)-float64(y1*s1), float64(x1*s1)+float64(y1*c1)
		x2, y2 = float64(x2*c2)-float64(y2*s2), float64(x2*s2)+float64(y2*c2)
	}
}

// MaxFloatProducts bounds the products in float64 that numbers at the points of a line may take: at some 2 ns each it
// is a second.
const MaxFloatProducts = 1 << 29

// Sizes bounds log(|M(−λ + ijh)|/M(−λ)), j = 0 … n; nil if h is too long.
func (q DoubleRule) Sizes(h double.Interval, n int) []float64 {
	if n > MaxFloatProducts/len(q.Weights) {
		return nil
	}
	values, err := q.Sweep(h, n)
	norm := q.AtZero().Lower()
	if values == nil || !(norm.Lo > 0) {
		return nil
	}
	out := make([]float64, n+1)
	for j, z := range values {
		r := double.Point(real(z)).Sqr().Add(double.Point(imag(z)).Sqr()).Sqrt().Add(double.Point(err))
		out[j] = min(0, r.Div(norm).Log().Hi)
	}
	return out
}
