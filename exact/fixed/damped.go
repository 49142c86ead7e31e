// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"context"

	"dpverify/exact/fraction"
	"dpverify/exact/interval"
)

// dampedStepErr bounds the rounding of a step, in units.
const dampedStepErr = 19

// negligible: a wave of so many units or fewer in both parts is left out.
const negligible = 1 << 28

// Waves returns enclosures of
//
//	S_j = Σ_k a_k·e^{−ijθ_k},  j = 0 … n,
//
// with errors of 2^−155 of Σ|a_k| or so where a and θ are known well enough. It reports false where words do not
// do: an argument is unknown, or too wide, or an angle is 2^20 or more.
//
// All that follows is about the middles of a and θ: as |e^{−ijθ} − e^{−ijθ′}| ≤ j·|θ − θ′|, sums with other members
// differ from theirs by at most Σ|a_k − a′_k| + n·max|θ_k − θ′_k|·Σ|a_k|.
//
// Both parts of a wave are carried on by x_{j+1} = 2cos θ·x_j − x_{j−1}, for waveBlock steps from two values that are
// computed. Let X_j be the exact values, in units u = 2^(E−waveScale), and c = 2cf with a fraction cf of modulus below
// 1 for C = 2cos θ, |cf − cos θ| ≤ δ·2^−192. A step errs by less than stepErr units, see carry. With e_j = x_j − X_j,
//
//	e_{j+1} = c·e_j − e_{j−1} + r_j,  |r_j| ≤ |c − C|·|X_j| + stepErr ≤ δ/8 + stepErr =: r,
//
// because |X_j| ≤ 2^waveScale units and 2·2^(waveScale−192) = 1/8. By induction
//
//	e_j = U_{j−1}·e_1 − U_{j−2}·e_0 + Σ_{0<i<j} U_{j−1−i}·r_i,
//
// where U_m(c/2) are the Chebyshev polynomials of the second kind, U_{−1} = 0: |U_m| ≤ m + 1 on [−1, 1]. So if |e_0|,
// |e_1| ≤ e,
//
//	|e_j| ≤ (2j − 1)·e + r·j(j − 1)/2 < 2B·e + r·B²/2 for 1 ≤ j < B,
//
// and |e_0| ≤ e. That much for each wave bounds the error of a sum. It is kept below 2^61, so that no
// |x_j| or |S_j| reaches 2^189, nor |c·x_j| 2^190: nothing overflows.
func Waves(ctx context.Context, a, theta []Real, n int) (sums []Complex, ok bool, err error) {
	amplitudes := make([]Complex, len(a))
	for k, x := range a {
		amplitudes[k].Re = x
	}
	return DampedWaves(ctx, amplitudes, theta, nil, n)
}

