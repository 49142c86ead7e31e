// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
)

// TestFoldedIsTheGreatest: δ of folded tails is the greater one of a pair and its reverse, on both sides of 0 and
// there.
func TestFoldedIsTheGreatest(t *testing.T) {
	rats := func(xs ...int64) (out []*big.Rat) {
		for _, x := range xs {
			out = append(out, big.NewRat(x, 10))
		}
		return out
	}
	three := pair.NewGaussianMixture(normals.New(rats(-13, 0, 13), rats(5, 3, 2)), normals.New(rats(-13, 0), rats(7, 3)))
	other := pair.NewGaussianMixture(normals.New(rats(13, 0, -13), rats(5, 3, 2)), normals.New(rats(13, 0), rats(7, 3)))
	gauss := pair.Copies(pair.Gaussian{Mu2: big.NewRat(9, 4)}, 1)
	for _, x := range []pair.Pair{pair.Sampled{Rate: big.NewRat(1, 5), Base: gauss}, three, other} {
		for _, of := range [][]pair.Product{
			{pair.Copies(x, 1), pair.Copies(x.Reverse(), 1)}, {pair.Copies(x.Reverse(), 1), pair.Copies(x, 1)},
		} {
			folded, ok := PairTails(pair.MaximumOf(of))
			if !ok {
				t.Fatalf("%v has no tails", x)
			}
			for _, w := range []interval.Prec{5, 64} {
				for k := int64(-6); k <= 6; k += 2 {
					eps := RatArg(w, big.NewRat(k, 2))
					want := interval.Int(0)
					for _, p := range of {
						tails, _ := PairTails(p[0].Pair)
						a, b := tails(w, eps)
						want = interval.Max(want, w.Sub(a, w.Mul(w.Exp(eps.Interval), b)))
					}
					p, q := folded(w, eps)
					got := w.Sub(p, w.Mul(w.Exp(eps.Interval), q))
					if got.Lo().Cmp(want.Hi()) > 0 || want.Lo().Cmp(got.Hi()) > 0 {
						t.Errorf("%v: δ(%d/2) = %v at %d bits, want %v", x, k, got, w, want)
					}
				}
				near := Arg{Interval: interval.Union(w.Rat(big.NewRat(-1, 9)), w.Rat(big.NewRat(1, 9)))}
				for _, at := range []int64{-1, 0, 1} {
					p, q := folded(w, RatArg(w, big.NewRat(at, 9)))
					if a, b := folded(w, near); a.Lo().Cmp(p.Lo()) > 0 || a.Hi().Cmp(p.Hi()) < 0 || b.Lo().Cmp(q.Lo()) > 0 || b.Hi().Cmp(q.Hi()) < 0 {
						t.Errorf("%v: tails of an ε around 0 %v, %v leave out those at %d/9: %v, %v", x, a, b, at, p, q)
					}
				}
			}
		}
	}
}

// TestOtherPairsAreNotFolded: tails say nothing of a maximum of which neither pair is known to be the greater one.
func TestOtherPairsAreNotFolded(t *testing.T) {
	one := func(xs ...int64) (out []*big.Rat) {
		for _, x := range xs {
			out = append(out, big.NewRat(x, 10))
		}
		return out
	}
	laplace := pair.Copies(pair.Laplace{Shift: big.NewRat(1, 1)}, 1)
	sample := pair.Sampled{Rate: big.NewRat(1, 5), Base: laplace}
	for _, x := range []pair.Pair{
		pair.NewGaussianMixture(normals.New(one(-13, 0, 14), one(5, 3, 2)), normals.New(one(-13, 0), one(7, 3))),
		pair.NewGaussianMixture(normals.New(one(-13, 0, 13), one(5, 3, 2)), normals.New(one(-13, 0), one(6, 4))),
		pair.NewGaussianMixture(normals.New(one(-13, 0, 13), one(5, 3, 2)), normals.New(one(-13, 13), one(7, 3))),
		pair.Sampled{Rate: big.NewRat(1, 5), Base: pair.Copies(pair.Gaussians{SigmaP: big.NewRat(1, 1), SigmaQ: big.NewRat(2, 1), Shift: big.NewRat(1, 1)}, 1)},
	} {
		if _, ok := PairTails(pair.MaximumOf([]pair.Product{pair.Copies(x, 1), pair.Copies(x.Reverse(), 1)})); ok {
			t.Errorf("%v and its reverse have tails", x)
		}
	}
	if _, ok := PairTails(pair.MaximumOf([]pair.Product{pair.Copies(sample, 1), laplace})); ok {
		t.Error("a sample and another pair have tails")
	}
}
