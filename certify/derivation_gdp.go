package certify

import (
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// gdpCLT is the central limit approximation of DP-SGD [Bu, Dong, Long & Su 2020]: T
// Poisson samples at rate q of a Gaussian with noise multiplier σ count as one Gaussian
// with µ = q√(T(e^(1/σ²) − 1)), and its least ε ≥ 0 at δ is taken. It is not a bound.
// Several such factors add their µ², a Gaussian without sampling adds its own.
func (d *deriver) gdpCLT() (exact.Enclosure, error) {
	const w = 3 * derivationBits
	mu2 := interval.Int(0)
	sampled := false
	for _, t := range d.prob.Product {
		n := interval.Int(t.Count)
		switch x := t.Pair.(type) {
		case pair.Gaussian:
			mu2 = w.Add(mu2, w.Mul(n, w.Rat(x.Mu2)))
			continue
		case pair.Sampled:
			if g, ok := onlyGaussian(x.Base); ok {
				q2 := w.Sqr(w.Rat(x.Rate))
				mu2 = w.Add(mu2, w.Mul(w.Mul(n, q2), w.Expm1(w.Rat(g.Mu2))))
				sampled = true
				continue
			}
		}
		return exact.Enclosure{}, notModelled("the central limit theorem is about Poisson samples of a Gaussian, not %s", t.Pair)
	}
	if !sampled {
		return exact.Enclosure{}, notModelled("the central limit theorem is about Poisson samples of a Gaussian, and there is none")
	}
	return enclosed(gaussianEpsilon(w, w.Sqrt(mu2), d.claim.Statement.Delta)), d.ctx.Err()
}

func onlyGaussian(prod pair.Product) (pair.Gaussian, bool) {
	if len(prod) != 1 || prod[0].Count != 1 {
		return pair.Gaussian{}, false
	}
	g, ok := prod[0].Pair.(pair.Gaussian)
	return g, ok
}

// gaussianEpsilon encloses the least ε ≥ 0 with Φ(µ/2 − ε/µ) − e^ε·Φ(−µ/2 − ε/µ) ≤ delta, a falling
// function of ε, for an enclosure of µ, by bisection: its sign is certain at both ends,
// or the end stays where it is.
func gaussianEpsilon(w interval.Prec, mu interval.Interval, delta *big.Rat) interval.Interval {
	if delta.Sign() == 0 || mu.Positive() != interval.True {
		if mu.IsZero() {
			return interval.Int(0)
		}
		return infinite().Interval
	}
	at := func(eps *big.Rat) interval.Interval {
		e := w.Rat(eps)
		half, t := w.Scale(mu, -1), w.Div(e, mu)
		return w.Sub(w.NormalSF(w.Sub(t, half)), w.Mul(w.Exp(e), w.NormalSF(w.Add(t, half))))
	}
	lo, hi := new(big.Rat), big.NewRat(1, 1)
	if at(lo).LessEqRat(delta) == interval.True {
		return interval.Int(0)
	}
	for range 64 { // ε < 2^64
		if at(hi).LessEqRat(delta) == interval.True {
			break
		}
		hi = new(big.Rat).Add(hi, hi)
	}
	low, high := new(big.Rat), new(big.Rat).Set(hi)
	for range int(derivationBits) {
		mid := new(big.Rat).Add(low, high)
		mid.Mul(mid, big.NewRat(1, 2))
		y := at(mid)
		switch {
		case y.LessEqRat(delta) == interval.True:
			high = mid
		case y.LessEqRat(delta) == interval.False:
			low = mid
		default: // settled as far as µ is
			return w.Round(interval.Union(w.Rat(low), w.Rat(high)))
		}
	}
	return w.Round(interval.Union(w.Rat(low), w.Rat(high)))
}
