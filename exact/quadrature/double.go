// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"math"

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

// An Off bounds how far a sweep is off. With the middle a_k of weight_k, S_j = Σ a_k·e^{−ijhL_k} and A the first value,
// S_j − S_0 is within Sum + j·Step of what a value has beyond the first.
type Off struct {
	Sum, Step float64
	First     float64 // |A − S_0|
	Weights   float64 // Σ|weight_k − a_k|
	Turned    float64 // Σ|weight_k − a_k|·|hL_k|
}

// Rises returns the first number A of a sweep, and what the numbers near M(−λ + ijh), j = 0 … n, in units, have beyond
// it. It is for |t| ≤ nh as far as the rule is. There is nothing if h is known too little.
//
// Most turns are small, and so are these rises and their errors: the power of many copies magnifies no more of them.
//
// Lemma. Let τ_k be within ρ_k of τ*_k = e^{−iθ_k} − 1, θ_k ≥ |hL_k|, b_k = min(2, θ_k), V_k = min(2, nθ_k), u = 2^−53.
// If n(ρ_k + 16u) + (N/3 + 5)u ≤ g ≤ 1/2 for all k, the sum of y_j, with y_0 = 0 and y_{j+1} = y_j + (y_j·τ_k +
// a_k·τ_k), over N terms is within
//
//	(1 + 2g)·(j·Σ a_k(ρ_k(1 + V_k) + u(V_k + 6·b_k·V_k + 4·b_k)) + (N/3 + 5)·u·Σ a_k·V_k)
//
// of Σ a_k(e^{−ijθ_k} − 1), but for numbers that are subnormal.
//
// Proof. Let y*_j = a_k(e^{−ijθ_k} − 1), |y*_j| ≤ a_k·V_k and e_j = |y_j − y*_j|. As y*_{j+1} = y*_j(1 + τ*) + a·τ*,
//
//	e_{j+1} ≤ e_j + |y_j|·ρ + a·ρ + what is rounded.
//
// A product of complex numbers is off by 3u of itself, the product with a by u, and sums by u: with |τ| ≤ b + ρ that is
// 3u|y||τ| + u·a|τ| + u(|y||τ| + a|τ|)(1 + 4u) + u(|y| + |y||τ| + a|τ|)(1 + 5u), at most u(|y| + 6b|y| + 4ab) and
// (7|y| + 4a)·u·ρ. With |y_j| ≤ a·V + e_j, e_j is multiplied by 1 + ρ + 14u in a step, and by e^{n(ρ + 14u)} in all.
// Three terms are added to each other, and then to the sum: a term is in at most N/3 + 3 rounded sums of real or of
// imaginary parts, which lose (N/3 + 4)·u times the sums of the moduli of either, together a vector no longer than
// Σ |y| ≤ Σ a·V + Σ e. So Σ e counts 1 + (N/3 + 4)u times, together e^g < 1 + 2g, which leaves room for the rest.
func (q DoubleRule) Rises(h double.Interval, n int) (first float64, rises []complex128, off Off) {
	const u = 0x1p-53
	rises = make([]complex128, n+1)
	re, im := make([]float64, n+1), make([]float64, n+1)
	var omega, turned, sum, steps, sizes double.Interval
	worst := 0.0
	one, two, unit := double.Int(1), double.Int(2), double.Point(u)
	length := double.Int(int64(n))
	var three [3]floatWave
	for k, w := range q.Weights {
		a := w.Mid()
		at := double.Point(a)
		theta := h.Mul(q.Losses[k])
		c, s := theta.Half().Cis()
		x, y := two.Mul(s.Sqr()).Neg(), two.Mul(s.Mul(c)).Neg()
		rho := double.Point(x.Hi).Sub(x.Lower()).Add(double.Point(y.Hi).Sub(y.Lower())).Upper()
		turn := theta.Abs().Upper()
		bend, far := double.Min(two, turn), double.Min(two, length.Mul(turn).Upper())
		wide := double.Max(at.Sub(w.Lower()), w.Upper().Sub(at))
		omega, turned = omega.Add(wide), turned.Add(wide.Mul(turn))
		sum = sum.Add(at)
		six := double.Int(6).Mul(bend).Add(one).Mul(far).Add(double.Int(4).Mul(bend))
		steps = steps.Add(at.Mul(rho.Mul(one.Add(far)).Add(unit.Mul(six))))
		sizes = sizes.Add(at.Mul(far))
		worst = max(worst, rho.Add(double.Point(16*u)).Hi)
		three[k%len(three)] = floatWave{0, 0, x.Mid(), y.Mid(), float64(a * x.Mid()), float64(a * y.Mid())}
		if k%len(three) == len(three)-1 || k == len(q.Weights)-1 {
			addWaves(re, im, &three)
			three = [3]floatWave{}
		}
	}
	for j := range rises {
		rises[j] = complex(re[j], im[j])
	}
	adding := double.Int(int64(len(q.Weights)/3 + 6)).Mul(unit)
	g := length.Mul(double.Point(worst)).Add(adding).Upper()
	if !(g.Hi <= 0.5) {
		return 0, nil, off
	}
	grown := one.Add(two.Mul(g))
	tiny := double.Point(0x1p-900)
	off.Step = grown.Mul(steps).Add(tiny).Hi
	off.Sum = grown.Mul(sizes).Mul(adding).Add(tiny).Hi
	off.Weights, off.Turned = omega.Hi, turned.Hi
	first = sum.Mid()
	// What is added to the first is rounded by at most 4u of it.
	off.First = sum.Upper().Sub(sum.Lower()).Add(double.Point(4 * u).Mul(sum.Upper())).Hi
	return first, rises, off
}

