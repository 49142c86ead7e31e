// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestLogSums: log A and log B are enclosed, near 0 as closely as they are small.
func TestLogSums(t *testing.T) {
	for _, x := range append(mixturesUnderTest(), sampledGaussian("1e-9", "1/4", false)) {
		m := mixtureOf(t, x)
		for _, cs := range []struct {
			double []doubleComponent
			exact  []component
		}{{m.doubleA, m.a}, {m.doubleB, m.b}} {
			for _, at := range []float64{-40, -3, -0.125, 0, 0.125, 1, 5, 60, 3000} {
				want := interval.Int(0)
				for _, c := range cs.exact {
					mean := c.Mean(fine)
					want = fine.Add(want, fine.Mul(fine.Rat(c.Prob), fine.Exp(fine.Mul(mean, fine.Sub(double.Point(at).Exact(), fine.Scale(mean, -1))))))
				}
				want = fine.Log(want)
				y := logSum(cs.double, double.Point(at))
				if !y.Exact().Encloses(coarse.Round(want)) && !y.Exact().Encloses(want) {
					t.Errorf("%s at %v: log in %v, want %v", x, at, y, want)
				}
				rest := 0.0 // of the probability
				for _, c := range cs.double {
					if c.mean.Hi != 0 {
						rest += c.prob.Hi
					}
				}
				if math.Abs(y.Mid()) < rest && y.Hi-y.Lo > 0x1p-41*rest {
					t.Errorf("%s at %v: log in %v: wide", x, at, y)
				}
			}
		}
	}
}

// TestFineRules: a rule without cells for some λ, t and strips is off by at most its error, and some are off by nearly as much.
func TestFineRules(t *testing.T) {
	near := math.Inf(1)
	for i, x := range mixturesUnderTest() {
		m := mixtureOf(t, x)
		for j, l := range []string{"1/2", "7", "40"} {
			for _, turn := range testkit.InTurn(i+j, []float64{0, 1, 8}) {
				lambda := rat(l)
				w, ok := m.window(lambda, 60)
				if !ok {
					t.Fatal("no window")
				}
				line, err := m.line(t.Context(), 80, lambda, double.Point(turn).Exact(), 1)
				if err != nil || line == nil {
					t.Fatalf("no line: %v", err)
				}
				b, fineStep := m.fineStrip(double.Near(lambda), turn, 52)
				for _, step := range []float64{fineStep, 2 * fineStep, 3 * fineStep, 4 * fineStep} {
					q, r, ok := m.ruleBy(lambda, w, b, step, turn)
					if !ok {
						continue
					}
					values, off := q.Sweep(double.Point(turn), 1)
					norm := double.Of(coarse.Div(line[0].Re, q.Unit))
					bound := q.At(off, 1).Add(r.Mul(norm))
					d := double.Of(fine.AbsC(fine.SubC(fine.ScaleC(fine.Inv(q.Unit), line[1]),
						interval.Complex{Re: double.Point(real(values[1])).Exact(), Im: double.Point(imag(values[1])).Exact()})))
					if d.Lo > bound.Hi {
						t.Errorf("%s, λ = %s, t = %v, η = %v: off by %v > %v", x, l, turn, step, d, bound)
					}
					if d.Lo > 0x1p-40*norm.Lo {
						near = min(near, bound.Hi/d.Lo)
					}
				}
			}
		}
	}
	if !(near < 1e3) {
		t.Errorf("no rule was off by more than its error over %v", near)
	}
}

// TestLinesInDouble: lines in double precision agree with those in words, and settle what they are asked for in most cases.
func TestLinesInDouble(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	settled, asked := 0, 0
	for range testkit.Draws(7, 20, 60) {
		rate := big.NewRat(int64(1+r.Intn(300)), 2000)
		mu2 := big.NewRat(int64(1+r.Intn(40)), 16)
		count := int64(math.Exp(r.Float64() * 9))
		var x pair.Pair
		switch r.Intn(4) {
		case 0:
			x = pair.SampledReplaceGaussian{Rate: rate, Mu2: mu2}
		default:
			x = pair.Sampled{Rate: rate, Base: pair.Product{{Pair: pair.Gaussian{Mu2: mu2}, Count: 1}}, Reversed: r.Intn(2) == 0}
		}
		prod := product(x, count+20)
		if r.Intn(3) == 0 {
			prod = append(prod, pair.Term{Pair: sampledGaussian("1/7", "1/5", false), Count: 30})
		}
		tr, ok := new(Memo).New(prod)
		if !ok {
			t.Fatalf("%s: no transform", prod)
		}
		e := big.NewRat(int64(r.Intn(400)-40), 100)
		eps := interval.RealRat(e)
		l, err := tr.doubleLineAt(24, eps(coarse))
		if err != nil {
			t.Fatal(err)
		}
		asked++
		if l == nil {
			continue
		}
		y, err := tr.by(t.Context(), l, 24, eps)
		if err != nil {
			t.Fatal(err)
		}
		z, err := tr.Delta(t.Context(), 60, eps)
		if err != nil {
			t.Fatal(err)
		}
		if _, meet := interval.Intersect(y, z); !meet {
			t.Errorf("%s, ε = %s: δ in %v, and %v in words", prod, e.RatString(), y, z)
		}
		if y.RelativeBits(24) >= 20 {
			settled++
		}
	}
	if settled < asked/2 {
		t.Errorf("%d of %d are settled", settled, asked)
	}
	t.Log(settled, asked)
}

// TestTaperedLinesInDouble: where a taper ends the sum, lines in double precision agree with those in words.
func TestTaperedLinesInDouble(t *testing.T) {
	settled := 0
	for _, c := range []struct {
		rate, mu2 string
		count     int64
		eps       string
	}{{"181/100000", "3.27", 335, "7/2"}, {"71/250000", "2.66", 990, "5/3"}, {"217/500000", "1.73", 343, "3/8"}, {"229/250000", "1.98", 112, "6/5"}} {
		x := pair.Sampled{Rate: rat(c.rate), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat(c.mu2)}, Count: 1}}}
		tr, ok := new(Memo).New(product(x, c.count))
		if !ok {
			t.Fatal("no transform")
		}
		eps := interval.RealRat(rat(c.eps))
		l, err := tr.doubleLineAt(16, eps(coarse))
		if err != nil || l == nil {
			continue
		}
		if l.taper == nil {
			t.Errorf("%v: no taper", c)
		}
		y, err := tr.by(t.Context(), l, 16, eps)
		if err != nil {
			t.Fatal(err)
		}
		z, err := tr.Delta(t.Context(), 32, eps)
		if err != nil {
			t.Fatal(err)
		}
		if _, meet := interval.Intersect(y, z); !meet {
			t.Errorf("%v: δ in %v, and %v in words", c, y, z)
		}
		if y.RelativeBits(16) >= 12 {
			settled++
		}
	}
	if settled < 4 {
		t.Errorf("%d are settled", settled)
	}
}
