// Package renyi bounds privacy profiles through Rényi divergences.
//
// The moment of order α of a pair is M(α) = E_P[e^((α−1)L); L < ∞] = Σ p^α·q^(1−α) over
// outcomes with p, q > 0, so that M(α) = e^((α−1)R_α) where no loss is infinite.
// Moments of a product multiply.
package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

var one = interval.Int(1)

// A LogMoment encloses log M(α), or bounds it from above for a guarantee, at a real
// order α > 1.
type LogMoment func(p interval.Prec, alpha *big.Rat) interval.Interval

// Moments returns the logarithm of the moment of a product, and reports false if
// a factor's moments are not known or infinite.
func Moments(prod pair.Product) (LogMoment, bool) {
	type factor struct {
		f LogMoment
		n int64
	}
	var fs []factor
	for _, t := range prod {
		f, ok := logMoment(t.Pair)
		if !ok {
			return nil, false
		}
		fs = append(fs, factor{f, t.Count})
	}
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		sum := interval.Int(0)
		for _, f := range fs {
			sum = p.Add(sum, p.Mul(interval.Int(f.n), f.f(p, alpha)))
		}
		return sum
	}, true
}

// maxOutcomes bounds the discrete pairs whose moments are summed.
const maxOutcomes = 4096

func logMoment(x pair.Pair) (LogMoment, bool) {
	switch x := x.(type) {
	case pair.Gaussian:
		return linear(new(big.Rat).Mul(x.Mu2, big.NewRat(1, 2)), new(big.Rat)), true
	case pair.ZCDP:
		return linear(x.Rho, x.Xi), true
	case pair.RenyiCurve:
		return curve(x), true
	case pair.Laplace:
		return laplace(x.Shift), true
	case pair.Response, pair.Finite, pair.DiscreteLaplace, pair.Hull:
		if _, _, ok := pair.Outcomes(x, 64, maxOutcomes); !ok {
			return nil, false
		}
		return discrete(x), true
	}
	return nil, false
}

// linear is R_α = ξ + ρα: zCDP, and the Gaussian with ρ = μ²/2, for which it is an
// equality.
func linear(rho, xi *big.Rat) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		r := new(big.Rat).Add(xi, new(big.Rat).Mul(rho, alpha))
		return p.Rat(r.Mul(r, minusOne(alpha)))
	}
}

func minusOne(alpha *big.Rat) *big.Rat { return new(big.Rat).Sub(alpha, big.NewRat(1, 1)) }

// curve bounds R_α by the value at the least listed order ≥ α: R_α rises with α.
// Beyond the last order nothing is known.
func curve(c pair.RenyiCurve) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		for i, a := range c.Orders {
			if a.Cmp(alpha) >= 0 {
				return p.Rat(new(big.Rat).Mul(c.Values[i], minusOne(alpha)))
			}
		}
		return interval.Entire()
	}
}

// laplace is M(α) = (α·e^((α−1)x) + (α−1)·e^(−αx))/(2α−1) [Mironov 2017, Proposition 6].
func laplace(shift *big.Rat) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		a, b, x := p.Rat(alpha), p.Rat(minusOne(alpha)), p.Rat(shift)
		// log(e^((α−1)x)·(α + (α−1)·e^(−(2α−1)x))/(2α−1))
		c := p.Add(a, b)
		t := p.Add(a, p.Mul(b, p.Exp(p.Mul(c, x).Neg())))
		return p.Add(p.Mul(b, x), p.Log(p.Div(t, c)))
	}
}

// discrete sums p^α·q^(1−α) over the outcomes of finite loss.
func discrete(x pair.Pair) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		os, _, _ := pair.Outcomes(x, p, maxOutcomes)
		b := p.Rat(minusOne(alpha))
		sum := interval.Int(0)
		for _, o := range os {
			if o.P.IsZero() || o.Q.IsZero() {
				continue
			}
			l := p.Log(p.Div(o.P, o.Q))
			sum = p.Add(sum, p.Mul(o.P, p.Exp(p.Mul(b, l))))
		}
		return p.Log(sum)
	}
}
