// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"context"
	"math/big"
	"slices"
	"strings"

	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
	"dpverify/vectors"
)

const findings = "docs/findings.md"

// notes say what each flag means.
var notes = map[Flag]vectors.Note{
	CountIgnored: {BugType: "LOGIC",
		Description: "A mechanism that is no Gaussian is composed with itself. Accountants have used the divergence of one " +
			"release for all of them.",
		Effect: "ε, δ and divergences too small by any factor", Links: []string{findings}},
	ReplaceOne2C: {BugType: "LOGIC",
		Description: "Under REPLACE_ONE a record of norm at most C moves a sum by 2C, not C.",
		Effect:      "ε too small by a factor of 2 and more",
		Links:       []string{"https://github.com/google/differential-privacy/issues/378", findings}},
	FFTNoise: {BugType: "NUMERICAL",
		Description: "A δ of at most 1e-10 of a composition. A discrete Fourier transform in binary64 errs by about 1e-16 " +
			"of the largest mass, whatever the δ.",
		Effect: "upper bounds of δ below the truth; an ε that does not grow as δ falls",
		Links:  []string{findings, "https://arxiv.org/abs/2106.02848"}},
	TailTruncation: {BugType: "NUMERICAL",
		Description: "Losses in a tail that is cut off matter: their mass is comparable to the δ that is asked about.",
		Effect:      "upper bounds below the truth where the tail is dropped instead of added to δ",
		Links:       []string{findings}},
	WrapAround: {BugType: "NUMERICAL",
		Description: "The losses of the composition lie far from the losses of one release. A circular convolution in a " +
			"window that does not cover them wraps around.",
		Effect: "any number, often far too small"},
	TinyDelta: {BugType: "NUMERICAL", Description: "A δ of at most 1e-12.",
		Effect: "a δ of 0, an ε of NaN, or bounds below the truth by cancellation", Links: []string{findings}},
	HugeEpsilon: {BugType: "NUMERICAL",
		Description: "An ε of at least 20, where e^ε − 1 and products of it lose digits or overflow.",
		Effect:      "NaN, infinities, bounds below the truth"},
	NegativeEpsilon: {BugType: "EDGE_CASE",
		Description: "The least ε, or the ε that is asked about, is below 0. δ(ε) is defined there, and at least 1 − e^ε.",
		Effect:      "an error or a δ below the truth; an upper bound of 0 is sound for the ε"},
	CLTIsNoBound: {BugType: "LOGIC",
		Description: "The central limit theorem for Gaussian differential privacy gives less than the truth here: it is no " +
			"bound.",
		Effect: "ε too small, by half and more", Links: []string{"https://github.com/pytorch/opacus/issues/643",
			findings}},
	FractionalOrder: {BugType: "NUMERICAL",
		Description: "A Rényi order that is no integer: binomial sums end for integers only, and interpolation between " +
			"orders needs the convexity of (α − 1)·R, not of R.",
		Effect: "divergences below the truth"},
	UnknownDimension: {BugType: "LOGIC",
		Description: "The dimension of the noise is not given: the worst case over every dimension is meant, which is not " +
			"the case of one entry.",
		Effect: "ε too small where a shift by one entry is taken for the worst one"},
	BoundedRange: {BugType: "LOGIC",
		Description: "The exponential mechanism or permute-and-flip. Its losses have a range of ε, which is better than " +
			"ε-DP for one of them and worse than ε/2-DP.",
		Effect: "too small where a bound of one release is taken for the divergence",
		Links:  []string{"https://arxiv.org/abs/1909.13830"}},
	OneDirection: {BugType: "LOGIC",
		Description: "Adding a record and removing one differ: a sample makes the pair asymmetric. The answer is the " +
			"larger of the two.",
		Effect: "ε too small where only one direction is computed"},
	RoundedParameter: {BugType: "NUMERICAL",
		Description: "A parameter has no exact value in binary64, and the privacy of the nearest one differs.",
		Effect:      "bounds below the truth in the last digits, or wrong by 0 where equality matters"},
	InfiniteMass: {BugType: "EDGE_CASE",
		Description: "With some probability everything is released, and the δ asked for is at most that: no ε is enough.",
		Effect:      "a finite ε"},
	SampledDiscrete: {BugType: "LOGIC",
		Description: "A sampled discrete Gaussian. That the discrete Gaussian is at most as bad as the Gaussian does not " +
			"carry over to samples.",
		Effect: "divergences below the truth", Links: []string{findings}},
	NoAmplification: {BugType: "LOGIC",
		Description: "A mechanism that may show whether the record was sampled, one record replaced by a null one: " +
			"sampling makes δ smaller, not ε.",
		Effect: "ε too small by the factor of the sampling probability"},
	ClassicalFormula: {BugType: "LOGIC",
		Description: "σ = sqrt(2 ln(1.25/δ))/ε is proved for ε ≤ 1 only, and false here.", Effect: "ε too small",
		Links: []string{"https://arxiv.org/abs/1805.06530"}},
}

