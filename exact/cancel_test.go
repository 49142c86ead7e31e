// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"slices"
	"sync"
	"testing"

	"dpverify/exact/bucket"
	"dpverify/exact/closed"
	"dpverify/exact/conversion"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
	"dpverify/exact/renyi"
	"dpverify/exact/response"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// A prober is a context that is cancelled from the first time on that it is asked for its
// error by one chain of calls; while there is none, it notes the chains.
type prober struct {
	context.Context
	mu        sync.Mutex
	at        string
	cancelled bool
	seen      []string
}

func (c *prober) Err() error {
	pcs := make([]uintptr, 64)
	chain := fmt.Sprint(pcs[:runtime.Callers(2, pcs)])
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == "" && !slices.Contains(c.seen, chain) {
		c.seen = append(c.seen, chain)
	}
	if c.cancelled = c.cancelled || c.at == chain; c.cancelled {
		return context.Canceled
	}
	return nil
}

// polled is f, which asks the context first.
func polled(f profile.Func) profile.Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		if err := ctx.Err(); err != nil {
			return interval.Interval{}, err
		}
		return f(ctx, p, eps)
	}
}

// interrupt runs f once for each chain of calls by which it asks whether it is cancelled,
// and cancels it there: f has to return that error, whoever passes it on.
func interrupt(t *testing.T, name string, f func(ctx context.Context) error) {
	t.Helper()
	var places []string
	for i := -1; i < len(places); i++ {
		if i%3 > 0 && !testkit.Thorough() {
			continue
		}
		c := &prober{Context: context.Background()}
		if i >= 0 {
			c.at = places[i]
		}
		err := f(c)
		switch {
		case i >= 0 && !errors.Is(err, context.Canceled):
			t.Errorf("%s, cancelled at %d of %d places: error %v", name, i, len(places), err)
		case i < 0 && err != nil:
			t.Errorf("%s: %v", name, err)
		case i < 0 && len(c.seen) == 0:
			t.Errorf("%s never asks whether it is cancelled", name)
		}
		places = append(places, c.seen...)
	}
}

func term(x pair.Pair, count int64) pair.Term { return pair.Term{Pair: x, Count: count} }

func rr(eps string) pair.Pair { return pair.Response{Eps: rat(eps), Delta: new(big.Rat)} }

