// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"math/big"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// GaussianLeaf returns the leaf of (N(μ, 1), N(0, 1)): P(L > ε) = Φ(μ/2 − ε/μ) and Q(L > ε) =
// Φ(−μ/2 − ε/μ) [Balle & Wang 2018, Theorem 8], at equally spaced ε.
//
// It reports false if μ or η/μ are astronomic. The error is ctx's.
func GaussianLeaf(ctx context.Context, x pair.Gaussian, s Shape) (*Tree, bool, error) {
	l := newBuilder(s)
	w := l.gridPrec()
	return l.normal(ctx, x, w.Sqrt(w.Rat(x.Mu2)), nil)
}

// TruncatedGaussianLeaf returns the leaf of N(0, σ²) conditioned on [−r, r] against the
// same shifted by s (§5.2, by differences of the distribution function instead of
// densities). With μ = s/σ, L > ε is y < o for the crossing o brought into [s − r, r], where
// o/σ = μ/2 − ε/μ before that, and
//
//	P(L > ε) = (Φ(o/σ) − Φ(−r/σ))/(1 − 2Φ(−r/σ)),  Q(L > ε) = (Φ(o/σ − μ) − Φ(−r/σ))/(1 − 2Φ(−r/σ)).
//
// It reports false if the supports are disjoint, s ≥ 2r, and in the cases of GaussianLeaf.
func TruncatedGaussianLeaf(ctx context.Context, x pair.Truncated, s Shape) (*Tree, bool, error) {
	if x.Disjoint() {
		return nil, false, nil
	}
	l := newBuilder(s)
	w := l.gridPrec()
	quo := func(y *big.Rat) interval.Interval { return w.Rat(new(big.Rat).Quo(y, x.Width)) }
	return l.normal(ctx, x, quo(x.Sensitivity), &truncation{
		lo: quo(new(big.Rat).Sub(x.Sensitivity, x.Radius)), hi: quo(x.Radius),
		base: w.NormalSF(quo(x.Radius)),
	})
}

// A truncation restricts a standard normal variable to [lo, hi]; base is Φ(−hi).
type truncation struct{ lo, hi, base interval.Interval }

// gridPrec is the precision of the grid of normal: numbers below 2^30 are known to
// 2^−(B+33), B = l.w.
func (l *builder) gridPrec() interval.Prec { return l.w + 64 }

// normal fills a leaf from tails Φ(z_i) and Φ(z_i − μ), z_i = μ/2 − iη/μ.
//
// z_i is computed in fixed point from z_0 and h = η/μ, each within 2·2^−(B+32) of its
// value, B bits the bits of the table: within 2^−B for |i| < 2^29, and z_i − μ too. Rounding
// down to B bits adds at most 2^−B. Clamping into [lo, hi] adds nothing. The tails of x
// itself serve for the lowest loss only.
func (l *builder) normal(ctx context.Context, x pair.Pair, mu interval.Interval,
	trunc *truncation) (*Tree, bool, error) {
	w := l.gridPrec()
	table := newNormalTable(uint(l.w))
	fine := table.bits + 32
	fits := l.N < 1<<29
	// scaled returns x·2^(B+32), off by less than 2: truncation moves either end by
	// less than 1, towards 0.
	scaled := func(x interval.Interval) *big.Int {
		if fits = fits && x.Abs().Less(interval.Int(1<<30)) == interval.True; !fits {
			return new(big.Int)
		}
		lo, _ := new(big.Float).SetMantExp(x.Lo(), int(fine)).Int(nil)
		hi, _ := new(big.Float).SetMantExp(x.Hi(), int(fine)).Int(nil)
		fits = hi.Sub(hi, lo).Cmp(big.NewInt(1)) <= 0
		return lo
	}
	z0, h, shift := scaled(w.Scale(mu, -1)), scaled(w.Div(w.Rat(l.Eta), mu)), scaled(mu)
	var lo, hi *big.Int
	one := interval.Int(1)
	base, norm := interval.Int(0), one
	if trunc != nil {
		lo, hi = scaled(trunc.lo), scaled(trunc.hi)
		base, norm = trunc.base, w.Sub(one, w.Scale(trunc.base, 1))
	}
	if !fits {
		return nil, false, nil
	}
	v := l.w
	inverse := v.Inv(norm)
	tail := func(z *big.Int) interval.Interval {
		x := table.cdf(z.Rsh(z, 32))
		if trunc != nil {
			x = v.Mul(v.Sub(x, base), inverse)
		}
		return interval.Max(interval.Int(0), interval.Min(x, one))
	}
	tails, _ := closed.PairTails(x)
	t, err := l.fill(ctx, l.lowest(tails), func(i int) point {
		z := new(big.Int).Mul(h, big.NewInt(int64(-i)))
		z.Add(z, z0)
		if lo != nil && z.Cmp(lo) < 0 {
			z.Set(lo)
		}
		if hi != nil && z.Cmp(hi) > 0 {
			z.Set(hi)
		}
		q := tail(new(big.Int).Sub(z, shift))
		return point{i, tail(z), q}
	})
	return t, err == nil, err
}

