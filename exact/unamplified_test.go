// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/allocation"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestInstantBoundsOfAllocations: the first draft knows both sides of an allocation, and what it says is true of
// one of two steps, which a transform knows.
func TestInstantBoundsOfAllocations(t *testing.T) {
	ctx := context.Background()
	for j, d := range []mechanism.Direction{mechanism.Remove, mechanism.Add} {
		for i, sigma := range testkit.InTurn(j, []string{"1/20", "1"}) {
			e := mechanism.RandomAllocation{Event: mechanism.Gaussian{NoiseMultiplier: rat(sigma)}, NumSelected: 1, NumSteps: 2}
			q := Question{Event: e, Direction: d}
			draft, err := PrepareDraft(ctx, q, Instant)
			if err != nil {
				t.Fatal(err)
			}
			two := allocation.NewMean(new(big.Rat).Inv(new(big.Rat).Mul(rat(sigma), rat(sigma))), 2).Profile(d == mechanism.Add)
			for _, eps := range testkit.InTurn(i+j, []string{"-1/2", "1"}) {
				got, err := draft.Delta(ctx, rat(eps))
				if err != nil {
					t.Fatal(err)
				}
				want, err := two(ctx, interval.Prec(testkit.Cases(8, 24)), interval.RealRat(rat(eps)))
				if _, meet := interval.Intersect(got.Interval, want); err != nil || !meet || got.Lo().Sign() <= 0 || got.LessRat(rat("1")) != interval.True && sigma != "1/20" {
					t.Errorf("σ = %s, %s: δ(%s) = %s at once, want %s, %v", sigma, d, eps, got.Interval, want, err)
				}
			}
		}
	}
}

// TestInstantBoundsOfReports: shuffled reports, composed or not, are at most as visible as they are alone.
func TestInstantBoundsOfReports(t *testing.T) {
	ctx := context.Background()
	local := mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("0")}
	e := mechanism.SelfComposed{Event: mechanism.Shuffled{Reports: 50, Event: local}, Count: 3}
	p, err := PrepareDraft(ctx, Question{Event: e, Relation: mechanism.ReplaceOne}, Instant)
	if err != nil {
		t.Fatal(err)
	}
	y, err := p.Delta(ctx, rat("1/2"))
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Delta(ctx, Question{Event: mechanism.SelfComposed{Event: local, Count: 3}, Relation: mechanism.ReplaceOne}, rat("1/2"), 0)
	if err != nil || y.Hi().Cmp(alone.Hi()) > 0 {
		t.Errorf("δ(1/2) = %s, alone %s, %v", y.Interval, alone.Interval, err)
	}
}
