// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"
	"math/cmplx"
	"math/rand"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/tapering"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/internal/testkit"
)

var (
	farMixture  = pair.GaussianMixture{P: normals.Mixture{Means: rats("0", "1", "2"), Probs: rats("1/5", "3/5", "1/5")}, Q: normals.Standard()}
	nearMixture = pair.GaussianMixture{P: normals.Mixture{Means: rats("0", "1", "3/2"), Probs: rats("33/100", "34/100", "33/100")}, Q: normals.Standard()}
)

// TestFewCopies: values from outside: docs/oracle/few_copies.py, mpmath at 34 digits, nested tanh-sinh quadrature; and
// at low precision answers are right.
func TestFewCopies(t *testing.T) {
	testkit.SkipShort(t)
	for _, c := range []struct {
		prod      pair.Product
		eps, want string
	}{
		{product(sampledGaussian("1/100", "1", false), 2), "2/5", "0.00000133491812976043496923558"},
		{product(sampledGaussian("1/100", "1", true), 2), "1/100", "0.00100352959225049050741206"},
		{product(sampledGaussian("1/1000", "4", false), 2), "3/2", "0.000000755700587870609640637571"},
		{product(farMixture, 1, pair.Term{Pair: nearMixture, Count: 1}), "3", "0.0537050297471646710290155"},
		{product(sampledGaussian("1/10", "100/49", false), 1, pair.Term{Pair: sampledGaussian("1/10", "1/4", false), Count: 1}), "1", "0.00393922998097353463014587"},
	} {
		want := rat(c.want)
		slack := new(big.Rat).Mul(want, rat("1e-21"))
		around := interval.Union(fine.Rat(new(big.Rat).Sub(want, slack)), fine.Rat(new(big.Rat).Add(want, slack)))
		for _, p := range []interval.Prec{5, 32} {
			got := delta(t, c.prod, p, c.eps)
			if _, ok := interval.Intersect(got, around); !ok {
				t.Errorf("%s: δ(%s) in %v at %d bits, want %s", c.prod, c.eps, got, p, c.want)
			}
			if b := got.RelativeBits(int(p)); b < int(p)-3 {
				t.Errorf("%s: δ(%s) in %v, %d of %d bits", c.prod, c.eps, got, b, p)
			}
		}
	}
}

// A taper is what these are inverted by.
func TestFewCopiesHaveATaper(t *testing.T) {
	for _, c := range []struct {
		prod pair.Product
		want bool
	}{
		{product(sampledGaussian("1/100", "1", false), 2), true},
		{product(sampledGaussian("1/2", "1/16", false), 20), false}, // |M| falls earlier
	} {
		x, _ := New(c.prod)
		l, err := x.lineAt(t.Context(), 24, false, coarse.Rat(rat("2/5")))
		if err != nil || l == nil || (l.taper != nil) != c.want {
			t.Errorf("%s: %v, %v", c.prod, l, err)
		}
	}
}

// TestBeyondTheEdge: where all losses are on one side, δ is 1 − e^ε or 0.
func TestBeyondTheEdge(t *testing.T) {
	x := sampledGaussian("1/2", "1", false)
	if y := delta(t, product(x, 2), 40, "-2"); !y.Encloses(interval.Prec(80).Sub(one, interval.Prec(80).Exp(interval.Int(-2)))) || y.RelativeBits(64) < 36 {
		t.Errorf("δ(−2) in %v", y)
	}
	if y := delta(t, product(x.Reverse(), 2), 40, "3/2"); !y.IsZero() {
		t.Errorf("δ(3/2) in %v, reversed", y)
	}
}

func floatSide(c pair.GaussianMixture) (probs, means []float64) {
	for i := range c.P.Means {
		probs, means = append(probs, double.Near(c.P.Probs[i])), append(means, double.Near(c.P.Means[i]))
	}
	return probs, means
}

