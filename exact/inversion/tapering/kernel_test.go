// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tapering

import (
	"math"
	"math/big"
	"math/cmplx"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

const coarse = interval.Prec(64)

type shape struct {
	Kernel
	Rectangle
}

func shapes() []shape {
	return []shape{
		{Kernel{8, 3}, Rectangle{1, 0.5, interval.Int(5)}}, {Kernel{30, 10}, Rectangle{0.5, 0.25, interval.Int(5)}},
		{Kernel{20, 4}, Rectangle{1.5, 1, interval.Int(5)}}, {Kernel{5, 4.5}, Rectangle{2, 0.75, interval.Int(5)}},
		{Kernel{16, 14}, Rectangle{1, 0.25, interval.Int(5)}},
	}
}

func (t Kernel) at(x float64) float64 {
	y := t.Start / math.Pi
	if x != 0 {
		y = math.Sin(t.Start*x) / (math.Pi * x)
	}
	return y * math.Exp(-t.Width*t.Width*x*x/4)
}

// TestTaperIsATransform: W(t) = ∫κ(x)·cos(tx) dx, in intervals of any precision and in words.
func TestTaperIsATransform(t *testing.T) {
	for _, c := range shapes() {
		h := fixed.FromInterval(interval.Prec(150).Rat(big.NewRat(3, 2)))
		inWords := c.InWords(h, 40)
		for j := 0; j < 40; j += 3 {
			at := 1.5 * float64(j)
			sum, step := c.at(0), 1.0/128
			for x := step; x < 5; x += step {
				sum += 2 * c.at(x) * math.Cos(at*x)
			}
			sum *= step
			for _, y := range []interval.Interval{c.Value(64, double.Exactly(at)), c.Value(3, double.Exactly(at)), inWords[j].Interval()} {
				if !y.IsFinite() || double.Of(y).Hi < sum-1e-9 || double.Of(y).Lo > sum+1e-9 {
					t.Errorf("W(%v) in %v, want %v", at, y, sum)
				}
			}
			if y := c.Value(64, double.Exactly(at)); y.RelativeBits(64) < 60 || double.Of(y).Log().Lo > c.LogSize(double.Point(at)).Hi {
				t.Errorf("W(%v) in %v, log at most %v", at, y, c.LogSize(double.Point(at)))
			}
		}
	}
}

// TestBlurBoundsTheKernel: (κ∗D)(ε)·e^{−λε} is within blur of d(ε), where d has the singularities that the
// lemma permits, just outside of the rectangle.
func TestBlurBoundsTheKernel(t *testing.T) {
	sharpest := 0.0
	for _, c := range shapes() {
		for _, lambda := range []*big.Rat{big.NewRat(1, 4), big.NewRat(1, 1), big.NewRat(3, 1)} {
			l, _ := lambda.Float64()
			// Poles at ±iρ′ and ±r′ + 0i outside of the rectangle, |d| ≤ 1 for real ε.
			for _, pole := range []complex128{complex(0, c.Height*1.05), complex(0, c.Height*1.3), complex(c.Radius*0.9, c.Height*1.1), complex(c.Radius*1.1, 0.05)} {
				d := func(x complex128) complex128 { // real on the line
					a := (x - pole) * (x - cmplx.Conj(pole))
					b := (x + pole) * (x + cmplx.Conj(pole))
					return complex(1e-3, 0) / a / b
				}
				size := 0.0
				for i := 0; i <= 200; i++ {
					u := float64(i)/100 - 1
					for _, z := range []complex128{complex(c.Radius*u, c.Height), complex(c.Radius, c.Height*u)} {
						size = max(size, cmplx.Abs(d(z)), cmplx.Abs(d(-z)))
					}
				}
				most := 0.0
				sum, step := 0.0, 1.0/512
				for x := -6.0; x < 6; x += step {
					y := real(d(complex(-x, 0)))
					most = max(most, math.Abs(y))
					sum += c.at(x) * math.Exp(-l*x) * y * step
				}
				scale := max(size/5, most) // so that s = 5 and d ≤ 1
				err := math.Abs(sum-real(d(0))) / scale
				bound := double.Of(c.Blur(coarse, lambda, c.Rectangle)).Hi
				if err > bound {
					t.Errorf("%+v, λ = %v, pole %v: off by %v, bound %v", c, l, pole, err, bound)
				}
				sharpest = max(sharpest, err/bound)
				if low := double.Of(c.Blur(3, lambda, c.Rectangle)).Hi; low < bound {
					t.Errorf("blur is %v at 3 bits, %v at 64", low, bound)
				}
			}
		}
	}
	if sharpest < 0.08 {
		t.Errorf("the bound is reached to %v only", sharpest)
	}
}

func TestSpreadBoundsTheKernel(t *testing.T) {
	sharpest := 0.0
	for _, c := range shapes() {
		for _, a := range []float64{0, 1, 4} {
			sum, step := 0.0, 1.0/512
			for x := step / 2; x < 8; x += step {
				sum += 2 * math.Abs(c.at(x)) * math.Exp(a*x) * step
			}
			bound := double.Of(c.Spread(coarse, double.Exactly(a))).Hi
			if sum > bound || double.Of(c.Spread(2, double.Exactly(a))).Hi < bound {
				t.Errorf("%+v, a = %v: %v, bound %v", c, a, sum, bound)
			}
			sharpest = max(sharpest, sum/bound)
		}
	}
	if sharpest < 0.3 {
		t.Errorf("the bound is reached to %v only", sharpest)
	}
}

func TestCutBoundsTheTermsLeftOut(t *testing.T) {
	sharpest := 0.0
	for _, c := range shapes() {
		h := 1.0 / 32
		for n := int(c.Start/h) + 1; n < int((c.Start+3*c.Width)/h); n += 9 {
			sum := 0.0
			for j := n + 1; float64(j)*h < c.Start+5*c.Width+8; j++ {
				at := float64(j) * h
				sum += h / (2 * math.Pi) * (math.Erfc((at-c.Start)/c.Width) - math.Erfc((at+c.Start)/c.Width)) / (at * at)
			}
			bound := double.Of(c.Cut(coarse, double.Exactly(h), n)).Hi
			if sum > bound*(1+1e-9) || double.Of(c.Cut(3, double.Exactly(h), n)).Hi < bound {
				t.Errorf("%+v, n = %d: %v, bound %v", c, n, sum, bound)
			}
			if n < int((c.Start+c.Width/8)/h) {
				sharpest = max(sharpest, sum/bound)
			}
		}
		if y := c.Cut(coarse, double.Exactly(h), int(c.Start/h)-1); y.IsFinite() {
			t.Errorf("%+v: cut before t₀ is %v", c, y)
		}
	}
	if sharpest < 0.25 {
		t.Errorf("the bound is reached to %v only", sharpest)
	}
}
