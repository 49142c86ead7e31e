// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"math/big"
	"strings"
	"testing"

	"dpverify/exact/interval"
	"dpverify/float/value"
	"dpverify/internal/testkit"
)

// TestDivergences: random compositions, at several orders. Divergences add up over steps, so that the compositions
// differ by the mechanisms in them, and 150 have each of these many times.
func TestDivergences(t *testing.T) {
	t.Parallel()
	testkit.SkipShort(t)
	n := testkit.Draws(2, 4, 150)
	verdicts := make(map[Verdict]int)
	for seed := range int64(n) {
		c, err := Draw(t.Context(), seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, alpha := range []*big.Rat{big.NewRat(11, 10), big.NewRat(2, 1), big.NewRat(17, 2)} {
			v, err := CompareDivergence(c.Question, alpha)
			if uncovered(err) {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			verdicts[v]++
		}
	}
	t.Logf("%v", verdicts)
	if verdicts[Proved] < n || verdicts[Inconclusive] > verdicts[Proved]/20 {
		t.Errorf("%d proved, %d inconclusive", verdicts[Proved], verdicts[Inconclusive])
	}
}

// TestDivergenceViolation: the text is a command.
func TestDivergenceViolation(t *testing.T) {
	c, err := Draw(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	text := (&DivergenceViolation{c.Question, big.NewRat(2, 1), value.Exact(1), interval.Int(2)}).Error()
	if !strings.Contains(text, "reproduce with: echo '{\"event\":") || !strings.HasSuffix(text, "| verify query") {
		t.Errorf("no command in %q", text)
	}
}
