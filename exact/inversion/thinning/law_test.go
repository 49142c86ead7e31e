// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package thinning

import (
	"math"
	"math/big"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// laws lists laws of N(0, 1) with a mean that is rare, thinned so far that it shows.
func laws() map[string]Law {
	normals := []Normal{
		{big.NewRat(2, 3), interval.Int(0)}, {big.NewRat(1, 3), coarse.Rat(big.NewRat(1, 2))},
	}
	return map[string]Law{
		"right": New(2.5, false, normals, 8), "both": New(3.5, true, normals, 8),
		"little": New(6, false, normals, 30), "none": {},
		"slow": New(0.5, true, normals, 8), // 1 − g is nearly −log g
	}
}

// density is φ·A of laws.
func density(x float64) float64 {
	return (2*math.Exp(-x*x/2) + math.Exp(-(x-0.5)*(x-0.5)/2)) / 3 / math.Sqrt(2*math.Pi)
}

// TestLost: by sums of cells, ∫φ·A·(1 − g) is at most Lost, and not far below it.
func TestLost(t *testing.T) {
	for name, g := range laws() {
		sum := 0.0
		for i := -4000; i < 4000; i++ {
			x := float64(i) / 200
			sum += density(x) * -math.Expm1(-g.Exponent(double.Point(x)).Mid()) / 200
		}
		if lost := double.Of(g.Lost()).Hi; sum > lost || sum < lost/16 {
			t.Errorf("%s: %v is left out, bounded by %v", name, sum, lost)
		}
	}
}

// TestStrip: √g bounds |g| where Turning says so, hardly beyond, and all enclosures of −log g and its slope meet.
func TestStrip(t *testing.T) {
	for name, g := range laws() {
		if !g.Thins() {
			continue
		}
		inWords := g.InWords()
		y := math.Pi / g.Turning()
		for _, x := range []float64{-12, -6, -1, 0, 1, 6, 12} {
			at := double.Point(x)
			half := g.Exponent(at).Half().Lo
			on := func(y float64) float64 {
				return double.Of(g.ExponentC(coarse, interval.Complex{Re: at.Exact(), Im: double.Point(y).Exact()}).Re).Hi
			}
			if on(y) < half*(1-1e-9) || on(y*1.01) > half {
				t.Errorf("%s: −log|g| is %v at %v + %vi, and half of −log g %v", name, on(y), x, y, half)
			}
			near := real(g.About(complex(x, 0)))
			words := double.Of(inWords(fixed.Complex{Re: fixed.FromInterval(at.Exact())}).Re.Interval())
			off := interval.Complex{Re: at.Exact(), Im: double.Point(y / 3).Exact()}
			got, want := inWords(fixed.FromComplex(off)).Interval(), coarse.RoundC(g.ExponentC(coarse, off))
			_, re := interval.Intersect(got.Re, want.Re)
			if _, im := interval.Intersect(got.Im, want.Im); !re || !im {
				t.Errorf("%s: −log g is %v at %v, want %v", name, got, off, want)
			}
			real := double.Of(g.ExponentC(coarse, interval.Complex{Re: at.Exact()}).Re)
			for _, e := range []double.Interval{g.Exponent(at), words, real} {
				if e.Hi < near*(1-1e-9) || e.Lo > near*(1+1e-9) {
					t.Errorf("%s: −log g is in %v at %v, about %v", name, e, x, near)
				}
			}
			const h = 0x1p-20
			slope := (g.Exponent(double.Point(x+h)).Mid() - g.Exponent(double.Point(x-h)).Mid()) / (2 * h)
			if fall := g.Fall(at).Mid(); math.Abs(fall-slope) > 1e-4*(1e-9+math.Abs(slope)) {
				t.Errorf("%s: −(log g)′ is %v at %v, want %v", name, fall, x, slope)
			}
		}
	}
}
