// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math"
	"testing"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// keysInASample is δ(0) of half of the records, where a key is the record's and that of some others: its count with
// Laplace noise of scale 1, if it is at least threshold, and if a record of the sample has the key. Written out in
// cells, hence from below.
func keysInASample(threshold float64, others int) float64 {
	const cell = 1.0 / 16
	binomial := func(n int) []float64 { // of n coins
		at := make([]float64, others+2)
		at[0] = math.Ldexp(1, -n)
		for k := range n {
			at[k+1] = at[k] * float64(n-k) / float64(k+1)
		}
		return at
	}
	below := func(x float64) float64 {
		if x < 0 {
			return math.Exp(x) / 2
		}
		return 1 - math.Exp(-x)/2
	}
	with, without := binomial(others+1), binomial(others)
	delta, hidden := 0.0, 0.0 // hidden is how much likelier no output is without the record
	for x := threshold; x < float64(others)+30; x += cell {
		more := 0.0
		for k := 1; k < len(with); k++ {
			more += (with[k] - without[k]) * (below(x+cell-float64(k)) - below(x-float64(k)))
		}
		delta += max(0, more)
		hidden += more
	}
	return delta + max(0, -hidden)
}

// TestKeysInASample: others who have a key are in a Poisson sample by coins of their own, and what is below is attained
// by some number of them. Noise without coins, of half of the records, has δ(0) = 0.1967.
func TestKeysInASample(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		threshold string
		at        float64
		greatest  float64 // of any number of others, rounded up
	}{{"20", 20, 0.06}, {"2", 2, 0.142}} {
		e := mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: mechanism.ThresholdedNoise{
			Event: mechanism.Laplace{NoiseMultiplier: rat("1")}, Threshold: rat(c.threshold), Keys: 1}}
		x, err := Prepare(ctx, Question{Event: e}, 0)
		if err != nil {
			t.Fatal(err)
		}
		y, err := x.Delta(ctx, rat("0"))
		if err != nil || y.LessRat(rat("1/5")) == interval.False {
			t.Fatal(y.Interval, err)
		}
		lo, _ := y.Lo().Float64()
		hi, _ := y.Hi().Float64()
		best := 0.0
		for others := range 100 {
			best = max(best, keysInASample(c.at, others))
		}
		if best > c.greatest || lo > best || hi < best {
			t.Errorf("threshold %s: δ(0) in [%v, %v], and %v of others who have the key", c.threshold, lo, hi, best)
		}
	}
}
