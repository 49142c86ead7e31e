// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"context"
	"math/big"
	"runtime"
	"sync"
	"sync/atomic"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// MaxLaplaceTerms bounds k in LaplaceSum, whose cost grows as k², but where three words are enough.
const MaxLaplaceTerms = 1 << 12

// LaplaceSum returns the privacy profile of k copies of (Lap(x, 1), Lap(0, 1)),
// x = shift > 0, k ≥ 1, as a sum. It is [0, 1] where k is too large.
//
// Derivation. The loss L of one copy has under P an atom 1/2 at x, an atom e^(−x)/2
// at −x and the density e^((l−x)/2)/4 between. Multiplied by e^(−L/2) this is
// e^(−x/2)/2 times a symmetric measure: unit atoms at ±x and the density 1/2 on
// (−x, x). So with the sum of k independent losses,
//
//	δ_k(ε) = e^(−kx/2)·2^−k·∫ (e^(t/2) − e^(ε−t/2))₊ dν^{*k}(t),  ν = atoms + density.
//
// The transform ∫ e^(ts) dν is e^(xs) + e^(−xs) + (e^(xs) − e^(−xs))/(2s). In its k-th
// power, the term with c densities and k − c pairs of atoms is, with z = e^(−2xs),
// e^(kxs)·(1 + z)^(k−c)·(1 − z)^c/(2s)^c = Σ_m K_m(c)·e^(τ_m s)/(2s)^c, where τ_m = (k − 2m)x
// and K_m(c) = [z^m](1−z)^c(1+z)^(k−c). These are atoms at τ_m for c = 0, and for c ≥ 1
// the functions 2^−c·(τ_m − t)₊^(c−1)/(c−1)!, whose sum over m vanishes below −kx. With
// y = (τ_m − t)/2 and u = (τ_m − ε)/2 each adds, where u > 0,
//
//	e^(ε/2)·∫_0^u (e^(u−y) − e^(y−u))·y^(c−1)/(c−1)! dy = 2·e^(ε/2)·H_c(u),
//	H_c(u) = u^(c+1)/(c+1)! + u^(c+3)/(c+3)! + …,
//
// for the integral of 2·sinh(u − y) is the integral of the series of sinh; an atom adds
// 2·e^(ε/2)·sinh(u), which is the same with c = 0. Because C(k,c)·K_m(c) = C(k,m)·a_c with
// a_c = [z^c](1−z)^m(1+z)^(k−m),
//
//	δ_k(ε) = e^((ε−kx)/2)·2^(1−k)·Σ_{m: τ_m > ε} C(k,m)·Σ_{n≥1} S_n·u^n/n!,
//	S_n = a_{n−1} + a_{n−3} + … = [z^(n−1)] (1−z)^(m−1)·(1+z)^(k−m−1).
//
// Below ε = 0 it is told from −ε by the reversal (7), the pair being its own reverse:
// δ(ε) = 1 − e^ε + e^ε·δ(−ε).
func LaplaceSum(ctx context.Context, p interval.Prec, shift *big.Rat, k int64,
	eps interval.Real) (interval.Interval, error) {
	words := LaplaceSumBits(shift, k)
	if k > MaxLaplaceTerms { // there is nothing else
		p = min(p, words)
	}
	if 0 < p && p <= words {
		if e := eps(wordInput); e.IsFinite() && e.Negative() != interval.Unknown {
			d := laplaceSumInWords(ctx, int(p)+24, shift, k, e.Abs())
			if e.Negative() == interval.True {
				x := fixed.FromInterval(e)
				d = three.Sub(three.Mul(three.Exp(x), d), three.Expm1(x))
			}
			if d.Good(uint(p)) || k > MaxLaplaceTerms {
				return interval.Clamp((p + 8).Round(d.Interval()), 0, 1), nil
			}
		}
	}
	if k > MaxLaplaceTerms {
		return interval.Union(zero, one), ctx.Err()
	}
	var err error
	y := p.Refine(p+64, limit(p)+interval.Prec(2*k), func(w interval.Prec) interval.Interval {
		z, e := laplaceSum(ctx, w, shift, k, eps(w))
		if e != nil {
			err = e
		}
		return z
	})
	return y, err
}

