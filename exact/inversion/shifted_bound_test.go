// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math/big"
	"os"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/internal/testkit"
)

// TestShiftedBounds: |M(−λ + it)|/M(−λ) at many t is below the bound of every shifted line, in both directions, and
// falls faster than a power of t.
func TestShiftedBounds(t *testing.T) {
	testkit.SkipShort(t)
	for i, x := range []pair.Pair{
		sampledGaussian("1/5", "4/9", false), sampledGaussian("1/5", "4/9", true),
		sampledGaussian("1/100", "1", true), sampledGaussian("9/10", "4", false), sampledGaussian("9/10", "1/4", true),
		pair.GaussianMixture{P: normals.Mixture{Means: rats("0", "1/2", "2"), Probs: rats("1/2", "1/4", "1/4")}, Q: normals.Standard()},
		pair.GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: rats("1/2", "2"), Probs: rats("3/4", "1/4")}},
		pair.GaussianMixture{P: normals.Mixture{Means: rats("-2", "-1/2"), Probs: rats("1/4", "3/4")}, Q: normals.Standard()},
		pair.SampledReplaceGaussian{Rate: rat("1/5"), Mu2: rat("4/9")}, pair.SampledReplaceGaussian{Rate: rat("1/100"), Mu2: rat("1")},
	} {
		m, ok := newMixture(x)
		if _, apart := m.apart(); !ok || !apart {
			t.Fatalf("%s: its means are not apart", x)
		}
		for _, lambda := range testkit.InTurn(i/2, rats("1/4", "5")) {
			norm := m.moment(coarse, lambda)
			w, ok := m.window(lambda, 100)
			if !ok {
				t.Fatalf("%s: no window", x)
			}
			shifted := m.newShiftedBound(lambda, w, double.Of(coarse.Div(scaleOf(w.peak), norm)))
			lines := 0
			for _, s := range shifted {
				lines += min(len(s().weights), 1)
			}
			if lines < 8 {
				t.Fatalf("%s: %d shifted lines", x, lines)
			}
			step := rat("3/4")
			line, err := m.line(t.Context(), 60, lambda, coarse.Rat(step), 160)
			if err != nil || line == nil {
				t.Fatalf("%s: no line", x)
			}
			for j := 1; j < len(line); j += 1 + j/4 {
				at := double.Near(step) * float64(j)
				psi := double.Of(coarse.Div(coarse.AbsC(line[j]), norm)).Log().Lo
				for k, s := range shifted {
					if bound := s().bound(at); psi > bound {
						t.Fatalf("%s at −%s + i·%v: log|ψ| = %v > %v by line %d", x, lambda.RatString(), at, psi, bound, k)
					}
				}
			}
			if a, b := shifted.bound(1e4), shifted.bound(1e8); a > -3 || b > -30 {
				t.Errorf("%s at −%s: bounds %v at 1e4 and %v at 1e8", x, lambda.RatString(), a, b)
			}
		}
	}
	if y := (shift{}).bound(1e6); y != 0 {
		t.Errorf("no cells bound by %v", y)
	}
	for _, x := range []pair.Pair{
		pair.GaussianMixture{P: normals.Mixture{Means: rats("-1", "2"), Probs: rats("1/2", "1/2")}, Q: normals.Standard()},
		pair.GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: rats("-1", "2"), Probs: rats("1/2", "1/2")}},
	} {
		m, _ := newMixture(x)
		if _, apart := m.apart(); apart {
			t.Errorf("%s: its means are apart", x)
		}
	}
}

// TestBisector: the modulus of two terms that are equal on the real line is what the projection onto the bisector says.
func TestBisector(t *testing.T) {
	m, _ := newMixture(sampledGaussian("1/2", "4", true))
	for _, b := range []float64{0.1, 0.7, 1.5} {
		at := double.Point(b)
		cos, sin := circle(m.doubleB, at)
		terms := double.Exps(exponents(m.doubleB, double.Int(1)), 0)
		modulus, turn := argument(terms, cos, sin)
		ratio := modulus.Div(double.Sum(terms))
		if least := bisected(m.doubleB, at); !(least.Lo <= ratio.Hi && least.Lo > ratio.Lo*(1-0x1p-40)) {
			t.Errorf("b = %v: |B(1 + ib)|/B(1) ∈ %v, bound %v", b, ratio, least.Lo)
		}
		if half, _ := double.Point(b).Sub(turn).Cis(); !(turn.Hi <= b && half.Lo > 0) {
			t.Errorf("b = %v: the argument is at least %v", b, turn)
		}
	}
}

// TestTwoCopies: values from outside: docs/oracle/two_copies.py, mpmath 1.2.1 at 40 digits, a quadrature of the
// profile of the second copy over the loss of the first.
func TestTwoCopies(t *testing.T) {
	for _, c := range []struct {
		pair pair.Pair
		eps  string
		want string
		long bool
	}{
		{sampledGaussian("1/5", "4/9", false), "1/4", "0.01919075374520040408359052459787050096355134", false},
		{sampledGaussian("1/5", "4/9", true), "1/4", "0.001887545086079667993220551523202668370502136", true},
		{pair.SampledReplaceGaussian{Rate: rat("1/5"), Mu2: rat("4/9")}, "1/4", "0.05900251137538172331122393", false},
		{pair.SampledReplaceGaussian{Rate: rat("1/100"), Mu2: rat("1")}, "1/2", "5.075421298831279497966255e-7", false},
	} {
		if c.long && os.Getenv("DPVERIFY_LONG") == "" {
			continue
		}
		got := delta(t, product(c.pair, 2), interval.Prec(60), c.eps)
		want := rat(c.want)
		slack := new(big.Rat).Mul(want, rat("1e-23"))
		if !(got.ContainsRat(new(big.Rat).Add(want, slack)) || got.ContainsRat(want)) || got.RelativeBits(64) < 45 {
			t.Errorf("%s: δ(%s) = %s, want %s", c.pair, c.eps, got, c.want)
		}
	}
}
