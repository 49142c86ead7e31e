// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package blanket

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"dpverify/exact/double"
	"dpverify/exact/pair"
)

// A choice is two inputs of a record, and one of all others.
type choice struct {
	x, x2, other int
	score        float64
}

// mostVisible returns so many choices that show most: those of the greatest χ², ∞ where a report may be the own one for
// all to see.
func mostVisible(table [][]*big.Rat, most int) (out []choice) {
	rows := make([][]float64, len(table))
	for i, row := range table {
		for _, p := range row {
			rows[i] = append(rows[i], double.Near(p))
		}
	}
	for i, p := range rows {
		for j, q := range rows[:i] {
			for k, r := range rows {
				score := 0.0
				for y := range r {
					if d := p[y] - q[y]; d != 0 && table[k][y].Sign() == 0 {
						score = math.Inf(1)
					} else if d != 0 {
						score += d * d / r[y]
					}
				}
				out = append(out, choice{i, j, k, score})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b choice) int { return -cmp.Compare(a.score, b.score) })
	return out[:min(most, len(out))]
}

// better reports whether one count tells more than another one.
func better(x, y pair.Reported) bool {
	score := func(x pair.Reported) float64 {
		t, u := double.Near(x.Truth), double.Near(x.Noise)
		return (t - u) * (t - u) / (u * (1 - u))
	}
	return score(x) > score(y)
}
