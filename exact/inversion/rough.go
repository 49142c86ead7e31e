// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A roughQuadrature is a quadrature with double precision, in a unit of its own: M(−λ + it) is
// within err of Σ_k weight_k·e^{−itL_k}, times unit.
type roughQuadrature struct {
	weights, losses []double.Interval
	err             float64
	unit            interval.Interval
}

// roughQuadrature returns a rule at λ for |t| ≤ t, see newQuadrature.
func (m *mixture) roughQuadrature(lambda *big.Rat, t float64) (roughQuadrature, bool) {
	w, step, bound, ok := m.chooseRule(rough, lambda, t)
	if !ok {
		return roughQuadrature{}, false
	}
	q := roughQuadrature{unit: scaleOf(w.peak)}
	err := double.Of(coarse.Div(bound, q.unit)).Upper()
	l, eta := double.Of(coarse.Rat(lambda)), double.Point(step)
	_, right := m.reach(l)
	i0, i1 := int64(math.Ceil(point(w.first)/step)), int64(math.Ceil(point(w.last)/step))
	for i := i0 - 1; i <= i1; i++ {
		x := eta.Mul(double.Int(i))
		la, lb := m.logsAt(x)
		y := logWeightAt(l, x, la, lb).Sub(double.Point(w.peak)).Exp()
		q.weights, q.losses = append(q.weights, y.Mul(eta)), append(q.losses, la.Sub(lb))
		d := double.Int(1)
		switch i {
		case i0 - 1:
			d = x.Neg().Sub(double.Point(m.leftReach(l, x)))
		case i1:
			d = x.Sub(double.Point(right))
		default:
			continue
		}
		if !(d.Lo > 0) {
			return q, false
		}
		err = err.Add(y.Div(d)).Upper()
	}
	q.err = err.Hi
	return q, isNumber(q.err)
}

// rough rounds a quadrature to double precision.
func (q quadrature) rough() roughQuadrature {
	r := roughQuadrature{unit: q.moment(coarse)}
	for k, w := range q.weights {
		r.weights = append(r.weights, double.Of(coarse.Div(w, r.unit)))
		r.losses = append(r.losses, double.Of(q.losses[k]))
	}
	r.err = double.Of(coarse.Div(q.err, r.unit)).Hi
	return r
}

// moment encloses M(−λ) in units.
func (q roughQuadrature) moment() double.Interval {
	return total(q.weights).Add(double.Interval{Lo: -q.err, Hi: q.err}).AtLeastZero()
}

// sweep returns numbers within err of Re M(−λ + ijh) and Im M(−λ + ijh), j = 0 … n, in units, each pair
// as one complex number: |values_j − M| ≤ err. It is for |t| ≤ nh as far as the quadrature is.
//
// Lemma. Let a_k be the middle of weight_k and ω_k ≥ |weight_k − a_k|; z_k the rotation, |z_k − e^{−ihL_k}| ≤ ρ, and u = 2^−53.
// Terms start as a_k and are multiplied by z_k, with rounding: for xz = (xc − ys, xs + yc) the parts are off by at
// most 2.01u·(|x||c| + |y||s|) ≤ 2.01u·|y||z|, together by 3u·|y||z| and next to nothing where they are subnormal.
// So |y_{j+1} − y*_{j+1}| ≤ |y_j − y*_j| + |y_j|(ρ + 3u(1 + ρ)), and as long as n(ρ + 4u) ≤ 1/2, |y_j| ≤ e^{1/2}a_k < 2a_k and
//
//	|y_j − y*_j| ≤ 2a_k·n(ρ + 4u).
//
// The sum of N such terms is rounded by less than 2·N·u·2Σa_k. All in all the error is at most
// Σ ω_k + 2A·(n(ρ + 4u) + 2Nu), A = Σ a_k, and the error of the quadrature.
func (q roughQuadrature) sweep(h double.Interval, n int) (values []complex128, err float64) {
	const u = 0x1p-53
	values = make([]complex128, n+1)
	re, im := make([]float64, n+1), make([]float64, n+1)
	var omega, sum double.Interval
	rho := 0.0
	for k, w := range q.weights {
		a := w.Mid()
		omega = omega.Add(double.Max(double.Point(a).Sub(w.Lower()), w.Upper().Sub(double.Point(a))))
		sum = sum.Add(double.Point(a))
		theta := h.Mul(q.losses[k])
		c, s := theta.Cis()
		rho = max(rho, c.Hi-c.Lo, s.Hi-s.Lo) // the middles are off by half of that, about
		x, y, zc, zs := a, 0.0, c.Mid(), -s.Mid()
		for j := range re {
			re[j] += x
			im[j] += y
			x, y = float64(x*zc)-float64(y*zs), float64(x*zs)+float64(y*zc)
		}
	}
	for j := range values {
		values[j] = complex(re[j], im[j])
	}
	turn := double.Int(int64(n)).Mul(double.Point(rho).Add(double.Point(4 * u)))
	if !(turn.Hi <= 0.5) {
		return nil, 0
	}
	round := turn.Add(double.Int(2 * int64(len(q.weights))).Mul(double.Point(u)))
	e := omega.Add(double.Int(2).Mul(sum).Mul(round)).Add(double.Point(q.err))
	return values, e.Add(double.Point(0x1p-900)).Hi
}

// sizes bounds log(|M(−λ + ijh)|/M(−λ)), j = 0 … n; nil if h is too long.
func (q roughQuadrature) sizes(h double.Interval, n int) []float64 {
	const most = 1 << 25 // products
	if n > most/len(q.weights) {
		return nil
	}
	values, err := q.sweep(h, n)
	norm := q.moment().Lower()
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

func (m *mixture) sizes(lambda *big.Rat, h double.Interval, n int) []float64 {
	if q, ok := m.roughQuadrature(lambda, h.Mul(double.Int(int64(n))).Hi); ok {
		if out := q.sizes(h, n); out != nil {
			return out
		}
	}
	return sizesOf(m.decay(lambda), h, n)
}

func (s *sampledLaplace) sizes(lambda *big.Rat, h double.Interval, n int) []float64 {
	if q, ok := s.newQuadrature(rough, lambda, h.Mul(double.Int(int64(n))).Hi); ok {
		if out := q.rough().sizes(h, n); out != nil {
			return out
		}
	}
	return sizesOf(s.decay(lambda), h, n)
}
