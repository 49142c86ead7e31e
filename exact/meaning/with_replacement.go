// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"dpverify/exact/copies"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// withReplacement resolves draws with replacement. A null record is a record: what is proved for two records that
// replace each other holds for a record and the null one. From below, all others are equal to what the record is
// replaced by: the mixture Σ P(K = k)·N(kμ) against N(0), with μ for two records that are replaced by each other, or
// for one and the null record. Or they are opposite to one that a null one replaces, see copies. Probabilities are
// rounded down, and what is missing, or beyond 24 copies, counts as no copy, which is dominated. Of Laplace noise it
// is cut into cells.
func (r *resolver) withReplacement(e mechanism.SampledWithReplacement, path string) (meaning, error) {
	switch r.rel {
	case mechanism.ReplaceOne, mechanism.ReplaceSpecial:
	case mechanism.AddOrRemoveOne:
		return r.undefined(e, path, "sampling with replacement from a fixed number of records is not defined")
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	base, err := r.sampled(e, e.Event, path)
	if err != nil || base.factors.empty() || base.traits.nonPrivate {
		return base, err
	}
	sums, err := noisySums(e.Event) // what a pair that is given outright has of a record drawn twice is not said
	if err != nil {
		return meaning{}, err
	}
	x, ok := onePair(base.factors)
	if ok {
		_, ok = pair.AtDistance(x, 1)
	}
	if !ok || !sums {
		return r.undefined(e, path, "sampling with replacement is proved for Gaussian and for Laplace noise")
	}
	if e.SourceDatasetSize == 1 { // the record, sample_size times
		x, _ = pair.AtDistance(x, e.SampleSize)
		return exactly(pair.Copies(x, 1)), nil
	}
	exchanged := x
	if r.rel == mechanism.ReplaceSpecial {
		exchanged, _ = pair.AtDistance(x, 2)
	}
	var lower []pair.Product
	switch g := x.(type) {
	case pair.Gaussian:
		mu := pair.SqrtBelow(g.Mu2)
		lower = append(lower, copies.OfGaussian(e, mu))
		if r.rel == mechanism.ReplaceSpecial {
			if p := copies.Opposite(e, mu); p != nil {
				lower = append(lower, p)
			}
		}
	case pair.Laplace:
		lower = append(lower, copies.OfLaplace(e, g.Shift))
	}
	return between(pair.Copies(pair.WithReplacement{Source: e.SourceDatasetSize, Size: e.SampleSize, Base: exchanged,
		Null: r.rel == mechanism.ReplaceSpecial}, 1), lower...), nil
}
