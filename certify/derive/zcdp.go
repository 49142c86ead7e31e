// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"fmt"
	"math/big"

	"dpverify/exact"
	"dpverify/exact/conversion"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// concentration returns ξ and ρ of what dominates the event.
func (d *deriver) concentration() (pair.ZCDP, error) { return concentration(d.prob.Dominating()) }

// concentration returns ξ and ρ of a product, R_α ≤ ξ + ρα for all α > 1: of a guarantee those
// it states; µ²/2 for a Gaussian and s²/2σ² for a discrete one [Canonne, Kamath & Steinke
// 2020, Theorem 4]; ε²/8 for a range of ε [Cesar & Rogers 2021]; ε²/2 for pure ε-DP [Bun & Steinke 2016,
// Proposition 1.4]. Of a choice it is the greatest.
func concentration(prod pair.Product) (z pair.ZCDP, err error) {
	xi, rho := new(big.Rat), new(big.Rat)
	half := big.NewRat(1, 2)
	for _, t := range prod {
		n := new(big.Rat).SetInt64(t.Count)
		switch x := t.Pair.(type) {
		case pair.ZCDP:
			xi.Add(xi, new(big.Rat).Mul(n, x.Xi))
			rho.Add(rho, new(big.Rat).Mul(n, x.Rho))
		case pair.Gaussian:
			rho.Add(rho, n.Mul(n.Mul(n, x.Mu2), half))
		case pair.Logistic: // what the exponential mechanism is dominated by
			e := new(big.Rat).Mul(x.Shift, x.Shift)
			rho.Add(rho, n.Mul(n, e.Mul(e, big.NewRat(1, 8))))
		case pair.Maximum, pair.Mean: // R_α is jointly quasi-convex
			most := pair.ZCDP{Xi: new(big.Rat), Rho: new(big.Rat)}
			for _, p := range pair.Parts(x) {
				y, err := concentration(p)
				if err != nil {
					return y, err
				}
				if y.Xi.Cmp(most.Xi) > 0 {
					most.Xi = y.Xi
				}
				if y.Rho.Cmp(most.Rho) > 0 {
					most.Rho = y.Rho
				}
			}
			xi.Add(xi, most.Xi.Mul(most.Xi, n))
			rho.Add(rho, most.Rho.Mul(most.Rho, n))
		case pair.DiscreteGaussian:
			s := new(big.Rat).SetInt64(x.Sensitivity)
			s.Mul(s, s)
			rho.Add(rho, n.Mul(n.Mul(n, s.Quo(s, x.Sigma2)), half))
		default:
			eps, ok := pureEpsilon(t.Pair)
			if !ok {
				return z, notModelled("no zCDP parameters are known for %s", called(t.Pair))
			}
			rho.Add(rho, n.Mul(n.Mul(n, new(big.Rat).Mul(eps, eps)), half))
		}
	}
	return pair.ZCDP{Rho: rho, Xi: xi}, nil
}

// pureEpsilon returns ε of a pair with ε-DP, where it is a rational number.
func pureEpsilon(x pair.Pair) (*big.Rat, bool) {
	switch x := x.(type) {
	case pair.Response:
		return x.Eps, x.Delta.Sign() == 0
	case pair.Laplace:
		return x.Shift, true
	case pair.DiscreteLaplace:
		return new(big.Rat).Mul(x.A, new(big.Rat).SetInt64(x.Sensitivity)), true
	}
	return nil, false
}

// zcdpBS is ε = ξ + ρ + 2√(ρ·log(1/δ)).
func (d *deriver) zcdpBS(z pair.ZCDP, delta *big.Rat) (exact.Enclosure, error) {
	return d.zcdp(z, delta, func(z pair.ZCDP) interval.Interval {
		const w = 2 * Bits
		return renyi.ZCDPEpsilon(Bits, w.Rat(z.Rho), w.Rat(z.Xi), spare(delta))
	})
}

