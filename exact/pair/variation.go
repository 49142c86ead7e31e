// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import "math/big"

const (
	// maxVariationTerms and maxVariationCount bound the enumeration of
	// TotalVariation, whose rationals grow with every factor.
	maxVariationTerms = 1024
	maxVariationCount = 64
)

// TotalVariation returns δ(0) = Σ(p − q)₊ of a product of finite pairs exactly, by
// enumeration, or of one Poisson sample or mixture of such a product: there, δ(0)
// is the rate times the base's. It reports false for anything else.
func TotalVariation(prod Product) (*big.Rat, bool) {
	if len(prod) == 1 && prod[0].Count == 1 {
		switch x := prod[0].Pair.(type) {
		case Sampled:
			if d, ok := TotalVariation(x.Base); ok {
				return d.Mul(d, x.Rate), true
			}
			return nil, false
		case Mixed:
			if d, ok := TotalVariation(x.Base); ok {
				return d.Mul(d, x.Rate), true
			}
			return nil, false
		}
	}
	ms := []Mass{{ratOne, ratOne}}
	for _, t := range prod {
		f, ok := asFinite(t.Pair)
		if !ok || t.Count > maxVariationCount {
			return nil, false
		}
		for range t.Count {
			if len(ms)*len(f.Masses) > maxVariationTerms {
				return nil, false
			}
			var next []Mass
			for _, a := range ms {
				for _, b := range f.Masses {
					next = append(next, Mass{new(big.Rat).Mul(a.P, b.P), new(big.Rat).Mul(a.Q, b.Q)})
				}
			}
			ms = FiniteOf(next).Masses
		}
	}
	return Finite{Masses: ms}.Delta(ratOne), true
}

// asFinite returns the finite pair that x is, if its masses are rational.
func asFinite(x Pair) (Finite, bool) {
	switch x := x.(type) {
	case Finite:
		return x, true
	case Response:
		if x.Eps.Sign() == 0 {
			keep := new(big.Rat).Sub(ratOne, x.Delta)
			return FiniteOf([]Mass{{x.Delta, new(big.Rat)}, {keep, keep}, {new(big.Rat), x.Delta}}), true
		}
	}
	return Finite{}, false
}
