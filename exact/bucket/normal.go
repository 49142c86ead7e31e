// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"fmt"
	"math/big"
	"sync"

	"dpverify/exact/interval"
)

// A normalTable evaluates Φ at many points in fixed point, by Taylor polynomials
// around the multiples of 1/16.
//
// With c the nearest multiple of 1/16 and t = z − c, |t| ≤ 1/32, Taylor's theorem says
//
//	Φ(z) = Σ_{k=0}^K a_k·t^k + ρ,  a_0 = Φ(c), a_k = φ^(k−1)(c)/k!,  |ρ| ≤ sup|φ^(K)|·|t|^(K+1)/(K+1)!.
//
// Fourier inversion φ^(K)(x) = (1/2π)∫(iω)^K·e^(−ω²/2)·e^(iωx) dω gives, for odd K,
// |φ^(K)| ≤ (1/π)∫_0^∞ ω^K·e^(−ω²/2) dω = (K−1)!!/π, and (K+1)! = (K+1)·K!!·(K−1)!!, so that
//
//	|ρ| < 32^−(K+1)/K!!.
type normalTable struct {
	bits  uint // B: numbers are integers times 2^−B
	deg   int  // K
	limit int  // |z| beyond limit/16 counts as infinite

	mu      sync.Mutex
	centres map[int][]*big.Int
}

// normalErr bounds the error of a value in units of 2^−B:
//
//   - z is within 2 of the truth, and Φ' < 1/2: 1;
//   - ρ: less than 1, by the choice of K;
//   - Horner's rule y ← ã_k + ⌊y·t/2^B⌋: ã_k within 2 of a_k·2^B (see centre), the floor 1, and
//     an error e of the last y becomes e/32: at most 3·(1 + 1/32 + …) < 4;
//   - beyond the limit: Φ(−|z|) ≤ e^(−z²/2)/2 < 1, by the choice of the limit.
const normalErr = 6

// centreLog: centres are the multiples of 2^−centreLog.
const centreLog = 4

func newNormalTable(bits uint) *normalTable {
	t := &normalTable{bits: bits, deg: 1, centres: make(map[int][]*big.Int)}
	// 32^(K+1)·K!! ≥ 2^B
	for x := big.NewInt(1); (centreLog+1)*(t.deg+1)+x.BitLen()-1 < int(bits); {
		t.deg += 2
		x.Mul(x, big.NewInt(int64(t.deg)))
	}
	// e^(−z²/2) ≤ 2^−B for z² ≥ 2·B > 2·log 2·B.
	z := new(big.Int).Sqrt(new(big.Int).SetUint64(2 * uint64(bits)))
	t.limit = int(z.Int64()+1) << centreLog
	return t
}

// cdf encloses Φ at a point within 2·2^−B of z·2^−B. It overwrites z.
func (t *normalTable) cdf(z *big.Int) interval.Interval {
	// c = ⌊16z + 1/2⌋, z in units of 1
	c := new(big.Int).Rsh(z, t.bits-centreLog-1)
	c.Add(c, big.NewInt(1))
	c.Rsh(c, 1)
	if !c.IsInt64() || c.Int64() > int64(t.limit) {
		return t.enclose(one(t.bits))
	} else if c.Int64() < -int64(t.limit) {
		return t.enclose(new(big.Int))
	}
	a := t.centre(int(c.Int64()))
	x := c.Lsh(c, t.bits-centreLog)
	x.Sub(z, x)
	y, u := new(big.Int).Set(a[t.deg]), new(big.Int)
	for k := t.deg - 1; k >= 0; k-- {
		u.Mul(y, x)
		u.Rsh(u, t.bits)
		y.Add(u, a[k])
	}
	return t.enclose(y)
}

// enclosing encloses Φ on z.
//
// Beyond ±2^40, Φ is what it is at ±2^40 but for less than 2^−B. Truncation to B bits
// moves an end by less than 1 unit. Where both ends then are at most one unit apart,
// every point of z is within 2 of the lower one; otherwise what is within 1 of either
// end bounds Φ, which rises.
func (t *normalTable) enclosing(z interval.Interval) interval.Interval {
	fixed := func(f *big.Float) *big.Int {
		const far = 40
		if f.IsInf() || f.MantExp(nil) > far {
			return new(big.Int).Lsh(big.NewInt(int64(f.Sign())), far+t.bits)
		}
		n, _ := new(big.Float).SetMantExp(f, int(t.bits)).Int(nil)
		return n
	}
	lo, hi := fixed(z.Lo()), fixed(z.Hi())
	if new(big.Int).Sub(hi, lo).Cmp(big.NewInt(1)) <= 0 {
		return t.cdf(lo)
	}
	return interval.Union(t.cdf(lo), t.cdf(hi))
}

// enclose returns y ± normalErr as an interval of [0, 1].
func (t *normalTable) enclose(y *big.Int) interval.Interval {
	p := interval.Prec(t.bits) + 1
	e := big.NewInt(normalErr)
	lo, hi := new(big.Int).Sub(y, e), e.Add(y, e)
	x := interval.Bounds(p.BigInt(lo).Lo(), p.BigInt(hi).Hi())
	return interval.Clamp(p.Scale(x, -int(t.bits)), 0, 1)
}

// centre returns the coefficients a_0 … a_K around c/16, within 2 units of 2^−B.
//
// b_k = φ^(k)/k! follows from φ' = −xφ: (k+1)·b_{k+1} = −(c·b_k + b_{k−1}).
func (t *normalTable) centre(c int) []*big.Int {
	t.mu.Lock()
	a, ok := t.centres[c]
	t.mu.Unlock()
	if ok {
		return a
	}
	w := interval.Prec(t.bits) + 64
	x := w.Scale(interval.Int(int64(c)), -centreLog)
	a = make([]*big.Int, t.deg+1)
	set := func(k int, y interval.Interval) {
		lo, _ := new(big.Float).SetMantExp(y.Lo(), int(t.bits)).Int(nil)
		hi, _ := new(big.Float).SetMantExp(y.Hi(), int(t.bits)).Int(nil)
		// Truncation moves either by less than 1.
		if hi.Cmp(new(big.Int).Add(lo, big.NewInt(1))) > 0 {
			panic(fmt.Sprintf("bucket: internal error: Taylor coefficient %d at %d/16 is too wide", k, c))
		}
		a[k] = lo
	}
	set(0, w.NormalCDF(x))
	density := w.Div(w.Exp(w.Scale(w.Sqr(x), -1).Neg()), w.Sqrt(w.Scale(w.Pi(), 1)))
	last, b := interval.Int(0), density
	for k := 1; k <= t.deg; k++ {
		set(k, w.Div(b, interval.Int(int64(k))))
		next := w.Div(w.Add(w.Mul(x, b), last), interval.Int(int64(k))).Neg()
		last, b = b, next
	}
	t.mu.Lock()
	t.centres[c] = a
	t.mu.Unlock()
	return a
}