// flagsOf returns the flags of a test, sorted: the flags of its family, and the flags that follow from
// what it asks and what the answer is.
func flagsOf(ctx context.Context, q question, t vectors.Test, e mechanism.Event) ([]string, error) {
	flags := make(map[Flag]bool)
	for _, f := range q.flags {
		flags[f] = true
	}
	at, _ := new(big.Rat).SetString(t.At) // nil for inf
	lo, hi := ordinary(t.Lo), ordinary(t.Hi)
	has := func(class string) bool { return strings.Contains(q.event, `"`+class+`DpEvent"`) }
	factors, err := composition.Factors(e)
	if err != nil {
		return nil, err
	}
	composed := len(factors) > 1 || len(factors) == 1 && factors[0].Count > 1
	small := func(x *big.Rat, most string) bool {
		bound, _ := new(big.Rat).SetString(most)
		return x != nil && x.Sign() > 0 && x.Cmp(bound) <= 0
	}
	smallDelta := func(most string) bool {
		return t.Quantity == "epsilon" && small(at, most) || t.Quantity == "delta" && small(hi, most)
	}
	large := big.NewRat(20, 1)
	negative := func(x *big.Rat) bool { return x != nil && x.Sign() < 0 }
	sampled := has("PoissonSampled") || has("MixtureOfGaussians")
	flags[CountIgnored] = composed && !onlyGaussians(factors)
	flags[ReplaceOne2C] = t.Relation == replaceOne && (has("Gaussian") || has("Laplace") || has("DiscreteLaplace"))
	flags[FFTNoise] = composed && smallDelta("1e-10")
	flags[TinyDelta] = smallDelta("1e-12")
	flags[HugeEpsilon] = t.Quantity == "epsilon" && lo != nil && lo.Cmp(large) >= 0 || t.Quantity == "delta" &&
		at != nil && at.Cmp(large) >= 0
	flags[NegativeEpsilon] = t.Quantity == "epsilon" && (negative(hi) || t.Hi == "-inf") ||
		t.Quantity == "delta" && negative(at)
	flags[FractionalOrder] = t.Quantity == "renyi" && at != nil && !at.IsInt()
	flags[UnknownDimension] = strings.Contains(q.event, `"dimension":null`)
	flags[BoundedRange] = has("ExponentialMechanism") || has("PermuteAndFlip")
	flags[OneDirection] = sampled && t.Relation == "ADD_OR_REMOVE_ONE" && t.Direction == "both"
	flags[InfiniteMass] = t.Quantity == "epsilon" && t.Lo == "inf"
	clt, err := belowByCLT(ctx, q, e, at, lo)
	if err != nil {
		return nil, err
	}
	flags[CLTIsNoBound] = clt
	out := []string{}
	for f, set := range flags {
		if set {
			out = append(out, string(f))
		}
	}
	slices.Sort(out)
	return out, nil
}

// ordinary reads an end of an enclosure; nil if it is infinite.
func ordinary(s string) *big.Rat {
	if x, ok := new(big.Rat).SetString(s); ok {
		return x
	}
	return nil
}

// onlyGaussians reports whether all factors are Gaussians, whose composition is a Gaussian.
func onlyGaussians(factors []composition.Factor) bool {
	for _, f := range factors {
		if _, ok := f.Event.(mechanism.Gaussian); !ok {
			return false
		}
	}
	return true
}

// belowByCLT reports whether the central limit theorem gives less than the truth: its value is
// proved to be below lo.
func belowByCLT(ctx context.Context, q question, e mechanism.Event, at, lo *big.Rat) (bool, error) {
	if q.quantity != "epsilon" || !strings.Contains(q.event, "PoissonSampled") || at == nil || lo == nil {
		return false, nil
	}
	relation, err := mechanism.ParseRelation(q.test().Relation)
	if err != nil {
		return false, err
	}
	m, ok := derive.Named("gdp-clt")
	if !ok {
		return false, nil
	}
	r, err := m.Epsilon(ctx, derive.Question{Question: exact.Question{Event: e, Relation: relation}}, at)
	if err != nil {
		// A derivation that does not apply gives no number to be wrong.
		return false, ctx.Err()
	}
	_, hi := r.Decimal(digits)
	clt := ordinary(hi)
	return clt != nil && clt.Cmp(lo) < 0, nil
}
