// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/exact/profile"
	"dpverify/internal/testkit"
)

// truths are products whose profile is known by other means.
func truths(t *testing.T) map[string]struct {
	prod pair.Product
	f    profile.Func
} {
	t.Helper()
	out := make(map[string]struct {
		prod pair.Product
		f    profile.Func
	})
	add := func(name string, prod pair.Product, f profile.Func) {
		out[name] = struct {
			prod pair.Product
			f    profile.Func
		}{prod, f}
	}
	for _, k := range []int64{1, 2, 3, 7, 20} {
		for _, x := range []*big.Rat{big.NewRat(1, 10), big.NewRat(1, 1), big.NewRat(3, 1)} {
			add(fmt.Sprintf("Laplace(%s)^%d", x.RatString(), k), pair.Product{{Pair: pair.Laplace{Shift: x}, Count: k}},
				func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
					return closed.LaplaceSum(ctx, p, x, k, eps)
				})
		}
	}
	for _, k := range []int64{1, 5, 64, 1000} {
		prod := pair.Product{{Pair: pair.Response{Eps: big.NewRat(1, 10), Delta: big.NewRat(1, 1000000)}, Count: k}}
		add(fmt.Sprintf("Response^%d", k), prod, latticeFunc(t, prod))
	}
	finite := pair.NewFinite([]*big.Rat{big.NewRat(1, 2), big.NewRat(1, 3), big.NewRat(1, 6), new(big.Rat)},
		[]*big.Rat{big.NewRat(1, 10), big.NewRat(1, 5), big.NewRat(2, 5), big.NewRat(3, 10)})
	for _, k := range []int64{1, 2, 4} {
		prod := pair.Product{{Pair: finite, Count: k}}
		add(fmt.Sprintf("finite^%d", k), prod, enumerated(t, prod))
		rev := prod.Reverse()
		add(fmt.Sprintf("finite^%d reversed", k), rev, enumerated(t, rev))
	}
	sampled := pair.Product{{Pair: pair.Sampled{Rate: big.NewRat(1, 7), Base: pair.Product{{Pair: pair.Response{Eps: big.NewRat(2, 1), Delta: big.NewRat(1, 100)}, Count: 1}}}, Count: 6}}
	add("sampled response", sampled, enumerated(t, sampled))
	add("sampled response reversed", sampled.Reverse(), enumerated(t, sampled.Reverse()))
	gauss := pair.Sampled{Rate: big.NewRat(1, 10), Base: pair.Product{{Pair: pair.Gaussian{Mu2: big.NewRat(1, 1)}, Count: 1}}}
	for _, g := range []pair.Pair{gauss, gauss.Reverse(), pair.Truncated{Noise: pair.GaussianNoise, Width: big.NewRat(1, 1), Sensitivity: big.NewRat(1, 1), Radius: big.NewRat(3, 1)},
		pair.Truncated{Noise: pair.LaplaceNoise, Width: big.NewRat(1, 1), Sensitivity: big.NewRat(1, 1), Radius: big.NewRat(3, 1)},
		pair.Clamped{Noise: pair.LaplaceNoise, Location: big.NewRat(2, 1), Width: big.NewRat(1, 1), Shift: big.NewRat(1, 1)},
		pair.Clamped{Noise: pair.LaplaceNoise, Location: big.NewRat(2, 1), Width: big.NewRat(1, 1), Shift: big.NewRat(1, 1), Reversed: true},
		pair.Clamped{Noise: pair.LaplaceNoise, Location: big.NewRat(-1, 2), Width: big.NewRat(1, 1), Shift: big.NewRat(1, 1), ShiftFirst: true},
		pair.GaussianMixture{P: normals.Mixture{Means: []*big.Rat{new(big.Rat), big.NewRat(1, 1), big.NewRat(2, 1)}, Probs: []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 3), big.NewRat(1, 6)}}, Q: normals.Standard()},
		pair.SampledReplaceGaussian{Rate: big.NewRat(1, 5), Mu2: big.NewRat(1, 1)}} {
		tails, ok := closed.PairTails(g)
		if !ok {
			t.Fatalf("no tails for %s", g)
		}
		add(g.String(), pair.Product{{Pair: g, Count: 1}}, func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			return tails.Delta(p, eps), nil
		})
	}
	return out
}

func latticeFunc(t *testing.T, prod pair.Product) profile.Func {
	t.Helper()
	d, ok, err := New(context.Background(), prod, 253, Limits{Points: 1 << 20, Words: 1 << 24, Terms: 1 << 20})
	if !ok || err != nil {
		t.Fatalf("no lattice for %s: %v", prod, err)
	}
	return d.Delta
}

