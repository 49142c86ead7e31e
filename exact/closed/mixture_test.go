// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestMixtureOfHugeMeans: log h is some 10^400 next to its root, far beyond the bits of one, and encloses it
// all the same. The means are 10^200 deviations apart: δ(ε) is the mass of the means that are not 0,
// and the mass of 0 less e^ε of its own reversed.
func TestMixtureOfHugeMeans(t *testing.T) {
	m := pair.GaussianMixture{Means: []*big.Rat{rat("0"), rat("1e200"), rat("2e200")}, Probs: []*big.Rat{rat("1/2"), rat("1/4"), rat("1/4")}}
	const p = interval.Prec(64)
	for _, c := range []struct {
		reversed bool
		eps      string
		want     interval.Interval
	}{
		{false, "0", p.Rat(rat("1/2"))},
		{false, "1", p.Rat(rat("1/2"))},
		{true, "1", interval.Int(0)},
		{true, "-1/2", p.Sub(interval.Int(1), p.Scale(p.Exp(p.Rat(rat("-1/2"))), -1))},
	} {
		m.Reversed = c.reversed
		y := mixtureTails(m).Delta(p, interval.RealRat(rat(c.eps)))
		if p.Sub(y, c.want).Abs().LessRat(rat("1e-17")) != interval.True {
			t.Errorf("reversed %v: δ(%s) in %s, want %s", c.reversed, c.eps, y, c.want)
		}
	}
}

// TestLogSumExpAtFewBits: log h of an interval, at few bits, encloses its values at the ends at many.
func TestLogSumExpAtFewBits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		m := pair.GaussianMixture{Means: []*big.Rat{big.NewRat(1+r.Int64N(1000), 7), big.NewRat(1+r.Int64N(1000), 9)}, Probs: []*big.Rat{rat("1/3"), rat("2/3")}}
		a := big.NewRat(r.Int64N(2000)-500, 64)
		b := new(big.Rat).Add(a, big.NewRat(r.Int64N(2), 3))
		const p = interval.Prec(300)
		h := newMixture(p, m)
		from, _ := h.at(p.Rat(a))
		to, _ := h.at(p.Rat(b))
		for _, w := range []interval.Prec{2, 8, 24, 53} {
			got, _ := newMixture(w, m).at(interval.Union(w.Rat(a), w.Rat(b)))
			for _, want := range []interval.Interval{from, to} {
				if _, ok := interval.Intersect(got, want); !ok {
					t.Errorf("%s in [%s, %s], %d bits: log h in %s, want %s", m, a, b, w, got, want)
				}
			}
		}
	}
}
