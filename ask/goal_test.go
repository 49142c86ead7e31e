// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"errors"
	"math/big"
	"testing"
	"time"

	"dpverify/exact"
	"dpverify/internal/efforts"
	"dpverify/mechanism"
)

func TestGoalsAreChecked(t *testing.T) {
	above := exact.MaxEffort + 1
	q := exact.Question{Event: mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}}
	for field, g := range map[string]Goal{
		"digits": {Digits: MaxDigits + 1}, "budget": {Budget: -time.Second}, "effort": {Fixed: &above},
	} {
		_, err := For(t.Context(), q, g, Delta(big.NewRat(1, 1)))
		if p := new(mechanism.ParamError); !errors.As(err, &p) || p.Field != field {
			t.Errorf("%+v: %v", g, err)
		}
	}
}

// TestZeroGoal: what is not said wants the default accuracy, at any cost.
func TestZeroGoal(t *testing.T) {
	q := exact.Question{Event: mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}}
	as, err := For(t.Context(), q, Goal{}, Delta(big.NewRat(1, 1)))
	if err != nil || !as[0].Complete() || !efforts.Accurate(as[0].Enclosure, DefaultDigits, 0) {
		t.Errorf("%+v, %v", as, err)
	}
}

// TestProfilesAreShared: a profile that another climb has prepared is not prepared again.
func TestProfilesAreShared(t *testing.T) {
	q := exact.Question{Event: mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}}
	g := Goal{Profiles: new(Profiles)}
	if _, err := For(t.Context(), q, g, Delta(big.NewRat(1, 1))); err != nil || len(g.Profiles.prepared) == 0 {
		t.Fatalf("%d profiles, %v", len(g.Profiles.prepared), err)
	}
	kept := g.Profiles.prepared[0]
	if _, err := For(t.Context(), q, g, Delta(big.NewRat(2, 1))); err != nil || g.Profiles.prepared[0] != kept {
		t.Errorf("prepared again: %v", err)
	}
	// Another question has other profiles, whoever shares them.
	q.Event = mechanism.Gaussian{NoiseMultiplier: big.NewRat(2, 1)}
	as, err := For(t.Context(), q, g, Delta(big.NewRat(1, 1)))
	own, err2 := For(t.Context(), q, Goal{}, Delta(big.NewRat(1, 1)))
	if err != nil || err2 != nil || as[0].Lo().Cmp(own[0].Lo()) != 0 || as[0].Hi().Cmp(own[0].Hi()) != 0 {
		t.Errorf("σ = 2 after σ = 1: %v, want %v", as[0].Interval, own[0].Interval)
	}
}

// TestGoalBoundsMemory: MaxMemory of a goal is the question's.
func TestGoalBoundsMemory(t *testing.T) {
	fixed := exact.Effort(0)
	step := mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 100), Event: mechanism.Laplace{NoiseMultiplier: big.NewRat(3, 1)}}
	q := exact.Question{Event: mechanism.SelfComposed{Event: step, Count: 12}}
	as, err := For(t.Context(), q, Goal{Fixed: &fixed, MaxMemory: 10_000}, Delta(big.NewRat(1, 100)))
	if m := new(efforts.MemoryError); err != nil || !errors.As(as[0].Lacking, &m) || m.Refused[0].Method != "pld" {
		t.Errorf("%+v, %v", as, err)
	}
}

// TestTheTimeOfAGoal: a budget that began earlier ends earlier.
func TestTheTimeOfAGoal(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		goal Goal
		want time.Duration // from now; 0 for never
	}{
		{Goal{}, 0},
		{Goal{Budget: time.Hour}, time.Hour},
		{Goal{Budget: time.Hour, Started: now.Add(-time.Minute)}, 59 * time.Minute},
	} {
		ctx, cancel := c.goal.Limit(t.Context())
		end, ok := ctx.Deadline()
		if ok != (c.want != 0) || ok && (end.Sub(now)-c.want).Abs() > 30*time.Second {
			t.Errorf("%+v ends at %v", c.goal, end)
		}
		cancel()
	}
}
