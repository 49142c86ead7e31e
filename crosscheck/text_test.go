// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"dpverify/exact"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestSummariesAreComplete: text and JSON have every count, and a disagreement only where there is one.
func TestSummariesAreComplete(t *testing.T) {
	s := Summary{Seed: 3, Rounds: 5, Counts: Counts{Elementary: map[string]int{"log": 11}, Skipped: map[string]int{"log": 12},
		Functions: map[string]int{"math.Erfc": 13}, Engines: map[string]map[Verdict]int{"gaussian": {Proved: 14, Inconclusive: 15}},
		FastMethods: map[string]map[Verdict]int{"fourier": {Proved: 16}}, Divergences: map[Verdict]int{Proved: 17}, Uncovered: 18, Pairs: map[string]int{"a, b": 19}}}
	for _, err := range []error{nil, errors.New("out of memory"), fmt.Errorf("found: %w", &exact.InconsistencyError{First: "one", Second: "two"})} {
		data, failed := json.Marshal(NewSummaryReport(s, err))
		if failed != nil {
			t.Fatal(failed)
		}
		text := s.Text(err)
		for n := 11; n <= 19; n++ {
			for form, out := range map[string]string{"text": text, "JSON": string(data)} {
				if !strings.Contains(out, fmt.Sprint(n)) {
					t.Errorf("%s: the %s has no %d: %s", err, form, n, out)
				}
			}
		}
		found := IsDisagreement(err)
		if found != strings.Contains(text, "DISAGREEMENT") || found != strings.Contains(string(data), "disagreement") || strings.Contains(text, "\nno disagreement\n") != (err == nil) {
			t.Errorf("%v: %s\n%s", err, text, data)
		}
	}
}

// TestCheckEvent: one event, both engines and all methods.
func TestCheckEvent(t *testing.T) {
	q := exact.Question{Event: mechanism.SelfComposed{Count: 3, Event: mechanism.Laplace{NoiseMultiplier: testkit.Rat("2")}}}
	c, err := CheckEvent(t.Context(), q, []*big.Rat{testkit.Rat("1/2"), testkit.Rat("1")}, []string{"1/2", "1"})
	if err != nil || c.Err != nil || len(c.Comparisons) != 2 || len(c.Pairs) == 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	if text := c.Text(); strings.Count(text, "proved") != 2 || !strings.Contains(text, "δ(1/2) ") {
		t.Errorf("text %s", text)
	}
	if r := NewCheckReport(c); len(r.Comparisons) != 2 || r.Comparisons[1].Epsilon != "1" || r.Disagreement != "" {
		t.Errorf("report %+v", r)
	}
	if _, err := CheckEvent(t.Context(), exact.Question{}, []*big.Rat{testkit.Rat("1")}, []string{"1"}); err == nil {
		t.Error("no event, no error")
	}
}
