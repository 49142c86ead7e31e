// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestSamplesOfAsymmetricProducts: a Poisson sample of two pairs that are not self-dual, in
// both directions, against Σ(p − e^ε·q)₊ over its outcomes.
func TestSamplesOfAsymmetricProducts(t *testing.T) {
	p, q := rats("1/10", "3/5", "3/10"), rats("0", "1/5", "4/5")
	var ps, qs []*big.Rat // of two copies
	for i := range p {
		for j := range p {
			ps, qs = append(ps, new(big.Rat).Mul(p[i], p[j])), append(qs, new(big.Rat).Mul(q[i], q[j]))
		}
	}
	rate := rat("1/3")
	mix := make([]*big.Rat, len(ps))
	for i := range mix {
		mix[i] = new(big.Rat).Mul(rate, ps[i])
		mix[i].Add(mix[i], new(big.Rat).Mul(rat("2/3"), qs[i]))
	}
	const w = interval.Prec(200)
	sums := func(a, b []*big.Rat, eps *big.Rat) interval.Interval {
		sum := interval.Int(0)
		for i := range a {
			sum = w.Add(sum, interval.Max(interval.Int(0), w.Sub(w.Rat(a[i]), w.Mul(w.Exp(w.Rat(eps)), w.Rat(b[i])))))
		}
		return sum
	}
	event := mechanism.PoissonSampled{SamplingProbability: rate, Event: mechanism.SelfComposed{Event: asymmetric, Count: 2}}
	for _, eps := range []string{"-1", "-1/5", "0", "1/7", "1/2", "1", "3"} {
		for d, want := range map[mechanism.Direction]interval.Interval{
			mechanism.Remove: sums(mix, qs, rat(eps)), mechanism.Add: sums(qs, mix, rat(eps)),
		} {
			r, err := Delta(context.Background(), Question{Event: event, Direction: d}, rat(eps), 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := interval.Intersect(r.Interval, want); !ok {
				t.Errorf("%s: δ(%s) = %s, want %s", d, eps, r.Interval, want)
			}
		}
	}
	// By the profile of the base alone, without the check of an enumeration.
	for _, reversed := range []bool{false, true} {
		x := pair.Sampled{Rate: rate, Base: pair.Product{{Pair: pair.NewFinite(p, q), Count: 2}}, Reversed: reversed}
		f, err := method.Poisson(method.NewSolver(method.All, 0, nil), x, 0).Prepare(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, eps := range []string{"-1/5", "1/7", "1/2"} {
			want := sums(mix, qs, rat(eps))
			if reversed {
				want = sums(qs, mix, rat(eps))
			}
			y, err := f(context.Background(), 64, interval.RealRat(rat(eps)))
			if _, ok := interval.Intersect(y, want); err != nil || !ok {
				t.Errorf("reversed %v: δ(%s) = %s, %v, want %s", reversed, eps, y, err, want)
			}
		}
	}
}

// TestSymmetricIsTheGreater: the pair for both orientations has the greater of the two
// profiles.
func TestSymmetricIsTheGreater(t *testing.T) {
	x := pair.Clamped{Noise: pair.LaplaceNoise, Location: rat("1"), Width: rat("1"), Shift: rat("1/2")}
	s := method.NewSolver(method.All, 0, nil)
	f, err := method.Maximum(s, symmetric(x), 0).Prepare(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, eps := range []string{"-1", "-1/4", "0", "1/4", "1"} {
		e := interval.RealRat(rat(eps))
		y, err := f(context.Background(), 64, e)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []pair.Pair{x, x.Reverse()} {
			g, _, err := s.ProfileOf(context.Background(), pair.Product{{Pair: o, Count: 1}})
			if err != nil {
				t.Fatal(err)
			}
			if z, err := g(context.Background(), 64, e); err != nil || y.Less(z) == interval.True {
				t.Errorf("δ(%s) = %s, of %s %s, %v", eps, y, o, z, err)
			}
		}
	}
}

// TestOutcomesLeftOut: what an enumeration leaves out may all count.
func TestOutcomesLeftOut(t *testing.T) {
	const p = interval.Prec(64)
	os := []pair.Outcome{{P: p.Rat(rat("1/2")), Q: p.Rat(rat("1/4"))}, {P: p.Rat(rat("1/4")), Q: p.Rat(rat("1/2"))}}
	y, err := profile.Outcomes(os, p.Rat(rat("1/4")))(context.Background(), 64, interval.RealRat(new(big.Rat)))
	if err != nil || !y.ContainsRat(rat("1/4")) || !y.ContainsRat(rat("1/2")) {
		t.Errorf("δ(0) in %s, %v, want all of [1/4, 1/2]", y, err)
	}
}

// TestGaussiansCollapse: a composition of Gaussians has the sum of their μ², each as often
// as it occurs.
func TestGaussiansCollapse(t *testing.T) {
	e := mechanism.Composed{Events: []mechanism.Event{
		mechanism.SelfComposed{Event: mechanism.Gaussian{NoiseMultiplier: rat("3")}, Count: 5},  // 5/9
		mechanism.SelfComposed{Event: mechanism.Gaussian{NoiseMultiplier: rat("6")}, Count: 16}, // 4/9
	}}
	r, err := Delta(context.Background(), Question{Event: e}, rat("1"), 0)
	if err != nil || !around(r.Interval, "0.1269367375066439458008296247577668804150") {
		t.Errorf("δ(1) = %s, %v", r.Interval, err)
	}
}

// TestEpsilonOfGuarantees: of 1/2-zCDP the lower end of ε is one at which a witness
// still violates δ, and the upper end one at which the bound holds.
func TestEpsilonOfGuarantees(t *testing.T) {
	ctx := context.Background()
	p, err := Prepare(ctx, Question{Event: mechanism.ZCDP{Rho: rat("1/2"), Xi: new(big.Rat)}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range testkit.First(1, "1/1000", "1/5") {
		r, err := p.Epsilon(ctx, rat(d), 30)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi, ok := r.Rationals()
		if !ok {
			t.Fatalf("ε(%s) in %s", d, r.Interval)
		}
		tiny := rat("1/1000000")
		below, err1 := p.Delta(ctx, lo.Sub(lo, tiny))
		above, err2 := p.Delta(ctx, hi)
		if err1 != nil || err2 != nil || interval.Point(below.Lo()).LessRat(rat(d)) != interval.False || interval.Point(above.Hi()).LessEqRat(rat(d)) != interval.True {
			t.Errorf("ε(%s) in %s, where δ is in %s and in %s", d, r.Interval, below.Interval, above.Interval)
		}
	}
}

// TestExactValuesOfWitnesses: a value is only known where all bounds are both lower and
// upper ones.
func TestExactValuesOfWitnesses(t *testing.T) {
	r, err := Delta(context.Background(), Question{Event: mechanism.SelfComposed{Event: asymmetric, Count: 2}, Relation: mechanism.ReplaceOne}, new(big.Rat), 0)
	if err != nil || r.Value != nil {
		t.Errorf("δ(0) = %s, value %v, %v", r.Interval, r.Value, err)
	}
}

// TestDominationIsNotAttained: what dominates both orientations of every factor bounds
// from above, and is more than what the best choice of orientations attains, the second in view of the first output.
func TestDominationIsNotAttained(t *testing.T) {
	p, q := rats("1/6", "1/6", "2/3"), rats("5/11", "1/2", "1/22")
	const w = interval.Prec(100)
	event := mechanism.SelfComposed{Event: mechanism.FinitePair{P: p, Q: q}, Count: 2}
	gaps := 0
	of := []pair.Product{pair.Copies(pair.NewFinite(p, q), 1), pair.Copies(pair.NewFinite(q, p), 1)}
	both := pair.Copies(pair.MaximumOf(of), 2)
	solver := method.NewSolver(method.All, 0, nil)
	dominating, _, err := solver.ProfileOf(context.Background(), both)
	if err != nil {
		t.Fatal(err)
	}
	for _, eps := range []string{"0", "1/4", "1/2", "1", "3/2", "2", "3"} {
		alpha := w.Exp(w.Rat(rat(eps)))
		attained := interval.Int(0)
		for _, first := range [][2][]*big.Rat{{p, q}, {q, p}} {
			sum := interval.Int(0)
			for i := range p {
				best := interval.Int(0)
				for _, second := range [][2][]*big.Rat{{p, q}, {q, p}} {
					part := interval.Int(0)
					for j := range p {
						a, b := new(big.Rat).Mul(first[0][i], second[0][j]), new(big.Rat).Mul(first[1][i], second[1][j])
						part = w.Add(part, interval.Max(interval.Int(0), w.Sub(w.Rat(a), w.Mul(alpha, w.Rat(b)))))
					}
					best = interval.Max(best, part)
				}
				sum = w.Add(sum, best)
			}
			attained = interval.Max(attained, sum)
		}
		r, err := Delta(context.Background(), Question{Event: event, Relation: mechanism.ReplaceOne}, rat(eps), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := interval.Intersect(r.Interval, attained); !ok {
			t.Errorf("δ(%s) in %s, but %s is attained, and nothing above", eps, r.Interval, attained)
		}
		above, err := dominating(context.Background(), 64, interval.RealRat(rat(eps)))
		if err != nil || above.Less(attained) == interval.True {
			t.Errorf("δ(%s) in %s by what dominates, but %s is attained, %v", eps, above, attained, err)
		}
		if attained.Less(above) == interval.True {
			gaps++
		}
	}
	if gaps == 0 {
		t.Error("the two bounds are equal everywhere: choose another pair")
	}
}

// TestEpsilonOfWideProfiles: where δ is only known between the profiles of two Gaussians,
// ε is so too.
func TestEpsilonOfWideProfiles(t *testing.T) {
	ctx := context.Background()
	var fs []profile.Func
	s := method.NewSolver(method.All, 0, nil)
	for _, mu2 := range []string{"1", "4"} {
		f, _, err := s.ProfileOf(ctx, pair.Product{{Pair: pair.Gaussian{Mu2: rat(mu2)}, Count: 1}})
		if err != nil {
			t.Fatal(err)
		}
		fs = append(fs, f)
	}
	var sol method.Solution
	sol.Add(method.Used{Name: "wide", From: method.BothSides, Tight: false, F: func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		a, err := fs[0](ctx, p, eps)
		if err != nil {
			return a, err
		}
		b, err := fs[1](ctx, p, eps)
		return interval.Union(a, b), err
	}})
	p := &Profile{prepared: prepared{solver: s}}
	b := method.Bound{Prod: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}}, Sol: &sol, Lower: true, Upper: true}
	// δ(1) of the first is 0.12693673…, and its ε(0.1269) 1.0002…; δ(3.45) of the second is less.
	y, _, err := p.epsilon(ctx, b, rat("0.1269"), accuracy{bits: 30})
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := interval.Point(y.Lo()), interval.Point(y.Hi())
	if lo.LessRat(rat("1")) == interval.True || lo.LessRat(rat("1.001")) != interval.True || hi.LessRat(rat("2")) == interval.True {
		t.Fatalf("ε(0.1269) in %s", y)
	}
	r, _, _ := hi.Rationals()
	if z, err := fs[1](ctx, 64, interval.RealRat(r)); err != nil || z.LessEqRat(rat("0.1269")) != interval.True {
		t.Errorf("ε(0.1269) in %s, at the upper end of which δ is %s, %v", y, z, err)
	}
}