// TestCancelledMethods: a method that is cancelled anywhere, while it prepares or answers,
// returns the error and no bound.
func TestCancelledMethods(t *testing.T) {
	gauss, lap := pair.Gaussian{Mu2: rat("1")}, pair.Laplace{Shift: rat("1")}
	sampled := pair.Sampled{Rate: rat("1/10"), Base: pair.Product{term(gauss, 1)}}
	clamped := pair.Clamped{Noise: pair.LaplaceNoise, Location: rat("1"), Width: rat("1"), Shift: rat("1")}
	for _, c := range []struct {
		prod    pair.Product
		e       Effort
		methods []string // all if empty
	}{
		{pair.Product{term(lap, 3)}, 0, []string{"laplace"}},
		{pair.Product{term(lap, 30)}, 0, []string{"part"}},
		{pair.Product{term(rr("1"), 70)}, 0, []string{"kov-theorem", "enumeration", "lattice"}},
		{pair.Product{term(rr("1/10"), 5000)}, 0, []string{"kov"}},
		{pair.Product{term(rr("1"), 2), term(rr("1/3"), 3)}, 0, []string{"lattice", "halves"}},
		{pair.Product{term(gauss, 1), term(rr("1"), 2)}, 0, []string{"product", "part"}},
		{pair.Product{term(gauss, 1), term(rr("1"), 3000)}, 0, []string{"product"}},
		{pair.Product{term(pair.Sampled{Rate: rat("1/10"), Base: pair.Product{term(rr("1"), 2), term(rr("1/3"), 3)}}, 1)}, 0, []string{"poisson"}},
		{pair.Product{term(pair.Sampled{Rate: rat("1/10"), Base: pair.Product{term(rr("1"), 2), term(rr("1/3"), 3)}, Reversed: true}, 1)}, 0, []string{"poisson"}},
		{pair.Product{term(pair.Mixed(rat("1/10"), pair.Product{term(rr("1"), 2), term(rr("1/3"), 3)}), 1)}, 0, []string{"mixed"}},
		{pair.Product{term(symmetric(pair.Sampled{Rate: rat("1/10"), Base: pair.Product{term(rr("1"), 2), term(rr("1/3"), 3)}}), 1)}, 0, []string{"symmetric"}},
		{pair.Product{term(lap, 2), term(gauss, 1)}, 0, []string{"inversion"}},
		{pair.Product{term(pair.Allocation{Base: gauss, Selected: 2, Steps: 5}, 1)}, 0, []string{"convex-order"}},
	}[:testkit.Cases(12, 13)] {
		for _, m := range method.All {
			if !slices.Contains(c.methods, m.Name) {
				continue
			}
			name := m.Name + " of " + c.prod.String()
			if m.Plan(method.NewSolver(method.All, c.e, nil), c.prod, c.e) == nil {
				t.Errorf("%s does not apply", name)
				continue
			}
			interrupt(t, name, func(ctx context.Context) error {
				f, err := m.Plan(method.NewSolver(method.All, c.e, nil), c.prod, c.e).Prepare(ctx)
				if err != nil {
					return err
				}
				_, err = f(ctx, 64, interval.RealRat(rat("1/2")))
				return err
			})
		}
	}
	set := pld.Settings{Points: 64, Prec: 61, Cut: 30, Limit: 1 << 12}
	for _, prod := range []pair.Product{
		{term(lap, 5)},
		{term(lap, 3), term(pair.Laplace{Shift: rat("1/2")}, 2)},
		{term(pair.Sampled{Rate: rat("1/10"), Base: pair.Product{term(rr("1"), 2)}}, 3), term(clamped, 2)},
	}[:testkit.Cases(1, 3)] {
		interrupt(t, "pld of "+prod.String(), func(ctx context.Context) error {
			g, ok, err := pld.NewGrid(ctx, prod, set)
			if !ok {
				return err
			}
			_, err = g.Delta(ctx, 64, interval.RealRat(rat("1/2")))
			return err
		})
	}
	interrupt(t, "pld of a bound", func(ctx context.Context) error {
		set := set
		set.Bounds = func(pair.Pair) pld.Bound { return pld.Bound{Profile: polled(profile.Trivial)} }
		_, ok, err := pld.NewGrid(ctx, pair.Product{term(symmetric(sampled), 3)}, set)
		if err == nil && !ok {
			t.Error("no grid")
		}
		return err
	})
	interrupt(t, "pld of parts", func(ctx context.Context) error {
		s := method.NewSolver(method.All, 0, nil)
		return s.BoundFactors(ctx, pair.Product{term(symmetric(pair.Sampled{Rate: rat("1/10"), Base: pair.Product{term(rr("1"), 2)}}), 2)}, new(pld.Settings))
	})
	interrupt(t, "buckets", func(ctx context.Context) error {
		var trees []*bucket.Tree
		policy := bucket.Policy{FreeInfinity: 40}
		for _, x := range []pair.Pair{gauss, lap} {
			leaf, _, err := bucket.PairLeaf(ctx, x, bucket.Shape{N: 64, Eta: rat("1/8"), Prec: 61})
			if err != nil {
				return err
			}
			tree, err := policy.Power(ctx, leaf, 3)
			if err != nil {
				return err
			}
			trees = append(trees, tree)
		}
		tree, err := policy.Product(ctx, trees)
		if err != nil {
			return err
		}
		_, err = tree.Delta(ctx, 64, interval.RealRat(rat("1/2")))
		return err
	})
	interrupt(t, "buckets of a product", func(ctx context.Context) error {
		_, err := bucket.Settings{Last: method.LastBucket, Bits: 61, Free: 40, Reach: 40}.Product(ctx, pair.Product{term(rr("1"), 3), term(rr("1/3"), 2)})
		return err
	})
	interrupt(t, "responses", func(ctx context.Context) error {
		_, err := response.NewEqual(ctx, 64, response.Guarantee{Eps: rat("1/10"), Delta: new(big.Rat), Count: 5000})
		return err
	})
	interrupt(t, "a grid behind the inversion", func(ctx context.Context) error {
		_, err := profile.Late(func(ctx context.Context) (profile.Func, error) {
			return profile.Trivial, ctx.Err()
		})(ctx, 64, interval.RealRat(rat("1")))
		return err
	})
}

