// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair/normals"
	"dpverify/mechanism"
)

func single(x Pair) Product { return Product{{x, 1}} }

// TestLimitsOfSymmetricPairs: the infinite mass is the greater of both orientations'; it
// is not known where one of theirs is not, and certain where all losses are infinite.
func TestLimitsOfSymmetricPairs(t *testing.T) {
	f := finite(rats("1/2", "1/2", "0"), rats("0", "3/4", "1/4"))
	for _, x := range []Pair{symmetric(f), symmetric(f.Reverse())} {
		if m, ok := InfMass(single(x)); !ok || m.Cmp(rat("1/2")) != 0 {
			t.Errorf("%s: infinite mass %v, %v, want 1/2", x, m, ok)
		}
		if x.Reverse().String() != x.String() {
			t.Errorf("%s becomes %s", x, x.Reverse())
		}
	}
	clamped := Clamped{Noise: LaplaceNoise, Location: rat("1"), Width: rat("1"), Shift: rat("1")}
	if _, ok := InfMass(single(symmetric(clamped))); ok {
		t.Error("an infinite mass that is not rational is known")
	}
	all := Response{Eps: new(big.Rat), Delta: rat("1")}
	if m, ok := InfMass(Product{{all, 1 << 20}}); !ok || m.Cmp(rat("1")) != 0 {
		t.Errorf("infinite mass %v, %v, want 1", m, ok)
	}
	gauss := Gaussian{Mu2: rat("1")}
	for _, c := range []struct {
		p    Product
		want bool
	}{
		{Product{{gauss, 1}, {all, 1}}, false},
		{Product{{gauss, 1}, {finite(rats("1", "0"), rats("0", "1")), 1}}, false},
		{single(Mixed(rat("1/2"), single(gauss))), true},
		{single(Mixed(rat("1/2"), single(Laplace{Shift: rat("1")}))), false},
		{single(GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: rats("1", "2"), Probs: rats("1/2", "1/2")}}), true},
		{single(GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: rats("-2", "-1"), Probs: rats("1/2", "1/2")}}), true},
		{single(GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: rats("-1", "2"), Probs: rats("1/2", "1/2")}}), false},
		{single(GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: rats("0", "1", "2"), Probs: rats("1/2", "1/4", "1/4")}}), false},
	} {
		if got := Unbounded(c.p); got != c.want {
			t.Errorf("%s unbounded: %v", c.p, got)
		}
	}
}

// TestGuaranteesInside: a sample of, a mixture with, or both orientations of what stands
// for many pairs stand for many pairs.
func TestGuaranteesInside(t *testing.T) {
	z := ZCDP{Rho: rat("1"), Xi: new(big.Rat)}
	for _, x := range []Pair{z, symmetric(z), Sampled{Rate: rat("1/2"), Base: single(z)}, Mixed(rat("1/2"), single(z))} {
		if !(Product{{Gaussian{Mu2: rat("1")}, 2}, {x, 1}}).IsGuarantee() {
			t.Errorf("%s is one pair", x)
		}
	}
	if single(symmetric(Gaussian{Mu2: rat("1")})).IsGuarantee() {
		t.Error("a pair is a guarantee")
	}
}

// TestMeansThatAreTheirReverse: of equal products the probabilities add up.
func TestMeansThatAreTheirReverse(t *testing.T) {
	a := single(finite(rats("2/25", "23/25"), rats("4/5", "1/5")))
	back, even := a.Reverse(), single(Gaussian{Mu2: rat("1")})
	for _, c := range []struct {
		shares []*big.Rat
		of     []Product
		want   bool
	}{
		{rats("1/2", "1/2"), []Product{a, back}, true},
		{rats("1/3", "2/3"), []Product{a, back}, false},
		{rats("1/4", "1/4", "1/2"), []Product{a, a, back}, true},
		{rats("1/4", "1/4", "1/4", "1/4"), []Product{a, a, a, back}, false},
		{rats("1/4", "1/4", "1/4", "1/4"), []Product{a, back, even, even}, true},
		{rats("1/2", "1/2"), []Product{a, even}, false},
	} {
		if m := (Mean{c.shares, c.of}); m.SelfDual() != c.want {
			t.Errorf("%s is its own reverse: %v", m, !c.want)
		}
	}
}

// TestHullOfMirroredPoints: of a bound at ε and the mirror image of one at −ε, the lower one
// counts: 1 − e + e·7/10 in place of 1/2.
func TestHullOfMirroredPoints(t *testing.T) {
	both := NewHull([]mechanism.ProfilePoint{{Epsilon: rat("-1"), Delta: rat("7/10")}, {Epsilon: rat("1"), Delta: rat("1/2")}})
	const p = interval.Prec(64)
	os, _, ok := both.Outcomes(p, 10)
	if !ok {
		t.Fatal("no outcomes")
	}
	e := p.Exp(interval.Int(1))
	sum := interval.Int(0)
	for _, o := range os {
		sum = p.Add(sum, interval.Max(interval.Int(0), p.Sub(o.P, p.Mul(e, o.Q))))
	}
	want := p.Sub(interval.Int(1), p.Mul(p.Rat(rat("3/10")), e))
	if _, ok := interval.Intersect(sum, want); !ok || sum.RelativeBits(100) < 40 {
		t.Errorf("δ(1) = %s, want %s", sum, want)
	}
}

// TestLossBoundByHand: the finite losses of pairs whose greatest one is no rational and no
// logarithm of one.
func TestLossBoundByHand(t *testing.T) {
	laplace := Truncated{Noise: LaplaceNoise, Width: rat("2"), Sensitivity: rat("1"), Radius: rat("5")} // losses up to 1/2
	clamped := Clamped{Noise: LaplaceNoise, Location: rat("-1"), Width: rat("2"), Shift: rat("3"), ShiftFirst: true}
	hull := NewHull(profilePoints("-3", "99/100", "1", "1/10", "2", "1/100"))
	disjoint := finite(rats("1", "0"), rats("0", "1"))
	gauss := Gaussian{Mu2: rat("1")}
	for _, c := range []struct {
		p    Product
		want string // "" if none is known
	}{
		{single(laplace), "1/2"},
		{Product{{laplace, 3}}, "3/2"},
		{single(clamped), "3/2"},
		{single(hull), "3"},
		{Product{{hull, 2}, {laplace, 1}}, "6 + 1/2"},
		{single(Sampled{Rate: rat("1/4"), Base: Product{{laplace, 2}}}), "1"},
		{single(Sampled{Rate: rat("1/4"), Base: single(finite(rats("1/4", "3/4"), rats("1", "0")))}), "0"}, // log 1/4 only
		{single(Sampled{Rate: rat("1/4"), Base: single(gauss), Reversed: true}), "log(4/3)"},
		{Product{{disjoint, 1}, {laplace, 2}}, "1"},
		{single(gauss), ""},
		{Product{{gauss, 1}, {laplace, 1}}, ""},
		{single(Sampled{Rate: rat("1/4"), Base: single(gauss)}), ""},
	} {
		l, ok := LossBound(c.p)
		var want Loss
		switch c.want {
		case "log(4/3)":
			want = LogLoss(rat("4/3"))
		case "6 + 1/2":
			want = RatLoss(rat("13/2"))
		default:
			if c.want != "" {
				want = RatLoss(rat(c.want))
			}
		}
		if ok != (c.want != "") || ok && l.Add(want.Neg()).Cmp(new(big.Rat)) != 0 {
			t.Errorf("%s: losses ≤ %s, %v, want %q", c.p, l, ok, c.want)
		}
	}
}
