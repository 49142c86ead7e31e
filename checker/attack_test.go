// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// one reads a single claim with this event.
func one(t *testing.T, event, numbers string) *claim {
	t.Helper()
	claims, err := readClaims(fmt.Appendf(nil, "version: 1\nclaims:\n  - {id: a, event: %s, claim: {%s}}\n", event, numbers), nil)
	if err != nil {
		t.Fatal(err)
	}
	return claims[0]
}

// soon fails the test if f takes long: what is below takes a second, and minutes or hours without the limits.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if d := time.Since(start); d > time.Minute {
		t.Errorf("%s took %v", what, d)
	}
}

// TestWorkOfCertificates: certificates that ask for endless work are rejected.
func TestWorkOfCertificates(t *testing.T) {
	laplace := one(t, "{class_name: LaplaceDpEvent, noise_multiplier: 1}", "epsilon: 0.1, delta: 0.9")
	gauss := one(t, "{class_name: SelfComposedDpEvent, count: 3, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.5, event: {class_name: GaussianDpEvent, noise_multiplier: 1}}}", "epsilon: 0.1, delta: 0.0001")
	masses := func(n int) (out []*big.Int) {
		for range n {
			out = append(out, big.NewInt(1))
		}
		return out
	}
	indices := func(n int, f func(int64) int64) (out []int64) {
		for i := range n {
			out = append(out, f(int64(i)))
		}
		return out
	}
	var cuts []operation
	for range 3000 {
		cuts = append(cuts, operation{"leaf", 0, 0}, operation{"cut", 1<<20 - 3, 1<<20 - 2}, operation{"times", 0, 0})
	}
	var coarsen []operation
	for range 3000 {
		coarsen = append(coarsen, operation{"leaf", 0, 0}, operation{"coarsen", 0, 0}, operation{"times", 0, 0})
	}
	var powers []operation
	for range 40 {
		powers = append(powers, operation{"dup", 0, 0}, operation{"times", 0, 0})
	}
	leaf0 := operation{"leaf", 0, 0}
	two := leaf{Index: []int64{0, 1<<20 - 2}, Mass: masses(2)}
	for _, test := range []struct {
		what string
		c    *claim
		g    grid
	}{
		{"kinks at e^999999", laplace, grid{Bits: 250, Step: "1", Leaves: []leaf{{Index: indices(2000, func(i int64) int64 { return 998_000 + i - 1 }), Mass: masses(2000)}}, Plan: []operation{leaf0}}},
		{"kinks at e^-999999", laplace, grid{Bits: 250, Step: "1", Leaves: []leaf{{Index: indices(2000, func(i int64) int64 { return -999_000 + i }), Mass: masses(2000)}}, Plan: []operation{leaf0}}},
		{"far kinks of a Gaussian", gauss, grid{Bits: 16, Step: "1/10000", Leaves: []leaf{{Index: indices(200_000, func(i int64) int64 { return 9_000_000 + i }), Mass: masses(200_000)}}, Plan: []operation{leaf0}}},
		{"cuts", laplace, grid{Bits: 16, Step: "1/1000000", Leaves: []leaf{two}, Plan: append([]operation{leaf0}, cuts...)}},
		{"coarsening", laplace, grid{Bits: 16, Step: "4096", Leaves: []leaf{{Index: []int64{0}, Mass: masses(1)}}, Plan: append([]operation{leaf0}, coarsen...)}},
		{"squares", laplace, grid{Bits: 250, Step: "1/1000000", Leaves: []leaf{two}, Plan: append([]operation{leaf0}, powers...)}},
		{"levels", laplace, grid{Bits: 250, Step: "1/1000000", Leaves: []leaf{{Levels: 40, Index: two.Index, Mass: two.Mass}}, Plan: []operation{leaf0}}},
		{"indices beyond", laplace, grid{Bits: 250, Step: "1", Leaves: []leaf{{Index: []int64{1 << 62}, Mass: masses(1)}}, Plan: []operation{leaf0}}},
	} {
		if os.Getenv("DPVERIFY_LONG") == "" && (test.what == "cuts" || test.what == "far kinks of a Gaussian") {
			continue // seconds
		}
		for _, verdict := range []string{"VERIFIED", "REFUTED"} {
			cert := &certificate{Version: 1, Verdict: verdict, Chains: []chain{{Direction: "remove", Grid: &test.g}}}
			soon(t, test.what, func() {
				if _, err := test.c.check(forClaim(t, encode(t, cert), test.c), nil); err == nil {
					t.Errorf("%s: accepted", test.what)
				}
			})
		}
	}
	// Cells of the lower side that are far out.
	far := grid{Bits: 250, Step: "1", Leaves: []leaf{{Index: make([]int64, 100_000), Part: make([]int64, 100_000), Threshold: indices(100_000, func(i int64) int64 { return i<<31 - 1<<47 })}}, Plan: []operation{leaf0}}
	cert := &certificate{Version: 1, Verdict: "REFUTED", Chains: []chain{{Direction: "remove", Grid: &far}}}
	soon(t, "thresholds", func() {
		if _, err := gauss.check(forClaim(t, encode(t, cert), gauss), nil); err == nil {
			t.Error("far thresholds: accepted")
		}
	})
}

