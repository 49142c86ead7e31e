// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"math"
	"math/bits"

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
// With E_j = e^{−ijθ} − 1, E_{c±j} = E_c + (1 + E_c)·E_{±j}, and E_{−j} is the conjugate of E_j: two points for four
// products of real numbers, of which E_1 … E_J serve all blocks.
//
// Lemma. Let θ_k ≥ |hL_k|, τ_k be within ρ_k of E_1 of hL_k, τ′_k within ρ′_k of E_B, B = 2J + 1, and u = 2^−53. E_j
// is carried from j to j + 1 by y + (yτ + τ), and E_c from c = J to c + B by y + (yτ′ + τ′). There are C centers c, and
// with b = min(2, θ), b′ = min(2, Bθ), V = min(2, Jθ), V′ = min(2, CBθ),
//
//	d = J·(ρ(1 + V) + u(V + 6bV + 4b)),  d′ = ρ′(1 + V′) + u(V′ + 6b′V′ + 4b′),
//
// J(ρ_k + 16u) + C(ρ′_k + 16u) ≤ g ≤ 1/4, and G = 1 + 2g: if G·d ≤ 1, the sum over N waves is off by at most
//
//	Σ a_k·(G·d(4 + V) + G·d′(2 + V)·j/B + (7V + V′)u) + 2(WavesTogether/Lanes + N/WavesTogether + 8)·u·Σ a_k(V + V′),
//
// but for numbers that are subnormal.
//
// Proof. Let e be |y − E|. As E_{j+1} = E_j(1 + E_1) + E_1, e grows in a step to at most
// e + |y|·ρ + ρ + what is rounded. A product of complex numbers is off by 3u of itself, and sums by u: with
// |τ| ≤ b + ρ that is 3u|y||τ| + u(|y||τ| + |τ|)(1 + 4u) + u(|y| + |y||τ| + |τ|)(1 + 5u), at most u(|y| + 6b|y| + 4b)
// and (7|y| + 4)·u·ρ. With |y| ≤ V + e, e is multiplied by 1 + ρ + 14u in a step, and by e^{J(ρ + 14u)} in all: E_j is
// off by at most G·d, and E_c, which begins with E_J, by at most G(d + d′·j/B), as e^g and the rest are at most G.
// a(1 + E_c) is off by a times as much, and by 4u·a for what is rounded, its product with E_j by that times V + G·d,
// and by a·G·d, together with what E_c is off by at most a(G·d(4 + V) + G·d′(2 + V)·j/B + 4uV). Products of two numbers
// lose u each: at most 2u·aV, and uaV′ where a and E_c are multiplied. A term is in at most
// WavesTogether/Lanes sums of its lane, two of lanes, two of the parts of a point and of its center, and
// N/WavesTogether + 1 of all waves. Each loses u of real and of imaginary parts, which are two sums each.
//
// The bounds are worked out in float64: sums, products and minima of at most N + 40 roundings of numbers ≥ 0 are not
// below the truth by more than the factor slack, as (1 + u)^{N + 40} ≤ 1 + 2^−20 for N < 2^31. With θ ≥ 2^−500, what
// is subnormal is among the last products alone, and tiny. And A is off from S_0 by N·u·Σ|a_k| at most.
func (q DoubleRule) Rises(h double.Interval, n int) (first float64, rises []complex128, off Off) {
	const u = 0x1p-53
	j := min(1<<max(bits.Len(uint(n))-5, 0), 16) // J for n + 1 points
	block := 2*j + 1
	centers := n/block + 1
	re, im := make([]float64, centers*block), make([]float64, centers*block)
	most, all := float64(j), float64(centers)
	lost := func(rho, bend, far float64) float64 {
		return float64(rho*(1+far)) + float64(u*(float64((float64(6*bend)+1)*far)+float64(4*bend)))
	}
	var omega, turned, sum, fixed, steps, sizes, worst, largest float64 // largest of d
	waves := double.NewWaves(j)
	for k, w := range q.Weights {
		a := w.Mid()
		size, known := math.Abs(a), max(a-w.Lo, w.Hi-a)
		theta := h.Mul(q.Losses[k])
		across := double.Int(int64(block)).Mul(theta)
		x, y, rho := double.Rise(theta)
		x2, y2, rho2 := double.Rise(across)
		turn, turn2 := theta.Abs().Hi+0x1p-500, across.Abs().Hi+0x1p-500
		near, far := min(2, float64(most*turn)), min(2, float64(all*turn2))
		d := float64(most * lost(rho, min(2, turn), near))
		first, sum = first+a, sum+size
		omega += known
		turned += float64(known * turn)
		fixed += float64(size * float64(d*(4+near)))
		steps += float64(size * float64(lost(rho2, min(2, turn2), far)*(2+near)))
		sizes += float64(size * (near + far))
		largest = max(largest, d)
		worst = max(worst, float64(most*(rho+16*u))+float64(all*(rho2+16*u)))
		if waves.Add(a, x, y, x2, y2) || k == len(q.Weights)-1 {
			waves.Turn(re, im)
		}
	}
	rises = make([]complex128, n+1)
	for j := 1; j <= n; j++ {
		rises[j] = complex(re[j], im[j])
	}
	above := func(x float64) double.Interval { return double.Point(x).Mul(double.Point(1 + 0x1p-20)).Upper() } // slack
	one, two, unit, tiny := double.Int(1), double.Int(2), double.Point(u), double.Point(0x1p-900)
	grown := one.Add(two.Mul(above(worst)))
	if !(above(worst).Hi <= 0.25) || !(grown.Mul(above(largest)).Hi <= 1) {
		return 0, nil, off
	}
	waveCount := len(q.Weights)
	adding := double.Int(int64(2*(double.WavesTogether/double.Lanes+waveCount/double.WavesTogether+8) + 7)).Mul(unit)
	off.Step = grown.Mul(above(steps)).Div(double.Int(int64(block))).Add(tiny).Hi
	off.Sum = grown.Mul(above(fixed)).Add(above(sizes).Mul(adding)).Add(tiny).Hi
	off.Weights, off.Turned = above(omega).Hi, above(turned).Add(tiny).Hi
	// What is added to the first is rounded by at most 4u of it.
	off.First = double.Int(int64(waveCount + 4)).Mul(unit).Mul(above(sum)).Hi
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
