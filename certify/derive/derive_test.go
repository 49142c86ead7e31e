// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"errors"
	"math/big"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func mustParse(t *testing.T, s string) *big.Rat {
	t.Helper()
	r, err := number.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// asked is an event with what a derivation may be asked of it.
func asked(t *testing.T, event string) Question {
	t.Helper()
	e, err := mechanism.DecodeEvent([]byte(event))
	if err != nil {
		t.Fatal(err)
	}
	return Question{Question: exact.Question{Event: e}}
}

const (
	guarantees = `{"class_name": "SelfComposedDpEvent", "count": 40, "event": {"class_name": "EpsilonDeltaDpEvent", "epsilon": "0.1", "delta": "1e-8"}}`
	sampled    = `{"class_name": "SelfComposedDpEvent", "count": 1000, "event": {"class_name": "PoissonSampledDpEvent", "sampling_probability": "0.01", "event": {"class_name": "GaussianDpEvent", "noise_multiplier": "1.1"}}}`
	concentr   = `{"class_name": "ZCDpEvent", "rho": "0.5", "xi": "0.1"}`
	pureNoise  = `{"class_name": "SelfComposedDpEvent", "count": 40, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 10}}`
	lossless   = `{"class_name": "EpsilonDeltaDpEvent", "epsilon": 0, "delta": "1e-8"}`
)

// TestBothWaysRound: the δ that a derivation gives at the ε that it gives at δ is δ, or less
// where δ(ε) has a step.
func TestBothWaysRound(t *testing.T) {
	testkit.SkipShort(t)
	for _, c := range []struct {
		method, event string
		step          bool
	}{
		{"basic", guarantees, true}, {"advanced", guarantees, false}, {"kov", guarantees, true}, {"kov-optimal", guarantees, false}, {"kov-profile", pureNoise, true}, {"adaptive", guarantees, true},
		{"moments-accountant", sampled, false}, {"rdp-mironov", sampled, false},
		{"rdp-mironov", concentr, false}, {"extended-moments-accountant", concentr, false}, {"zcdp-bs", concentr, false}, {"gdp-clt", sampled, false},
	} {
		for _, at := range []string{"1e-30", "0.01"} {
			m, _ := Named(c.method)
			q, delta := asked(t, c.event), mustParse(t, at)
			eps, err := m.Epsilon(t.Context(), q, delta)
			if err != nil {
				t.Fatal(err)
			}
			lo, hi, ok := eps.Rationals()
			if !ok { // ∞: no ε is enough
				if d, err := m.Delta(t.Context(), q, big.NewRat(1000, 1)); err != nil || d.LessEqRat(delta) == interval.True {
					t.Errorf("%s: no ε for δ = %s, and δ(1000) in %v, %v", c.method, at, d.Interval, err)
				}
				continue
			}
			above, err1 := m.Delta(t.Context(), q, hi)
			below, err2 := m.Delta(t.Context(), q, lo)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			if above.LessEqRat(delta) == interval.False || !c.step && lo.Sign() > 0 && below.LessRat(delta) == interval.True {
				t.Errorf("%s: ε(%s) in %v, where δ is from %v to %v", c.method, at, eps.Interval, below.Interval, above.Interval)
			}
			if !c.step && above.RelativeBits(64) < 20 {
				t.Errorf("%s: δ(%v) in %v", c.method, eps.Interval, above.Interval)
			}
		}
	}
}

// TestKeptDivergencesAreTheSame: what other questions about an event have left changes no result.
func TestKeptDivergencesAreTheSame(t *testing.T) {
	kept := new(Kept)
	for _, name := range []string{"moments-accountant", "rdp-mironov", "rdp-cks", "extended-moments-accountant", "rdp-cks"} {
		m, _ := Named(name)
		for _, eps := range []string{"0.5", "2"} {
			q := asked(t, sampled)
			q.Orders = []*big.Rat{big.NewRat(2, 1), big.NewRat(9, 2), big.NewRat(12, 1)}
			want, err := m.Delta(t.Context(), q, mustParse(t, eps))
			if err != nil {
				t.Fatal(err)
			}
			q.Kept = kept
			got, err := m.Delta(t.Context(), q, mustParse(t, eps))
			if err != nil || got.Interval.String() != want.Interval.String() || got.Note != want.Note {
				t.Errorf("%s, δ(%s): %v (%s), %v with what is kept, want %v (%s)", name, eps, got.Interval, got.Note, err, want.Interval, want.Note)
			}
		}
	}
	if len(kept.values) == 0 {
		t.Error("nothing is kept")
	}
}

// TestDeltaOfNothing: below what a method can speak of, its δ is 1; of what loses nothing it
// is the sum of the δ.
func TestDeltaOfNothing(t *testing.T) {
	for _, c := range []struct{ method, event, eps, delta string }{
		{"basic", guarantees, "3.9", "1"}, {"basic", guarantees, "4", "4e-7"}, {"advanced", guarantees, "0.1", "1"},
		{"zcdp-bs", concentr, "0.5", "1"}, {"basic", lossless, "0", "1e-8"}, {"adaptive", lossless, "0", "1e-8"}, {"adaptive", guarantees, "3.9", "1"}, {"kov", lossless, "0", "1e-8"}, {"advanced", lossless, "0", "1e-8"},
		{"zcdp-bs", `{"class_name": "ZCDpEvent", "rho": 0, "xi": "0.1"}`, "0.09", "1"},
		{"zcdp-bs", `{"class_name": "ZCDpEvent", "rho": 0, "xi": "0.1"}`, "0.1", "0"},
	} {
		m, _ := Named(c.method)
		d, err := m.Delta(t.Context(), asked(t, c.event), mustParse(t, c.eps))
		if err != nil || !d.ContainsRat(mustParse(t, c.delta)) || d.LessEqRat(mustParse(t, "1")) != interval.True {
			t.Errorf("%s: δ(%s) in %v, %v, want %s", c.method, c.eps, d.Interval, err, c.delta)
		}
	}
}

// TestWhatHasNoDelta: and says so.
func TestWhatHasNoDelta(t *testing.T) {
	real := asked(t, sampled)
	real.RealOrders = true
	for _, c := range []struct {
		method string
		q      Question
		eps    int64
	}{{"extended-moments-accountant", real, 1}, {"exact", asked(t, sampled), 1}, {"basic", asked(t, guarantees), -1}} {
		m, _ := Named(c.method)
		_, err := m.Delta(t.Context(), c.q, big.NewRat(c.eps, 1))
		if not := NotModelledError(""); !errors.As(err, &not) {
			t.Errorf("%s: %v", c.method, err)
		}
	}
}