// SampledGaussianLeaf returns the leaf of Poisson-sampled Gaussian noise (§5.4, stochastic
// gradient descent): ((1−γ)Q + γP, Q) or (Q, (1−γ)Q + γP) for P = N(μ, 1), Q = N(0, 1). With
// ε₀ = log(1 + (e^ε − 1)/γ) for the first, whose loss is log(1 − γ + γe^L₀), and ε₀ =
// −log(1 + (e^−ε − 1)/γ) for the second, of loss −log(1 − γ + γe^−L₀), the loss exceeds ε iff
// the loss of the Gaussian pair exceeds ε₀, and the tails of that loss are Φ(z) and Φ(z − μ), z =
// μ/2 − ε₀/μ.
//
// It reports false for other bases and astronomic μ. The error is ctx's.
func SampledGaussianLeaf(ctx context.Context, x pair.Sampled, s Shape) (*Tree, bool, error) {
	mu2, others := x.Base.Gaussians()
	if len(others) > 0 || mu2.Sign() == 0 || mu2.Cmp(big.NewRat(1, 1<<60)) < 0 || mu2.Cmp(big.NewRat(1<<60, 1)) > 0 {
		return nil, false, nil
	}
	l := newBuilder(s)
	table := newNormalTable(uint(l.w))
	tails, _ := closed.PairTails(x)
	v, w := l.w, l.gridPrec()
	mu := w.Sqrt(w.Rat(mu2))
	mid, inverse := w.Scale(mu, -1), w.Inv(mu)
	amplify := w.Rat(new(big.Rat).Inv(x.Rate))
	rate, keep := v.Rat(x.Rate), v.Rat(new(big.Rat).Sub(big.NewRat(1, 1), x.Rate))
	t, err := l.fill(ctx, l.lowest(tails), func(i int) point {
		e := times(i, s.Eta)
		arg := w.Rat(e)
		if x.Reversed {
			arg = arg.Neg()
		}
		y := w.Mul(w.Expm1(arg), amplify)
		if interval.Int(-1).Less(y) != interval.True { // at ±log(1 − γ) or beyond
			p, q := tails(v, closed.RatArg(v, e))
			return point{i, p, q}
		}
		y = w.Mul(w.Log1p(y), inverse) // ±ε₀/μ
		if x.Reversed {
			y = y.Neg()
		}
		z := w.Sub(mid, y)
		p, q := table.enclosing(z), table.enclosing(w.Sub(z, mu))
		if x.Reversed {
			return point{i, p, v.Add(v.Mul(keep, p), v.Mul(rate, q))}
		}
		return point{i, v.Add(v.Mul(keep, q), v.Mul(rate, p)), q}
	})
	return t, err == nil, err
}
