// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"context"
	"math/big"
	"math/bits"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// Sum returns enclosures of
//
//	S_j = Σ_k a_k·e^{−i·j·θ_k},  j = 0 … n,
//
// for weights a_k ≥ 0 and angles θ_k.
// The errors are about 2^−p·Σ a_k if the enclosures of a and θ are as good as that.
// Up to maxWordPrec, waves in words are tried first.
//
// Every term is carried from j to j+1 by one complex product in fixed point.
// Discs around fixed-point numbers do not grow when they are rotated, as rectangles do; their errors add up linearly.
//
// Lemma. Let Σ a_k ≤ 2^E, and count in units of 2^(E−w).
// A term is an integer pair y_j with |y_j − y*_j| ≤ ε_j, where y*_j = a·e^{−ijθ}·2^(w−E) and |y*_j| ≤ Y ≤ 2^w.
// The rotation is an integer pair z with |z·2^−w − e^{−iθ}| ≤ ρ·2^−w.
// If n·ρ ≤ 2^(w−2) for the largest ρ, the error of the sum of the N terms is less than 2·(Σ ε_0 + j·(ρ + 2N)).
//
// Proof. With y_{j+1} = y_j·z·2^−w, both parts rounded down,
//
//	ε_{j+1} ≤ |y_j|·ρ·2^−w + ε_j + √2 ≤ ε_j·(1 + ρ·2^−w) + Y·ρ·2^−w + 2,
//
// so ε_j ≤ (1 + ρ·2^−w)^j·(ε_0 + j·(Y·ρ·2^−w + 2)), and the first factor is below e^{1/4} < 4/3.
// Summed over the terms, with ΣY ≤ 2^w, the error is at most (4/3)·(Σ ε_0 + j·(ρ + 2N)).
func Sum(ctx context.Context, p interval.Prec, a, theta []interval.Interval, n int) ([]interval.Complex, error) {
	if p <= maxWordPrec {
		if out, ok, err := wordSums(ctx, p, a, theta, n); ok || err != nil {
			return out, err
		}
	}
	return fixedSum(ctx, p, a, theta, n, int(p)+2*bits.Len(uint(n))+bits.Len(uint(len(a)))+8)
}

// wordSums is Sum in words, by waves with the middles a′ and θ′ of a and θ.
// It reports false where words do not suffice.
//
// As |e^{−ijθ} − e^{−ijθ′}| ≤ j·|θ − θ′|, each S_j differs from the sum of waves by at most
//
//	Σ_k |a_k − a′_k| + j·Σ_k a′_k·|θ_k − θ′_k|.
func wordSums(
	ctx context.Context, p interval.Prec, a, theta []interval.Interval, n int,
) ([]interval.Complex, bool, error) {
	amplitudes, angles := make([]fixed.Real, len(a)), make([]fixed.Real, len(a))
	var still, turning interval.Interval
	for k := range a {
		x, t := words180.Mid(a[k]), words180.Mid(theta[k])
		amplitudes[k], angles[k] = fixed.FromInterval(x), fixed.FromInterval(t)
		still = coarse.Add(still, coarse.Sub(a[k], x).Abs())
		turning = coarse.Add(turning, coarse.Mul(x.Abs(), coarse.Sub(theta[k], t).Abs()))
	}
	sums, ok, err := fixed.Waves(ctx, amplitudes, angles, n)
	if !ok || err != nil {
		return nil, false, err
	}
	out := make([]interval.Complex, n+1)
	for j, z := range sums {
		e := upper(coarse.Add(still, coarse.Mul(interval.Int(int64(j)), turning)))
		e = interval.Union(e.Neg(), e)
		y := z.Interval()
		out[j] = interval.Complex{Re: p.Add(y.Re, e), Im: p.Add(y.Im, e)}
	}
	return out, true, nil
}

// maxWordPrec is the precision up to which sums are tried in words.
const maxWordPrec = interval.Prec(144)

// words180 is the precision of three words.
const words180 = interval.Prec(180)

// turns are sums Σ y·z^j of integers, j = 0 … n, in units of 2^−w. Both parts of a product are rounded down.
type turns struct {
	w      uint
	re, im []big.Int
}

// add adds y_0 = x, y_(j+1) ≈ y_j·(zr + i·zi)·2^−w. It changes x.
func (s *turns) add(x, zr, zi *big.Int) {
	y := new(big.Int)
	var t, u, v big.Int
	for j := 0; ; j++ {
		s.re[j].Add(&s.re[j], x)
		s.im[j].Add(&s.im[j], y)
		if j == len(s.re)-1 {
			return
		}
		t.Mul(x, zr)
		u.Mul(y, zi)
		t.Sub(&t, &u)
		u.Mul(x, zi)
		v.Mul(y, zr)
		u.Add(&u, &v)
		x.Rsh(&t, s.w)
		y.Rsh(&u, s.w)
	}
}

// fixedSum is Sum in scale w.
func fixedSum(
	ctx context.Context, p interval.Prec, a, theta []interval.Interval, n, w int,
) ([]interval.Complex, error) {
	s := &turns{uint(w), make([]big.Int, n+1), make([]big.Int, n+1)}
	const sums = interval.Prec(32)
	total := interval.Int(0)
	for _, x := range a {
		total = sums.Add(total, x)
	}
	out := make([]interval.Complex, n+1)
	hi := total.Hi()
	if hi.Sign() == 0 {
		return out, nil
	}
	if hi.IsInf() {
		for j := range out {
			out[j] = interval.Complex{Re: interval.Entire(), Im: interval.Entire()}
		}
		return out, nil
	}
	E := hi.MantExp(nil) // Σ a_k < 2^E
	q := interval.Prec(max(w, interval.MinPrec)) + 4
	start, worst := new(big.Int), new(big.Int) // Σ ε_0 and the largest ρ
	for k := range a {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		y, ey := integer(a[k], w-E)
		start.Add(start, ey)
		rot := q.ExpI(theta[k].Neg())
		zr, er := integer(rot.Re, w)
		zi, ei := integer(rot.Im, w)
		if er.Add(er, ei); er.Cmp(worst) > 0 {
			worst.Set(er)
		}
		s.add(y, zr, zi)
	}
	// n·ρ ≤ 2^(w−2), or all bounds are the trivial |S_j| ≤ Σ a_k.
	trivial := new(big.Int).Mul(worst, big.NewInt(int64(n)))
	useless := trivial.BitLen() > w-2
	step := worst.Add(worst, big.NewInt(2*int64(len(a))))
	for j := range out {
		if useless {
			all := interval.Bounds(new(big.Float).Neg(hi), hi)
			out[j] = interval.Complex{Re: all, Im: all}
			continue
		}
		e := new(big.Int).Mul(step, big.NewInt(int64(j)))
		e.Add(e, start)
		e.Lsh(e, 1)
		out[j] = interval.Complex{Re: p.FromFixed(&s.re[j], e, w-E), Im: p.FromFixed(&s.im[j], e, w-E)}
	}
	return out, nil
}
