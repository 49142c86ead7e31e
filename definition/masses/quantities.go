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
	if total.IsZero() {
		if order < 0 {
			return interval.PosInf()
		}
		return interval.Entire() // all masses are rounded away
	}
	return prec.Div(prec.Log(total), prec.Rat(new(big.Rat).Sub(alpha, big.NewRat(1, 1))))
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