func enumerated(t *testing.T, prod pair.Product) profile.Func {
	t.Helper()
	os, _, ok := pair.ProductOutcomes(prod, 300, 1<<16)
	if !ok {
		t.Fatalf("no enumeration of %s", prod)
	}
	return func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		sum := interval.Int(0)
		for _, o := range os {
			sum = p.Add(sum, interval.Max(interval.Int(0), p.Sub(o.P, p.Mul(p.Exp(eps(p)), o.Q))))
		}
		return sum, nil
	}
}

// TestGridBoundsTheTruth: at every number of points, precision and cut, however
// small, the lower bound is below and the upper bound above the true profile.
func TestGridBoundsTheTruth(t *testing.T) {
	epsilons := []*big.Rat{new(big.Rat), big.NewRat(1, 10), big.NewRat(-1, 3), big.NewRat(1, 1), big.NewRat(5, 2), big.NewRat(-4, 1), big.NewRat(20, 1), big.NewRat(1, 1000)}
	settings := []Settings{
		{Points: 1, Prec: 5, Cut: 2, Limit: 1 << 12},
		{Points: 4, Prec: 9, Cut: 5, Limit: 1 << 12},
		{Points: 16, Prec: 16, Cut: 12, Limit: 1 << 14},
		{Points: 64, Prec: 61, Cut: 40, Limit: 1 << 14},
		{Points: 300, Prec: 61, Cut: 57, Limit: 1 << 15},
		{Points: 1000, Prec: 125, Cut: 30, Limit: 1 << 15},
	}
	for name, c := range truths(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wants := make([]interval.Interval, len(epsilons))
			for i, eps := range epsilons {
				want, err := c.f(context.Background(), 200, interval.RealRat(eps))
				if err != nil {
					t.Fatal(err)
				}
				wants[i] = want
			}
			for _, set := range testkit.Few(4, settings) {
				if testing.Short() && set.Points > 100 || !testkit.Long() && set.Points > 64 && (set.Points > 300 || len(name)%3 > 0) {
					continue
				}
				g, ok, err := NewGrid(context.Background(), c.prod, set)
				if err != nil {
					t.Fatalf("%+v: %v", set, err)
				}
				if !ok {
					continue
				}
				for i, eps := range epsilons {
					want := wants[i]
					got, err := g.Delta(context.Background(), 128, interval.RealRat(eps))
					if err != nil {
						t.Fatalf("%+v: δ(%s): %v", set, eps.RatString(), err)
					}
					if got.Lo().Cmp(want.Hi()) > 0 || got.Hi().Cmp(want.Lo()) < 0 {
						t.Errorf("%+v: δ(%s) = %s misses %s", set, eps.RatString(), got, want)
					}
				}
			}
		})
	}
}

