// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package clamped

import (
	"math"
	"math/big"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// A slow model, in float64, of noise N(location, 1) and N(location + shift, 1), both clamped
// to be non-negative.
type slowClamped struct{ location, shift float64 }

func normal(z float64) float64  { return math.Erfc(-z/math.Sqrt2) / 2 }
func density(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }

// atom is the loss of outcome 0.
func (s slowClamped) atom() float64 {
	return math.Log(normal(-s.location) / normal(-s.location-s.shift))
}

// loss is the loss of an outcome x > 0.
func (s slowClamped) loss(x float64) float64 { return s.shift * (s.location + s.shift/2 - x) }

// once is δ(P‖Q) of one release at any ε: what P has more than e^ε·Q at 0 and, since the loss
// falls in x, up to where it is ε.
func (s slowClamped) once(eps float64) float64 {
	p := func(x float64) float64 { return normal(x - s.location) }
	q := func(x float64) float64 { return normal(x - s.location - s.shift) }
	d := max(0, p(0)-math.Exp(eps)*q(0))
	if end := s.location + s.shift/2 - eps/s.shift; end > 0 {
		d += p(end) - p(0) - math.Exp(eps)*(q(end)-q(0))
	}
	return d
}

// twice is δ(P‖Q) of two releases: the expectation over the first of the δ of the second, by
// Simpson's rule on 2^14 panels.
func (s slowClamped) twice(eps float64) float64 {
	const n = 1 << 14
	end := s.location + s.shift + 12
	h := end / n
	f := func(x float64) float64 { return density(x-s.location) * s.once(eps-s.loss(x)) }
	sum := f(0) + f(end)
	for i := 1; i < n; i++ {
		sum += f(float64(i)*h) * float64(2+2*(i%2))
	}
	return sum*h/3 + normal(-s.location)*s.once(eps-s.atom())
}

// TestClampedNoise: the enclosure of clamped noise contains what a slow model gives, where
// clamping changes much and where it changes little. The model errs by less than 1e-8.
func TestClampedNoise(t *testing.T) {
	const err = 1e-8
	lower := false
	for _, c := range []struct {
		location, shift string
		widest          float64
	}{{"0", "1", 1}, {"1/2", "1/2", 0.2}, {"1", "1", 0.3}, {"2", "1/2", 0.01}, {"3", "1/4", 1e-3}, {"3", "2", 0.01}} {
		k := Counter{testkit.Rat(c.location), testkit.Rat("1"), testkit.Rat(c.shift)}
		location, _ := k.Location.Float64()
		shift, _ := k.Shift.Float64()
		model := slowClamped{location, shift}
		for _, e := range []exact.Effort{0, 1} {
			p, fault := Noise{[]Counter{k}, 2, mechanism.ShiftThenClamp}.Prepare(t.Context(), nil, e)
			if fault != nil {
				t.Fatal(fault)
			}
			for _, eps := range []string{"0", "1/4", "1", "2"} {
				y, fault := p.DeltaReal(t.Context(), interval.RealRat(testkit.Rat(eps)))
				if fault != nil {
					t.Fatal(fault)
				}
				at, _ := testkit.Rat(eps).Float64()
				want := model.twice(at)
				lo, _ := y.Lo().Float64()
				hi, _ := y.Hi().Float64()
				// The lower bound is one of this direction, the upper one of both.
				if want > hi+err || lo > want+err {
					t.Errorf("location %s, shift %s: δ(%s) in [%v, %v], the model says %v", c.location, c.shift, eps, lo, hi, want)
				}
				if hi-lo > c.widest {
					t.Errorf("location %s, shift %s: δ(%s) in [%v, %v] is wider than %v", c.location, c.shift, eps, lo, hi, c.widest)
				}
				lower = lower || lo > 0
			}
		}
	}
	if !lower {
		t.Error("no lower bound says anything")
	}
}

// TestClampedTail: the distance that clamping may hide equals a sum over the tail.
func TestClampedTail(t *testing.T) {
	for _, c := range []struct{ location, sigma, shift string }{{"0", "1", "1"}, {"3", "1", "1/2"}, {"1", "2", "3"}, {"12", "2", "1/100"}} {
		k := Counter{testkit.Rat(c.location), testkit.Rat(c.sigma), testkit.Rat(c.shift)}
		ratio := func(a, b *big.Rat) float64 { x, _ := new(big.Rat).Quo(a, b).Float64(); return x }
		a, mu := -ratio(k.Location, k.Sigma), ratio(k.Shift, k.Sigma)
		scale := normal(a) / normal(a-mu)
		// Half of the absolute difference, below a.
		const n = 1 << 16
		h, sum := 12.0/n, 0.0
		for i := range n {
			z := a - (float64(i)+0.5)*h
			sum += math.Abs(density(z) - scale*density(z-mu))
		}
		want := sum * h / 2
		for _, p := range []interval.Prec{2, 8, 64, 128} {
			y := k.tail(p)
			lo, _ := y.Lo().Float64()
			hi, _ := y.Hi().Float64()
			if lo > want*(1+1e-6) || hi < want*(1-1e-6) {
				t.Errorf("location %s, σ = %s, shift %s, %d bits: [%v, %v], the sum is %v", c.location, c.sigma, c.shift, p, lo, hi, want)
			}
			if p >= 64 && hi-lo > want*1e-6 {
				t.Errorf("location %s, σ = %s, shift %s, %d bits: [%v, %v] is wide", c.location, c.sigma, c.shift, p, lo, hi)
			}
		}
	}
}

// TestClampingIsRareAndHarmless: of the noise of Figure 18, one run in two thousand or more
// has a clamped outcome, which is above the target of 1e-4, and hides less than 1e-7.
func TestClampingIsRareAndHarmless(t *testing.T) {
	const p = interval.Prec(64)
	k := Counter{testkit.Rat("45000"), testkit.Rat("7500"), testkit.Rat("2")}
	rounds := int64(524288)
	hidden := p.Mul(interval.Int(rounds), k.tail(p))
	if hidden.LessRat(testkit.Rat("1e-7")) != interval.True {
		t.Errorf("clamping may hide %v", hidden)
	}
	zero := p.Mul(interval.Int(rounds), p.NormalCDF(interval.Int(-6)))
	if zero.LessRat(testkit.Rat("5e-4")) != interval.False {
		t.Errorf("a run has a clamped outcome with probability %v", zero)
	}
}