// TestCancelledRenyi: so do the conversions of Rényi divergences.
func TestCancelledRenyi(t *testing.T) {
	const p = interval.Prec(64)
	interrupt(t, "TradeOff", func(ctx context.Context) error {
		_, err := conversion.TradeOff([]conversion.Guarantee{{Order: rat("2"), Value: rat("1/2")}})(ctx, p, rat("1/4"))
		return err
	})
	prob, err := meaning.Resolve(mechanism.Laplace{NoiseMultiplier: rat("1")}, mechanism.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	interrupt(t, "Concentrated", func(ctx context.Context) error {
		c, err := renyi.NewCurve(prob, mechanism.Both)
		if err != nil {
			return err
		}
		_, _, err = c.Concentrated(ctx, p, rat("1/2"), 1000)
		return err
	})
}

// TestCancelledProfiles: so do the combinations of profiles, whichever of their parts fails.
func TestCancelledProfiles(t *testing.T) {
	f := polled(func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		g := pair.Response{Eps: rat("1"), Delta: rat("1/10")}
		os, rest, _ := g.Outcomes(p, 8)
		return profile.Outcomes(os, rest)(context.Background(), p, eps)
	})
	os, rest, _ := rr("1").Outcomes(128, 8)
	tradeOff := profile.ToTradeOff(f)
	for name, g := range map[string]profile.Func{
		"Reverse": profile.Reverse(f), "Sample": profile.Sample(rat("1/10"), f), "SampleReversed": profile.SampleReversed(rat("1/2"), f),
		"Mean": profile.Mean([]*big.Rat{rat("1/2"), rat("1/2")}, f, profile.Trivial), "Max": profile.Max(f, f), "Times": profile.Times(f, os, rest),
	} {
		interrupt(t, name, func(ctx context.Context) error {
			_, err := g(ctx, 16, interval.RealRat(rat("1/4")))
			return err
		})
	}
	interrupt(t, "ToTradeOff", func(ctx context.Context) error {
		_, err := tradeOff(ctx, 8, rat("1/4"))
		return err
	})
	interrupt(t, "Laplace losses on both sides of 0", func(ctx context.Context) error {
		_, err := closed.LaplaceSum(ctx, 16, rat("1"), 3, func(w interval.Prec) interval.Interval {
			return interval.Union(w.Rat(rat("-1/4")), w.Rat(rat("1/4")))
		})
		return err
	})
}

// TestCancelledQuestions: so does the front door, in all that it answers.
func TestCancelledQuestions(t *testing.T) {
	laplaces := mechanism.SelfComposed{Event: mechanism.Laplace{NoiseMultiplier: rat("1")}, Count: 3}
	guarantees := mechanism.Composed{Events: []mechanism.Event{
		mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: new(big.Rat)}, mechanism.EpsilonDelta{Epsilon: rat("1/3"), Delta: new(big.Rat)},
	}}
	sampled := mechanism.PoissonSampled{SamplingProbability: rat("1/10"), Event: laplaces}
	either := mechanism.SelfComposed{Event: mechanism.FinitePair{P: rats("1/6", "1/6", "2/3"), Q: rats("5/11", "1/2", "1/22")}, Count: 2}
	for name, f := range map[string]func(ctx context.Context) error{
		"Delta": func(ctx context.Context) error {
			_, err := Delta(ctx, Question{Event: laplaces}, rat("1/2"), 0)
			return err
		},
		"DeltaReal": func(ctx context.Context) error {
			p, err := Prepare(ctx, Question{Event: sampled}, 0)
			if err != nil {
				return err
			}
			_, err = p.DeltaReal(ctx, interval.RealRat(rat("1/2")))
			return err
		},
		"Epsilon": func(ctx context.Context) error {
			_, err := Epsilon(ctx, Question{Event: guarantees}, rat("1/5"), 40, 1)
			return err
		},
		"Epsilon between bounds": func(ctx context.Context) error {
			_, err := Epsilon(ctx, Question{Event: either, Relation: mechanism.ReplaceOne}, rat("1/5"), 8, 0)
			return err
		},
		"TradeOff": func(ctx context.Context) error {
			p, err := Prepare(ctx, Question{Event: laplaces}, 0)
			if err != nil {
				return err
			}
			_, err = p.TradeOff(ctx, rat("1/4"), 1<<20)
			return err
		},
		"Each": func(ctx context.Context) error {
			_, err := Each(ctx, Question{Event: guarantees}, 0, 1)
			return err
		},
	} {
		interrupt(t, name, f)
	}
}

// symmetric is the least pair that dominates both orientations of a pair.
func symmetric(x pair.Pair) pair.Maximum {
	return pair.Maximum{Of: []pair.Product{{{Pair: x, Count: 1}}, {{Pair: x.Reverse(), Count: 1}}}}
}
