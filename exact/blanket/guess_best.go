// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package blanket

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

func near(r *big.Rat) float64 { return double.Of(interval.Prec(64).Rat(r)).Mid() }

// byVisibility puts those first that show most.
func byVisibility(xs []pair.Reports) {
	scores := make(map[string]float64)
	for _, x := range xs {
		scores[x.String()] = spread(x)
	}
	slices.SortStableFunc(xs, func(a, b pair.Reports) int {
		return -cmp.Compare(scores[a.String()], scores[b.String()])
	})
}

// better reports whether one count tells more than another one.
func better(x, y pair.Reported) bool {
	score := func(x pair.Reported) float64 {
		t, u := near(x.Truth), near(x.Noise)
		return (t - u) * (t - u) / (u * (1 - u))
	}
	return score(x) > score(y)
}

// spread is about χ², ∞ where a report may be the own one for all to see.
func spread(x pair.Reports) float64 {
	sum := 0.0
	for _, c := range x.Cells {
		if d := near(c.P) - near(c.Q); c.Other.Sign() == 0 && d != 0 {
			return math.Inf(1)
		} else if d != 0 {
			sum += d * d / near(c.Other)
		}
	}
	return sum
}
