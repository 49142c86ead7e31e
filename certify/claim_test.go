// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dpverify/mechanism"
)

// noFiles fails to open every file.
func noFiles(path string) (io.ReadCloser, error) { return nil, os.ErrNotExist }

func parse(t *testing.T, text string) []*Claim {
	t.Helper()
	cs, err := Parse("c.yaml", []byte(text), noFiles)
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return cs
}

const gaussClaim = `version: 1
claims:
  - id: g
    event: {class_name: GaussianDpEvent, noise_multiplier: 1}
    claim: {epsilon: 1, delta: 0.2}
`

func TestParseReadsEveryField(t *testing.T) {
	c := parse(t, `version: "1"
claims:
  - id: 17
    source: somewhere
    note: |
      two
      lines
    event: {class_name: GaussianDpEvent, noise_multiplier: {lo: "2.555", hi: 2.565}}
    claim: {delta: 1e-5, epsilon: 1/3}
    relation: REPLACE_ONE
    direction: both
    number_format: binary64
    derivation: rdp-cks
    orders: [1.5, "2", 64]
    expect: undecided
`)[0]
	if c.Err != nil {
		t.Fatal(c.Err)
	}
	got := []string{c.ID, c.Source, c.Note, c.Relation.String(), c.Direction.String(), c.Derivation, string(c.Expect), c.Statement.(Point).Written[0], c.Statement.(Point).Written[1]}
	want := []string{"17", "somewhere", "two\nlines\n", "REPLACE_ONE", "both", "rdp-cks", "undecided", "1/3", "1e-5"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields differ (-want +got):\n%s", diff)
	}
	if mechanism.Equal(c.MorePrivate, c.LessPrivate) {
		t.Error("the corners of an interval are equal")
	}
	if len(c.Orders) != 3 || c.RealOrders {
		t.Errorf("orders %v, real %v", c.Orders, c.RealOrders)
	}
	// binary64: 1/3 is no dyadic number, its nearest float64 is.
	if d := c.Statement.(Point).Epsilon.Denom(); d.BitLen() != int(d.TrailingZeroBits())+1 {
		t.Errorf("claim.epsilon = %v is not a binary64 number", c.Statement.(Point).Epsilon)
	}
}

func TestParseReadsNumbersExactly(t *testing.T) {
	c := parse(t, strings.Replace(gaussClaim, "0.2", "0.1", 1))[0]
	if got := c.Statement.(Point).Delta.RatString(); got != "1/10" {
		t.Errorf("0.1 is read as %s", got)
	}
}

func TestJSONIsReadLikeYAML(t *testing.T) {
	const text = `{"version": 1, "claims": [
  {"id": "g", "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 1.50},
   "claim": {"epsilon": "1", "delta": 1e-5}, "orders": "real"}]}`
	for _, name := range []string{"c.json", "c.yaml", "<stdin>"} {
		cs, err := Parse(name, []byte(text), noFiles)
		if err != nil || len(cs) != 1 || cs[0].Err != nil {
			t.Fatalf("%s: %v, %v", name, cs, err)
		}
		if c := cs[0]; c.Line != 2 || !c.RealOrders || c.Statement.(Point).Delta.RatString() != "1/100000" {
			t.Errorf("%s: line %d, real orders %v, delta %v", name, c.Line, c.RealOrders, c.Statement.(Point).Delta)
		}
	}
}

// Errors of a file as a whole.
func TestMalformedFiles(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"empty", "", "", "c.yaml:1: column 1: the document is empty"},
		{"syntax", "", "version: 1\nclaims: [", "c.yaml:3: column 1: did not find expected node content"},
		{"two documents", "", "version: 1\n---\nversion: 1\n", "c.yaml:1: column 1: expected single document, found multiple"},
		{"no mapping", "", "[1]", "c.yaml:1: the document = a list of 1, want a mapping with version and claims"},
		{"unknown field", "", "version: 1\nclaim: []\n", `c.yaml:2: unknown field "claim", want version or claims`},
		{"no version", "", "claims: []\n", "c.yaml:1: version is missing, want version: 1"},
		{"version", "", "version: 2\nclaims: []\n", "c.yaml:1: version = 2, want 1"},
		{"no claims", "", "version: 1\n", "c.yaml:1: claims is missing, want a list of claims"},
		{"claims", "", "version: 1\nclaims: {}\n", "c.yaml:2: claims = a mapping, want a list of at least one claim"},
		{"no claim", "", "version: 1\nclaims: []\n", "c.yaml:2: claims = a list of 0, want a list of at least one claim"},
		{"duplicate key", "", "version: 1\nversion: 1\n", `c.yaml:2: column 1: the key "version" is given again, first on line 1`},
		{"list as key", "", "? [a]\n: b\n", "c.yaml:1: column 3: a key that is not a plain string"},
		{"endless alias", "", "version: 1\nclaims: &x [*x]\n", "c.yaml:1: column 1: more than 4194304 values after aliases are expanded"},
		{"tag", "", "version: !!binary aGk=\n", "c.yaml:1: column 10: the tag !!binary has no meaning here"},
		{"json", "c.json", "{\"version\": 1,\n}", "c.json:2: column 1: invalid character '}'"},
		{"yaml in json", "c.json", "version: 1\n", "c.json:1: column 1: invalid character 'v'"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := test.file
			if file == "" {
				file = "c.yaml"
			}
			cs, err := Parse(file, []byte(test.text), noFiles)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got  %v (%d claims)\nwant %s", err, len(cs), test.want)
			}
			var ce *ClaimError
			if !errors.As(err, &ce) {
				t.Errorf("the error is a %T", err)
			}
		})
	}
}

