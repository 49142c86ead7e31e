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
func TruncatedGaussianLeaf(ctx context.Context, x pair.TruncatedGaussian, s Shape) (*Tree, bool, error) {
	if new(big.Rat).Add(x.Radius, x.Radius).Cmp(x.Sensitivity) <= 0 {
		return nil, false, nil
	}
	l := newBuilder(s)
	w := l.gridPrec()
	quo := func(y *big.Rat) interval.Interval { return w.Rat(new(big.Rat).Quo(y, x.Sigma)) }
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
// value, B bits those of the table: within 2^−B for |i| < 2^29, and z_i − μ too. Rounding
// down to B bits adds at most 2^−B. Clamping into [lo, hi] adds nothing. The tails of x
// itself serve for the lowest loss only.
func (l *builder) normal(ctx context.Context, x pair.Pair, mu interval.Interval, trunc *truncation) (*Tree, bool, error) {
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
