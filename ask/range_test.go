// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"dpverify/exact"
	"dpverify/mechanism"
)

// TestRangeHoldsForAllBetween: the answers for a range contain those for its ends, and for
// what is between them.
func TestRangeHoldsForAllBetween(t *testing.T) {
	gaussian := func(num, den int64) mechanism.Event {
		return mechanism.Gaussian{NoiseMultiplier: big.NewRat(num, den)}
	}
	r := mechanism.Range{MorePrivate: gaussian(2, 1), LessPrivate: gaussian(1, 1), Rounded: []string{"event.p"}}
	qs := []Quantity{Delta(big.NewRat(1, 1)), Epsilon(big.NewRat(1, 1000)), TotalVariation()}
	all, err := Range(t.Context(), exact.Question{}, r, Goal{Digits: 6}, qs...)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []mechanism.Event{r.MorePrivate, r.LessPrivate, gaussian(3, 2)} {
		one, err := For(t.Context(), exact.Question{Event: e}, Goal{Digits: 6}, qs...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range qs {
			if a, b := all[i], one[i]; a.Lo().Cmp(b.Lo()) > 0 || a.Hi().Cmp(b.Hi()) < 0 {
				t.Errorf("quantity %d of %v: %v, the range has %v", i, e, b.Interval, a.Interval)
			}
		}
	}
	for i, a := range all {
		if a.Complete() || a.Lacking != errRounded || !a.Found || !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "event.p") }) {
			t.Errorf("quantity %d: %q, notes %q", i, a.Reason(), a.Notes)
		}
	}
}

// TestRangeOfOneEvent is For.
func TestRangeOfOneEvent(t *testing.T) {
	e := mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}
	all, err := Range(t.Context(), exact.Question{}, mechanism.Range{MorePrivate: e, LessPrivate: e}, Goal{}, TotalVariation())
	if err != nil || !all[0].Complete() || len(all[0].Notes) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
}
