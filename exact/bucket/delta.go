// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
)

// errCrossed reports that a lower bound exceeds an upper one: a bug.
var errCrossed = errors.New("bucket: internal error: the lower bound of a tree exceeds its upper bound")

// Delta returns an enclosure of δ(ε) = Σ_x max(0, P_A(x) − e^ε·P_B(x)) for any real ε:
// [Lower, the lesser of Upper and Typical]. It is a profile.Func.
func (t *Tree) Delta(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	if err := ctx.Err(); err != nil {
		return interval.Union(interval.Int(0), interval.Int(1)), err
	}
	lo, hi := t.Lower(p, eps), t.Upper(p, eps)
	if x := t.Typical(p, eps); x.Cmp(hi) < 0 {
		hi = x
	}
	if lo.Cmp(hi) > 0 {
		// Two sound bounds cannot cross.
		return interval.Interval{}, errCrossed
	}
	return interval.Bounds(lo, hi), nil
}

// Upper returns an upper bound of δ(ε), at most 1, the δ_T(ε) of Definition 9:
//
//	Σ_{j≤i<j+u} B(i)(1 − e^ε/f^i) + Σ_{j+u≤i≤n} (B(i) − e^ε·R(i)) + B(∞),  f^(j−1) < e^ε ≤ f^j,
//
// sums over buckets up to n only; EC terms count for all i ≥ ε/η + u, where u need not
// be an integer. Lemma 13, for any real ε: it is bound with 0 ≤ D ≤ uη.
//
// Rounding: up, to p bits. Where enclosures leave ε and so j open, δ is bounded at
// the lower end, since δ falls in ε: neither a bucket is dropped by too high a j nor
// a negative term added by too low a one.
func (t *Tree) Upper(p interval.Prec, eps interval.Real) *big.Float {
	e, ok := t.below(p, eps)
	if !ok {
		return upperOne()
	}
	return t.bound(p, e, new(big.Rat), t.worst(), interval.Int(0))
}

// worst returns uη, which bounds D.
func (t *Tree) worst() *big.Rat { return new(big.Rat).Mul(t.u, t.eta) }

// Typical returns an upper bound of δ(ε), at most 1, that reckons with the
// misplacement of typical events instead of the worst possible one, as Definition
// 9 does: bound with d₀ ≤ D ≤ d₁ but for masses of 2^−m, m a few sizes (see drift). It
// is not in the paper; for many compositions it is much closer to the truth.
//
// Rounding: up, to p bits.
func (t *Tree) Typical(p interval.Prec, eps interval.Real) *big.Float {
	e, ok := t.below(p, eps)
	if !ok {
		return upperOne()
	}
	const w = driftPrec
	best := upperOne()
	worst := t.worst()
	for _, m := range []int{24, 48, 96, int(t.Prec())} {
		// exp(−d²/2s²) = 2^−m
		dev := w.Sqrt(w.Mul(w.Mul(interval.Int(int64(2*m)), w.Ln2()), t.drift.s2))
		low, _, ok0 := w.Sub(t.drift.meanA, dev).Rationals()
		_, high, ok1 := w.Add(t.drift.meanB, dev).Rationals()
		if !ok0 || !ok1 {
			continue
		}
		rare := w.Scale(interval.Int(1), -m)
		extra := interval.Int(0)
		if low.Sign() > 0 {
			extra = rare
		} else {
			low.SetInt64(0)
		}
		if high.Cmp(worst) < 0 {
			extra = w.Add(extra, w.Mul(power(w, e), rare))
		} else {
			high = worst
		}
		if x := t.bound(p, e, low, high, extra); x.Cmp(best) < 0 {
			best = x
		}
	}
	return best
}

func upperOne() *big.Float { return new(big.Float).SetInt64(1) }

