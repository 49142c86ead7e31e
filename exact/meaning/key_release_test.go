// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"errors"
	"math/big"
	"testing"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

func isRelationError(err error) bool { return errors.As(err, new(*RelationError)) }

// TestKeysOfARecord: of few keys each number of shared ones is an alternative, attained; of many each key is a choice.
func TestKeysOfARecord(t *testing.T) {
	e := mechanism.ThresholdedNoise{Event: mechanism.Laplace{NoiseMultiplier: rat("1")}, Threshold: rat("5"), Keys: 3}
	p, err := Resolve(e, mechanism.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Profile(mechanism.Remove)
	if err != nil || len(b.Upper) != 4 || !b.Attained {
		t.Errorf("3 keys: %d alternatives, attained %v, %v", len(b.Upper), b.Attained, err)
	}
	// In a sample others who have a key are uncertain: from below keys are the record's own.
	for _, keys := range []int64{e.Keys, maxKeyCases + 1} {
		e.Keys = keys
		p, err = Resolve(mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: e}, mechanism.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		own := samplePoisson(rat("1/2"), pair.Copies(pair.KeyRelease{Noise: e.Event, Threshold: e.Threshold}, keys))
		b, err := p.Profile(mechanism.Remove)
		if err != nil || b.Attained || len(b.Lower) != 1 || b.Lower[0].String() != own.String() {
			t.Errorf("a sample: below %v, attained %v, %v, want %v", b.Lower, b.Attained, err, own)
		}
	}
	beside := mechanism.Composed{Events: []mechanism.Event{mechanism.PoissonSampled{SamplingProbability: rat("1/2"),
		Event: mechanism.Gaussian{NoiseMultiplier: rat("1")}}, e}}
	if p, err = Resolve(beside, mechanism.AddOrRemoveOne); err != nil || !p.meaning.evidence.wholly() {
		t.Errorf("after a sample: %v, attained %v", err, p.meaning.evidence)
	}
	if p, err = Resolve(e, mechanism.ReplaceSpecial); err != nil {
		t.Fatal(err)
	}
	if b, err = p.Profile(mechanism.Remove); err != nil || len(b.Upper) != 1 || b.Attained || len(b.Lower) < 2 {
		t.Errorf("many keys: %d above, %d below, attained %v, %v", len(b.Upper), len(b.Lower), b.Attained, err)
	}
	if _, err := Resolve(e, mechanism.ReplaceOne); !isRelationError(err) {
		t.Errorf("replaced: %v", err)
	}
	big := mechanism.ThresholdedNoise{Event: mechanism.DiscreteGaussian{Sigma: new(big.Rat).SetInt64(1 << 20), Sensitivity: rat("1")}, Threshold: rat("5"), Keys: 3}
	if _, err := Resolve(big, mechanism.AddOrRemoveOne); err == nil {
		t.Error("a tail of a million terms is summed")
	}
}

// TestKeysThatAreNotCounted: where a record moves no count, that a key is there still shows.
func TestKeysThatAreNotCounted(t *testing.T) {
	for _, noise := range []mechanism.Event{
		mechanism.DiscreteLaplace{NoiseParameter: rat("1")},
		mechanism.DiscreteGaussian{Sigma: rat("1"), Sensitivity: rat("1/2"), Dimension: 1},
	} {
		p, err := Resolve(mechanism.ThresholdedNoise{Event: noise, Threshold: rat("1"), Keys: 2}, mechanism.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Profile(mechanism.Remove)
		if err != nil || len(b.Upper) != 1 || len(b.Upper[0]) != 1 || b.Upper[0][0].Count != 2 || !b.Attained {
			t.Errorf("%s: %v, attained %v, %v, want the release of two keys", noise.ClassName(), b.Upper, b.Attained, err)
		}
	}
}
