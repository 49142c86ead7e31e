// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"
	"math/bits"

	"dpverify/internal/field"
)

// SingleEpochTreeAggregation releases the nodes of binary trees of partial sums, with Gaussian
// noise on each: one tree for each step count, with a leaf for each step. A record is in one step of
// one of the trees [Kairouz, McMahan, Song, Thakkar, Thakurta & Xu 2021, Appendix D].
//
// A tree of T steps completes floor(T/2^h) nodes of the height h. The record of the first step is in all that are
// the first of their height, one for each 2^h ≤ T: as many as T has binary digits. No record is in more.
type SingleEpochTreeAggregation struct {
	NoiseMultiplier *big.Rat // σ / C > 0 in each node
	StepCounts      []int64  // at least one, each in [0, MaxCount]; 0: a tree without nodes
}

func (SingleEpochTreeAggregation) ClassName() string              { return "SingleEpochTreeAggregationDpEvent" }
func (e SingleEpochTreeAggregation) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e SingleEpochTreeAggregation) describe() description {
	return description{
		value:     &e,
		about:     "Trees of partial sums with Gaussian noise in each node; a record is in one step of one of them.",
		bound:     "closed form: a Gaussian",
		relations: replacing,
		example:   `"noise_multiplier":"4","step_counts":[1000,500]`,
		sentence: say("a running sum by binary trees (steps of each: %s), where every record is in one step, with Gaussian "+
			"noise in each node, of standard deviation %s"+field.TimesC,
			field.Each(e.StepCounts, ", ", func(_ int, n int64) field.Sentence { return say("%s", n) }), e.NoiseMultiplier),
		fields: []field.Field{
			// More noise is post-processing, as for Gaussian.
			field.Positive(1, 50).Number("noise_multiplier", &e.NoiseMultiplier, field.MorePrivate).
				Means("sigma / C in each node, C the bound of the norm of one record's value."),
			field.Counts("step_counts", &e.StepCounts).Means("The steps of one tree, or of each."),
		},
	}
}

// Depth is the greatest number of nodes that a record is in.
func (e SingleEpochTreeAggregation) Depth() int64 {
	depth := 0
	for _, n := range e.StepCounts {
		depth = max(depth, bits.Len64(uint64(n)))
	}
	return int64(depth)
}
