// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"context"
	"flag"
	"fmt"
	"math/big"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"dpverify/exact"
	"dpverify/float/value"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

var compositionsFlag = flag.Int("compositions", 0, "how many random compositions TestRandomCompositions compares, instead of 4, and of 1,000 under DPVERIFY_LONG")

// TestRandomCompositions sends random compositions through both engines: none is
// refuted, at most 1% are inconclusive, and the float values are accurate.
func TestRandomCompositions(t *testing.T) {
	n := 4
	switch {
	case os.Getenv("DPVERIFY_LONG") != "":
		n = 1000
	}
	if *compositionsFlag > 0 {
		n = *compositionsFlag
	}
	cases := make(chan int64)
	results := make(chan Comparison)
	failures := make(chan error)
	var workers sync.WaitGroup
	for range min(2, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for seed := range cases {
				c, err := Draw(t.Context(), seed)
				if err == nil {
					var both Comparison
					if both, err = c.Compare(context.Background(), 1); err == nil {
						results <- both
						continue
					}
				}
				failures <- fmt.Errorf("seed %d: %w", seed, err)
			}
		})
	}
	go func() {
		for i := range n {
			cases <- int64(i)
		}
		close(cases)
		workers.Wait()
		close(results)
	}()
	verdicts := make(map[Verdict]int)
	var errs []float64 // Err/V
	for done := false; !done; {
		select {
		case err := <-failures:
			t.Error(err)
		case c, ok := <-results:
			if done = !ok; done {
				break
			}
			verdicts[c.Verdict]++
			if c.Verdict == Inconclusive {
				lo, hi := c.Exact.Decimal(10)
				t.Logf("inconclusive: %.10g ± %.2g (%s), [%s, %s] (%v): %s", c.Float.V, c.Float.Err, c.Float.Method, lo, hi, c.Exact.Methods, Command(c.Question, c.Eps))
			}
			if c.Float.V >= 1e-12 {
				errs = append(errs, c.Float.Rel())
			}
		}
	}
	slices.Sort(errs)
	median, most := errs[len(errs)/2], errs[len(errs)*99/100]
	t.Logf("%d proved, %d inconclusive; Err/V of the %d with δ ≥ 1e-12: median %.2g, 99th percentile %.2g", verdicts[Proved], verdicts[Inconclusive], len(errs), median, most)
	if verdicts[Inconclusive] > max(2, n/100) {
		t.Errorf("%d of %d are inconclusive", verdicts[Inconclusive], n)
	}
	if !(median <= 1e-9) || !(most <= 1e-4) {
		t.Errorf("Err/V: median %.2g, 99th percentile %.2g; want at most 1e-9 and 1e-4", median, most)
	}
}

// TestJudge: touching is overlapping, and one unit beyond is disjoint or outside.
func TestJudge(t *testing.T) {
	f := func(x float64) *big.Float { return new(big.Float).SetFloat64(x) }
	const u = 0x1p-52
	for _, c := range []struct {
		lo, hi float64
		want   Verdict
	}{
		{0.75, 1.25, Proved},
		{1, 1, Proved},
		{0.75 - u, 1.25, Inconclusive},
		{0.75, 1.25 + u, Inconclusive},
		{0.5, 0.75, Inconclusive},
		{0.5, 0.75 - u, Refuted},
		{1.25 + u, 2, Refuted},
		{1.25, 2, Inconclusive},
		{0, 2, Inconclusive},
	} {
		if got := judge(f(c.lo), f(c.hi), value.Value{V: 1, Err: 0.25}); got != c.want {
			t.Errorf("[%v, %v] against 1 ± 0.25: %v, want %v", c.lo, c.hi, got, c.want)
		}
	}
}

// TestRefutedIsReported: were the fast path wrong by a hundred times its error bound,
// it would show; the report is a command.
func TestRefutedIsReported(t *testing.T) {
	testkit.SkipShort(t)
	for seed := range int64(5) {
		c, err := Draw(t.Context(), seed)
		if err != nil {
			t.Fatal(err)
		}
		fast, err := prepare(t.Context(), c.Question)
		if err != nil {
			t.Fatal(err)
		}
		a, err := fast.Delta(t.Context(), c.Eps)
		if err != nil {
			t.Fatal(err)
		}
		r, err := exact.Delta(context.Background(), c.Question, c.Eps, 0)
		if err != nil {
			t.Fatal(err)
		}
		if judge(r.Lo(), r.Hi(), a.Value) != Proved {
			continue
		}
		a.V += 100 * a.Err
		if v := judge(r.Lo(), r.Hi(), a.Value); v != Refuted {
			t.Errorf("seed %d: %v", seed, v)
		}
		text := (&ProfileViolation{Comparison{Question: c.Question, Eps: c.Eps, Float: a, Exact: r, Verdict: Refuted}}).Error()
		if !strings.Contains(text, "reproduce with: verify selftest --relation "+c.Question.Relation.String()) {
			t.Errorf("no command in %q", text)
		}
	}
}

// TestMethods: the methods of the exact engine agree with each other on random cases,
// and there are several of them. Of a hundred cases every family has five and most have twenty, at two ε each;
// verify selftest draws others.
func TestMethods(t *testing.T) {
	t.Parallel()
	n := testkit.Draws(3, 6, 100)
	total := 0
	for seed := range int64(n) {
		c, err := Draw(t.Context(), seed)
		if err != nil {
			t.Fatal(err)
		}
		if c.Family == "sampled Gaussians" {
			continue // minutes, at this effort
		}
		pairs, err := Methods(context.Background(), c.Question, []*big.Rat{c.Eps, new(big.Rat)}, 0, 0.5)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, k := range pairs {
			total += k
		}
	}
	if total < n {
		t.Errorf("only %d pairs of methods were compared", total)
	}
	t.Logf("%d pairs of methods", total)
}

// TestMethodsOnInfiniteMass: for a continuous pair with a mass of infinite loss, a bound
// from moments that forgets the mass is below the truth.
func TestMethodsOnInfiniteMass(t *testing.T) {
	e, err := mechanism.DecodeEvent([]byte(`{"class_name":"TruncatedLaplaceEvent","scale":"3.5","sensitivity":"0.617","radius":"3.5"}`))
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := Methods(context.Background(), exact.Question{Event: e}, []*big.Rat{big.NewRat(25234, 10000)}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if pairs["closed-form / renyi"] == 0 {
		t.Errorf("compared %v", pairs)
	}
}

// TestSelfTest: equal seeds make equal rounds, and every kind of comparison is made.
func TestSelfTest(t *testing.T) {
	a, err := SelfTest(context.Background(), 5, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := a
	if testkit.Long() { // equal seeds make equal rounds
		if b, err = SelfTest(context.Background(), 5, 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if a.Rounds != 1 || a.Total() != b.Total() {
		t.Errorf("%d rounds of %d and %d comparisons", a.Rounds, a.Total(), b.Total())
	}
	for kind, n := range map[string]int{"elementary": len(a.Elementary), "functions": len(a.Functions), "engines": len(a.Engines), "methods": len(a.Pairs)} {
		if n == 0 {
			t.Errorf("no %s", kind)
		}
	}
}