// DampedWaves returns enclosures of
//
//	S_j = Σ_k a_k·e^{−j(fall_k + iθ_k)},  j = 0 … n,
//
// for falls that are not negative, with errors of 2^−140 of Σ|a_k| or so. Where fall is nil they are 0. It reports
// false where words do not do, as Waves says.
//
// Without falls all is as Waves says; these are the differences that falls make. All that follows is about the
// middles: as fall ≥ 0 of both, sums with other members differ by at most
// Σ|a_k − a′_k| + n·max(|θ_k − θ′_k| + |fall_k − fall′_k|)·Σ|a_k|.
//
// With ρ = e^{−fall} a part is carried on by x_{j+1} = C·x_j − Q·x_{j−1}, C = 2ρ·cos θ, Q = ρ². In its place there
// are c = 2cf and q with |cf − ρ·cos θ| ≤ δ·2^−192 and |q − Q| ≤ δ′·2^−192. With e_j = x_j − X_j and |x_j| <
// 2^(waveScale + 1) units,
//
//	e_{j+1} = C·e_j − Q·e_{j−1} + r_j,
//	|r_j| ≤ |c − C|·|x_j| + |q − Q|·|x_{j−1}| + dampedStepErr ≤ δ/4 + δ′/8 + dampedStepErr.
//
// Let g_m = ρ^m·U_m(cos θ), g_{−1} = 0, which solve g_{m+1} = C·g_m − Q·g_{m−1}. By induction
//
//	e_j = g_{j−1}·e_1 − Q·g_{j−2}·e_0 + Σ_{0<i<j} g_{j−1−i}·r_i,
//
// and |g_m| ≤ m + 1 as ρ ≤ 1: the bound of Waves holds.
//
// A wave is left out from the first block on at whose start both parts are at most negligible, or j·fall ≥ 128: as
// its modulus falls with j, it adds at most 4·negligible units to the error. For |a_k|·e^−128 is below 2^−184·2^E,
// which is 16 units.
func DampedWaves(ctx context.Context, a []Complex, theta, fall []Real, n int) (sums []Complex, ok bool, err error) {
	w := Three{}
	var total Real
	for _, z := range a {
		for _, x := range []Real{z.Re, z.Im} {
			b, exp := x.magnitude()
			total = w.Add(total, pack(false, b, 0, exp))
			if !x.Known() || !total.Known() {
				return nil, false, nil
			}
		}
	}
	_, top := total.magnitude() // E
	sums = make([]Complex, n+1)
	if total.isZero() {
		return sums, true, nil
	}
	waves := make([]wave, len(a))
	worst, wide := uint64(0), uint64(0) // e, and the greater one of δ and δ′; of waves that are left out they do not count
	var still, turning uint64           // Σ|a_k − a′_k| in units, and the greatest sum of differences in ulps of 1
	for k := range waves {
		var damp Real
		if fall != nil {
			damp = fall[k]
		}
		grows := damp.neg() && !damp.exact().isZero()
		if !theta[k].Known() || !damp.Known() || grows || len(a) > 1<<16 || n > 1<<20 {
			return nil, false, nil
		}
		for _, x := range []Real{a[k].Re, a[k].Im} {
			off := unitsOf(x.err(), x.exp()-top-192+waveScale)
			if off == tooMany {
				return nil, false, nil
			}
			still += off
		}
		turn, slow := unitsOf(theta[k].err(), theta[k].exp()), unitsOf(damp.err(), damp.exp())
		if turn == tooMany || slow == tooMany {
			return nil, false, nil
		}
		turning = max(turning, turn+slow)
		v := &waves[k]
		*v = wave{a: Complex{a[k].Re.exact(), a[k].Im.exact()}, theta: theta[k].exact(), fall: damp.exact()}
		var rho Real
		v.turn, rho = v.turned(1)
		var d, d2 uint64
		var okSquare bool
		v.cos, d, ok = v.turn.Re.fraction(0)
		v.square, d2, okSquare = w.Sqr(rho).fraction(0)
		if !ok || !okSquare {
			return nil, false, nil
		}
		if v.turn.Re.neg() {
			v.flip = ^uint64(0)
		}
		wide = max(wide, d, d2)
	}
	re, im := make([]frac, n+1), make([]frac, n+1)
	for from := 0; from <= n; from += waveBlock {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		to := min(from+waveBlock, n+1)
		for k := range waves {
			v := &waves[k]
			if fall != nil && (v.over || v.isOver(from)) {
				continue
			}
			turn, _ := v.turned(from)
			first := w.MulC(v.a, turn)
			second := w.MulC(first, v.turn)
			x0, e0, ok0 := first.Re.units(top)
			x1, e1, ok1 := second.Re.units(top)
			y0, e2, ok2 := first.Im.units(top)
			y1, e3, ok3 := second.Im.units(top)
			if !(ok0 && ok1 && ok2 && ok3) {
				return nil, false, nil
			}
			worst = max(worst, e0, e1, e2, e3)
			if fall == nil {
				v.carry(re[from:to], im[from:to], x0, x1, y0, y1)
				continue
			}
			if isSmall(x0) && isSmall(y0) {
				v.over = true
				continue
			}
			v.carryDamped(re[from:to], im[from:to], x0, x1, y0, y1)
		}
	}
	const most = 1 << 33
	if worst > most || wide > most {
		return nil, false, nil
	}
	e := uint64(len(a)) * (2*waveBlock*worst + waveBlock*waveBlock/2*(stepErr+wide>>3+1))
	if fall != nil {
		e = uint64(len(a)) * (2*waveBlock*worst + waveBlock*waveBlock/2*(dampedStepErr+wide>>2+wide>>3+2) + 4*negligible)
	}
	// Σ|a_k| ≤ 2^waveScale units, and an ulp of an angle is 2^−192: a sixteenth of a unit.
	e += still + uint64(n)*(turning>>(192-waveScale)+1)
	for j := range sums {
		sums[j] = Complex{fromUnits(re[j], e, top), fromUnits(im[j], e, top)}
	}
	return sums, true, nil
}

// isOver reports whether j·fall is 128 or more, and remembers it.
func (v *wave) isOver(j int) bool {
	w := Three{}
	v.over = w.Sub(w.Mul(Int(int64(j)), v.fall), Int(128)).Negative() == interval.False
	return v.over
}

// isSmall reports whether an integer in two's complement is at most negligible in modulus.
func isSmall(f frac) bool {
	if f.Hi>>63 != 0 {
		f = fraction.Sub(frac{}, f)
	}
	return f.Hi|f.Mi == 0 && f.Lo <= negligible
}

// turned returns e^{−j(fall + iθ)} and its modulus, which is 1 where fall is 0.
func (v *wave) turned(j int) (z Complex, size Real) {
	w := Three{}
	sin, cos := w.SinCos(w.Mul(Int(int64(j)), v.theta))
	if v.fall.isZero() {
		return Complex{cos, sin.Neg()}, Int(1)
	}
	size = w.Exp(w.Mul(Int(int64(j)), v.fall).Neg())
	return Complex{w.Mul(size, cos), w.Mul(size, sin).Neg()}, size
}

// carryDamped is carry for waves that fall.
//
// Rounding of x_{j+1}: 2c·x_j is off as in Waves, by [−1, 12) low or its negative, and q·x_{j−1} is low by [0, 6).
func (v *wave) carryDamped(re, im []frac, x0, x1, y0, y1 frac) {
	c, flip, q := v.cos, v.flip, v.square
	im = im[:len(re)]
	for j := range re {
		re[j], im[j] = fraction.Add(re[j], x0), fraction.Add(im[j], y0)
		x0, x1 = x1, fraction.Sub(twice(x1, c, flip), once(x0, q))
		y0, y1 = y1, fraction.Sub(twice(y1, c, flip), once(y0, q))
	}
}

// once returns x·c for an integer x in two's complement and a fraction c.
func once(x, c frac) frac { return fraction.Sub(fraction.Mul(x, c), ifNegative(x, c)) }
