// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"math/big"
	"math/rand"
	"os"
	"strings"
	"testing"

	"dpverify/internal/testkit"
)

type testContext = context.Context

func rat(s string) *big.Rat { return testkit.Rat(s) }

// ratList parses rational numbers separated by blanks.
func ratList(s string) []*big.Rat {
	var out []*big.Rat
	for _, x := range strings.Fields(s) {
		out = append(out, rat(x))
	}
	return out
}

func ratInt(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

func pow2(k int) *big.Rat {
	n := new(big.Int).Lsh(big.NewInt(1), uint(max(k, -k)))
	if k < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), n)
	}
	return new(big.Rat).SetInt(n)
}

// forTrials runs a law on random trees, each of them with a seed of its own: half of them in the quick suite, and
// eight times as many under DPVERIFY_LONG.
// Trees are small and of few kinds, and the seeds are the same in every run.
func forTrials(t *testing.T, count, events int, law func(t *testing.T, c trial)) {
	t.Helper()
	t.Parallel()
	switch {
	case os.Getenv("DPVERIFY_LONG") != "":
		count *= 8
	case testing.Short():
		count /= 4
	case !testkit.Thorough():
		count /= 2
	}
	for seed := range int64(count) {
		c := drawTrial(rand.New(rand.NewSource(seed)), events)
		law(t, c)
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, c)
		}
	}
}
