// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"
	"math/bits"
	"strconv"

	"dpverify/internal/document"
	"dpverify/internal/number"
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

func (e SingleEpochTreeAggregation) encodeFields(w *encoder) {
	w.Number("noise_multiplier", e.NoiseMultiplier)
	w.List("step_counts", len(e.StepCounts), func(i int) { w.Raw(strconv.FormatInt(e.StepCounts[i], 10)) })
}

// Depth is the greatest number of nodes that a record is in.
func (e SingleEpochTreeAggregation) Depth() int64 {
	depth := 0
	for _, n := range e.StepCounts {
		depth = max(depth, bits.Len64(uint64(n)))
	}
	return int64(depth)
}

// More noise is post-processing, as for Gaussian.
func decodeSingleEpochTreeAggregation(r *reader) Event {
	return SingleEpochTreeAggregation{
		NoiseMultiplier: r.number("noise_multiplier", number.Positive, morePrivate),
		StepCounts:      r.counts("step_counts"),
	}
}

// counts reads one integer or a list of them, each in [0, MaxCount].
func (r *reader) counts(field string) []int64 {
	want := fmt.Sprintf("an integer in [0, %d]", MaxCount)
	n := r.Required(field, want+" or a list of them")
	if r.Err != nil {
		return nil
	}
	if n.Kind != document.Sequence {
		return []int64{r.Integer(field, 0, MaxCount)}
	}
	var out []int64
	for i, item := range r.list(field, "integers") {
		if out = append(out, r.integerIn(index(field, i), item, MaxCount, want)); r.Err != nil {
			return nil
		}
	}
	return out
}
