// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package masses

import (
	"math"
	"math/big"
	"slices"

	"dpverify/exact/interval"
)

// A Pair is what a mechanism does with two neighbouring data sets, the distributions of its outcomes on each. Its
// numbers are of the outcomes, by their definitions. Where masses are enclosed, or exponentials are
// needed, each is a bound from the side that can contradict a promise of privacy, and that is said by its name.
type Pair struct{ P, Q Law }

// Reversed is the pair in the other direction.
func (p Pair) Reversed() Pair { return Pair{p.Q, p.P} }

func (p Pair) outcomes() int { return max(len(p.P.lo), len(p.Q.lo)) }

// DeltaAtLeast returns a lower bound of δ(ε) = Σ (P(y) − e^ε·Q(y))₊, which is P(S) − e^ε·Q(S) of the best set S of
// outcomes. Of exact masses and ε = 0 it is δ.
func (p Pair) DeltaAtLeast(eps *big.Rat) *big.Rat {
	_, e := ExpRat(eps)
	if e == nil { // what Q has not is all that is for certain
		total := new(big.Int)
		for i := range p.P.lo {
			plo, _ := p.P.At(i)
			if _, qhi := p.Q.At(i); qhi.Sign() == 0 {
				total.Add(total, plo)
			}
		}
		return new(big.Rat).SetFrac(total, p.P.den)
	}
	return p.beyond(e)
}

// beyond returns Σ (P − e·Q)₊ of the least P and the greatest Q.
func (p Pair) beyond(e *big.Rat) *big.Rat {
	a := new(big.Int).Mul(p.Q.den, e.Denom())
	b := new(big.Int).Mul(p.P.den, e.Num())
	total, x, y := new(big.Int), new(big.Int), new(big.Int)
	for i := range p.P.lo {
		plo, _ := p.P.At(i)
		_, qhi := p.Q.At(i)
		if x.Sub(x.Mul(a, plo), y.Mul(b, qhi)); x.Sign() > 0 {
			total.Add(total, x)
		}
	}
	return new(big.Rat).SetFrac(total, a.Mul(a, p.P.den))
}

// TradeOffAtMost returns an upper bound of f(x), the least type II error of a test of P against Q whose type I error is
// at most x.
func (p Pair) TradeOffAtMost(x *big.Rat) *big.Rat {
	best := big.NewRat(1, 1)
	p.Tests(func(alpha, beta *big.Rat, mass, power *big.Rat) bool {
		if alpha.Cmp(x) > 0 {
			// The last outcome is rejected with a probability that leaves a type I error of x.
			share := new(big.Rat).Sub(x, new(big.Rat).Sub(alpha, mass))
			share.Quo(share, mass)
			beta = new(big.Rat).Add(beta, new(big.Rat).Sub(power, share.Mul(share, power)))
			if beta.Cmp(best) < 0 {
				best = beta
			}
			return false
		}
		best = beta
		return true
	})
	return best
}

// Tests calls f for the tests that reject P for the best outcomes, by their likelihood ratios: at most alpha is the
// type I error and at most beta the one of type II, and the last outcome adds at most mass to the one and takes at
// least power from the other. It stops where f returns false.
func (p Pair) Tests(f func(alpha, beta, mass, power *big.Rat) bool) {
	var order []int
	for i := range p.outcomes() {
		_, a := p.P.At(i)
		if b, _ := p.Q.At(i); a.Sign() != 0 || b.Sign() != 0 {
			order = append(order, i)
		}
	}
	x, y := new(big.Int), new(big.Int)
	slices.SortStableFunc(order, func(i, j int) int {
		_, pi := p.P.At(i)
		_, pj := p.P.At(j)
		qi, _ := p.Q.At(i)
		qj, _ := p.Q.At(j)
		return x.Mul(qj, pi).Cmp(y.Mul(qi, pj))
	})
	alpha, beta := new(big.Rat), big.NewRat(1, 1)
	for _, i := range order {
		_, mass := p.P.Mass(i)
		power, _ := p.Q.Mass(i)
		alpha = new(big.Rat).Add(alpha, mass)
		beta = new(big.Rat).Sub(beta, power)
		if !f(alpha, beta, mass, power) {
			return
		}
	}
}

