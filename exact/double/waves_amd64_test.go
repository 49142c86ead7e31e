// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

package double

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestWavesRoundAlike: vectors round as the loops in Go do, to the last bit, next to underflow and with waves that are
// no multiple of Lanes, too.
func TestWavesRoundAlike(t *testing.T) {
	if !vectors {
		t.Skip("without AVX2 the loops in Go are all there is, and TestRises compares sums of waves with intervals")
	}
	defer func() { vectors = true }()
	r := rand.New(rand.NewPCG(1, 2))
	part := func() float64 { return math.Ldexp(r.Float64()-0.5, []int{0, 0, 0, 40, -40, -537}[r.IntN(6)]) }
	for _, j := range []int{1, 2, 4, 16} {
		for _, n := range []int{1, 3, 4, 5, 8, 127, WavesTogether} {
			one, two := NewWaves(j), NewWaves(j)
			for range n {
				a, x, y, x2, y2 := math.Abs(part()), part(), part(), part(), part()
				one.Add(a, x, y, x2, y2)
				two.Add(a, x, y, x2, y2)
			}
			points := 5 * (2*j + 1)
			var sums [2][2][]float64
			for i, w := range []*Waves{one, two} {
				vectors = i == 0
				sums[i] = [2][]float64{make([]float64, points), make([]float64, points)}
				w.Turn(sums[i][0], sums[i][1])
			}
			for part := range 2 {
				for k, got := range sums[0][part] {
					if want := sums[1][part][k]; math.Float64bits(got) != math.Float64bits(want) {
						t.Fatalf("J = %d, %d waves, part %d of point %d: %v by vectors, %v by the loop", j, n, part, k, got, want)
					}
				}
			}
		}
	}
}
