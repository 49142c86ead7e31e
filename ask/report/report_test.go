// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"slices"
	"strings"
	"sync"
	"testing"

	"dpverify/ask/audit"
	"dpverify/certify"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/testkit"
)

var hostile = testkit.Hostile

// outcomes decides claims whose texts are hostile, one of each verdict.
func outcomes(t *testing.T) []*certify.Outcome {
	t.Helper()
	os, err := decideHostile()
	if err != nil {
		t.Fatal(err)
	}
	return os
}

// decideHostile decides the claims of outcomes, once for all tests.
var decideHostile = sync.OnceValues(func() ([]*certify.Outcome, error) {
	claims, err := certify.Parse("x.yaml", []byte(`
version: 1
claims:
  - {id: a, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {epsilon: 1, delta: 0.13}}
  - {id: b, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {epsilon: 1, delta: 0.12}}
  - {id: c, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.9, event: {class_name: ZCDpEvent, rho: 0.5}}, claim: {epsilon: 1, delta: 0.13}}
  - {id: d, event: {class_name: ZCDpEvent, rho: -1}, claim: {epsilon: 1, delta: 0.12}}
`), nil)
	if err != nil {
		return nil, err
	}
	var out []*certify.Outcome
	for i, h := range hostile {
		c := *claims[i%len(claims)]
		c.ID, c.Source, c.Note, c.File = h, h, h, h
		o, err := certify.Decide(context.Background(), &c, certify.Options{})
		if err != nil {
			return nil, err
		}
		o.Reason += h
		out = append(out, o)
	}
	return out, nil
})