// Sweep returns numbers near M(−λ + ijh), j = 0 … n, in units: those of Rises.
func (q DoubleRule) Sweep(h double.Interval, n int) (values []complex128, off Off) {
	first, values, off := q.Rises(h, n)
	for j := range values {
		values[j] += complex(first, 0)
	}
	return values, off
}

// At bounds how far number j of a sweep is off from M.
func (q DoubleRule) At(o Off, j int) double.Interval {
	y := double.Point(o.Sum).Add(double.Int(int64(j)).Mul(double.Point(o.Step))).Add(double.Point(o.First))
	return y.Add(double.Point(o.Weights)).Add(double.Point(q.Err)).Upper()
}

// Ratios returns numbers near M(−λ + ijh)/M(−λ), and bounds of how far they are off. M(−λ) > 0 has to be known.
//
// Claim. Let V_j be the rises, A the first number, Ω = Weights, m a lower bound of M(−λ) and of Σ weight_k less Ω,
// y_j = 1 + V_j/A, and r_j = (Sum + j·Step + First·|V_j|/A)/m. Then
//
//	|M(−λ + ijh)/M(−λ) − y_j| ≤ (2·Err + j·Turned + Ω·(|y_j − 1| + r_j))/m + r_j + 4u(|y_j| + |y_j − 1|).
//
// Proof. Let R_j = Σ weight_k·e^{−ijhL_k}. M is within Err of R, and |R_j| ≤ R_0, so
// |M_j/M_0 − R_j/R_0| = |(M_j − R_j)·R_0 − R_j·(M_0 − R_0)|/(M_0·R_0) ≤ 2·Err/M_0. With δ_k = weight_k − a_k,
//
//	R_j/R_0 − S_j/S_0 = Σ δ_k·(e^{−ijhL_k} − S_j/S_0)/R_0,
//
// at most (j·Turned + Ω·|1 − S_j/S_0|)/R_0, as |e^{iy} − 1| ≤ |y|. And with D = S_j − S_0,
// |D/S_0 − V_j/A| ≤ |D − V_j|/S_0 + |V_j|·|1/S_0 − 1/A| ≤ r_j. The quotients and the sum are rounded.
//
// A common error of all weights changes nothing: those of M(−λ) are not counted again at each point.
func (q DoubleRule) Ratios(first float64, rises []complex128, o Off) (ratios []complex128, off []float64) {
	least := q.AtZero().Lower().Sub(double.Point(o.Weights)).Lower().AtLeastZero() // 0 has no bounds
	ratios, off = make([]complex128, len(rises)), make([]float64, len(rises))
	always := double.Int(2).Mul(double.Point(q.Err))
	for j, v := range rises {
		x := complex(real(v)/first, imag(v)/first)
		y := 1 + x
		n := double.Int(int64(j))
		away := double.Point(math.Abs(real(x))).Add(double.Point(math.Abs(imag(x))))
		r := double.Point(o.Sum).Add(n.Mul(double.Point(o.Step))).Add(double.Point(o.First).Mul(away)).Div(least)
		e := always.Add(n.Mul(double.Point(o.Turned))).Add(double.Point(o.Weights).Mul(away.Add(r))).Div(least)
		size := double.Point(math.Abs(real(y))).Add(double.Point(math.Abs(imag(y)))).Add(away)
		ratios[j], off[j] = y, e.Add(r).Add(size.Mul(double.Point(0x1p-51))).Add(double.Point(0x1p-1000)).Hi
	}
	return ratios, off
}

// A floatWave is a term x + iy, what multiplies it in a rise, c + is, and what it rises by, a + ib.
type floatWave struct{ x, y, c, s, a, b float64 }

// addWaves adds three waves to sums: a processor turns them at the same time, and keeps them in registers.
func addWaves(re, im []float64, three *[3]floatWave) {
	x0, y0, c0, s0, a0, b0 := three[0].x, three[0].y, three[0].c, three[0].s, three[0].a, three[0].b
	x1, y1, c1, s1, a1, b1 := three[1].x, three[1].y, three[1].c, three[1].s, three[1].a, three[1].b
	x2, y2, c2, s2, a2, b2 := three[2].x, three[2].y, three[2].c, three[2].s, three[2].a, three[2].b
	im = im[:len(re)]
	for j := range re {
		re[j] += x0 + x1 + x2
		im[j] += y0 + y1 + y2
		x0, y0 = x0+((float64(x0*c0)-float64(y0*s0))+a0), y0+((float64(x0*s0)+float64(y0*c0))+b0)
		x1, y1 = x1+((float64(x1*c1)-float64(y1*s1))+a1), y1+((float64(x1*s1)+float64(y1*c1))+b1)
		x2, y2 = x2+((float64(x2*c2)-float64(y2*s2))+a2), y2+((float64(x2*s2)+float64(y2*c2))+b2)
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
	values, off := q.Sweep(h, n)
	norm := q.AtZero().Lower()
	if values == nil || !(norm.Lo > 0) {
		return nil
	}
	out := make([]float64, n+1)
	for j, z := range values {
		r := double.Point(real(z)).Sqr().Add(double.Point(imag(z)).Sqr()).Sqrt().Add(q.At(off, j))
		out[j] = min(0, r.Div(norm).Log().Hi)
	}
	return out
}