// Errors of single claims: the claim comes back, malformed.
func TestMalformedClaims(t *testing.T) {
	const event = "event: {class_name: GaussianDpEvent, noise_multiplier: 1}"
	const claim = "claim: {epsilon: 1, delta: 1e-5}"
	tests := []struct{ name, text, want string }{
		{"no mapping", "- 3", "c.yaml:3: claim = 3, want a mapping with id, event and claim"},
		{"no id", "- " + event + "\n  " + claim, "c.yaml:3: id is missing, want a name for the claim"},
		{"id", "- id: [1]\n  " + event + "\n  " + claim, "c.yaml:3: id = a list of 1, want a name for the claim"},
		{"empty id", "- id: ' '\n  " + event + "\n  " + claim, `c.yaml:3: id = " ", want a name for the claim`},
		{"no event", "- id: a\n  " + claim, "c.yaml:3: claim a: event is missing, want an event with a class_name"},
		{"no claim", "- id: a\n  " + event, "c.yaml:3: claim a: claim is missing, want {epsilon: …, delta: …}, {rho: …}, {renyi: …}, {pld: …}, {mu: …} or {quantity: …}"},
		{"unknown field", "- id: a\n  expected: verified\n  " + event + "\n  " + claim,
			`c.yaml:4: claim a: unknown field "expected", want one of id, event, claim, source, note, relation, direction, number_format, derivation, orders, expect`},
		{"expect", "- {id: a, expect: true, " + event + ", " + claim + "}", "c.yaml:3: claim a: expect = true, want verified"},
		{"expect word", "- {id: a, expect: correct, " + event + ", " + claim + "}", `c.yaml:3: claim a: expect = "correct", want verified, refuted, undecided, malformed or stated`},
		{"relation", "- {id: a, relation: ADD, " + event + ", " + claim + "}", `c.yaml:3: claim a: relation = "ADD", want ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL`},
		{"direction", "- {id: a, direction: up, " + event + ", " + claim + "}", `c.yaml:3: claim a: direction = "up", want remove, add or both`},
		{"number_format", "- {id: a, number_format: binary32, " + event + ", " + claim + "}", `c.yaml:3: claim a: number_format = "binary32", want binary64 or decimal`},
		{"first of two", "- {id: a, direction: up, relation: ADD, " + event + ", " + claim + "}", `c.yaml:3: claim a: relation = "ADD"`},
		{"orders", "- {id: a, orders: all, " + event + ", " + claim + "}", `c.yaml:3: claim a: orders = "all", want real or a list of numbers > 1`},
		{"order", "- {id: a, orders: [2, 1], " + event + ", " + claim + "}", "c.yaml:3: claim a: orders[1] = 1, want > 1"},
		{"delta", "- {id: a, " + event + ", claim: {epsilon: 1, delta: 1.5}}", "c.yaml:3: claim a: claim.delta = 1.5, want in [0, 1]"},
		{"epsilon", "- {id: a, " + event + ", claim: {epsilon: one, delta: 0}}", `c.yaml:3: claim a: claim.epsilon = "one", want a number`},
		{"infinite", "- {id: a, " + event + ", claim: {epsilon: .inf, delta: 0}}", `c.yaml:3: claim a: claim.epsilon = ".inf", want a number`},
		{"exponent", "- {id: a, " + event + ", claim: {epsilon: 1e999999, delta: 0}}", `c.yaml:3: claim a: claim.epsilon = 1e999999, want an exponent of at most 100000 in absolute value`},
		{"interval", "- {id: a, " + event + ", claim: {epsilon: {lo: 1, hi: 2}, delta: 0}}", "c.yaml:3: claim a: claim.epsilon = {lo: 1, hi: 2}, want a number"},
		{"form", "- {id: a, " + event + ", claim: {epsilon: 1, rho: 2}}", "c.yaml:3: claim a: claim = {epsilon, rho}, want {epsilon: …, delta: …}, {rho: …}, {renyi: [[order, value], …]}, {pld: file}, {mu: …, alpha_min: …} or {quantity: …, at: …, equals: …, tolerance: …}"},
		{"no quantity", "- {id: a, " + event + ", claim: {quantity: eps, at: 1, upper: 1}}", `c.yaml:3: claim a: claim.quantity = "eps", want delta, epsilon, renyi, tradeoff, tv or gdp`},
		{"nowhere", "- {id: a, " + event + ", claim: {quantity: renyi, upper: 1}}", "c.yaml:3: claim a: claim.at is missing, want a number > 0 or inf"},
		{"somewhere", "- {id: a, " + event + ", claim: {quantity: tv, at: 0, upper: 1}}", "c.yaml:3: claim a: claim.at = 0, want no at: tv is δ(0)"},
		{"elsewhere", "- {id: a, " + event + ", claim: {quantity: gdp, alpha_min: 0.6, upper: 1}}", "c.yaml:3: claim a: claim.alpha_min = 0.6, want in (0, 1/2]"},
		{"too much", "- {id: a, " + event + ", claim: {quantity: delta, at: 0, alpha_min: 0.1, upper: 1}}", "c.yaml:3: claim a: claim.alpha_min = 0.1, want no alpha_min: only gdp has one"},
		{"rho", "- {id: a, " + event + ", claim: {rho: -1}}", "c.yaml:3: claim a: claim.rho = -1, want >= 0"},
		{"renyi", "- {id: a, " + event + ", claim: {renyi: [[2, 1], [3]]}}", "c.yaml:3: claim a: claim.renyi[1] = a list of 1, want [order, value]"},
		{"event class", "- id: a\n  " + claim + "\n  event:\n    class_name: GausianDpEvent",
			`c.yaml:6: claim a: mechanism: class_name = "GausianDpEvent", want a known event class, perhaps GaussianDpEvent`},
		{"nested event", "- id: a\n  " + claim + "\n  event:\n    class_name: ComposedDpEvent\n    events:\n      - {class_name: NoOpDpEvent}\n      - class_name: PoissonSampledDpEvent\n        sampling_probability: 1.2\n        event: {class_name: NoOpDpEvent}",
			"c.yaml:10: claim a: mechanism: event.events[1]: PoissonSampledDpEvent: sampling_probability = 1.2, want in [0, 1]"},
		{"refused class", "- id: a\n  " + claim + "\n  event: {class_name: UnsupportedDpEvent}", "c.yaml:5: claim a: mechanism: UnsupportedDpEvent: this class is not supported"},
		{"no file", "- id: a\n  " + claim + "\n  event: {class_name: HistogramPairEvent, p: p.csv, q: q.csv}", "c.yaml:5: claim a: mechanism: HistogramPairEvent: p: p.csv: file does not exist"},
		{"control characters", "- {id: \"a\\e[31m\", expect: x}", `c.yaml:3: claim "a\x1b[31m": expect = "x", want`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for range 3 { // the first error does not depend on chance
				cs := parse(t, "version: 1\nclaims:\n"+test.text+"\n")
				if len(cs) != 1 || cs[0].Err == nil {
					t.Fatalf("%d claims, err %v", len(cs), cs[0].Err)
				}
				if got := cs[0].Err.Error(); !strings.HasPrefix(got, test.want) {
					t.Fatalf("got  %s\nwant %s", got, test.want)
				}
			}
		})
	}
}

