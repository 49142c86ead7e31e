// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/testkit"
)

// second is the density of the second side over x = μ·τ/μ, and X there.
func (s step) second(x float64) (density, loss float64) {
	q, l := number.Float64(s.q), s.scout()
	density = math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
	up, down := math.Exp(l.mean+l.mu*x), math.Exp(l.mean-l.mu*x)
	if !s.replaced {
		return density, math.Log1p(up)
	}
	return density * (1 - q) * (1 + down), math.Log1p(up) - math.Log1p(down)
}

// TestPivots: each part of a pivot is at least what it bounds, by sums in float64: the part before it on the axis, the
// density across it, and the part behind it on the ray. So is E e^{|X|/2}.
func TestPivots(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 6))
	for range testkit.Draws(12, 60, 200) {
		s := kinds()[r.IntN(len(kinds()))]
		alpha := 0.01 + 0.4*r.Float64()*r.Float64()
		l := s.law(coarse)
		y, ok := l.pivots(exactly(alpha))
		if !ok {
			continue
		}
		c := y.list[r.IntN(len(y.list))]
		x := double.Of(c.x).Hi
		rate := 3 * r.Float64() / x
		const fine = 1.0 / 512
		before, grown := 0.0, 0.0
		for i := -20 * 512; i <= 20*512; i++ {
			f, loss := s.second((float64(i) + 0.5) * fine)
			if loss <= x {
				before += f * fine * math.Exp(rate*loss)
			}
			grown += f * fine * math.Exp(math.Abs(loss)/2)
		}
		at := exactly(rate)
		linear := coarse.Sub(coarse.Sub(one, c.mass), coarse.Mul(at, y.edge))
		square := coarse.Scale(coarse.Mul(coarse.Sqr(at), c.second), -1)
		bound := double.Of(coarse.Add(linear, coarse.Mul(square,
			coarse.Add(coarse.Exp(c.x), coarse.Exp(coarse.Mul(at, c.x)))))).Hi
		if before > bound*(1+1e-7) {
			t.Errorf("%+v: before %v at r = %v: %v, bound %v", s, x, rate, before, bound)
		}
		if most := double.Of(l.grown(s)).Hi; grown > most*(1+1e-7) || most > 2*grown {
			t.Errorf("%+v: E e^{|X|/2} is %v, bound %v", s, grown, most)
		}
		widest, beyond := 0.0, 0.0
		for i := range 65 {
			f, _ := s.density(alpha*float64(i)/64, x)
			widest = max(widest, f)
		}
		if most := double.Of(c.beside).Hi; widest*x*math.Tan(alpha) > most*(1+1e-7) {
			t.Errorf("%+v: across %v there is %v, bound %v", s, x, widest*x*math.Tan(alpha), most)
		}
		for i := range 1 << 14 {
			p := x * math.Exp((float64(i)+0.5)*fine)
			if p > 700 {
				break
			}
			f, _ := s.density(alpha, p)
			beyond += f * p * fine / math.Cos(alpha)
		}
		if most := double.Of(c.beyond).Hi; beyond > most*(1+1e-7) || x > 1e-9 && most > 3*beyond+0.01 {
			t.Errorf("%+v: behind %v on the ray of %v there is %v, bound %v", s, x, alpha, beyond, most)
		}
	}
}

// TestTransformsAreBelowPivots: |N(s)| of a rule is not above the bound of any r, at the angle of the pivots.
func TestTransformsAreBelowPivots(t *testing.T) {
	for _, i := range []int{5, 7, 0, 1, 2, 3, 6, 8, 9, 10}[:testkit.Draws(2, 10, 10)] {
		s := kinds()[i]
		c, ok := chooseLayout([]step{s}, 12, 0)
		if !ok {
			continue
		}
		l, err := newLine(t.Context(), []step{s}, 44, c)
		y, ok := s.law(coarse).pivots(coarse.Rat(c.angle))
		if l == nil || err != nil || !ok {
			t.Fatal(err)
		}
		sin := coarse.Sin(coarse.Rat(c.angle))
		for j, z := range l.values {
			size := coarse.AbsC(coarse.MulC(z, coarse.AddC(interval.Complex{Re: one}, l.points[j])))
			bound := y.at(coarse.Mul(coarse.AbsC(l.points[j]), sin).Upper())
			if size.LessEq(bound) == interval.False {
				t.Errorf("%+v: |N| = %v at %v, bound %v", s, size, l.points[j], bound)
			}
		}
	}
}

// TestFalls: of no steps, |g| = |e^{sz}|/|1 + s|. The bounds of its integral and of sums are above them, and not far.
func TestFalls(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 6))
	for range testkit.Draws(20, 100, 1000) {
		beta, z, from := 0.05+0.5*r.Float64(), math.Exp(3*r.Float64()-2), math.Exp(4*r.Float64()-2)
		h := 0.005 + 0.2*r.Float64()
		y := newFall(nil, nil, exactly(beta), exactly(from), r.IntN(90))
		size := func(abs float64) float64 {
			re, im := -abs*math.Sin(beta), abs*math.Cos(beta)
			return math.Exp(re*z) / math.Hypot(1+re, im)
		}
		const fine = 1.0 / 256
		sum, terms, rough := 0.0, 0.0, 0.0
		for i := range 1 << 13 {
			sum += size(from*math.Exp((float64(i)+0.5)*fine)) * fine
			terms += size(from*math.Exp(float64(i+1)*h)) * h
			rough += math.Exp(-z*from*math.Sin(beta)) / math.Cos(beta) / from * math.Exp(-(float64(i)+0.5)*fine) * fine
		}
		whole, all := double.Of(y.integral(exactly(z))).Hi, double.Of(y.terms(exactly(z), exactly(h))).Hi
		if sum > whole*(1+1e-5) || terms > all*(1+1e-5) {
			t.Errorf("β = %v, z = %v, from %v, h = %v: %v and %v, bounds %v and %v", beta, z, from, h, sum, terms, whole, all)
		}
		if whole > rough*(1+1e-3) {
			t.Errorf("β = %v, z = %v, from %v: a bound of %v, and without e^{−rz} behind the start %v", beta, z, from, whole, rough)
		}
	}
}
