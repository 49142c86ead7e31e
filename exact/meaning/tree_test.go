// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"
	"testing"

	"dpverify/mechanism"
)

// TestTreeNodes: the depth is the greatest number of complete blocks that hold one step, counted.
func TestTreeNodes(t *testing.T) {
	for steps := int64(0); steps < 300; steps++ {
		most := int64(0)
		for leaf := range steps {
			nodes := int64(0)
			for width := int64(1); width <= steps; width *= 2 {
				if (leaf/width+1)*width <= steps {
					nodes++
				}
			}
			most = max(most, nodes)
		}
		e := mechanism.SingleEpochTreeAggregation{NoiseMultiplier: big.NewRat(3, 1), StepCounts: []int64{0, steps}}
		if e.Depth() != most {
			t.Errorf("%d steps: depth %d, and a record in %d nodes", steps, e.Depth(), most)
		}
	}
}

// TestTreeUnderEveryRelation: a tree is a Gaussian where records keep their places, and no sample has a meaning.
func TestTreeUnderEveryRelation(t *testing.T) {
	e := mechanism.SingleEpochTreeAggregation{NoiseMultiplier: big.NewRat(3, 1), StepCounts: []int64{5}}
	for rel, want := range map[mechanism.Relation]string{mechanism.ReplaceSpecial: "(Gaussian(μ²=1/3))", mechanism.ReplaceOne: "(Gaussian(μ²=4/3))"} {
		p, err := Resolve(e, rel)
		if err != nil || p.Dominating().String() != want {
			t.Errorf("%s: %s, %v, want %s", rel, p.Dominating(), err, want)
		}
	}
	if _, err := Resolve(e, mechanism.AddOrRemoveOne); !isRelationError(err) {
		t.Errorf("a record more: %v", err)
	}
	for _, sample := range []mechanism.Event{
		mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 2), Event: mechanism.Composed{Events: []mechanism.Event{mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}, e}}},
		mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 2), Event: e},
		mechanism.SampledWithoutReplacement{SourceDatasetSize: 9, SampleSize: 3, Event: e},
		mechanism.PoissonSampled{SamplingProbability: new(big.Rat), Event: e},
	} {
		for _, rel := range []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceOne, mechanism.ReplaceSpecial} {
			if _, err := Resolve(sample, rel); !isRelationError(err) {
				t.Errorf("%s under %s: %v", mechanism.EncodeEvent(sample), rel, err)
			}
		}
	}
}
