// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package permuted

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

// profile is H_α of a finite pair, exactly.
func profile(p pair.Product, alpha *big.Rat) *big.Rat {
	f, _ := pair.Single[pair.Finite](p)
	sum := new(big.Rat)
	for _, m := range f.Masses {
		if d := new(big.Rat).Sub(m.P, new(big.Rat).Mul(alpha, m.Q)); d.Sign() > 0 {
			sum.Add(sum, d)
		}
	}
	return sum
}

// TestGreatestIsBelow: places of the greatest sum show no more than the sum itself, by quadrature, whose error near the
// kink of the positive part is below its step's square; and not much less.
func TestGreatestIsBelow(t *testing.T) {
	const h = 1. / 512
	for _, c := range []struct {
		mu2, from, to string
		batches       int64
	}{{"1", "1", "2", 2}, {"4", "1", "2", 100}, {"1/4", "1/2", "2", 10}, {"9", "0", "1", 3}, {"25/9", "1", "2", 1e6}} {
		p := Greatest(rat(c.mu2), rat(c.from), rat(c.to), c.batches)
		m, _ := rat(c.mu2).Float64()
		a, _ := rat(c.from).Float64()
		b, _ := rat(c.to).Float64()
		a, b = a*math.Sqrt(m), b*math.Sqrt(m)
		n := float64(c.batches)
		density := func(x, moved float64) float64 { // of the greatest
			below := func(mean float64) float64 { return math.Erfc((mean-x)/math.Sqrt2) / 2 }
			normal := func(mean float64) float64 { return math.Exp(-(x-mean)*(x-mean)/2) / math.Sqrt(2*math.Pi) }
			return normal(moved)*math.Pow(below(0), n-1) + (n-1)*normal(0)*math.Pow(below(0), n-2)*below(moved)
		}
		for _, eps := range []float64{-1, 0, 0.5, 1, 2, 4} {
			alpha, want := math.Exp(eps), 0.0
			for x := -9.; x < b+9; x += h {
				want += math.Max(0, density(x, b)-alpha*density(x, a)) * h
			}
			got, _ := profile(p, new(big.Rat).SetFloat64(alpha)).Float64()
			if got > want+h*h || got < 0.94*want-1e-6 {
				t.Errorf("%v: H at %g is %g, want at most about %g", c, eps, got, want)
			}
		}
	}
}

// TestGreatestOfFewBits: probabilities of 2 to 8 bits are rounded to the side that shows less.
func TestGreatestOfFewBits(t *testing.T) {
	stride := int64(80 / testkit.Draws(8, 80, 80))
	for _, mu2 := range []string{"1/9", "1", "5"} {
		many := Greatest(rat(mu2), rat("1"), rat("2"), 10)
		for bits := uint(2); bits <= 8; bits++ {
			few := greatest(rat(mu2), rat("1"), rat("2"), 10, bits)
			for k := int64(1); k < 80; k += stride {
				alpha := big.NewRat(k, 8)
				if len(few) > 0 && profile(few, alpha).Cmp(profile(many, alpha)) > 0 {
					t.Errorf("%d bits, μ² = %s: H at %s is above that of more bits", bits, mu2, alpha.RatString())
				}
			}
		}
	}
}

// TestGreatestOfAnyNoise: hardly any noise and next to no signal have some pair, or none, and a record that no noise
// hides is seen.
func TestGreatestOfAnyNoise(t *testing.T) {
	for _, mu2 := range []string{"1e-400", "1e-120", "1e-30", "1e30", "1e120", "1e400"} {
		for _, batches := range []int64{2, 1e6, 1e12} {
			p := Greatest(rat(mu2), rat("1"), rat("2"), batches)
			if rat(mu2).Cmp(rat("1")) > 0 && (len(p) == 0 || profile(p, rat("1")).Cmp(rat("0.99")) < 0) {
				t.Errorf("μ² = %s, %d batches: %v", mu2, batches, p)
			}
		}
	}
}

// TestHull: the corners of random points are concave, and no point is above.
func TestHull(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 200 {
		at := func(level, power int64) point { return point{big.NewInt(level), big.NewInt(power)} }
		h := hull{at(0, 0)}
		all := []point{at(0, 0)}
		level, power := int64(0), int64(0)
		for range 1 + r.Intn(20) {
			level, power = level+1+r.Int63n(5), max(0, power+r.Int63n(9)-2)
			all = append(all, at(level, power))
			h = h.with(all[len(all)-1])
		}
		last := at(level+1, 1000)
		h, all = h.with(last), append(all, last)
		if h[0].power.Sign() != 0 || h[len(h)-1].power.Int64() != 1000 {
			t.Fatalf("%v: from %v to %v", all, h[0], h[len(h)-1])
		}
		slope := math.Inf(1)
		for i, b := range h[1:] {
			a := h[i]
			width, rise := b.level.Int64()-a.level.Int64(), b.power.Int64()-a.power.Int64()
			if s := float64(rise) / float64(width); width <= 0 || s >= slope {
				t.Fatalf("%v: the hull %v is not concave", all, h)
			} else {
				slope = s
			}
			for _, c := range all {
				x, y := c.level.Int64()-a.level.Int64(), c.power.Int64()-a.power.Int64()
				if x >= 0 && x <= width && y*width > rise*x {
					t.Fatalf("%v: %v is above the hull %v", all, c, h)
				}
			}
		}
	}
}