func TestMalformedClaimKeepsItsExpectation(t *testing.T) {
	c := parse(t, "version: 1\nclaims: [{id: a, direction: up, expect: malformed}]")[0]
	if c.Err == nil || c.ID != "a" || c.Expect != Malformed {
		t.Errorf("id %q, expect %q, err %v", c.ID, c.Expect, c.Err)
	}
}

func TestDuplicateID(t *testing.T) {
	text := gaussClaim + strings.SplitN(gaussClaim, "claims:\n", 2)[1]
	cs := parse(t, text)
	if len(cs) != 2 || cs[0].Err != nil || cs[1].Err == nil {
		t.Fatalf("%d claims", len(cs))
	}
	if got, want := cs[1].Err.Error(), "c.yaml:6: claim g: id = \"g\", want an id not used before (line 3)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAliasesAreExpanded(t *testing.T) {
	cs := parse(t, `version: 1
claims:
  - id: a
    event: &e {class_name: GaussianDpEvent, noise_multiplier: 1}
    claim: {epsilon: 1, delta: 0.2}
  - {id: b, event: *e, claim: {epsilon: 1, delta: 0.1}}
`)
	if len(cs) != 2 || cs[1].Err != nil || !mechanism.Equal(cs[0].LessPrivate, cs[1].LessPrivate) {
		t.Errorf("%d claims, %v", len(cs), cs[len(cs)-1].Err)
	}
}

func TestReadFileResolvesPathsNextToIt(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("p.csv", "bin,count\n0,3\n1,1\n")
	write("q.csv", "bin,count\n0,1\n1,3\n")
	write("c.yaml", `version: 1
claims: [{id: h, event: {class_name: HistogramPairEvent, p: p.csv, q: q.csv}, claim: {epsilon: 0, delta: 1/2}}]`)
	cs, err := ReadFile(t.Context(), filepath.Join(dir, "c.yaml"))
	if err != nil || len(cs) != 1 || cs[0].Err != nil {
		t.Fatalf("%v, %v", cs, err)
	}
	if _, err := ReadFile(t.Context(), filepath.Join(dir, "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := ReadFile(t.Context(), dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a directory: %v", err)
	}
}

func TestReadBoundsTheLength(t *testing.T) {
	_, err := Read(t.Context(), io.LimitReader(zeros{}, maxFileBytes+10), "big", ".")
	if err == nil || !strings.Contains(err.Error(), "want at most") {
		t.Errorf("got %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
