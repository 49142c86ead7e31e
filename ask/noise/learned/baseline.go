// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"math"

	"dpverify/ask/noise"
	"dpverify/exact"
)

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
