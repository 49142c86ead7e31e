// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// plain writes a node as JSON, all scalars as strings.
func (n *node) plain() any {
	switch n.kind {
	case 's', 'w':
		return n.text
	case 't':
		return "(text)"
	case 'l':
		out := []any{}
		for _, x := range n.items {
			out = append(out, x.plain())
		}
		return out
	}
	out := map[string]any{}
	for i, k := range n.keys {
		out[k] = n.items[i].plain()
	}
	return out
}

func read(text string) (got string, err error) {
	defer recovered(&err)
	data, err := json.Marshal(parse([]byte(text)).plain())
	return string(data), err
}

func TestYAML(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb: x y # c\n":                           `{"a":"1","b":"x y"}`,
		"---\n# c\na:\n  - 1\n  - b: 2\n    c: 3\n":    `{"a":["1",{"b":"2","c":"3"}]}`,
		"a:\n- 1\n-\n  b: 2\n- - 3\n  - 4\n":           `{"a":["1",{"b":"2"},["3","4"]]}`,
		"a: {b: 1, c: [x, 'it''s', \"q\\u00e9\"]}\n":   `{"a":{"b":"1","c":["x","it's","qé"]}}`,
		"a: {b: 1,  # c\n  c: 2}\nd: e\n":              `{"a":{"b":"1","c":"2"},"d":"e"}`,
		"a: |\n  text: {\n\n  more\nb: >-\n  x\nc: 1":  `{"a":"(text)","b":"(text)","c":"1"}`,
		"a: one\n  two\nb: 1/2\n":                      `{"a":"one two","b":"1/2"}`,
		"a: &x\n  b: 1\nc: *x\n":                       `{"a":{"b":"1"},"c":{"b":"1"}}`,
		"a:\nb: \"x\n  y\"\n":                          `{"a":"null","b":"x y"}`,
		"a: 1\r\nb: 2\r\n":                             `{"a":"1","b":"2"}`,
		"[1, {\"a\":2}]":                               `["1",{"a":"2"}]`,
		"- [1,\n  2]\n- 'x'\n-\n- # c\n  b: 2\n":       `[["1","2"],"x","null",{"b":"2"}]`,
		"a: x#y\n":                                     `{"a":"x#y"}`,
		"[0, -0, 0.10, 08, 01/2, 00e1, '012', --x]":    `["0","-0","0.10","08","01/2","00e1","012","--x"]`,
		"a: x\n  # c\nb: y\n":                          `{"a":"x","b":"y"}`,
		"- [1,\n 2]\n- # c\n b: 2\n- |\n x\n- x\n y":   `[["1","2"],{"b":"2"},"(text)","x y"]`,
		"{'a': 1, b: [1,], \"c\" :\n 2}":               `{"a":"1","b":["1"],"c":"2"}`,
		"a: {\n# c\n  b: 1 # }\n\n  ,c: 2\n  }\n":      `{"a":{"b":"1","c":"2"}}`,
		"# c\n---  \na:\n- &x 1 # c\n- *x # c\n-\n":    `{"a":["1","1","null"]}`,
		"a: |-\n\n   x\n    y # z\n\n # c\nb: &x\n  c": `{"a":"(text)","b":"c"}`,
	} {
		got, err := read(text)
		if err != nil || got != want {
			t.Errorf("%q is %s, %v, want %s", text, got, err, want)
		}
	}
}