// bound returns an upper bound of δ(e): with j = ⌈(e + d₀)/η⌉, k = max(j, ⌈(e + d₁)/η⌉),
//
//	1 − Σ_{i<j} B(i) − e^(e+d₀)·Σ_{j≤i<k} B(i)/f^i − e^e·Σ_{i≥k} R(i) + extra,
//
// where extra ≥ P_A(D < d₀) + e^e·P_B(D > d₁). For the true values of B and R, which sum up
// P_A and R* over events x, with 1 − ΣB(i) for bucket ∞, that is
//
//	Σ_{ι<j} 0 + Σ_{j≤ι<k} P_A(1 − e^(e+d₀−ιη)) + Σ_{k≤ι≤n} (P_A − e^e·R*) + Σ_{ι=∞} P_A + extra,
//
// and every x contributes at least max(0, P_A − e^e·P_B), a part of it perhaps to extra:
//
//   - D < d₀, ι < k: P_A is in extra;
//   - D ≥ d₀, ι < j: L ≤ ιη − D < e + d₀ − D ≤ e, so the maximum is 0;
//   - D ≥ d₀, j ≤ ι < k: P_B = P_A·e^−L ≥ P_A·e^(d₀−ιη), and e + d₀ ≤ ιη keeps it non-negative;
//   - D ≤ d₁, k ≤ ι ≤ n: R* ≤ P_A·e^(d₁−ιη) ≤ P_A·e^−e keeps it non-negative, and R* ≤ P_B;
//   - D > d₁, k ≤ ι ≤ n: P_A − e^e·R* is in the sum and e^e·P_B ≥ e^e·R* in extra: at least P_A;
//   - ι = ∞: P_A.
//
// All weights of B and R are negative, so their being rounded down keeps the bound,
// and so does what is missing in them for whatever reason. If no P_A-mass is above
// bucket top < j, only the first two cases are left, and extra is a bound.
//
// Requires: d₀, d₁ ≥ 0. Rounding: up.
func (t *Tree) bound(p interval.Prec, e, d0, d1 *big.Rat, extra interval.Interval) *big.Float {
	prec := t.Prec()
	w := max(p, interval.Prec(prec)) + 64
	n := t.n
	start := new(big.Rat).Add(e, d0)
	j := ceilQuo(start, t.eta, -n, n+1)
	k := max(j, ceilQuo(new(big.Rat).Add(e, d1), t.eta, -n, n+1))
	scale := func(x interval.Interval) interval.Interval { return w.Scale(x, -int(prec)) }

	if !t.open && t.top < j {
		return p.Round(interval.Min(extra, interval.Int(1))).Hi()
	}
	sum := w.Add(extra, scale(w.BigInt(new(big.Int).Sub(one(prec), t.b.sum(-n, j)))))
	if from := max(j, t.b.first); from < min(k, t.b.last()+1) {
		y := t.b.discounted(t.eta, from, k, 1)
		x := new(big.Rat).Sub(start, times(from, t.eta))
		sum = w.Sub(sum, scale(w.Mul(power(w, x), y)))
	}
	if real := t.r.sum(k, n+1); real.Sign() > 0 {
		sum = w.Sub(sum, scale(w.Mul(power(w, e), w.BigInt(real))))
	}
	return p.Round(interval.Min(sum, interval.Int(1))).Hi()
}

