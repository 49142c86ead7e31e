// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/binomial"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// WithReplacement stands for what is known from above of Size draws with replacement from Source records, two
// neighbours of which differ in one record, of additive noise: Base is the pair of one copy of the record
// exchanged, Gaussian or Laplace noise. 1 < Source.
//
// A record is drawn K ~ Bin(m, 1/n) times, at least once with probability γ = 1 − (1 − 1/n)^m. With δ_k the profile
// of k copies exchanged and α ≥ 1 [Balle, Barthe & Gaboardi 2018, Theorem 10],
//
//	H_{1+γ(α−1)} ≤ Σ_{k≥1} P(K = k)·H_α of δ_k.
//
// The outputs are (1−γ)ω₀ + γω₁ and (1−γ)ω₀ + γω₁′, so that H_{α′}, α′ = 1 + γ(α − 1), is γ·H_α(ω₁ ‖ (1−β)ω₀ + βω₁′), β =
// α′/α (advanced joint convexity). Given K = k, the other draws are the same in ω₁, in ω₁′ and in ω₀ with k other
// records in place of the copies: each is k exchanges away, and H_α is jointly convex.
type WithReplacement struct {
	Source, Size int64
	Base         Pair
}

func (x WithReplacement) String() string {
	return fmt.Sprintf("WithReplacement(%d of %d, %s)", x.Size, x.Source, x.Base)
}

// The bound is one for both orientations.
func (x WithReplacement) Reverse() Pair           { return x }
func (WithReplacement) SelfDual() bool            { return true }
func (WithReplacement) isReversed() bool          { return false }
func (WithReplacement) Kind() Kind                { return Unlisted }
func (WithReplacement) parts() []Product          { return nil }
func (WithReplacement) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (WithReplacement) reach() reach              { return unknownReach() }

// Outcomes: it has none to list.
func (WithReplacement) Outcomes(interval.Prec, int) ([]Outcome, interval.Interval, bool) {
	return notListed()
}

// Group returns the pair of k copies exchanged.
func (x WithReplacement) Group(k int64) Pair {
	p, _ := atDistance(x.Base, k)
	return p
}

// atDistance returns additive noise at k times the distance.
func atDistance(x Pair, k int64) (Pair, bool) {
	n := new(big.Rat).SetInt64(k)
	switch x := x.(type) {
	case Gaussian:
		return Gaussian{n.Mul(x.Mu2, n.Mul(n, n))}, true
	case Laplace:
		return Laplace{n.Mul(n, x.Shift)}, true
	}
	return nil, false
}

// Copies encloses P(K = k) for k = 1 … most, and P(K > most).
func (x WithReplacement) Copies(p interval.Prec, most int64) (masses []interval.Interval, rest interval.Interval) {
	most = min(most, x.Size)
	q := big.NewRat(1, x.Source)
	for k := int64(1); k <= most; k++ {
		masses = append(masses, binomial.Mass(p, x.Size, k, q))
	}
	return masses, binomial.AtLeast(p, x.Size, most+1, q)
}

// Drawn encloses γ.
func (x WithReplacement) Drawn(p interval.Prec) interval.Interval {
	return binomial.AtLeast(p, x.Size, 1, big.NewRat(1, x.Source))
}

// maxCopies bounds the copies of a record that a witness counts.
const maxCopies = 24

// withReplacement resolves draws with replacement. A null record is a record: what is proved for two records that
// replace each other holds for a record and the null one. From below, all others are null, and the
// record is replaced by a null one: the mixture Σ P(K = k)·N(kμ) against N(0), with μ for a record of norm C.
// Probabilities are rounded down, and what is missing, or beyond maxCopies, counts as no copy, which is dominated.
func (r *resolver) withReplacement(e mechanism.SampledWithReplacement, path string) (meaning, error) {
	undefined := func(reason string) (meaning, error) {
		return meaning{}, &RelationError{path, e.ClassName(), r.rel, reason}
	}
	switch r.rel {
	case mechanism.ReplaceOne, mechanism.ReplaceSpecial:
	case mechanism.AddOrRemoveOne:
		return undefined("sampling with replacement from a fixed number of records is not defined")
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	base, err := r.sampled(e, e.Event, path)
	if err != nil || base.factors.empty() || base.traits.nonPrivate {
		return base, err
	}
	x, ok := onePair(base.factors)
	if ok {
		_, ok = atDistance(x, 1)
	}
	if !ok || base.traits.presence {
		return undefined("sampling with replacement is proved for Gaussian and for Laplace noise")
	}
	if e.SourceDatasetSize == 1 { // the record, sample_size times
		x, _ = atDistance(x, e.SampleSize)
		return exactly(Product{{x, 1}}), nil
	}
	exchanged := x
	if r.rel == mechanism.ReplaceSpecial {
		exchanged, _ = atDistance(x, 2)
	}
	var lower Product
	if g, ok := x.(Gaussian); ok {
		mu := sqrtDown(g.Mu2)
		if r.rel == mechanism.ReplaceOne {
			mu.Mul(mu, big.NewRat(1, 2))
		}
		lower = copiesOfRecord(e, mu)
	}
	return between(Product{{WithReplacement{e.SourceDatasetSize, e.SampleSize, exchanged}, 1}}, lower), nil
}

func copiesOfRecord(e mechanism.SampledWithReplacement, mu *big.Rat) Product {
	x := WithReplacement{Source: e.SourceDatasetSize, Size: e.SampleSize}
	const bits = 96
	masses, _ := x.Copies(bits, maxCopies)
	none := big.NewRat(1, 1)
	var cs []gaussianComponent
	for i, m := range masses {
		p := new(big.Rat).SetFrac(interval.FloorScaled(m, bits), new(big.Int).Lsh(big.NewInt(1), bits))
		if p.Sign() > 0 {
			cs = append(cs, gaussianComponent{new(big.Rat).Mul(mu, new(big.Rat).SetInt64(int64(i+1))), p})
			none.Sub(none, p)
		}
	}
	if p := mergeComponents(append(cs, gaussianComponent{new(big.Rat), none})); p != nil {
		return Product{{p, 1}}
	}
	return nil
}