func laplaceSum(ctx context.Context, w interval.Prec, shift *big.Rat, k int64,
	e interval.Interval) (interval.Interval, error) {
	switch {
	case !e.IsFinite():
		return interval.Union(zero, one), nil
	case e.Negative() == interval.Unknown:
		// δ falls: it is between its values at the ends.
		hi, err := laplaceSum(ctx, w, shift, k, e.Lower())
		if err != nil {
			return hi, err
		}
		lo, err := laplaceSum(ctx, w, shift, k, e.Upper())
		return interval.Union(lo, hi), err
	case e.Negative() == interval.True:
		d, err := laplaceSum(ctx, w, shift, k, e.Neg())
		d = w.Add(w.Expm1(e).Neg(), w.Mul(w.Exp(e), d))
		return interval.Clamp(d, 0, 1), err
	}
	x := w.Rat(shift)
	terms := make([]interval.Interval, k+1)
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for ctx.Err() == nil {
				m := next.Add(1) - 1
				if m > k {
					return
				}
				u := w.Scale(w.Sub(w.Mul(interval.Int(k-2*m), x), e), -1)
				if u.Positive() == interval.False {
					return // as for all m after it
				}
				terms[m] = laplaceTerm(w, k, m, interval.Max(zero, u))
			}
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return interval.Union(zero, one), err
	}
	choose := big.NewInt(1)
	sum := zero
	for m, y := range terms {
		sum = w.Add(sum, w.Mul(w.BigInt(choose), y))
		choose.Mul(choose, big.NewInt(k-int64(m)))
		choose.Quo(choose, big.NewInt(int64(m)+1))
	}
	d := w.Mul(sum, w.Exp(w.Scale(w.Sub(e, w.Mul(interval.Int(k), x)), -1)))
	return interval.Clamp(w.Scale(d, int(1-k)), 0, 1), nil
}