// TestWorkOfClaims: so are claims that ask for it.
func TestWorkOfClaims(t *testing.T) {
	many := 6_000
	if os.Getenv("DPVERIFY_LONG") != "" {
		many = 100_000
	}
	long := "0." + strings.Repeat("0", 400) + strings.Repeat("7", 500)
	var p []string
	for i := range 400 {
		p = append(p, fmt.Sprintf("1/%d%s", i+1, strings.Repeat("9", 900)))
	}
	list := "[" + strings.Join(p, ", ") + "]"
	closed := []byte(`{"version":1,"claim":"","verdict":"VERIFIED","chains":[{"direction":"remove"}]}` + "\n")
	for what, c := range map[string]func() *claim{
		"many digits": func() *claim {
			return one(t, "{class_name: SelfComposedDpEvent, count: 1000, event: {class_name: EpsilonDeltaDpEvent, epsilon: 1, delta: "+long+"}}", "epsilon: 1000, delta: 1e-390")
		},
		"many denominators": func() *claim {
			return one(t, "{class_name: FinitePairEvent, p: "+list+", q: "+list+"}", "epsilon: 1, delta: 0.1")
		},
		"large numbers": func() *claim {
			return one(t, "{class_name: GaussianDpEvent, noise_multiplier: 1e-9999}", "epsilon: 99999, delta: 0.1")
		},
		"small numbers": func() *claim {
			return one(t, "{class_name: LaplaceDpEvent, noise_multiplier: 1e9999}", "epsilon: -99999, delta: 0.1")
		},
		"many terms": func() *claim {
			return one(t, "{class_name: SelfComposedDpEvent, count: 190000, event: {class_name: EpsilonDeltaDpEvent, epsilon: 0.0001, delta: 0}}", "epsilon: 10, delta: 0.000001")
		},
	} {
		soon(t, what, func() {
			if c := c(); c.problem == nil {
				_, _ = c.check(forClaim(t, closed, c), nil)
			}
		})
	}
	// Each alias stands for two of the one before.
	var b strings.Builder
	b.WriteString("version: 1\nclaims:\n  - id: a\n    claim: {epsilon: 1, delta: 0.1}\n    note: &e0 {class_name: NoOpDpEvent}\n")
	for i := range 40 {
		fmt.Fprintf(&b, "  - id: b%d\n    claim: {epsilon: 1, delta: 0.1}\n    event: &e%d\n      class_name: ComposedDpEvent\n      events:\n        - *e%d\n        - *e%d\n", i, i+1, i, i)
	}
	soon(t, "aliases", func() {
		claims, err := readClaims([]byte(b.String()), nil)
		if err != nil || claims[40].problem == nil || claims[3].problem != nil {
			t.Errorf("aliases: %v, %d claims", err, len(claims))
		}
	})
	// Numbers count each time that an alias stands for them, and so do texts that are made of them; a file that takes
	// too long is none.
	numbers := "[" + strings.TrimSuffix(strings.Repeat("1/1000, ", 1000), ", ") + "]"
	pair := "{class_name: FinitePairEvent, p: " + numbers + ", q: " + numbers + "}"
	one(t, pair, "epsilon: 1, delta: 0.1")
	alone := work
	const head = "version: 1\nclaims:\n- id: a\n  claim: {epsilon: 1, delta: 0.1}\n  event:\n    class_name: ComposedDpEvent\n    events:\n    - &e "
	if claims, err := readClaims([]byte(head+pair+"\n"+strings.Repeat("    - *e\n", 49)), nil); err != nil || claims[0].problem != nil || work < 49*alone || alone < 2000*1000 {
		t.Errorf("%v, %v: %v for one, %v for 50", err, claims[0].problem, alone, work)
	}
	for what, text := range map[string]string{
		"a value over many lines": "version: 1\nclaims: [\n" + strings.Repeat("  1,\n", many),
		"a text over many lines":  "version: 1\nclaims:\n  - id: a\n    note: |\n" + strings.Repeat("      x\n", many),
		"many keys":               "version: 1\nclaims:\n" + strings.Repeat("  a: 1\n", many),
		"nesting":                 "version: 1\nclaims: " + strings.Repeat("[", 10*many),
		"nested blocks":           "version: 1\nclaims:\n" + strings.Repeat("- ", many) + "\n",
	} {
		soon(t, what, func() { _, _ = readClaims([]byte(text), nil) })
	}
	soon(t, "nested JSON", func() { _, _ = readClaims([]byte(strings.Repeat(`{"a":[`, 10*many)), nil) })
}