// TestContinuationBound: d of one pair, continued by its closed form, and the integrals of (2) over curves Im v = y are
// below the lemma's bounds.
func TestContinuationBound(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, g := range []pair.GaussianMixture{
		farMixture, nearMixture,
		{P: normals.Mixture{Means: rats("0", "1/4"), Probs: rats("9/10", "1/10")}, Q: normals.Standard()}, {P: normals.Mixture{Means: rats("0", "2"), Probs: rats("1/2", "1/2")}, Q: normals.Standard()},
		{P: normals.Mixture{Means: rats("0", "1", "5/4", "7/4"), Probs: rats("1/10", "3/10", "3/10", "3/10")}, Q: normals.Standard()},
		{P: normals.Mixture{Means: rats("0", "1/100", "1"), Probs: rats("1/10", "77/100", "13/100")}, Q: normals.Standard()},
	} {
		x, _ := newTransform(product(g, 1))
		if x.continued == nil {
			t.Fatalf("%s has no continuation", g)
		}
		probs, means := floatSide(g)
		ratio := means[len(means)-1]/means[1] - 1
		v := func(z complex128) (w, slope complex128) {
			var sum, up complex128
			for i, m := range means {
				if m > 0 {
					term := complex(probs[i]/probs[0], 0) * cmplx.Exp(complex(m, 0)*(z-complex(m/2, 0)))
					sum, up = sum+term, up+complex(m, 0)*term
				}
			}
			return sum, up / sum
		}
		sharpest := 0.0
		for range 8 {
			b := (0.05 + 0.95*r.Float64()) * min(3, 1.5/max(ratio, 1e-9))
			log, ok := x.continued.Growth(b)
			if !ok {
				t.Fatalf("%s: no bound for b = %v", g, b)
			}
			y := b * (1 - 1e-6)
			for _, under := range []bool{false, true} { // P, Q
				sum, z := 0.0, complex(-12, y/means[1])
				first := true
				for step := 0; real(z) < 14; step++ {
					// Newton to the curve Im v = y, from the point before shifted along dv > 0.
					if !first {
						_, slope := v(z)
						dz := complex(0.03*cmplx.Abs(slope), 0) / slope
						density := cmplx.Exp(-z * z / 2)
						if under {
							var mix complex128
							for i, m := range means {
								mix += complex(probs[i], 0) * cmplx.Exp(complex(m, 0)*(z-complex(m/2, 0)))
							}
							density *= mix
						}
						sum += cmplx.Abs(density) / math.Sqrt(2*math.Pi) * cmplx.Abs(dz)
						z += dz
					}
					first = false
					for range 3 {
						w, slope := v(z)
						off := y - cmplx.Phase(w)
						if off > math.Pi {
							off -= 2 * math.Pi
						}
						z += complex(0, off) / slope
					}
				}
				if math.Log(sum) > log.Hi+1e-3 {
					t.Errorf("%s: ∫|g| = %v on Im v = %v, bound %v", g, sum, y, math.Exp(log.Hi))
				}
				sharpest = max(sharpest, sum/math.Exp(log.Hi))
			}
		}
		if sharpest < 0.3 {
			t.Errorf("%s: the bound is reached to %v only", g, sharpest)
		}
	}
}

// TestRectangles: what is said to be inside of |Im u| < b is, and little else is left out.
func TestRectangles(t *testing.T) {
	x, _ := newTransform(product(farMixture, 1))
	r := rand.New(rand.NewSource(2))
	for range 2000 {
		b, at := 0.05+r.Float64()*3, math.Exp(4*r.Float64()-3)
		rho := tapering.HeightOf(b, at)
		if !(rho > 0.01) {
			continue
		}
		if !x.continued.Contains(b, rho*(1-1e-9), double.Point(at)) || x.continued.Contains(b, rho*(1+1e-9), double.Point(at)) {
			t.Fatalf("height %v at %v, b = %v", rho, at, b)
		}
		z := complex(at+r.ExpFloat64(), rho*(1-1e-9)*r.Float64())
		if arg := cmplx.Phase(cmplx.Exp(z) - 1); !(arg < b) {
			t.Fatalf("arg(e^z − 1) = %v at z = %v, height %v, b = %v", arg, z, rho, b)
		}
	}
}

// TestNoContinuation: products that the lemma is not about.
func TestNoContinuation(t *testing.T) {
	s := sampledGaussian("1/5", "1", false)
	for _, prod := range []pair.Product{
		product(s, 2, pair.Term{Pair: s.Reverse(), Count: 1}),
		product(s, 2, pair.Term{Pair: pair.Laplace{Shift: rat("1")}, Count: 1}),
		product(pair.GaussianMixture{P: normals.Mixture{Means: rats("1/2", "2"), Probs: rats("3/4", "1/4")}, Q: normals.Standard()}, 2),
		product(pair.GaussianMixture{P: normals.Mixture{Means: rats("-1", "0", "2"), Probs: rats("1/4", "1/4", "1/2")}, Q: normals.Standard()}, 2),
		product(pair.SampledReplaceGaussian{Rate: rat("1/5"), Mu2: rat("1")}, 2),
	} {
		if x, _ := newTransform(prod); x != nil && x.continued != nil {
			t.Errorf("%s has a continuation", prod)
		}
	}
}

// TestTaperCovers: a line with a taper bounds δ at the ε of its neighbourhood, and says nothing at others, or of an
// enclosure of ε that reaches beyond.
func TestTaperCovers(t *testing.T) {
	x, ok := New(product(sampledGaussian("1/10", "1", true), 2))
	if !ok {
		t.Fatal("no transform")
	}
	at := fine.Rat(rat("1/20"))
	l, err := x.lineAt(t.Context(), 64, false, at)
	if err != nil || l == nil || l.taper == nil {
		t.Fatal("no tapered line", err)
	}
	first, last := fine.Rat(l.taper.first), fine.Rat(l.taper.last)
	for _, inside := range []interval.Interval{at, first, last, interval.Union(first, last)} {
		if !l.bounds(inside).left.IsFinite() {
			t.Errorf("there is no bound at %v", inside)
		}
	}
	next := fine.Scale(one, -100)
	for _, outside := range []interval.Interval{
		fine.Sub(first, next), fine.Add(last, next), interval.Union(at, fine.Add(last, next)), interval.Union(fine.Sub(first, next), at),
	} {
		if l.bounds(outside).left.IsFinite() {
			t.Errorf("there is a bound at %v, beyond %v to %v", outside, first, last)
		}
		if y, err := l.invert(t.Context(), outside); err != nil || y.Lo().Sign() != 0 || !y.Hi().IsInf() {
			t.Errorf("d at %v is in %v, error %v", outside, y, err)
		}
	}
}
