// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"bytes"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand"
	"os"
	"runtime/debug"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/prop"

	"dpverify/internal/testkit"
)

var (
	seedFlag = flag.Int64("seed", 1, "seed of the first case")
	multFlag = flag.Float64("mult", 1, "multiplies the number of cases")
)

// A generator draws values and proposes smaller ones.
type generator[T any] struct {
	draw func(*rand.Rand) T
	// shrink returns simpler values than v, simplest first; nil for none.
	shrink func(v T) []T
}

func (g generator[T]) gen() gopter.Gen {
	return func(p *gopter.GenParameters) *gopter.GenResult {
		return gopter.NewGenResult(g.draw(p.Rng), func(v any) gopter.Shrink {
			var smaller []T
			if g.shrink != nil {
				smaller = g.shrink(v.(T))
			}
			i := 0
			return func() (any, bool) {
				if i == len(smaller) {
					return nil, false
				}
				i++
				return smaller[i-1], true
			}
		})
	}
}

// forAll checks a law on a twelfth of the given number of random cases, on a quarter under DPVERIFY_THOROUGH, and on
// five times that number under DPVERIFY_LONG. The law returns an error, or panics, where it is violated.
//
// Every case has a seed of its own, and a run begins with the case of -seed: the
// seed that a failure prints brings that case back at once.
func forAll[T any](t *testing.T, cases int, g generator[T], law func(T) error) {
	t.Helper()
	t.Parallel()
	n := max(1, int(float64(cases)*multiple()))
	switch {
	case testing.Short():
		n = max(1, n/4)
	case !testkit.Thorough():
		n = max(min(n, 3), n/3)
	}
	for i := range n {
		seed := *seedFlag
		if i > 0 {
			seed = caseSeed(t.Name(), *seedFlag, i)
		}
		params := gopter.DefaultTestParametersWithSeed(seed)
		params.MinSuccessfulTests = 1
		lemma := gopter.NewProperties(params)
		lemma.Property(t.Name(), prop.ForAll(func(v T) string { return violation(v, law) }, g.gen()))
		var report bytes.Buffer
		if !lemma.Run(gopter.NewFormatedReporter(false, 1<<20, &report)) {
			t.Fatalf("case %d of %d:\n%sreproduce with: go test ./props -run '^%s$' -seed=%d", i, n, report.String(), t.Name(), seed)
		}
	}
}

func multiple() float64 {
	if os.Getenv("DPVERIFY_LONG") != "" {
		return 5 * *multFlag
	}
	return *multFlag / 4
}

// caseSeed depends on the test too: tests that share a generator see different
// cases.
func caseSeed(test string, seed int64, i int) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %d", test, seed, i)
	return int64(h.Sum64() >> 1)
}

// violation returns what is wrong, empty if nothing is. A panic is a violation, so
// that its case is shrunk like any other.
func violation[T any](v T, law func(T) error) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	if err := law(v); err != nil {
		return err.Error()
	}
	return ""
}

// TestForAllShrinks: the harness itself finds a small case and a seed that brings
// it back.
func TestForAllShrinks(t *testing.T) {
	g := generator[int]{
		draw: func(r *rand.Rand) int { return r.Intn(1000) },
		shrink: func(v int) []int {
			if v == 0 {
				return nil
			}
			return []int{v / 2, v - 1}
		},
	}
	params := gopter.DefaultTestParametersWithSeed(1)
	params.MinSuccessfulTests = 100
	lemma := gopter.NewProperties(params)
	law := func(v int) error {
		if v > 17 {
			return fmt.Errorf("%d is too large", v)
		}
		return nil
	}
	lemma.Property("small", prop.ForAll(func(v int) string { return violation(v, law) }, g.gen()))
	var report bytes.Buffer
	if lemma.Run(gopter.NewFormatedReporter(false, 200, &report)) || !bytes.Contains(report.Bytes(), []byte("ARG_0: 18\n")) {
		t.Errorf("report: %s", report.String())
	}
}