// TestStrict: what has another meaning in YAML, or none, is rejected.
func TestStrict(t *testing.T) {
	for _, text := range []string{
		"", "# c\n", "a: 1\na: 2\n", "a: {b: 1, b: 2}", "a: 1\n b: 2\n", "a:\n  b: 1\n c: 2\n", "a: !x 1", "a: *x", "a: [1, 2",
		"a: {b}", "a: 1\n---\nb: 2", "? a\n: b\n", "a: b: c", "a: @x", "a: `x`", "a: \tx", "\ta: 1", "a: 'x' y", "a: {b: 1} c",
		"a: \"\\x41\"", "%YAML 1.2\n---\na: 1", "a: 1\n...\n", "- 1\nb: 2\n", "b: 2\n- 1\n", "a: \"x\n\n  y\"", "<<: {a: 1}\n",
		"a: [1 2: 3]", "a: \u0085b", "a: {b: c: d}", "a: {b:1}", "a: |x\n  y", "\"a\": 1", "a: x\rb: 1", "a: x # c\n  y", "a: {b: x\n  y}", "a: x\n  b: 2", "a: {b: 1", "a: [,]", "a: {b: 1}, c: 2", "a: {b: 1\nc: 2\n}", "a:\n  {b: 1}\n}", "a: {b: 1\nc: 2}", "a: [1]]", "a: {b: 1]", "a: [1}", "- 1\n,\n", "a: ,", "a: [*x]", "a: one\n\n  two", "a:\n- 1\n- ]",
		"a: 012", "a: -00", "[+07]", "{a: 010}", "[1,,2]", "a: {b: 1} {", "{a: 1", "a: [&x 1]", "- a: 1\n b: 2", "- a: 1\n   b: 2", "a: |\n    x\n  y", "a: &x &y 1", "a: &x'b'", "a: - 1", "a: -", "[- 1]", "[-]", "a: x\n  # c\n  y", "- - 1\n - 2", "a: \"x\"y", "- &x\n- *x: 1", "a: {\"b c\": 1}", "a: {\"b\" 1}", "  ---\na: 1", "---\n---\na: 1", "&x\n", "a: [1#\n]", "a: [1] [2]", "a: x:\n", strings.Repeat("[", 500), strings.Repeat("- ", 500) + "1",
	} {
		if got, err := read(text); err == nil {
			t.Errorf("%q is understood as %s", text, got)
		}
	}
	// What YAML refuses, too, where it is no other value: documents that begin or end inside of texts and brackets,
	// characters that do not print, blank lines of a text that are longer than its indentation, and what is left of the
	// block that it belongs to.
	for _, text := range []string{
		"a: \"x\n---\n  y\"", "a: 'x\n...\n'", "a: [1,\n---\n  2]", "a: x\n...", "a: |\n  x\n--- y", "a: b\x01", "a: b # \x7f", "# \x1b\na: 1", "a: \u0080", "a: \ufffe", "a: |\n     \n  x\nb: 1", "a:\n  b: >-\n\n      \n    x\n",
		"a:\n  b: [1,\n2]", "a:\n  b: {\n  c: 1}", "- a: {\nb: 1}", "a: <<", "a: [<<]", "a: [", "a: [\n# c", "a: {",
	} {
		if got, err := read(text); err == nil || strings.HasPrefix(err.Error(), "internal error") {
			t.Errorf("%q is understood as %s, %v", text, got, err)
		}
	}
	if got, err := read("{\"a\":[1e-5,\t-0.5, true],\r\n \"b\" : {\"c\":\"x\\n\\\"#\"}}\n"); err != nil || got != `{"a":["1e-5","-0.5","true"],"b":{"c":"x\n\"#"}}` {
		t.Errorf("%s, %v", got, err)
	}
}