// laplaceTerm encloses Σ_{n≥1} S_n·u^n/n!, 0 ≤ m ≤ k, u ≥ 0.
//
// The coefficients f_n = S_{n+1} of f = (1−z)^(m−1)·(1+z)^(k−m−1) follow from (1 − z²)·f′ = (k −
// 2m − (k−2)z)·f:
//
//	(n+1)·f_{n+1} = (k − 2m)·f_n − (k − 1 − n)·f_{n−1}.
//
// For 0 < m < k they end with n = k − 2. For m = 0 they are the coefficients of (1+z)^(k−1)/(1−z), which
// from n = k − 1 on are 2^(k−1); m = k is not asked for, since −kx is no loss above ε ≥ 0.
//
// Truncation. |a_c| ≤ C(k,c), and S_n has every other of them, so that |S_n| ≤ 2^(k−1). Once
// u ≤ (n+1)/2, each later u^j/j! is at most half of the one before, and the terms after n
// add up to at most 2^(k−1)·u^n/n!. The sum ends where this is below 2^−w of what the terms add
// up to without their signs. If for m = 0 that does not come before n = k, the terms after
// n are what 2^(k−1)·e^u has after n.
//
// Rounding. u is in [1, 1 + r]·U with U of g bits. T_n of at least g bits and 2^e_n times it
// below u^n/n!: product and quotient are rounded down, each by less than 2^(1−g) of itself, and
// −log(1−y) ≤ 2y, so that u^n/n! is in T_n·2^e_n·[1, 1 + κ], 1 + κ = exp(n·(r + 2^(4−g))). Terms are
// added after rounding down to multiples of 2^base, g bits below the first term, u.
func laplaceTerm(w interval.Prec, k, m int64, u interval.Interval) interval.Interval {
	if u.Positive() != interval.True {
		// |S_n| is largest for m = 0, Σ_{c<n} C(k−1,c) ≤ Σ_{c<n} C(n−1,c)·(k−1)^c = k^(n−1).
		most := w.Div(w.Expm1(w.Mul(interval.Int(k), u)), interval.Int(k))
		return interval.Union(most.Neg(), most)
	}
	g := int(w) + 64
	factor, v := leading(u.Lo(), g)
	under := w.Scale(w.BigInt(factor), v)
	r := interval.Point(w.Div(w.Sub(u.Upper(), under.Lower()), under).Hi())
	growth := w.Add(interval.Max(zero, r), w.Scale(one, 4-g))
	halved := halving(u)

	f, before := big.NewInt(1), new(big.Int) // f_{n−1} and f_{n−2}
	power := new(big.Int).Set(factor)        // T_n
	e, base := v, v
	sum, size := new(big.Int), new(big.Int) // Σ S_j·u^j/j! and Σ |S_j|·u^j/j!, over 2^base
	series := new(big.Int)                  // Σ_{1≤j≤n} u^j/j!, over 2^base
	x, y := new(big.Int), new(big.Int)
	next, unit := new(big.Int), big.NewInt(1)
	for n := int64(1); ; n++ {
		if n > 1 {
			x.SetInt64(n)
			y.Mul(power, factor)
			shift := y.BitLen() - g - x.BitLen()
			y.Rsh(y, uint(shift))
			power, y = y.Quo(y, x), power
			e += shift + v
		}
		shifted(next, next.Mul(f, power), e-base)
		sum.Add(sum, next)
		size.Add(size, next.Abs(next))
		size.Add(size, unit)
		if m == 0 {
			series.Add(series, shifted(next, power, e-base))
		}
		last := m > 0 && n == k-1 || m == 0 && n == k
		small := n >= halved && n%8 == 0 && int(k)+power.BitLen()+e <= base+size.BitLen()-int(w)
		if last || small {
			kappa := w.Expm1(w.Mul(interval.Int(n), growth))
			slack := w.Add(interval.Int(n), w.Mul(kappa, w.BigInt(size)))
			total := w.Scale(w.Add(w.BigInt(sum), interval.Union(slack.Neg(), slack)), base)
			switch {
			case !last:
				rest := w.Scale(w.Add(one, kappa), int(k)-1+power.BitLen()+e)
				total = w.Add(total, interval.Union(rest.Neg(), rest))
			case m == 0:
				// The sum of the series is in [series, (1 + κ)·(series + n)] on 2^base.
				s := w.BigInt(series)
				s = interval.Union(s, w.Mul(w.Add(one, kappa), w.Add(s, interval.Int(n))))
				rest := w.Sub(w.Expm1(u), w.Scale(s, base)).AtLeastZero()
				total = w.Add(total, w.Scale(rest, int(k-1)))
			}
			return total
		}
		before.Mul(before, x.SetInt64(k-n))
		y.Mul(f, x.SetInt64(k-2*m))
		y.Sub(y, before)
		before, f, y = f, y.Quo(y, x.SetInt64(n)), before
	}
}

// leading returns an n of g bits and a v such that n·2^v ≤ x < (n+1)·2^v, x > 0.
func leading(x *big.Float, g int) (n *big.Int, v int) {
	v = x.MantExp(nil) - g
	n, _ = new(big.Float).SetMantExp(x, -v).Int(nil)
	return n, v
}

// halving returns the least n such that u ≤ (n+1)/2, or a number that no sum gets to.
func halving(u interval.Interval) int64 {
	n, _ := new(big.Float).SetMantExp(u.Hi(), 1).Int64()
	return n // the integer part of 2u, or the largest int64
}

// shifted sets z to ⌊x·2^n⌋ and returns it.
func shifted(z, x *big.Int, n int) *big.Int {
	if n >= 0 {
		return z.Lsh(x, uint(n))
	}
	return z.Rsh(x, uint(-n))
}
