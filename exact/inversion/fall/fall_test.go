// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fall

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"dpverify/exact/double"
	"dpverify/internal/testkit"
)

// A piece is a mass on which the loss is uniform, or none, between pieces of other densities.
type piece struct{ mass, from, to float64 }

// cellsOf are pieces as cells, whose masses are known less well.
func cellsOf(pieces []piece, off float64) []Cell {
	out := make([]Cell, len(pieces))
	for i, p := range pieces {
		out[i] = Cell{
			Mass: double.Interval{Lo: p.mass * (1 - off), Hi: p.mass * (1 + off)}, Loss: double.Interval{Lo: p.from, Hi: p.to},
			Jump: p.mass / (p.to - p.from) * (1 + off),
		}
		if p.mass == 0 {
			out[i].Jump = math.Inf(1)
		}
	}
	return out
}

// modulus is |ψ(t)|.
func modulus(pieces []piece, t float64) float64 {
	var sum complex128
	for _, p := range pieces {
		u := t * (p.to - p.from) / 2
		sum += complex(p.mass*math.Sin(u)/u, 0) * cmplx.Exp(complex(0, -t*(p.from+p.to)/2))
	}
	return cmplx.Abs(sum)
}

// TestRareLossesFall: both bounds are bounds, and say something of losses that are rare and far from all others.
func TestRareLossesFall(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	told, toldByParts := 0, 0
	n := testkit.Draws(60, 200, 200)
	for range n {
		share, far, wide := math.Exp(-2-5*r.Float64()), 5+100*r.Float64(), 1+40*r.Float64()
		var pieces []piece
		const likely, rare = 8, 60
		for i := range likely {
			x := 0.01 * float64(i) / likely
			pieces = append(pieces, piece{(1 - share) / likely, x, x + 0.01/likely})
		}
		pieces = append(pieces, piece{0, 0.01, far})
		for i := range rare {
			x := far + wide*float64(i)/rare
			pieces = append(pieces, piece{share / rare, x, x + wide/rare})
		}
		cells := cellsOf(pieces, []float64{1e-12, 0.05}[r.IntN(2)])
		pairs, cuts := NewPairs(Groups(cells)), ByParts(cells, double.Interval{})
		for k := -40; k < 100; k++ {
			a := math.Pow(17.0/16, float64(k)) * 3 / far
			b := a * 17 / 16
			bound, parts := pairs.Bound(a, b), cuts.Bound(a)
			for i := range 9 {
				at := a * (1 + float64(i)/8/16)
				if y := math.Log(modulus(pieces, at)); y > bound+1e-13 || y > parts+1e-13 {
					t.Fatalf("share %v at %v + %v: log|ψ(%v)| = %v, bounded by %v, %v", share, far, wide, at, y, bound, parts)
				}
			}
			if bound < -share/8 && a*far > 4 {
				told++
			}
			if parts < -share/8 {
				toldByParts++
			}
		}
	}
	if told < 10*n || toldByParts < 10*n {
		t.Errorf("%d and %d bounds say something", told, toldByParts)
	}
}
