// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestDeltaTo: few bits are had to within what is tolerable, and meet what all bits say; no bits and those of any
// effort are bits, too.
func TestDeltaTo(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	sampled := func(rate, sigma string, steps int64) mechanism.Event {
		return mechanism.SelfComposed{Count: steps, Event: mechanism.PoissonSampled{SamplingProbability: rat(rate), Event: mechanism.Gaussian{NoiseMultiplier: rat(sigma)}}}
	}
	for _, c := range []struct {
		e   mechanism.Event
		eps string
	}{
		{sampled("113/100000000", "94/5", 4), "2589/10000000000"},                                      // by the reverse
		{mechanism.SelfComposed{Count: 3, Event: mechanism.Laplace{NoiseMultiplier: rat("2")}}, "1/2"}, // precision has no price
		{sampled("1/10", "2", 3), "-1/1000"},
		{sampled("1/100", "4", 1000), "1"},
	}[:testkit.Cases(1, 4)] {
		p, err := Prepare(ctx, Question{Event: c.e}, 0)
		if err != nil {
			t.Fatal(err)
		}
		full, err := p.Delta(ctx, rat(c.eps)) // to maxBits
		if err != nil {
			t.Fatal(err)
		}
		if full.RelativeBits(maxBits) < 54 {
			t.Errorf("δ(%s) of %v is in %v", c.eps, c.e, full.Interval)
		}
		for _, bits := range []int{0, 44, 24}[:testkit.Cases(2, 3)] {
			y, err := p.DeltaTo(ctx, rat(c.eps), bits)
			if err != nil {
				t.Fatal(err)
			}
			if _, meet := interval.Intersect(y.Interval, full.Interval); !meet || y.RelativeBits(bits) < min(bits, 60)-6 {
				t.Errorf("δ(%s) of %v to %d bits is in %v, by all in %v", c.eps, c.e, bits, y.Interval, full.Interval)
			}
		}
		if _, err := p.DeltaTo(ctx, rat(c.eps), -1); err == nil {
			t.Error("−1 bits are no error")
		}
	}
}
