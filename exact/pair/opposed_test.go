// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// TestOpposedPlaces: of a batch that is often full, two places have nearly all of the δ that the worst of 20 places on
// the circle has, and no more. Those are integrals over the plane, in floating point, by a grid and line by line
// between the roots of P − αQ.
func TestOpposedPlaces(t *testing.T) {
	const w = interval.Prec(80)
	e := mechanism.TruncatedSubsampledGaussian{DatasetSize: 4, SamplingProbability: rat("1/2"), TruncatedBatchSize: 2, NoiseMultiplier: rat("1")}
	var places [][]Outcome
	for _, along := range opposedAt[2:] {
		places = append(places, newOpposed(e, along).Dominated(w))
	}
	for _, c := range []struct{ eps, worst, share string }{
		{"2", "0.002876", "0.98"}, {"3", "1.2474e-4", "0.97"}, {"4", "2.3495e-6", "0.97"},
	} {
		alpha, most := w.Exp(w.Rat(rat(c.eps))), interval.Int(0)
		for _, outcomes := range places {
			delta := interval.Int(0)
			for _, o := range outcomes {
				delta = w.Add(delta, interval.Max(interval.Int(0), w.Sub(o.P, w.Mul(alpha, o.Q))))
			}
			most = interval.Max(most, delta)
		}
		worst := rat(c.worst)
		if least := w.Rat(new(big.Rat).Mul(worst, rat(c.share))); least.Less(most) != interval.True || most.Less(w.Rat(worst)) != interval.True {
			t.Errorf("δ(%s) = %s, want at least %s of %s, and less than it", c.eps, most, c.share, c.worst)
		}
	}
}