func TestNumbers(t *testing.T) {
	number := func(text string) (out string, err error) {
		defer recovered(&err)
		r := reader{}
		return r.number(&node{kind: 's', text: text}, "x").RatString(), nil
	}
	for text, want := range map[string]string{"1": "1", "-0.50": "-1/2", "1e-5": "1/100000", "256/60000": "8/1875", ".5": "1/2", "+2.": "2", "1e2/4E1": "5/2", "007": "7"} {
		if got, err := number(text); err != nil || got != want {
			t.Errorf("%s is %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "1e99999", "1/0", "1/-2", "0x10", "1_000", "1e", "inf", "nan", "1/2/3", "--1", "1 ", ".", "e5", "1e1.5", "NaN", "12:30"} {
		if got, err := number(text); err == nil {
			t.Errorf("%q is understood as %s", text, got)
		}
	}
}

// TestClaimsThatAreNotUnderstood have a problem, each in its place.
func TestClaimsThatAreNotUnderstood(t *testing.T) {
	gaussian := `{class_name: GaussianDpEvent, noise_multiplier: 1}`
	sampled := func(event string) string {
		return `{class_name: PoissonSampledDpEvent, sampling_probability: 0.5, event: ` + event + `}`
	}
	laplace := `{class_name: LaplaceDpEvent, noise_multiplier: 1}`
	response := `{class_name: RandomizedResponseDpEvent, noise_parameter: 0.5, num_buckets: 4}`
	guarantee := `{class_name: EpsilonDeltaDpEvent, epsilon: 1, delta: 0}`
	mixture := func(moves, weights string) string {
		return `{class_name: MixtureOfGaussiansDpEvent, standard_deviation: 1, sensitivities: ` + moves + `, sampling_probs: ` + weights + `}`
	}
	pair := `{class_name: FinitePairEvent, p: [0.5, 0.5], q: [0.25, 0.75]}`
	subset := func(event string) string {
		return `{class_name: SampledWithoutReplacementDpEvent, source_dataset_size: 3, sample_size: 2, event: ` + event + `}`
	}
	discrete := func(fields string) string { return `{class_name: DiscreteGaussianDpEvent, ` + fields + `}` }
	for _, c := range []struct{ more, event, claim string }{
		{"", gaussian, "{mu: 1}"},
		{"", gaussian, "{epsilon: 1}"},
		{"", gaussian, "{epsilon: 1, delta: 1.5}"},
		{"", gaussian, "{epsilon: 1, delta: 0.1, mu: 1}"},
		{"", gaussian, "{epsilon: 1e6, delta: 0.1}"},
		{"relation: REPLACE", gaussian, ""},
		{"direction: removed", gaussian, ""},
		{"number_format: binary32", gaussian, ""},
		{"weight: 2", gaussian, ""},
		{"", `{class_name: GaussianDpEvent, noise_multiplier: 0}`, ""},
		{"", `{class_name: GaussianDpEvent, noise_multiplier: {lo: 1, hi: 2}}`, ""},
		{"", `{class_name: GaussianDpEvent, noise_multiplier: 1, sigma: 2}`, ""},
		{"", `{class_name: GaussianEvent, noise_multiplier: 1}`, ""},
		{"", `{class_name: SelfComposedDpEvent, count: 0, event: ` + gaussian + `}`, ""},
		{"", `{class_name: SelfComposedDpEvent, count: 1.5, event: ` + gaussian + `}`, ""},
		{"", `{class_name: SelfComposedDpEvent, count: 1e15, event: ` + laplace + `}`, ""},
		{"", `{class_name: ZCDpEvent, rho: 1, xi: 0}`, ""},
		{"", `{class_name: ZCDpEvent, rho: 0}`, ""},
		{"", `{class_name: ZCDpEvent, rho: 1}`, "{rho: 0.5}"},
		{"", `{class_name: ZCDpEvent, rho: 1}`, "{renyi: [[2, 1]]}"},
		{"", sampled(`{class_name: ZCDpEvent, rho: 1}`), ""},
		{"relation: REPLACE_ONE", subset(sampled(subset(gaussian))), ""},
		{"relation: REPLACE_ONE", sampled(subset(gaussian)), ""},
		{"relation: REPLACE_ONE", subset(laplace), ""},
		{"relation: REPLACE_ONE", subset(guarantee), ""},
		{"relation: REPLACE_ONE", strings.Replace(subset(gaussian), "sample_size: 2", "sample_size: 4", 1), ""},
		{"relation: REPLACE_ONE", strings.Replace(subset(gaussian), "sample_size: 2", "sample_size: 0", 1), ""},
		{"relation: REPLACE_SPECIAL", subset(gaussian), ""},
		{"", subset(gaussian), ""},
		{"", discrete("sigma: 1, variance: 1"), ""},
		{"", discrete("sigma: 0"), ""},
		{"", discrete("sigma: 1, dimension: 2"), ""},
		{"", discrete("sigma: 1, sensitivity: 3/2"), ""},
		{"relation: REPLACE_ONE", sampled(discrete("sigma: 1, dimension: 1")), ""},
		{"relation: REPLACE_SPECIAL", sampled(discrete("sigma: 1, dimension: 1")), ""},
		{"", sampled(discrete("sigma: 1, sensitivity: 2")), ""},
		{"", sampled(sampled(discrete("sigma: 1, dimension: 1"))), ""},
		{"relation: REPLACE_ONE", mixture(`[0, 1]`, `[0.5, 0.5]`), ""},
		{"", mixture(`[0, 1]`, `[0.5, 0.25]`), ""},
		{"", mixture(`[0, -1]`, `[0.5, 0.5]`), ""},
		{"", mixture(`[0, 1, 2]`, `[0.5, 0.5]`), ""},
		{"", mixture(`[0, 1]`, `[1, 0]`), ""},
		{"", response, ""},
		{"relation: REPLACE_ONE", pair, ""},
		{"relation: REPLACE_ONE", sampled(mixture(`[0, 1]`, `[0.5, 0.5]`)), ""},
		{"relation: REPLACE_ONE", sampled(laplace), ""},
		{"relation: REPLACE_ONE", sampled(pair), ""},
		{"", sampled(sampled(guarantee)), ""},
		{"relation: REPLACE_SPECIAL", sampled(sampled(guarantee)), ""},
		{"", sampled(`{class_name: SelfComposedDpEvent, count: 2, event: ` + laplace + `}`), ""},
		{"", sampled(`{class_name: PermuteAndFlipDpEvent, epsilon: 1}`), ""},
		{"", sampled(`{class_name: NoOpDpEvent}`), ""},
		{"", strings.Replace(sampled(gaussian), "0.5", "0", 1), ""},
		{"", strings.Replace(sampled(gaussian), "0.5", "1.5", 1), ""},
		{"", `{class_name: FinitePairEvent, p: [0.5, 0.5], q: [0.25, 0.7]}`, ""},
		{"", `{class_name: FinitePairEvent, p: [1.5, -0.5], q: [0.5, 0.5]}`, ""},
		{"", `{class_name: FinitePairEvent, p: [1], q: [0.5, 0.5]}`, ""},
		{"note: [a]", gaussian, ""},
		{"source: true", gaussian, ""},
		{"derivation: ~", gaussian, ""},
		{"expect: true", gaussian, ""},
		{"orders: []", gaussian, ""},
		{"orders: [2, 1]", gaussian, ""},
		{"orders: rational", gaussian, ""},
		{"", `{class_name: GaussianDpEvent, module_name: 5, noise_multiplier: 1}`, ""},
		{"", `{class_name: GaussianDpEvent, module_name: null, noise_multiplier: 1}`, ""},
		{"", strings.Repeat(`{class_name: SelfComposedDpEvent, count: 1, event: `, 64) + gaussian + strings.Repeat("}", 64), ""},
		{"", `{class_name: SelfComposedDpEvent, count: 1000000000001, event: ` + laplace + `}`, ""},
		{"", `{class_name: ComposedDpEvent, events: [{class_name: SelfComposedDpEvent, count: 600000000000, event: ` + laplace + `}, {class_name: SelfComposedDpEvent, count: 600000000000, event: ` + gaussian + `}]}`, ""},
		{"", `{class_name: SelfComposedDpEvent, count: 10, event: {class_name: PoissonSampledDpEvent, sampling_probability: 1, event: {class_name: SelfComposedDpEvent, count: 500000000000, event: ` + gaussian + `}}}`, ""},
		{"relation: REPLACE_ONE\n    direction: remove", `{class_name: ClampedLaplaceEvent, location: 5, scale: 1, shift: 1, order: shift-then-clamp}`, ""},
	} {
		if c.claim == "" {
			c.claim = "{epsilon: 1, delta: 0.1}"
		}
		text := fmt.Sprintf("version: 1\nclaims:\n  - id: a\n    event: %s\n    claim: %s\n    %s\n", c.event, c.claim, c.more)
		claims, err := readClaims([]byte(text), nil)
		if err != nil || claims[0].problem == nil {
			t.Errorf("%s: %v, want a claim that is not understood", text, err)
		}
	}
	for _, event := range []string{gaussian, sampled(gaussian), sampled(laplace), sampled(guarantee), sampled(pair), sampled(sampled(gaussian)), guarantee, mixture(`[0, 1]`, `[0.5, 0.5]`)} {
		text := fmt.Sprintf("version: 1\nclaims:\n  - {id: a, event: %s, claim: {epsilon: 1, delta: 0.1}}\n", event)
		claims, err := readClaims([]byte(text), nil)
		if err != nil || claims[0].problem != nil {
			t.Errorf("%s: %v, %s", text, err, claims[0].problem)
		}
	}
}

// TestStatedClaims: a claim that its event states is none that anything shows, whatever is beside the guarantee, if it
// has no loss.
func TestStatedClaims(t *testing.T) {
	guarantee := func(eps, delta string) string {
		return `{class_name: EpsilonDeltaDpEvent, epsilon: ` + eps + `, delta: ` + delta + `}`
	}
	composed := func(events ...string) string {
		return `{class_name: ComposedDpEvent, events: [` + strings.Join(events, ", ") + `]}`
	}
	copies := func(n int, event string) string {
		return fmt.Sprintf(`{class_name: SelfComposedDpEvent, count: %d, event: %s}`, n, event)
	}
	sampled := func(rate, event string) string {
		return `{class_name: PoissonSampledDpEvent, sampling_probability: ` + rate + `, event: ` + event + `}`
	}
	for _, c := range []struct {
		event string
		want  bool
	}{
		{guarantee("1", "1e-5"), true},
		{guarantee("0.5", "0"), true},
		{guarantee("1.1", "1e-5"), false},
		{guarantee("1", "2e-5"), false},
		{copies(2, guarantee("0.1", "0")), false},
		{copies(1, guarantee("1", "0")), true},
		{composed(guarantee("0.1", "0"), guarantee("0.2", "0")), false},
		{composed(guarantee("1", "0"), copies(9, guarantee("0", "0")), `{class_name: NoOpDpEvent}`), true},
		{composed(copies(9, guarantee("0", "0")), guarantee("1", "0")), true},
		{copies(9, guarantee("0", "0")), true},
		{composed(guarantee("1", "0"), `{class_name: LaplaceDpEvent, noise_multiplier: 1e9}`), false},
		{sampled("1", guarantee("1", "1e-5")), true},
		{sampled("0.5", guarantee("1", "1e-5")), false},
		{`{class_name: NoOpDpEvent}`, false},
		{`{class_name: FinitePairEvent, p: [1], q: [1]}`, false},
	} {
		c0 := one(t, c.event, "epsilon: 1, delta: 1e-5")
		if c0.problem != nil || c0.stated != c.want {
			t.Errorf("%s: stated is %v, %v, want %v", c.event, c0.stated, c0.problem, c.want)
		}
		closed := []byte(`{"version":1,"claim":"","verdict":"VERIFIED","chains":[{"direction":"remove"}]}` + "\n")
		if _, err := c0.check(forClaim(t, closed, c0), nil); c.want && (err == nil || !strings.Contains(err.Error(), "nothing is verified")) {
			t.Errorf("%s: %v", c.event, err)
		}
	}
}

func FuzzClaims(f *testing.F) {
	f.Add("version: 1\nclaims:\n  - {id: a, event: {class_name: NoOpDpEvent}, claim: {epsilon: 1, delta: 0.1}}\n")
	f.Add(`{"version": 1, "claims": [{"id": "a"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		claims, err := readClaims([]byte(text), nil)
		if err != nil && strings.HasPrefix(err.Error(), "internal error") {
			t.Error(err)
		}
		for _, c := range claims {
			if c.problem != nil && strings.HasPrefix(c.problem.Error(), "internal error") {
				t.Error(c.problem)
			}
		}
	})
}