func TestHostileTextsInPages(t *testing.T) {
	os := outcomes(t)
	var details []Detail
	for _, o := range os {
		details = append(details, Examine(t.Context(), o, LittleCost))
	}
	page, err := Claims(About{Program: "v0", By: hostile[0], Command: hostile[1]}, hostile[0], Findings(os, nil), details)
	if err != nil {
		t.Fatal(err)
	}
	audited, err := Audit(audit.Report{Command: hostile, Cases: []audit.CaseReport{{ID: hostile[0], About: hostile[1], Request: json.RawMessage(`"` + html.EscapeString(hostile[1]) + `"`),
		Reply: audit.ReplyReport{Text: hostile[1], Upper: hostile[0]}}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]string{"claims": string(page), "audit": string(audited)} {
		for _, bad := range []string{"<script", "<img", "\a", "\x1b", "\x00", "\u202E", "ZgotmplZ", "http://", "https://", "src=x onerror=alert(1)>"} {
			if strings.Contains(p, bad) {
				t.Errorf("%s: the page contains %q", name, bad)
			}
		}
		if !strings.Contains(p, "&lt;script&gt;") {
			t.Errorf("%s: the text is not there at all", name)
		}
	}
}

func TestHostileTextsForPrograms(t *testing.T) {
	fs := Findings(outcomes(t), nil)
	junit, err := JUnit(fs)
	if err != nil {
		t.Fatal(err)
	}
	var suites junitSuites
	if err := xml.Unmarshal(junit, &suites); err != nil {
		t.Fatalf("JUnit: %v", err)
	}
	if suites.Tests != len(hostile) || suites.Failures != 2 || suites.Errors != 2 || suites.Skipped != 2 {
		t.Errorf("JUnit: %+v", suites)
	}
	sarif, err := SARIF("v0", fs, false)
	if err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(sarif, &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) != len(hostile) {
		t.Errorf("SARIF: %v, %+v", err, log)
	}
	github := string(GitHub(fs))
	for line := range strings.Lines(github) {
		if strings.HasPrefix(line, "::error::injected") || strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\r\x1b\x00\a") {
			t.Errorf("GitHub: %q", line)
		}
	}
	if n := strings.Count(github, "\n"); n != 6+1 {
		t.Errorf("GitHub: %d lines, want one for each of 6 failures and the summary:\n%s", n, github)
	}
}

// The numbers of the page equal the numbers of the JSON output.
func TestPageHasTheNumbersOfJSON(t *testing.T) {
	os := outcomes(t)
	page, err := Claims(About{Program: "v0"}, "t", Findings(os, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range certify.NewReport(os).Claims {
		for _, b := range []*certify.Bounds{c.Delta, c.Epsilon} {
			if b == nil {
				continue
			}
			n++
			if want := fmt.Sprintf(`<span class="lo">%s</span> to <span class="hi">%s</span>`, people(prose.Readable(b.Lo)), people(prose.Readable(b.Hi))); !strings.Contains(string(page), want) {
				t.Errorf("the page lacks %s", want)
			}
		}
	}
	if n == 0 {
		t.Error("no numbers")
	}
}

// Numbers are written for people, and nothing in a text becomes markup.
func TestPeople(t *testing.T) {
	for in, want := range map[string]string{
		"δ = 1e-5":             `δ = <span class="power">10<sup>−5</sup></span>`,
		"4.08e-8 and 1.5e+300": `<span class="power">4.08 × 10<sup>−8</sup></span> and <span class="power">1.5 × 10<sup>300</sup></span>`,
		"0x1e5 a1e5 e-5 1e 12": "0x1e5 a1e5 e-5 1e 12",
		"<b>1e-5</b>&":         `&lt;b&gt;<span class="power">10<sup>−5</sup></span>&lt;/b&gt;&amp;`,
		"'1e2'":                `&#39;<span class="power">10<sup>2</sup></span>&#39;`,
	} {
		if got := string(people(in)); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}

// A page says first what is true and what is false, what each mechanism is, which derivations give a
// claimed number, and how it came about.
func TestPageForPeople(t *testing.T) {
	claims, err := certify.Parse("x.yaml", []byte(`
version: 1
claims:
  - {id: a, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {epsilon: 4.38, delta: 1e-5}}
  - {id: b, event: {class_name: SelfComposedDpEvent, count: 4, event: {class_name: EpsilonDeltaDpEvent, epsilon: 0.25, delta: 0}}, claim: {epsilon: 1, delta: 1e-10}}
  - {id: c, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {epsilon: 1, delta: 1e-5}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []*certify.Outcome
	for _, c := range claims {
		o, err := certify.Decide(t.Context(), c, certify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, o)
	}
	details := make([]Detail, len(out))
	for i, chosen := range Chosen(out, 2) {
		if chosen {
			details[i] = Examine(t.Context(), out[i], MethodCost)
		}
	}
	if !details[2].Examined || !details[0].Examined || details[1].Examined {
		t.Errorf("the claims with detail are not those that need it: %v", Chosen(out, 2))
	}
	details[1] = Examine(t.Context(), out[1], MethodCost)
	page, err := Claims(About{Program: "v1", By: "A & B", Date: "2026-05-04", Command: "verify report x.yaml"}, "t", Findings(out, nil), details)
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, want := range []string{
		"Of 3 claims 2 are true and 1 is false.",
		"The claim is false. At δ\u00a0=\u00a0<span class=\"power\">10<sup>−5</sup></span> the least ε is between 4.377 and 4.378; the claim says 1.",
		`<th scope="col">What is true</th>`,
		"The mechanism is an answer with Gaussian noise, of standard deviation 1 times the bound C on what one record contributes.",
		"The mechanism is a sequence of 4 steps, each known by its guarantee only: it is (ε, δ)-differentially private with ε\u00a0=\u00a00.25 and δ\u00a0=\u00a00.",
		"basic (Dwork et al. 2006)",
		"is the claimed number",
		">least ε<",
		"understated by",
		"<dt>ε (epsilon)</dt>",
		"<dt>Written by</dt><dd>A &amp; B</dd>",
		"<dt>Date</dt><dd>2026-05-04</dd>",
		"<dt>Program</dt><dd>dpverify v1</dd>",
		"<code>verify report x.yaml</code>",
		"x.yaml, 3 of them; SHA-256",
	} {
		i := strings.Index(string(page), want)
		if i < 0 {
			t.Errorf("the page lacks %s", want)
		} else if i < at {
			t.Errorf("%s comes too early", want)
		}
		at = max(at, i)
	}
}

// What is shown of a claim goes with it: every method encloses the same δ, and there is a
// graph.
func TestExamine(t *testing.T) {
	d := Examine(t.Context(), outcomes(t)[0], MethodCost)
	if len(d.Methods) == 0 || d.Graph == nil {
		t.Fatalf("%d methods, graph %v", len(d.Methods), d.Graph)
	}
	for _, m := range d.Methods {
		lo, err1 := number.Parse(m.Lo)
		hi, err2 := number.Parse(m.Hi)
		if x, _ := number.Parse("0.12693673750664394580825"); err1 != nil || err2 != nil || lo.Cmp(x) > 0 || x.Cmp(hi) > 0 {
			t.Errorf("%s: [%s, %s]", m.Method, m.Lo, m.Hi)
		}
	}
	if n := len(d.Graph.Curves[0].Points); n < firstPoints || n > plotPoints {
		t.Errorf("%d points", n)
	}
}

// TestDerivationsByNearness: derivations stand by how near they are to the least ε, with how much more or less each
// gives; what holds is said to prove the claim, and an approximation is not.
func TestDerivationsByNearness(t *testing.T) {
	of := func(x int64) exact.Enclosure { return exact.Enclosure{Interval: interval.Int(x)} }
	ds := []Derived{
		{Method: derive.Method{Name: "far", Bound: true}, Value: of(265), Holds: interval.False},
		{Method: derive.Method{Name: "near", Bound: true}, Value: of(11), Holds: interval.True},
		{Method: derive.Method{Name: "below"}, Value: of(8), Holds: interval.True},
	}
	least := of(10)
	var got []string
	for _, v := range derivedViews(ds, &least) {
		got = append(got, v.Name+": "+v.Says)
	}
	want := []string{"near: ≈ 10 % more; proves the claim", "below: ≈ 20 % below the truth; an approximation, no bound", "far: 26.5 times as much"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