// GaussianDPAtLeast returns a lower bound of the least μ with f(α) ≥ Φ(Φ⁻¹(1 − α) − μ) for all α in [least, 1 − least].
// It may be ∞.
func (p Pair) GaussianDPAtLeast(least *big.Rat) interval.Interval {
	unit := big.NewRat(1, 1)
	most := new(big.Rat).Sub(unit, least)
	quantile := func(x *big.Rat) float64 {
		f, _ := x.Float64()
		return math.Sqrt2 * math.Erfinv(2*f-1)
	}
	var bestAlpha, bestBeta *big.Rat
	greatest, infinite := 0.0, false
	p.Tests(func(alpha, beta, _, _ *big.Rat) bool {
		if alpha.Cmp(most) > 0 || infinite {
			return false
		}
		if alpha.Cmp(least) < 0 {
			alpha = least // a test with more errors
		}
		if beta.Cmp(unit) < 0 {
			if infinite = beta.Sign() <= 0; infinite {
				return false
			}
			if mu := quantile(new(big.Rat).Sub(unit, alpha)) - quantile(beta); mu > greatest {
				greatest, bestAlpha, bestBeta = mu, alpha, beta
			}
		}
		return true
	})
	switch {
	case infinite:
		return interval.PosInf()
	case bestAlpha == nil:
		return interval.Int(0)
	}
	z := Working.NormalQuantile(Working.Rat(new(big.Rat).Sub(unit, bestAlpha)))
	return Working.Sub(z, Working.NormalQuantile(Working.Rat(bestBeta))).Lower()
}

// MomentAtLeast returns a lower bound of Σ P(y)^α·Q(y)^(1−α) for an integer α ≥ 2, which of exact masses is that
// rational number; nil where it is infinite.
func (p Pair) MomentAtLeast(alpha int64) *big.Rat {
	exact := p.P.hi == nil && p.Q.hi == nil
	total := new(big.Rat)
	n := big.NewInt(alpha)
	scale := new(big.Int).Exp(p.Q.den, big.NewInt(alpha-1), nil)
	unit := new(big.Int).Exp(p.P.den, n, nil)
	for i := range p.P.lo {
		x, _ := p.P.At(i)
		_, y := p.Q.At(i)
		switch {
		case x.Sign() == 0:
			continue
		case y.Sign() == 0:
			return nil
		}
		top := new(big.Int).Exp(x, n, nil)
		top.Mul(top, scale)
		bottom := new(big.Int).Exp(y, big.NewInt(alpha-1), nil)
		bottom.Mul(bottom, unit)
		if !exact { // rounded down, as short as masses are
			top.Quo(top.Lsh(top, 2*FineBits), bottom)
			bottom = new(big.Int).Lsh(one, 2*FineBits)
		}
		total.Add(total, new(big.Rat).SetFrac(top, bottom))
	}
	return total
}

// RenyiAtLeast returns a lower bound of the Rényi divergence R_α(P‖Q), α > 0: log Σ P^α·Q^(1−α)/(α − 1), at α = 1 Σ
// P·log(P/Q). It may be ∞.
func (p Pair) RenyiAtLeast(alpha *big.Rat) interval.Interval {
	order := alpha.Cmp(big.NewRat(1, 1))
	if order == 0 && (p.P.hi != nil || p.Q.hi != nil) {
		return p.relativeEntropy().Lower()
	}
	if order > 0 && alpha.IsInt() && alpha.Num().BitLen() < 7 {
		m := p.MomentAtLeast(alpha.Num().Int64())
		if m == nil {
			return interval.PosInf()
		}
		return divergence(Working, alpha, Working.Rat(m)).Lower()
	}
	xs, ys := make([]*big.Rat, p.outcomes()), make([]*big.Rat, p.outcomes())
	for i := range xs {
		x, xh := p.P.Mass(i)
		_, y := p.Q.Mass(i)
		if order < 0 { // the sum is at most what it is for the greatest masses
			x = xh
		}
		xs[i], ys[i] = x, y
	}
	return Renyi(Working, xs, ys, alpha).Lower()
}

// RenyiAbout is R_α(P‖Q) in float64, of the least masses of P and the greatest of Q; α may be +∞. It bounds nothing: it
// tells which of many pairs are worth a look.
func (p Pair) RenyiAbout(alpha float64) float64 {
	xs, ys := make([]float64, p.outcomes()), make([]float64, p.outcomes())
	for i := range xs {
		x, _ := p.P.At(i)
		_, y := p.Q.At(i)
		xs[i], ys[i] = quotient(x, p.P.den), quotient(y, p.Q.den)
	}
	return RenyiFloat(xs, ys, alpha)
}

func quotient(x, den *big.Int) float64 {
	a, _ := new(big.Float).SetInt(x).Float64()
	b, _ := new(big.Float).SetInt(den).Float64()
	return a / b
}

