package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// discrete sums p^α·q^(1−α) over the outcomes of finite loss. It reports false for a
// pair with too many outcomes.
//
// What Outcomes leaves out has P- and Q-mass at most rest. For α < 1 it adds at most
// P(rest)^α·Q(rest)^(1−α) ≤ rest (Hölder); for α > 1, at most e^((α−1)l)·rest if its losses
// are at most l, and no bound is known without such an l.
func discrete(x pair.Pair) (LogMoment, bool) {
	if _, _, ok := pair.Outcomes(x, 64, maxOutcomes); !ok {
		return nil, false
	}
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		w := p + 16
		os, rest, ok := pair.Outcomes(x, w, maxOutcomes)
		if !ok {
			return interval.Entire()
		}
		b := w.Rat(minusOne(alpha))
		sum := zero
		for _, o := range os {
			if o.P.IsZero() || o.Q.IsZero() {
				continue
			}
			l := outcomeLoss(w, o)
			sum = w.Add(sum, w.Mul(o.P, w.Exp(w.Mul(b, l))))
		}
		if !rest.IsZero() {
			left := interval.Union(zero, rest)
			if alpha.Cmp(ratOne) > 0 {
				l := greatestLoss(w, x)
				if l.Hi().IsInf() {
					return interval.Bounds(w.Log(sum).Lo(), interval.Entire().Hi())
				}
				left = interval.Union(zero, w.Mul(rest, w.Exp(w.Mul(b, l))))
			}
			sum = w.Add(sum, left)
		}
		if sum.IsZero() {
			return posInf.Neg() // disjoint supports
		}
		return p.Round(w.Log(sum))
	}, true
}

func outcomeLoss(w interval.Prec, o pair.Outcome) interval.Interval {
	if o.Exact {
		return o.Loss.Enclose(w)
	}
	return w.Log(w.Div(o.P, o.Q))
}

// discreteGaussian completes a square: with θ(c) = Σ_x e^(−(x−c)²/2σ²) over the integers,
//
//	M(α) = Σ p^α·q^(1−α) = e^(α(α−1)s²/2σ²)·θ((1−α)s)/θ(0),
//
// from αx² + (1−α)(x−s)² = (x − (1−α)s)² + α(1−α)s². The quotient is 1 where (1−α)s is
// an integer, and at most 1 everywhere [Canonne, Kamath & Steinke 2020, Theorem 4].
func discreteGaussian(d pair.DiscreteGaussian) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		s := new(big.Rat).SetInt64(d.Sensitivity)
		e := new(big.Rat).Mul(alpha, minusOne(alpha))
		e.Mul(e, s).Mul(e, s)
		e.Quo(e, new(big.Rat).Add(d.Sigma2, d.Sigma2))
		shift := minusOne(alpha)
		shift.Mul(shift, s)
		if shift.IsInt() {
			return p.Rat(e)
		}
		w := p + 16
		num, ok1 := theta(w, d.Sigma2, shift)
		den, ok2 := theta(w, d.Sigma2, new(big.Rat))
		if !ok1 || !ok2 {
			// θ(c)/θ(0) ≤ 1, and θ(c) ≥ e^(−1/8σ²)·θ(0): the mean of e^(−(x−c)²/2σ²) and
			// e^(−(x+c)²/2σ²), which have the same sum, is at least e^(−(x²+c²)/2σ²), |c| ≤ 1/2.
			low := new(big.Rat).Inv(new(big.Rat).Mul(d.Sigma2, big.NewRat(8, 1)))
			return p.Add(p.Rat(e), interval.Union(zero, p.Rat(low).Neg()))
		}
		quotient := interval.Min(w.Div(num, den), one)
		return p.Add(w.Rat(e), w.Log(quotient))
	}
}

// maxTheta bounds the terms of a theta function.
const maxTheta = 1 << 16

// theta encloses θ(c) = Σ_x e^(−(x−c)²/2σ²). It depends on the fractional part of c only,
// so 0 ≤ c < 1. Tail. The terms beyond X + 1 ≥ c on the right fall by factors of at most
// e^(−(X+1−c)/σ²) each, and so do those on the left of −X.
func theta(w interval.Prec, sigma2, c *big.Rat) (interval.Interval, bool) {
	c = new(big.Rat).Sub(c, new(big.Rat).SetInt(floor(c)))
	twice := new(big.Rat).Add(sigma2, sigma2)
	n := new(big.Rat).Mul(twice, new(big.Rat).SetInt64(int64(w)+8)) // X² ≥ 2σ²·(w+8)·log 2
	n.Mul(n, big.NewRat(7, 10))
	root := floor(n)
	root.Sqrt(root)
	if !root.IsInt64() || root.Int64() > maxTheta {
		return interval.Interval{}, false
	}
	term := func(x int64) interval.Interval {
		d := new(big.Rat).Sub(new(big.Rat).SetInt64(x), c)
		d.Mul(d, d)
		return w.Exp(w.Rat(d.Quo(d, twice)).Neg())
	}
	last := root.Int64() + 2
	sum := zero
	for x := -last; x <= last; x++ {
		sum = w.Add(sum, term(x))
	}
	edge := new(big.Rat).SetInt64(last)
	edge.Sub(edge, c)
	ratio := w.Exp(w.Rat(edge.Quo(edge, sigma2)).Neg())
	tail := w.Div(w.Add(term(last+1), term(-last-1)), w.Sub(one, ratio))
	return w.Add(sum, interval.Union(zero, tail)), true
}

// floor returns ⌊r⌋.
func floor(r *big.Rat) *big.Int {
	n := new(big.Int)
	return n.Div(r.Num(), r.Denom()) // Euclidean, and the denominator is positive
}
