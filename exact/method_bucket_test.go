// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/rand"
	"os"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestBucketsAgree: where buckets apply, their enclosure and the enclosures of all other
// methods have common points, in either direction, and are not far apart.
func TestBucketsAgree(t *testing.T) {
	t.Parallel()
	testkit.SkipShort(t)
	ctx := context.Background()
	gaussian := mechanism.Gaussian{NoiseMultiplier: rat("4")}
	laplace := mechanism.Laplace{NoiseMultiplier: rat("10")}
	for i, c := range []struct {
		e     mechanism.Event
		eps   string
		width string
	}{
		{mechanism.SelfComposed{Event: mechanism.PoissonSampled{SamplingProbability: rat("1/20"), Event: gaussian}, Count: 60}, "1/10", "1/100"},
		{mechanism.SelfComposed{Event: laplace, Count: 40}, "1", "1/20"},
		{mechanism.SelfComposed{Event: asymmetric, Count: 3}, "2", "1/10"},
		{mechanism.Composed{Events: []mechanism.Event{mechanism.SelfComposed{Event: laplace, Count: 10}, gaussian, gaussian}}, "1/2", "1/20"},
	} {
		prob, err := meaning.Resolve(c.e, mechanism.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		b, err := prob.Profile(mechanism.Both)
		if err != nil {
			t.Fatal(err)
		}
		for _, prod := range b.Upper {
			for _, scale := range testkit.InTurn(i, []string{"", "1/1000000"}) {
				s := method.NewSolver(method.All, 0, nil)
				if scale != "" {
					s = method.NewSolver(method.All, 0, rat(scale))
				}
				plan := method.Bucket(s, prod, method.LeastBucketEffort)
				if plan == nil {
					t.Fatalf("no plan for %s", prod)
				}
				f, err := plan.Prepare(ctx)
				if err != nil || f == nil {
					t.Fatalf("%s: %v", prod, err)
				}
				y, err := f(ctx, 64, interval.RealRat(rat(c.eps)))
				if err != nil {
					t.Fatal(err)
				}
				sol, err := s.Solve(ctx, prod)
				if err != nil {
					t.Fatal(err)
				}
				x, err := s.Delta(ctx, sol, 64, interval.RealRat(rat(c.eps)))
				if err != nil {
					t.Fatal(err)
				}
				const p = interval.Prec(64)
				width := p.Sub(interval.Point(y.Hi()), interval.Point(y.Lo()))
				if _, ok := interval.Intersect(x, y); !ok || width.LessEqRat(rat(c.width)) != interval.True {
					t.Errorf("δ(%s) of %s in %s by buckets, %s by %v", c.eps, prod, y, x, sol.Names())
				}
			}
		}
	}
}

// TestBucketsAreACheck: they are one of the methods from their rung on, if they are
// cheap, and never below.
func TestBucketsAreACheck(t *testing.T) {
	q := Question{Event: mechanism.SelfComposed{Event: mechanism.Laplace{NoiseMultiplier: rat("10")}, Count: 40}}
	for e, want := range map[Effort]bool{0: false, method.LeastBucketEffort - 1: false, method.LeastBucketEffort: true} {
		p, err := Prepare(context.Background(), q, e)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Delta(context.Background(), rat("1"))
		if err != nil || slices.Contains(r.Methods, "bucket") != want {
			t.Errorf("effort %d: %v by %v, %v", e, r.Interval, r.Methods, err)
		}
	}
	for _, prod := range []pair.Product{
		nil,
		{{Pair: pair.Laplace{Shift: rat("1")}, Count: 1}},             // no composition
		{{Pair: pair.ZCDP{Rho: rat("1"), Xi: rat("0")}, Count: 10}},   // no pair
		{{Pair: symmetric(pair.Laplace{Shift: rat("1")}), Count: 10}}, // no tails
		{{Pair: pair.Laplace{Shift: rat("1")}, Count: 1}, {Pair: pair.ZCDP{Rho: rat("1"), Xi: rat("0")}, Count: 1}},
	} {
		if plan := method.Bucket(method.NewSolver(method.All, 4, nil), prod, 4); plan != nil {
			t.Errorf("%s has a plan", prod)
		}
	}
}

// hardPairs have tiny and huge losses, infinite ones, and none.
var hardPairs = []pair.Pair{
	pair.Laplace{Shift: rat("1/1000000000000000000000")}, pair.Laplace{Shift: rat("709")}, pair.Laplace{Shift: rat("1/3")},
	pair.Gaussian{Mu2: rat("1/1000000000000000000000")}, pair.Gaussian{Mu2: rat("10000")}, pair.Gaussian{Mu2: rat("1/7")},
	pair.Truncated{Noise: pair.GaussianNoise, Width: rat("2"), Sensitivity: rat("1"), Radius: rat("1/4")},
	pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("2"), Sensitivity: rat("1"), Radius: rat("3")},
	pair.Sampled{Rate: rat("1/1000000000000000000000"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}}},
	pair.Sampled{Rate: rat("1/10"), Base: pair.Product{{Pair: pair.Laplace{Shift: rat("1")}, Count: 1}}, Reversed: true},
	pair.Response{Eps: rat("700"), Delta: rat("0")}, pair.Response{Eps: rat("0"), Delta: rat("1/10")}, pair.Response{Eps: rat("1/3"), Delta: rat("1")},
	pair.NewFinite(rats("1/2", "1/2", "0"), rats("1/3", "0", "2/3")), pair.NewFinite(rats("1", "0"), rats("0", "1")), pair.NewFinite(rats("1"), rats("1")),
	pair.DiscreteGaussian{Sigma2: rat("1/100"), Sensitivity: 3}, pair.DiscreteLaplace{A: rat("100"), Sensitivity: 2},
	pair.Clamped{Noise: pair.LaplaceNoise, Location: rat("3"), Width: rat("2"), Shift: rat("1"), Reversed: true},
}

// TestBucketsCheckHardProducts: every method agrees with privacy buckets on random
// products of hard pairs.
func TestBucketsCheckHardProducts(t *testing.T) {
	if testing.Short() {
		t.Skip("arithmetic alone, for the whole suite")
	}
	t.Parallel()
	ctx := context.Background()
	r := rand.New(rand.NewSource(1))
	products := 5
	if os.Getenv("DPVERIFY_LONG") != "" {
		products = 70
	}
	const p = interval.Prec(64)
	for products > 0 {
		var prod pair.Product
		for range 1 + r.Intn(3) {
			prod = append(prod, pair.Term{Pair: hardPairs[r.Intn(len(hardPairs))], Count: []int64{1, 2, 3, 17, 1000, 1 << 40}[r.Intn(6)]})
		}
		plan := method.Bucket(method.NewSolver(method.All, method.LeastBucketEffort, nil), prod, method.LeastBucketEffort)
		if plan == nil {
			continue // one pair, once
		}
		products--
		buckets, err := plan.Prepare(ctx)
		if err != nil || buckets == nil {
			t.Fatalf("%s: %v", prod, err)
		}
		s := method.NewSolver(method.All, 0, nil)
		sol, err := s.Solve(ctx, prod)
		if err != nil {
			t.Fatal(err)
		}
		for _, eps := range rats("-1", "0", "1/3", "1", "10") {
			y, err := buckets(ctx, p, interval.RealRat(eps))
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range sol.Used {
				x, err := u.F(ctx, p, interval.RealRat(eps))
				if _, ok := interval.Intersect(x, y); err != nil || !ok {
					t.Errorf("δ(%s) of %s in %s by buckets, %s by %s, %v", eps.RatString(), prod, y, x, u.Name, err)
				}
			}
		}
	}
}
