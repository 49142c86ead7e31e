// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"testing"

	"dpverify/mechanism"
)

// TestTruncatedSampleByHand: a batch that is never full is a Poisson sample, one of everybody a Gaussian, and one
// that is always full and has place for one record a sample of a Gaussian at distance 2, from which it is told by the
// other record, opposite to the record: both bounds are close to it.
func TestTruncatedSampleByHand(t *testing.T) {
	ctx := context.Background()
	sample := func(n int64, q string, b int64) mechanism.Event {
		return mechanism.TruncatedSubsampledGaussian{DatasetSize: n, SamplingProbability: rat(q), TruncatedBatchSize: b, NoiseMultiplier: rat("1")}
	}
	poisson := func(q, sigma string) mechanism.Event {
		return mechanism.PoissonSampled{SamplingProbability: rat(q), Event: mechanism.Gaussian{NoiseMultiplier: rat(sigma)}}
	}
	for _, c := range []struct {
		name      string
		e, same   mechanism.Event
		agreeBits int
	}{
		{"never full", sample(10, "1/3", 10), poisson("1/3", "1"), 40},
		{"everybody", sample(10, "1", 10), mechanism.Gaussian{NoiseMultiplier: rat("1")}, 40},
		{"nobody", sample(10, "1/3", 0), mechanism.NoOp{}, 1},
		{"always full", sample(2, "1", 1), poisson("1/2", "1/2"), 5},
	} {
		for _, eps := range []string{"0", "1/2", "3"} {
			p, err := Prepare(ctx, Question{Event: c.e}, 0)
			if err != nil {
				t.Fatal(c.name, err)
			}
			q, err := Prepare(ctx, Question{Event: c.same}, 0)
			if err != nil {
				t.Fatal(c.name, err)
			}
			x, err := p.Delta(ctx, rat(eps))
			y, err2 := q.Delta(ctx, rat(eps))
			if err != nil || err2 != nil || x.Lo().Cmp(y.Hi()) > 0 || y.Lo().Cmp(x.Hi()) > 0 || x.RelativeBits(64) < c.agreeBits && x.Hi().Sign() > 0 {
				t.Errorf("%s: δ(%s) = %s, want %s (%v, %v)", c.name, eps, x.Interval, y.Interval, err, err2)
			}
		}
	}
}
