// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math/big"
	"math/bits"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// exponentialSum returns enclosures of
//
//	S_j = Σ_k a_k·e^{−i·j·θ_k},  j = 0 … n,
//
// for weights a_k ≥ 0 and angles θ_k, with errors of about 2^−p·Σ a_k if the
// enclosures of a and θ are as good as that.
//
// Every term is carried from j to j+1 by one complex product in fixed point. Discs
// around fixed-point numbers do not grow when they are rotated, as rectangles do, and
// the errors add up linearly:
//
// Let Σ a_k ≤ 2^E, and count in units of 2^(E−w). A term is an integer pair y_j with
// |y_j − y*_j| ≤ ε_j for y*_j = a·e^{−ijθ}·2^(w−E), |y*_j| ≤ Y ≤ 2^w. The rotation is an integer pair z
// with |z·2^−w − e^{−iθ}| ≤ ρ·2^−w. With y_{j+1} = y_j·z·2^−w, both parts rounded down,
//
//	ε_{j+1} ≤ |y_j|·ρ·2^−w + ε_j + √2 ≤ ε_j·(1 + ρ·2^−w) + Y·ρ·2^−w + 2,
//
// so ε_j ≤ (1 + ρ·2^−w)^j·(ε_0 + j·(Y·ρ·2^−w + 2)), and the first factor is below e^{1/4} < 4/3
// for n·ρ ≤ 2^(w−2). Summed over the N terms, ΣY ≤ 2^w, the error is at most
//
//	(4/3)·(Σ ε_0 + j·(ρ + 2N)) < 2·(Σ ε_0 + j·(ρ + 2N))
//
// for the largest ρ. Up to mostWordPrec, waves in words are tried first.
func exponentialSum(ctx context.Context, p interval.Prec, a, theta []interval.Interval, n int) ([]interval.Complex, error) {
	if p <= mostWordPrec {
		if out, ok, err := wordSums(ctx, p, a, theta, n); ok || err != nil {
			return out, err
		}
	}
	return fixedExponentialSum(ctx, p, a, theta, n, int(p)+2*bits.Len(uint(n))+bits.Len(uint(len(a)))+8)
}

// wordSums is exponentialSum in words, by waves with the middles a′ and θ′ of a and θ: since |e^{−ijθ} − e^{−ijθ′}| ≤
// j·|θ − θ′|, each S_j is within
//
//	Σ_k |a_k − a′_k| + j·Σ_k a′_k·|θ_k − θ′_k|
//
// of theirs. It reports false where words do not do.
func wordSums(ctx context.Context, p interval.Prec, a, theta []interval.Interval, n int) ([]interval.Complex, bool, error) {
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

// words180 rounds to what words hold.
const words180 = interval.Prec(180)

// Turns are sums Σ y·z^j of integers, j = 0 … n, in units of 2^−w. Both parts of a product are rounded down.
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

// fixedExponentialSum is exponentialSum in scale w.
func fixedExponentialSum(ctx context.Context, p interval.Prec, a, theta []interval.Interval, n, w int) ([]interval.Complex, error) {
	s := &turns{uint(w), make([]big.Int, n+1), make([]big.Int, n+1)}
	const rough = interval.Prec(32)
	total := interval.Int(0)
	for _, x := range a {
		total = rough.Add(total, x)
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

// integer returns an integer m and e with |x·2^v − m| ≤ e for every member of a finite x.
func integer(x interval.Interval, v int) (m, e *big.Int) {
	lo, hi := floorScaled(x.Lo(), v), floorScaled(x.Hi(), v)
	hi.Add(hi, big.NewInt(1))
	m = new(big.Int).Add(lo, hi)
	m.Rsh(m, 1)
	return m, hi.Sub(hi, m)
}

// floorScaled returns ⌊f·2^v⌋ for a finite f.
func floorScaled(f *big.Float, v int) *big.Int {
	if f.Sign() == 0 {
		return new(big.Int)
	}
	e := f.MantExp(nil) + v // |f|·2^v < 2^e
	switch {
	case e < 0 && f.Sign() > 0:
		return new(big.Int)
	case e < 0:
		return big.NewInt(-1)
	}
	g := new(big.Float).SetMantExp(f, v)
	n, _ := g.Int(nil) // towards zero
	if g.Sign() < 0 && !g.IsInt() {
		n.Sub(n, big.NewInt(1))
	}
	return n
}
