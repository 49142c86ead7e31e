// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
)

// TestReversalOfTails: δ_{Q|P}(ε) = 1 − e^ε + e^ε·δ_{P|Q}(−ε) for pairs that are not
// self-dual, samples of them too: a sample in one direction starts from the base pair of
// the same direction.
func TestReversalOfTails(t *testing.T) {
	clamped := func(first bool) pair.Pair {
		return pair.Clamped{Noise: pair.LaplaceNoise, Location: rat("1"), Width: rat("1"), Shift: rat("1/2"), ShiftFirst: first}
	}
	single := func(x pair.Pair) pair.Product { return pair.Product{{Pair: x, Count: 1}} }
	mixture := pair.GaussianMixture{P: normals.Mixture{Means: []*big.Rat{rat("0"), rat("1"), rat("3")}, Probs: []*big.Rat{rat("1/2"), rat("1/4"), rat("1/4")}}, Q: normals.Standard()}
	for _, x := range []pair.Pair{
		clamped(false), clamped(true), mixture,
		pair.Sampled{Rate: rat("1/4"), Base: single(pair.Gaussian{Mu2: rat("1")})},
		pair.Sampled{Rate: rat("1/4"), Base: single(clamped(false))},
		pair.Sampled{Rate: rat("1/4"), Base: single(clamped(false).Reverse())},
		pair.Sampled{Rate: rat("1/4"), Base: single(mixture)},
		pair.Mixed(rat("1/4"), single(clamped(false))),
	} {
		forth, ok1 := PairTails(x)
		back, ok2 := PairTails(x.Reverse())
		if !ok1 || !ok2 {
			t.Fatalf("%s has no tails", x)
		}
		const w = interval.Prec(128)
		for _, eps := range []string{"-1", "-1/3", "-1/10", "1/20", "1/5", "2/5", "3/4"} {
			e := interval.RealRat(rat(eps))
			got := back.Delta(64, e)
			want := w.Add(w.Expm1(e(w)).Neg(), w.Mul(w.Exp(e(w)), forth.Delta(64, e.Neg())))
			if _, ok := interval.Intersect(got, want); !ok {
				t.Errorf("%s reversed: δ(%s) = %s, want %s", x, eps, got, want)
			}
		}
	}
}

// TestInfiniteLossOfClampedNoise: beyond the largest finite loss what is left is the
// mass on which the other distribution has none: e^(−1/2)/2 and e^−1/2.
func TestInfiniteLossOfClampedNoise(t *testing.T) {
	x := pair.Clamped{Noise: pair.LaplaceNoise, Location: rat("1"), Width: rat("1"), Shift: rat("1/2")}
	for _, eps := range []string{"1/2", "5"} {
		for _, c := range []struct {
			pair   pair.Pair
			digits string
		}{{x, "0.303265329856316"}, {x.Reverse(), "0.183939720585721"}} {
			tails, _ := PairTails(c.pair)
			p, q := tails(64, RatArg(64, rat(eps)))
			if !holds(p, c.digits) || !q.IsZero() {
				t.Errorf("%s: tails at %s are %s and %s, want %s… and 0", c.pair, eps, p, q, c.digits)
			}
		}
	}
}

// TestLaplaceMeetsItsTails: the closed form of the profile is the difference of the
// tails, and the sum of one copy.
func TestLaplaceMeetsItsTails(t *testing.T) {
	for _, shift := range []string{"1/3", "1", "4"} {
		tails, _ := PairTails(pair.Laplace{Shift: rat(shift)})
		for _, eps := range []string{"-5", "-1", "-1/5", "0", "1/7", "9/10", "3", "5"} {
			e := interval.RealRat(rat(eps))
			x, y := Laplace(64, rat(shift), e), tails.Delta(64, e)
			z, err := LaplaceSum(context.Background(), 64, rat(shift), 1, e)
			if err != nil {
				t.Fatal(err)
			}
			for _, other := range []interval.Interval{y, z} {
				if _, ok := interval.Intersect(x, other); !ok {
					t.Errorf("shift %s: δ(%s) = %s, by another way %s", shift, eps, x, other)
				}
			}
		}
	}
}

// TestLaplaceSumNextToItsLargestLoss: where ε is not told from kx, δ may be positive.
func TestLaplaceSumNextToItsLargestLoss(t *testing.T) {
	e := interval.Union(interval.Prec(64).Rat(rat("29/10")), interval.Int(4))
	y, err := LaplaceSum(context.Background(), 64, rat("1"), 3, func(interval.Prec) interval.Interval { return e })
	z, err2 := LaplaceSum(context.Background(), 64, rat("1"), 3, interval.RealRat(rat("29/10")))
	if err != nil || err2 != nil || !y.ContainsRat(rat("0")) || interval.Point(z.Lo()).LessEq(interval.Point(y.Hi())) != interval.True {
		t.Errorf("δ([2.9, 4]) = %s, δ(2.9) = %s, %v, %v", y, z, err, err2)
	}
}

// TestTailsOnBothSides: where ε is not told from an atom of the loss, the tails of
// either side are possible, on the left end of the losses too.
func TestTailsOnBothSides(t *testing.T) {
	const w = interval.Prec(64)
	tails, _ := PairTails(pair.Laplace{Shift: rat("1")})
	p, q := tails(w, Arg{Interval: interval.Union(w.Rat(rat("-2")), w.Rat(rat("2")))})
	for _, x := range []interval.Interval{p, q} {
		if !x.ContainsRat(rat("0")) || !x.ContainsRat(rat("1")) {
			t.Errorf("tails %s and %s, want all of [0, 1]", p, q)
		}
	}
	// P(L > ε) = 1 − e^((ε−x)/2)/2 just right of −x: 0.6417… for x = 1/3; 1 left of it.
	tails, _ = PairTails(pair.Laplace{Shift: rat("1/3")})
	p, q = tails(w, Arg{Interval: w.Rat(rat("-1/3"))})
	if !p.ContainsRat(rat("0.65")) || !p.ContainsRat(rat("1")) || !q.ContainsRat(rat("0.51")) || !q.ContainsRat(rat("1")) {
		t.Errorf("at an enclosure of −1/3: %s and %s", p, q)
	}
}

// TestSampledGaussiansCollapse: a sample of k Gaussians is one of the Gaussian with k
// times the μ².
func TestSampledGaussiansCollapse(t *testing.T) {
	x := pair.Sampled{Rate: rat("1/10"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/4")}, Count: 4}}}
	tails, ok := PairTails(x)
	if !ok {
		t.Fatal("no tails")
	}
	// Of one Gaussian with μ = 1, see TestProfilesOfPairs.
	if y := tails.Delta(128, interval.RealRat(rat("1/2"))); !holds(y, "0.0020325369203403576533068535358052000974") {
		t.Errorf("δ(1/2) = %s", y)
	}
}

// TestSamplesOfDiscreteNoiseHaveNoTails: a pair whose base has no tails has none.
func TestSamplesOfDiscreteNoiseHaveNoTails(t *testing.T) {
	base := pair.NewFinite([]*big.Rat{rat("3/4"), rat("1/4")}, []*big.Rat{rat("1/4"), rat("3/4")})
	for _, reversed := range []bool{false, true} {
		x := pair.Sampled{Rate: rat("1/10"), Base: pair.Product{{Pair: base, Count: 1}}, Reversed: reversed}
		if f, ok := PairTails(x); ok || f != nil {
			t.Errorf("%s has tails", x)
		}
	}
}
