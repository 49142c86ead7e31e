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
	case 's':
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
		"[1,,2]", "a: {b: 1} {", "{a: 1", "a: [&x 1]", "- a: 1\n b: 2", "- a: 1\n   b: 2", "a: |\n    x\n  y", "a: &x &y 1", "a: &x'b'", "a: - 1", "a: -", "[- 1]", "[-]", "a: x\n  # c\n  y", "- - 1\n - 2", "a: \"x\"y", "- &x\n- *x: 1", "a: {\"b c\": 1}", "a: {\"b\" 1}", "  ---\na: 1", "---\n---\na: 1", "&x\n", "a: [1#\n]", "a: [1] [2]", "a: x:\n", strings.Repeat("[", 500), strings.Repeat("- ", 500) + "1",
	} {
		if got, err := read(text); err == nil {
			t.Errorf("%q is understood as %s", text, got)
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
		{"", `{class_name: ZCDpEvent, rho: 1}`, ""},
		{"relation: REPLACE_ONE", mixture(`[0, 1]`, `[0.5, 0.5]`), ""},
		{"", mixture(`[0, 1]`, `[0.5, 0.25]`), ""},
		{"", mixture(`[0, -1]`, `[0.5, 0.5]`), ""},
		{"", mixture(`[0, 1, 2]`, `[0.5, 0.5]`), ""},
		{"", mixture(`[0, 1]`, `[1, 0]`), ""},
		{"", response, ""},
		{"relation: REPLACE_ONE", pair, ""},
		{"relation: REPLACE_ONE", sampled(gaussian), ""},
		{"relation: REPLACE_ONE", sampled(laplace), ""},
		{"relation: REPLACE_ONE", sampled(pair), ""},
		{"", sampled(sampled(gaussian)), ""},
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
	for _, event := range []string{gaussian, sampled(gaussian), sampled(laplace), sampled(guarantee), sampled(pair), guarantee, mixture(`[0, 1]`, `[0.5, 0.5]`)} {
		text := fmt.Sprintf("version: 1\nclaims:\n  - {id: a, event: %s, claim: {epsilon: 1, delta: 0.1}}\n", event)
		claims, err := readClaims([]byte(text), nil)
		if err != nil || claims[0].problem != nil {
			t.Errorf("%s: %v, %s", text, err, claims[0].problem)
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
