// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// replay is what a policy attains at α, in rationals but for where it looks at the loss.
func (p Policy) replay(family []Finite, step int, alpha, ratio *big.Rat) *big.Rat {
	if step == len(p.Steps) {
		return hockey(new(big.Rat).Mul(alpha, ratio))
	}
	loss := -double.Log64(double.Of(interval.Prec(64).Rat(ratio)).Mid())
	f := family[p.Choice(step, loss)]
	sum := new(big.Rat)
	for k, mass := range f.P {
		switch {
		case mass.Sign() == 0:
		case f.Q[k].Sign() == 0:
			sum.Add(sum, mass)
		default:
			next := new(big.Rat).Quo(f.Q[k], mass)
			sum.Add(sum, next.Mul(mass, p.replay(family, step+1, alpha, next.Mul(next, ratio))))
		}
	}
	return sum
}

// TestPoliciesAreReplayed: the policy that is printed, followed output by output in rationals, attains the greatest δ
// of all policies.
func TestPoliciesAreReplayed(t *testing.T) {
	const w = interval.Prec(200)
	r := rand.New(rand.NewSource(5))
	looks := 0
	for range testkit.Cases(60, 500) {
		family := families(r, 1+r.Intn(3), 2+r.Intn(2))
		steps := 1 + r.Intn(3)
		eps := big.NewRat(r.Int63n(40)-8, 10)
		p, delta, ok := EnumeratePolicy(context.Background(), family, int64(steps), 1<<16, w, eps)
		if !ok {
			t.Fatal("too many ways")
		}
		lo, hi, _ := w.Exp(w.Rat(eps)).Rationals()
		one := big.NewRat(1, 1)
		got, most := p.replay(family, 0, lo, one), worst(family, steps, lo, hockey)
		if least := worst(family, steps, hi, hockey); got.Cmp(least) < 0 || got.Cmp(most) > 0 || !delta.ContainsRat(least) {
			t.Errorf("%d steps at ε = %s: the policy has %s, the best between %s and %s, said %v", steps, eps.RatString(),
				got.FloatString(20), least.FloatString(20), most.FloatString(20), delta)
		}
		for _, runs := range p.Steps {
			if len(runs) > 1 {
				looks++
			}
		}
	}
	if looks == 0 {
		t.Error("no policy looks at a loss")
	}
}

// TestPoliciesOfGrids: followed on the pairs themselves, a policy of a grid has about what the bound from below says,
// and no more than the best one.
func TestPoliciesOfGrids(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	cases, found := testkit.Draws(3, 8, 200), 0
	for range cases {
		family := families(r, 2+r.Intn(2), 2+r.Intn(2))
		var pairs []*Pair
		for _, f := range family {
			pairs = append(pairs, f.pair())
		}
		steps, eps := 2+r.Intn(2), big.NewRat(r.Int63n(20), 10)
		set := Settings{Length: 1 << 11, Prec: 96, Cut: 30, Delta: big.NewRat(1, 1000), Policy: true}
		b, ok, err := Solve(context.Background(), Problem{Below: pairs, Steps: int64(steps)}, set)
		if err != nil {
			t.Fatal(err)
		}
		if !ok { // no pair has a table: all of them are next to equal distributions
			continue
		}
		found++
		p, ok := b.Policy(eps)
		if !ok || len(p.Steps) != steps {
			t.Fatalf("no policy of %d steps", steps)
		}
		below, _ := b.Below(context.Background(), 96, interval.RealRat(eps))
		lo, _, _ := interval.Prec(200).Exp(interval.Prec(200).Rat(eps)).Rationals()
		got := p.replay(family, 0, lo, big.NewRat(1, 1))
		if got.Cmp(worst(family, steps, lo, hockey)) > 0 {
			t.Errorf("a policy has %s, more than the best one", got.FloatString(20))
		}
		near := new(big.Rat).Add(got, big.NewRat(1, 50))
		if interval.Prec(96).Rat(near).Less(interval.Point(below.Lo())) == interval.True {
			t.Errorf("%d steps at ε = %s: the policy has %s, at least %v were said", steps, eps.RatString(),
				got.FloatString(20), below)
		}
	}
	if 2*found < cases {
		t.Errorf("%d of %d have a policy", found, cases)
	}
}