// zcdpBSDelta is δ = exp(−(ε − ξ − ρ)²/4ρ), for ε above ξ + ρ; below it is 1.
func (d *deriver) zcdpBSDelta(z pair.ZCDP, eps *big.Rat) (exact.Enclosure, error) {
	const w = 2 * Bits
	if z.Rho.Sign() == 0 { // the loss is at most ξ
		if eps.Cmp(z.Xi) < 0 {
			return nothing(), nil
		}
		return rational(new(big.Rat)), nil
	}
	return probability(renyi.ZCDPDelta(Bits, w.Rat(z.Rho), w.Rat(z.Xi), w.Rat(eps))), d.ctx.Err()
}

// zcdpCKS is rdp-cks for R_α = ξ + ρα over all real orders.
func (d *deriver) zcdpCKS(z pair.ZCDP, delta *big.Rat) (exact.Enclosure, error) {
	return d.zcdp(z, delta, func(z pair.ZCDP) interval.Interval {
		curve := renyi.Of(pair.Product{{Pair: z, Count: 1}})
		return conversion.CKS.RealEpsilon(realBits, curve, spare(delta)).Interval
	})
}

// zcdpCKSDelta is rdp-cks for R_α = ξ + ρα over all real orders, the δ at an ε.
func (d *deriver) zcdpCKSDelta(z pair.ZCDP, eps *big.Rat) (exact.Enclosure, error) {
	if z.Rho.Sign() == 0 && eps.Cmp(z.Xi) >= 0 {
		return rational(new(big.Rat)), nil
	}
	curve := renyi.Of(pair.Product{{Pair: z, Count: 1}})
	return probability(conversion.CKS.RealDelta(realBits, curve, spare(eps)).Interval), d.ctx.Err()
}

func (d *deriver) zcdp(z pair.ZCDP, delta *big.Rat,
	convert func(pair.ZCDP) interval.Interval) (exact.Enclosure, error) {
	if delta.Sign() == 0 {
		return infinite(), nil // log(1/δ) = ∞
	}
	y := convert(z)
	d.note = d.unroundedRho(y, convert)
	return enclosed(y), d.ctx.Err()
}

// unroundedRho explains a claim that is near the derived value and yet not it, by a ρ
// that was rounded when it was published: the ρ that gives the claimed ε, if it rounds to
// the published one. There is no such note for other events than one ZCDpEvent.
func (d *deriver) unroundedRho(derived interval.Interval, convert func(pair.ZCDP) interval.Interval) string {
	e, ok := d.Event.(mechanism.ZCDP)
	if !ok || d.Published == nil || e.Rho.Sign() == 0 || !derived.IsFinite() {
		return ""
	}
	written := number.Format(e.Rho)
	place, decimal := number.LastPlace(written)
	half, near := new(big.Rat), false
	if decimal {
		half.Mul(number.PowerOfTen(place), big.NewRat(1, 2))
		near = half.Cmp(e.Rho) < 0
	}
	if t, _ := Reproduces(enclosed(derived), d.Published, d.Written); !near || t == interval.True {
		return ""
	}
	// ε rises with ρ: search the claimed ε between the numbers that round to ρ.
	lo, hi := new(big.Rat).Sub(e.Rho, half), new(big.Rat).Add(e.Rho, half)
	at := func(rho *big.Rat) interval.Interval { return convert(pair.ZCDP{Rho: rho, Xi: e.Xi}) }
	if at(lo).LessEqRat(d.Published) != interval.True || at(hi).LessRat(d.Published) != interval.False {
		return ""
	}
	const steps = 24
	for range steps {
		mid := new(big.Rat).Add(lo, hi)
		mid.Mul(mid, big.NewRat(1, 2))
		if at(mid).LessEqRat(d.Published) == interval.True {
			lo = mid
		} else {
			hi = mid
		}
	}
	digits, _ := interval.Prec(64).Rat(lo).Decimal(5)
	return fmt.Sprintf("ρ = %s, which rounds to %s, gives %s", digits, written, d.Written)
}