// below returns a rational number at or a little below ε, and false if ε may be so
// low that nothing is worth saying about δ(ε).
func (t *Tree) below(p interval.Prec, eps interval.Real) (*big.Rat, bool) {
	const huge = 62
	lo := eps(p + 32).Lo()
	if lo.IsInf() || lo.MantExp(nil) > huge {
		return new(big.Rat).SetInt64(1 << (huge - 1)), lo.Sign() > 0
	}
	grid := 2*int(p) + 128
	z, acc := new(big.Float).SetMantExp(lo, grid).Int(nil) // truncates
	if acc == big.Above {
		z.Sub(z, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(z, one(uint(grid))), true
}

// Lower returns a lower bound of δ(ε), at least 0:
//
//	Σ_{i∈S} (B(i) − e^ε·V(i)) + max(0, B(∞) − e^ε·V(∞))
//
// for a set S of finite buckets; the last term for both parts of bucket ∞. By (B) and (V) it is at most Σ_{ι∈S} (P_A −
// e^ε·P_B) + max(0, …) ≤ Σ_x max(0, P_A − e^ε·P_B), whatever S is. S holds the buckets with B(i) > e^ε·V(i), so far as
// 64 bits tell, which makes the sum Theorem 2's
//
//	δ_low(ε) = Σ_i max(0, B(i) − e^ε(B(i)/f^i + ℓ̃(i))),
//
// over all i instead of i ≥ j, and with bucket ∞, which the paper leaves out. The
// paper takes the lesser one of the bounds for (A, B) and (B, A), which is not
// needed.
//
// Rounding: down, to p bits; at the upper end of ε, since δ falls in ε.
func (t *Tree) Lower(p interval.Prec, eps interval.Real) *big.Float {
	prec := t.Prec()
	w := max(p, interval.Prec(prec)) + 64
	alpha := w.Exp(interval.Point(eps(p + 32).Hi()))
	zero := interval.Int(0)
	gain := func(a, b *big.Int) interval.Interval { // max(0, a − αb)
		if b.Sign() == 0 {
			return w.BigInt(a)
		}
		return interval.Max(zero, w.Sub(w.BigInt(a), w.Mul(alpha, w.BigInt(b))))
	}
	sum := w.Add(gain(t.far.a, t.far.b), gain(t.over.a, t.over.b))
	if !t.blind {
		a, b := new(big.Int), new(big.Int)
		t.above(alpha.Hi(), func(from, to int) {
			a.Add(a, t.b.sum(from, to))
			b.Add(b, t.v.sum(from, to))
		})
		sum = w.Add(sum, gain(a, b))
	}
	return p.Round(w.Scale(sum, -int(prec))).Lo()
}

// above calls f for every run from ≤ i < to of finite buckets with B(i)/V(i) > alpha,
// roughly.
func (t *Tree) above(alpha *big.Float, f func(from, to int)) {
	a := leadOf(alpha)
	at := func(m *masses, i int) lead {
		if i < m.first || i > m.last() {
			return lead{}
		}
		word, exp := m.v.Lead(i - m.first)
		return lead{word, int64(exp)}
	}
	from, last := math.MaxInt, t.b.last()
	for i := t.b.first; i <= last+1; i++ {
		in := i <= last && at(t.b, i).above(a.times(at(t.v, i)))
		switch {
		case in && from > last:
			from = i
		case !in && from <= last:
			f(from, i)
			from = math.MaxInt
		}
	}
}

// A lead is about word·2^exp, by the leading 64 bits of a number; 0 if word is.
type lead struct {
	word uint64
	exp  int64
}

// leadOf returns the lead of x ≥ 0, a huge one for ∞.
func leadOf(x *big.Float) lead {
	const huge = 1 << 40
	switch {
	case x.IsInf():
		return lead{1 << 63, huge}
	case x.Sign() == 0:
		return lead{}
	}
	m := new(big.Float)
	exp := x.MantExp(m)
	word, _ := m.SetMantExp(m, 64).Uint64()
	return lead{word, int64(exp) - 64}
}

func (x lead) times(y lead) lead {
	hi, lo := bits.Mul64(x.word, y.word)
	if hi>>63 == 0 {
		return lead{hi<<1 | lo>>63, x.exp + y.exp + 63}
	}
	return lead{hi, x.exp + y.exp + 64}
}

// above reports x > y.
func (x lead) above(y lead) bool {
	if x.word == 0 || y.word == 0 || x.exp == y.exp {
		return x.word > y.word
	}
	return x.exp > y.exp
}

// PDP returns an upper bound of P_A(L > ε), at most 1: if it is δ, the pair is
// (ε, δ)-probabilistically differentially private. δ(ε) ≤ P_A(L > ε).
//
// By (L), L > ε takes ι > ε/η. Rounding: up, to p bits; at the lower end of ε.
func (t *Tree) PDP(p interval.Prec, eps interval.Real) *big.Float {
	e, ok := t.below(p, eps)
	if !ok {
		return upperOne()
	}
	// i ≤ ε/η ⟺ i < −⌈−ε/η⌉ + 1
	from := 1 - ceilQuo(e.Neg(e), t.eta, -t.n, t.n+1)
	rest := new(big.Int).Sub(one(t.Prec()), t.b.sum(-t.n, from))
	return p.Round(p.Scale(p.BigInt(rest), -int(t.Prec()))).Hi()
}