// TestStrangeCertificates: numbers that are none, nesting, and what JSON allows beside the one text.
func TestStrangeCertificates(t *testing.T) {
	claims, files := samples(t)
	c := claims[slices.IndexFunc(claims, func(c *claim) bool { return c.id == "dp-sgd" })]
	data := string(files[c.id])
	if _, err := c.check([]byte(data), nil); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"version":1`, `"version":1.0`}, {`"version":1`, `"version":NaN`}, {`"version":1`, `"version":1e0`}, {`"version":1`, `"Version":1`},
		{`"version":1`, `"version":1,"version":1`}, {`"version":1`, `"version":1,"more":1`}, {`"version":1`, `"version":null`},
		{`"verdict":"VERIFIED"`, `"verdict":"verified"`}, {`"verdict":"VERIFIED"`, `"verdict":"V\u0045RIFIED"`},
		{`"direction":"remove"`, `"direction":"both"`}, {`"direction":"remove"`, `"direction":"add"`},
		{`"bits":`, `"bits":-`}, {`"bits":`, `"bits":1e9`}, {`"bits":`, `"bits":9999999999`}, {`"step":"`, `"step":"-`}, {`"step":"`, `"step":"0`},
		{`"step":"`, `"step":"1e9`}, {`"levels":`, `"levels":-`}, {`"levels":`, `"levels":9`}, {`"index":[`, `"index":[NaN,`}, {`"index":[`, `"index":[null,`},
		{`"index":[`, `"index":[1.5,`}, {`"index":[`, `"index":[[],`}, {`"mass":[`, `"mass":[-`}, {`"mass":[`, `"mass":[0,`}, {`"mass":[`, `"mass":[null,`},
		{`"mass":[`, `"mass":["1",`}, {`"mass":[`, `"part":[0],"mass":[`}, {`"plan":[`, `"plan":[{"op":"leaf","x":-1},`}, {`"plan":[`, `"plan":[{"op":"","x":0},`},
		{`"plan":[`, `"plan":[{"op":"cut","x":0,"y":9223372036854775807},`}, {"\n", ""}, {"\n", "\n\n"}, {"\n", "\r\n"}, {`{"version"`, ` {"version"`},
		{`{"version"`, "\ufeff" + `{"version"`}, {`{"version"`, strings.Repeat(`{"claim":`, 20_000) + `{"version"`}, {`"mass":[`, `"mass":[` + strings.Repeat("9", 100_000) + `,`},
	} {
		changed := strings.Replace(data, change[0], change[1], 1)
		if changed == data {
			t.Fatalf("%v changes nothing", change)
		}
		if _, err := c.check([]byte(changed), nil); err == nil || strings.HasPrefix(err.Error(), "internal error") {
			t.Errorf("%.60v: %v, want a rejection", change, err)
		}
	}
	// The evidence of one direction for the other.
	cert := decode(t, []byte(data))
	cert.Chains[0].Grid, cert.Chains[1].Grid = cert.Chains[1].Grid, cert.Chains[0].Grid
	if _, err := c.check(encode(t, cert), nil); err == nil {
		t.Error("accepted with the evidence of both directions exchanged")
	}
	for k := range cert.Chains {
		cert = decode(t, []byte(data))
		cert.Chains[1-k].Grid = cert.Chains[k].Grid
		if _, err := c.check(encode(t, cert), nil); err == nil {
			t.Errorf("accepted with the evidence of the direction %s for both", cert.Chains[k].Direction)
		}
	}
}
