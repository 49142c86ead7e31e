// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package domination

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// losses builds a distribution from masses.
func losses(step *big.Rat, minKey int64, masses []float64, infinite float64) Losses {
	return Losses{Interval: step, MinKey: minKey, Count: len(masses), Infinite: big.NewFloat(infinite),
		Mass: func(i int) *big.Float { return big.NewFloat(masses[i]) }}
}

// gaussianLosses puts the loss of a Gaussian with μ = 1 on a grid, each cell at its
// upper end (pessimistic) or lower end, and what is above the grid at ∞.
func gaussianLosses(step float64, optimistic bool) Losses {
	cdf := func(x float64) float64 { return math.Erfc(-(x-0.5)/math.Sqrt2) / 2 } // L ~ N(1/2, 1) under P
	low, high := -int64(8/step), int64(8/step)
	var masses []float64
	shift := int64(0)
	if optimistic {
		shift = 1
	}
	below := 0.0
	for k := low; k <= high; k++ {
		c := cdf(float64(k) * step)
		masses = append(masses, c-below)
		below = c
	}
	return losses(new(big.Rat).SetFloat64(step), low-shift, masses, 1-below+1e-12)
}

func profileOf(t *testing.T, e mechanism.Event) *exact.Profile {
	t.Helper()
	p, err := exact.Prepare(t.Context(), exact.Question{Event: e}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func gaussianProfile(t *testing.T) *exact.Profile {
	t.Helper()
	return profileOf(t, mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)})
}

// A pessimistic grid dominates, an optimistic one does not, and the worst ε is one
// where it really is exceeded.
func TestGaussian(t *testing.T) {
	p := gaussianProfile(t)
	for _, step := range []float64{0.5, 0.0625} {
		d, err := Decide(t.Context(), p, 0, gaussianLosses(step, false))
		if err != nil || d.Holds != interval.True {
			t.Errorf("step %v, pessimistic: %v at %v, %v", step, d.Holds, d.Eps, err)
		}
		l := gaussianLosses(step, true)
		if d, err = Decide(t.Context(), p, 0, l); err != nil || d.Holds != interval.False {
			t.Fatalf("step %v, optimistic: %v, %v", step, d.Holds, err)
		}
		if d.Bound.Less(d.Event) != interval.True {
			t.Errorf("step %v: %s at the worst ε = %v", step, d, d.Eps)
		}
		// No point of the grid exceeds by more than the worst one.
		worst := interval.Prec(128).Sub(d.Event, d.Bound)
		dd := newDecision(p, 0, l)
		for k := range dd.eps {
			err := dd.event(t.Context(), k)
			y := dd.delta[k]
			if err != nil {
				t.Fatal(err)
			}
			if worst.Less(interval.Prec(128).Sub(y, dd.bound[k])) == interval.True {
				t.Errorf("step %v: ε = %v exceeds more than ε = %v", step, dd.eps[k], d.Eps)
			}
		}
	}
}

// D(ε) by its definition, at every point of K.
func TestLossesProfile(t *testing.T) {
	p := gaussianProfile(t)
	const w = interval.Prec(160)
	for _, l := range []Losses{
		losses(big.NewRat(1, 3), -2, []float64{0.25, 0.125, 0, 0.25, 0.125, 0.125}, 0.125),
		losses(big.NewRat(1, 2), 3, []float64{0.5, 0.25}, 0.25), // no loss near 0
		losses(big.NewRat(1, 2), -3, []float64{0.5, 0.5}, 0),    // no positive loss
		losses(big.NewRat(1, 2), 0, []float64{1}, 0),
		losses(big.NewRat(1, 2), -1, []float64{0.5, -0.125, 0.5, -0.25, 0.25}, 0.125), // negative masses
	} {
		d := newDecision(p, 0, l)
		if d.eps[0].Sign() != 0 {
			t.Errorf("the first point is %v", d.eps[0])
		}
		for k, eps := range d.eps {
			want := interval.Point(l.Infinite)
			for i := range l.Count {
				loss := new(big.Rat).Mul(l.Interval, new(big.Rat).SetInt64(l.MinKey+int64(i)))
				if loss.Cmp(eps) > 0 {
					e := w.Exp(w.Rat(new(big.Rat).Sub(eps, loss)))
					want = w.Add(want, w.Mul(interval.Point(l.Mass(i)), w.Sub(interval.Int(1), e)))
				}
			}
			if _, ok := interval.Intersect(want, d.bound[k]); !ok {
				t.Errorf("D(%v) = %v, want %v", eps, d.bound[k], want)
			}
		}
	}
}

// Randomized response whose losses ±log 3 are moved outward is dominated, and one moved
// inward is not; a distribution that is the pair itself, up to the grid, decides by the
// infinite mass alone.
func TestFinite(t *testing.T) {
	rr := mechanism.FinitePair{P: []*big.Rat{big.NewRat(3, 4), big.NewRat(1, 4)}, Q: []*big.Rat{big.NewRat(1, 4), big.NewRat(3, 4)}}
	p := profileOf(t, rr)
	masses := make([]float64, 22)
	masses[0], masses[21] = 0.25, 0.75 // at keys −10 and 11
	for _, test := range []struct {
		step *big.Rat
		inf  float64
		want interval.Truth
	}{
		{big.NewRat(1, 10), 0, interval.True},   // 1.1 > log 3
		{big.NewRat(9, 100), 0, interval.False}, // 0.99 < log 3
		{big.NewRat(9, 100), 0.25, interval.True},
	} {
		d, err := Decide(t.Context(), p, 0, losses(test.step, -10, masses, test.inf))
		if err != nil || d.Holds != test.want {
			t.Errorf("step %v, infinite mass %v: %v at %v (%s), %v, want %v", test.step, test.inf, d.Holds, d.Eps, d, err, test.want)
		}
	}
}

// TestOpen: where the masses of a distribution are the masses of the profile to the last
// bit, neither is known to be greater.
func TestOpen(t *testing.T) {
	p := gaussianProfile(t)
	y, err := p.Delta(t.Context(), new(big.Rat))
	if err != nil {
		t.Fatal(err)
	}
	l := Losses{Interval: big.NewRat(1, 1), MinKey: 0, Count: 1, Infinite: interval.Prec(2000).Mid(y.Interval).Lo(), Mass: func(int) *big.Float { return new(big.Float) }}
	d, err := Decide(t.Context(), p, 0, l)
	if err != nil || d.Holds != interval.Unknown || d.Eps == nil || d.Eps.Sign() != 0 || d.Excess != nil {
		t.Errorf("%v at %v, %v", d.Holds, d.Eps, err)
	}
}

// TestInterrupted: an interrupted decision says so, wherever it is.
func TestInterrupted(t *testing.T) {
	p := profileOf(t, mechanism.SelfComposed{Event: mechanism.Laplace{NoiseMultiplier: big.NewRat(1, 1)}, Count: 3})
	l := losses(big.NewRat(1, 1), -3, []float64{0, 0, 0, 0, 0, 0, 0.5}, 0.2)
	if _, err := Decide(t.Context(), p, 0, l); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Decide(ctx, p, 0, l); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one about the interruption", err)
	}
}