// Renyi encloses R_α of the masses xs and ys.
func Renyi(prec interval.Prec, xs, ys []*big.Rat, alpha *big.Rat) interval.Interval {
	order := alpha.Cmp(big.NewRat(1, 1))
	total := interval.Int(0)
	for i, x := range xs {
		y := ys[i]
		switch {
		case x.Sign() == 0, y.Sign() == 0 && order < 0:
			continue
		case y.Sign() == 0:
			return interval.PosInf()
		}
		loss := prec.Log(prec.Rat(new(big.Rat).Quo(x, y)))
		term := loss
		if order != 0 {
			term = prec.Exp(prec.Mul(prec.Rat(new(big.Rat).Sub(alpha, big.NewRat(1, 1))), loss))
		}
		total = prec.Add(total, prec.Mul(prec.Rat(x), term))
	}
	if order == 0 {
		return total
	}
	return divergence(prec, alpha, total)
}

// divergence returns log(m)/(α − 1).
func divergence(prec interval.Prec, alpha *big.Rat, m interval.Interval) interval.Interval {
	if m.IsZero() {
		if alpha.Cmp(big.NewRat(1, 1)) < 0 {
			return interval.PosInf()
		}
		return interval.Entire() // all masses are rounded away
	}
	return prec.Div(prec.Log(m), prec.Rat(new(big.Rat).Sub(alpha, big.NewRat(1, 1))))
}

// relativeEntropy returns Σ P·log(P/Q), from below: for P in [a, b] and the greatest Q it falls up to P = Q/e, and
// rises beyond.
func (p Pair) relativeEntropy() interval.Interval {
	total := interval.Int(0)
	for i := range p.P.lo {
		x, xh := p.P.Mass(i)
		_, y := p.Q.Mass(i)
		if y.Sign() == 0 {
			if x.Sign() > 0 {
				return interval.PosInf()
			}
			continue
		}
		term := func(x *big.Rat) interval.Interval {
			if x.Sign() == 0 {
				return interval.Int(0)
			}
			return Working.Mul(Working.Rat(x), Working.Sub(Working.Log(Working.Rat(x)), Working.Log(Working.Rat(y))))
		}
		least := interval.Min(term(x), term(xh))
		valley := Working.Div(Working.Rat(y), Working.Exp(interval.Int(1)))
		if x.Cmp(xh) != 0 && valley.LessRat(x) != interval.True && valley.LessEqRat(xh) != interval.False {
			least = interval.Min(least, valley.Neg())
		}
		total = Working.Add(total, least)
	}
	return total
}

// GreatestRatioAtLeast returns a lower bound of the greatest P(y)/Q(y), whose logarithm is the divergence of order ∞;
// nil where it is infinite.
func (p Pair) GreatestRatioAtLeast() *big.Rat {
	best := new(big.Rat)
	for i := range p.P.lo {
		x, _ := p.P.Mass(i)
		_, y := p.Q.Mass(i)
		if x.Sign() == 0 {
			continue
		}
		if y.Sign() == 0 {
			return nil
		}
		if x.Quo(x, y).Cmp(best) > 0 {
			best = x
		}
	}
	return best
}

// ExpRat returns rational numbers around e^x. Beyond 2^±2^20 they are 0 and 2^−2^16, or 2^2^16 and nil: there is no
// number of a useful length above.
func ExpRat(x *big.Rat) (lo, hi *big.Rat) {
	if x.Sign() == 0 {
		return big.NewRat(1, 1), big.NewRat(1, 1)
	}
	lo, hi, ok := Working.Exp(Working.Rat(x)).Rationals()
	switch {
	case ok:
		return lo, hi
	case x.Sign() < 0:
		return new(big.Rat), interval.Pow2(-1 << 16)
	}
	return interval.Pow2(1 << 16), nil
}

// Floats are masses in float64.
func Floats(xs []*big.Rat) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i], _ = x.Float64()
	}
	return out
}

// RenyiFloat is R_α(p‖q), about.
func RenyiFloat(p, q []float64, alpha float64) float64 {
	total, most := 0.0, 0.0
	for i := range p {
		switch {
		case p[i] == 0 || q[i] == 0 && alpha < 1:
		case q[i] == 0:
			return math.Inf(1)
		case math.IsInf(alpha, 1):
			most = max(most, math.Log(p[i]/q[i]))
		case alpha == 1:
			total += p[i] * math.Log(p[i]/q[i])
		default:
			total += math.Pow(p[i], alpha) * math.Pow(q[i], 1-alpha)
		}
	}
	switch {
	case math.IsInf(alpha, 1):
		return most
	case alpha == 1:
		return total
	}
	return math.Log(total) / (alpha - 1)
}