// TestGridConverges: four times as many points shrink the enclosure at least
// threefold, twice over; the bounds are of second order.
func TestGridConverges(t *testing.T) {
	gauss := pair.Sampled{Rate: big.NewRat(1, 100), Base: pair.Product{{Pair: pair.Gaussian{Mu2: big.NewRat(1, 1)}, Count: 1}}}
	prod := pair.Product{{Pair: gauss, Count: 500}, {Pair: pair.Laplace{Shift: big.NewRat(1, 10)}, Count: 30}}
	last := 1.0
	for i, n := range []int{128, 512, 2048} {
		g, ok, err := NewGrid(context.Background(), prod, Settings{Points: n, Prec: 125, Cut: 60, Limit: 1 << 18})
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		y, err := g.Delta(context.Background(), 128, interval.RealRat(big.NewRat(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		width, _ := new(big.Float).Sub(y.Hi(), y.Lo()).Float64()
		if i > 0 && width > last/3 {
			t.Errorf("%d points: width %g, before %g", n, width, last)
		}
		last = width
	}
}

// TestCoarsenMovesMassUp: coarsening an upper bound keeps all mass and raises every
// loss of a mass on average: the profile does not fall anywhere.
func TestCoarsenMovesMassUp(t *testing.T) {
	prod := pair.Product{{Pair: pair.Laplace{Shift: big.NewRat(1, 1)}, Count: 1}}
	g, ok, err := NewGrid(context.Background(), prod, Settings{Points: 64, Prec: 61, Cut: 50, Limit: 1 << 12})
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	u := g.upper.lattice
	c := u.coarsen()
	if a, b := u.v.Sum(), c.v.Sum(); a.Cmp(b) != 0 {
		t.Fatalf("mass %v became %v", a, b)
	}
	f, h := newSums(u), newSums(c)
	for _, eps := range []string{"-1", "-1/3", "0", "1/7", "1/2", "99/100"} {
		e, _ := new(big.Rat).SetString(eps)
		a, _ := f.delta(context.Background(), 100, interval.RealRat(e))
		b, _ := h.delta(context.Background(), 100, interval.RealRat(e))
		if b.Less(a) == interval.True {
			t.Errorf("δ(%s) fell from %s to %s", eps, a, b)
		}
	}
}

// TestSumsOfMassesAreRounded: what rounding costs an upper bound is some units for each copy, and not for each entry of
// each copy. With 24 bits, 4,096 copies lose 2^−12 or so.
func TestSumsOfMassesAreRounded(t *testing.T) {
	gauss := pair.Sampled{Rate: big.NewRat(1, 100), Base: pair.Product{{Pair: pair.Gaussian{Mu2: big.NewRat(1, 1)}, Count: 1}}}
	prod := pair.Product{{Pair: gauss, Count: 1 << 12}}
	var upper [2]float64
	for i, prec := range []uint{24, 61} {
		g, ok, err := NewGrid(context.Background(), prod, Settings{Points: 512, Prec: prec, Cut: 40, Limit: 1 << 16})
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		y, err := g.Delta(context.Background(), 64, interval.RealRat(big.NewRat(4, 1)))
		if err != nil {
			t.Fatal(err)
		}
		upper[i], _ = y.Hi().Float64()
	}
	if cost := (upper[0] - upper[1]) * (1 << 12); cost < 0 || cost > 3 {
		t.Errorf("24 bits cost %g units for each copy, want at most 3", cost)
	}
}

// TestPrefixSumsAtFewBits: products of finite pairs on a grid that holds their losses, at 2 to 8 bits, where rounding
// is most of the answer, are at least what the sum over all outcomes is.
func TestPrefixSumsAtFewBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for range testkit.Draws(20, 60, 60) {
		n, delta := 2+rng.IntN(5), big.NewRat(1, int64(1+rng.IntN(4)))
		l := &leaf{mesh: mesh{delta, 0, int64(n)}}
		masses, total := make([]*big.Rat, n), int64(1)
		for i := range masses {
			masses[i] = big.NewRat(int64(1+rng.IntN(30)), 1)
			total += masses[i].Num().Int64()
		}
		const w = interval.Prec(80)
		truth := make([]interval.Interval, n) // a pair on the grid, the rest at ∞
		for i, m := range masses {
			m.Quo(m, big.NewRat(total, 1))
			truth[i] = w.Rat(m)
		}
		for prec := uint(2); prec <= 8; prec++ {
			v, sums := convolve.NewVector(n, prec), prefix{}
			for i, m := range truth {
				v.Set(i, sums.add(m, prec))
			}
			one := l.lattice(v)
			two, err := one.times(t.Context(), one)
			if err != nil {
				t.Fatal(err)
			}
			four, err := two.coarsen().times(t.Context(), two.coarsen())
			if err != nil {
				t.Fatal(err)
			}
			for copies, u := range map[int]*lattice{1: one, 2: two, 4: four} {
				law := map[int64]*big.Rat{0: big.NewRat(1, 1)}
				for range copies {
					next := make(map[int64]*big.Rat)
					for x, p := range law {
						for i, m := range masses {
							k := x + int64(i)
							if next[k] == nil {
								next[k] = new(big.Rat)
							}
							next[k].Add(next[k], new(big.Rat).Mul(p, m))
						}
					}
					law = next
				}
				missing := w.Sub(interval.Int(1), w.Scale(w.BigInt(u.v.Sum()), -int(prec)))
				for _, eps := range []*big.Rat{big.NewRat(-1, 2), new(big.Rat), big.NewRat(1, 3), big.NewRat(1, 1), big.NewRat(3, 1)} {
					got, err := newSums(u).delta(t.Context(), w, interval.RealRat(eps))
					if err != nil {
						t.Fatal(err)
					}
					want, inf := interval.Int(0), big.NewRat(1, 1)
					for x, p := range law {
						inf.Sub(inf, p)
						loss := new(big.Rat).Mul(delta, new(big.Rat).SetInt64(x))
						if d := new(big.Rat).Sub(eps, loss); d.Sign() < 0 {
							want = w.Add(want, w.Mul(w.Rat(p), w.Expm1(w.Rat(d)).Neg()))
						}
					}
					want = w.Add(want, w.Rat(inf))
					if got = w.Add(got, missing); got.Less(want) == interval.True {
						t.Fatalf("%d bits, %d copies: δ(%s) ≤ %s, but it is %s", prec, copies, eps.RatString(), got, want)
					}
				}
			}
		}
	}
}
