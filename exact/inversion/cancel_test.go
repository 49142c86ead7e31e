// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"errors"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestCancelledLines: wherever the evaluation of a line is cancelled, it returns the error
// and no values; if it is not, the first value is no more than the moment.
func TestCancelledLines(t *testing.T) {
	const p = interval.Prec(24)
	m, ok := newMixture(pair.Sampled{Rate: rat("1/10"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}}})
	if !ok {
		t.Fatal("no transform")
	}
	for name, f := range map[string]factor{"gaussian": closedForm{gaussian{rat("1")}}, "laplace": closedForm{laplace{rat("1")}}, "mixture": m} {
		polls := 0
		for ; ; polls++ {
			values, err := f.line(&testkit.Countdown{Context: t.Context(), Left: polls}, p, rat("1"), interval.Prec(64).Rat(rat("1/8")), 1)
			if err == nil {
				if len(values) != 2 || polls == 0 {
					t.Errorf("%s: %d values after %d polls", name, len(values), polls)
				} else if m := f.moment(p, rat("1")); m.Less(values[0].Re) == interval.True {
					t.Errorf("%s: M(−1) = %v, want at most %v", name, values[0].Re, m)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || values != nil {
				t.Fatalf("%s, cancelled after %d polls: %d values, error %v", name, polls, len(values), err)
			}
		}
	}
}
