// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package optimum

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpverify/ask/noise"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }

// loss returns δ + wU of noise on cells of any width by the definition, with e^ε from above as the bound has
// it: every test φ also bounds that from below.
func (c Certificate) loss(e mechanism.AdditiveNoise) *big.Rat {
	p := interval.Prec(160)
	grow, _ := p.Exp(p.Rat(c.Epsilon)).UpperRat()
	a, b := e.Shifted(c.Sensitivity)
	total := new(big.Rat)
	for i := range a {
		if d := new(big.Rat).Sub(a[i], new(big.Rat).Mul(grow, b[i])); d.Sign() > 0 {
			total.Add(total, d)
		}
	}
	first, second := noise.Moments(e)
	if c.Norm == noise.L2 {
		first = second
	}
	return total.Add(total, new(big.Rat).Mul(c.Price, first))
}

// randomNoise falls and is symmetric, on 2n cells of a width that has nothing to do with the certificate.
func randomNoise(r *rand.Rand, radius *big.Rat) mechanism.AdditiveNoise {
	n := 1 + r.IntN(12)
	weights := make([]int64, n)
	total := int64(0)
	for i := range weights {
		weights[i] = r.Int64N(50)
		if r.IntN(3) == 0 {
			weights[i] *= r.Int64N(100)
		}
	}
	weights[0]++
	slices.SortFunc(weights, func(a, b int64) int { return int(b - a) })
	for _, w := range weights {
		total += 2 * w
	}
	e := mechanism.AdditiveNoise{Probabilities: make([]*big.Rat, 2*n)}
	for i, w := range weights {
		e.Probabilities[n+i], e.Probabilities[n-1-i] = rat(w, total), rat(w, total)
	}
	e.Cell = new(big.Rat).Mul(radius, rat(1+r.Int64N(20), 20*int64(n))) // up to the range
	return e
}

// No noise goes below the bound, whatever test and price prove it: narrow ones, flat ones, off the grid.
func TestBoundHoldsForRandomNoise(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewPCG(1, 7))
	for range testkit.Draws(100, 300, 300) {
		c := Certificate{Epsilon: rat(r.Int64N(200), 100), Sensitivity: rat(1+r.Int64N(6), 3), Cell: rat(1, 1+r.Int64N(4)), Price: rat(r.Int64N(100), 50), Norm: noise.Norm(1 + r.IntN(2))}
		for range 2 * (1 + r.IntN(8)) {
			x := rat(r.Int64N(5), 4)
			if r.IntN(2) == 0 || x.Cmp(rat(1, 1)) > 0 {
				x = rat(r.Int64N(2), 1)
			}
			c.Phi = append(c.Phi, x)
		}
		b, err := c.Bound()
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			e := randomNoise(r, c.radius())
			if l := c.loss(e); l.Cmp(b) < 0 {
				t.Fatalf("%+v: the bound is %s, noise %s has %s", c, b.FloatString(9), mechanism.EncodeEvent(e), l.FloatString(9))
			}
		}
		// An atom at 0, nearly, and the widest noise.
		for _, cell := range []*big.Rat{rat(1, 1000000), c.radius()} {
			e := mechanism.AdditiveNoise{Probabilities: []*big.Rat{rat(1, 2), rat(1, 2)}, Cell: cell}
			if l := c.loss(e); l.Cmp(b) < 0 {
				t.Fatalf("%+v: the bound is %s, uniform noise of %s has %s", c, b.FloatString(9), cell, l.FloatString(9))
			}
		}
	}
}

// φ = 1 everywhere: F(a) = 1 − e^ε·(part of [−a − s, a − s] in the range) + wa/2, by hand.
func TestBoundByHand(t *testing.T) {
	one := rat(1, 1)
	c := Certificate{Epsilon: new(big.Rat), Sensitivity: one, Cell: one, Price: new(big.Rat), Norm: noise.L1, Phi: []*big.Rat{one, one}}
	// ε = 0, range 1, shift 1: no noise on [−1, 1] has δ(0) below 1/2, which uniform noise attains.
	b, err := c.Bound()
	if err != nil || b.Cmp(rat(1, 2)) > 0 || math.Abs(float(b)-0.5) > 1e-12 {
		t.Errorf("%s, %v", b, err)
	}
	for _, phi := range [][]*big.Rat{nil, {one}, {one, rat(-1, 2)}, {rat(3, 2), one}} {
		c.Phi = phi
		if b, err := c.Bound(); err == nil {
			t.Errorf("φ = %v proves %s", phi, b)
		}
	}
}

func float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}
