// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"math/big"

	"dpverify/exact/pair"
)

const (
	// maxVariationTerms and maxVariationCount bound the enumeration of
	// totalVariation, whose rationals grow with every factor.
	maxVariationTerms = 1024
	maxVariationCount = 64
)

var ratOne = big.NewRat(1, 1)

// totalVariation returns δ(0) = Σ(p − q)₊ of a product of finite pairs exactly, by
// enumeration, or of one Poisson sample or mixture of such a product: there, δ(0)
// is the rate times the base's, or of a mean of such. It reports false for anything else.
func totalVariation(prod pair.Product) (*big.Rat, bool) {
	if len(prod) == 1 && prod[0].Count == 1 {
		switch x := prod[0].Pair.(type) {
		case pair.Sampled:
			if d, ok := totalVariation(x.Base); ok {
				return d.Mul(d, x.Rate), true
			}
			return nil, false
		case pair.Mean:
			sum := new(big.Rat)
			for i, p := range x.Of {
				d, ok := totalVariation(p)
				if !ok {
					return nil, false
				}
				sum.Add(sum, d.Mul(d, x.Shares[i]))
			}
			return sum, true
		}
	}
	ms := []pair.Mass{{P: ratOne, Q: ratOne}}
	for _, t := range prod {
		f, ok := asFinite(t.Pair)
		if !ok || t.Count > maxVariationCount {
			return nil, false
		}
		for range t.Count {
			if len(ms)*len(f.Masses) > maxVariationTerms {
				return nil, false
			}
			var next []pair.Mass
			for _, a := range ms {
				for _, b := range f.Masses {
					next = append(next, pair.Mass{P: new(big.Rat).Mul(a.P, b.P), Q: new(big.Rat).Mul(a.Q, b.Q)})
				}
			}
			ms = pair.FiniteOf(next).Masses
		}
	}
	return pair.Finite{Masses: ms}.Delta(ratOne), true
}

// asFinite returns the finite pair that x is, if its masses are rational.
func asFinite(x pair.Pair) (pair.Finite, bool) {
	switch x := x.(type) {
	case pair.Finite:
		return x, true
	case pair.Response:
		if x.Eps.Sign() == 0 {
			keep := new(big.Rat).Sub(ratOne, x.Delta)
			zero := new(big.Rat)
			return pair.NewFinite([]*big.Rat{x.Delta, keep, zero}, []*big.Rat{zero, keep, x.Delta}), true
		}
	}
	return pair.Finite{}, false
}
