// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"math"
	"math/big"
	"time"

	"dpverify/ask/noise"
	"dpverify/exact"
	"dpverify/internal/shown"
	"dpverify/mechanism"
)

// A Found is noise that was learned. All of it but Baselines and Gradients is certified.
type Found struct {
	Noise         mechanism.AdditiveNoise
	Event         mechanism.Event // the composition
	Delta         exact.Result    // of the composition, at Epsilon
	First, Second *big.Rat        // E|X| and E X²
	Optimum       *Optimum        // nil where nothing is proved
	Baselines     []Baseline
	Gradients     int
	Interrupted   bool
	Took          time.Duration
}

// A NoneError says why there is no noise.
type NoneError struct{ Reason string }

func (e *NoneError) Error() string { return "no noise was found: " + e.Reason }

// L1 encloses E|X|.
func (f Found) L1() shown.Bounds { return ends(precision.Rat(f.First)) }

// L2 encloses (E X²)^½.
func (f Found) L2() shown.Bounds { return ends(precision.Sqrt(precision.Rat(f.Second))) }

// A Baseline is what learned noise is compared with: noise of one family on the same cells, with
// the parameter that gives it the same utility loss or the same δ. Estimated in float64.
type Baseline struct {
	Name      string  `json:"name"`
	Equal     string  `json:"equal"` // "utility" or "delta"
	Parameter float64 `json:"parameter"`
	Delta     float64 `json:"delta"`
	Utility   float64 `json:"utility"`
}

// baselines are those at the utility loss and at the δ of learned noise.
func (s *search) baselines(half []float64, delta exact.Result) []Baseline {
	var out []Baseline
	add := func(x noise.Family, equal string, scale float64, ok bool) {
		if !ok {
			return
		}
		p := x.Half(s.grid, s.goal.Eps, scale)
		out = append(out, Baseline{x.Name, equal, scale, s.delta(p), s.grid.Utility(s.wish.Norm, p)})
	}
	same := *s
	same.goal.Delta, same.goal.Most = 0, s.grid.Utility(s.wish.Norm, half)
	hi, _ := delta.Hi().Float64()
	less := *s
	less.goal.Delta = math.Max(hi, 1e-300)
	for _, x := range noise.Families {
		scale, ok := same.scale(x)
		add(x, "utility", scale, ok)
	}
	for _, x := range noise.Families {
		scale, ok := less.scale(x)
		add(x, "delta", scale, ok)
	}
	return out
}
