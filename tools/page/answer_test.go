// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package page

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// ask asks the page.
func askPage(t *testing.T, r Request) Reply {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var out Reply
	if err := json.Unmarshal(Answer(t.Context(), text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAnswer: events, histories and claims are told apart, and the words fit the numbers.
func TestAnswer(t *testing.T) {
	const gaussian = "{class_name: GaussianDpEvent, noise_multiplier: 1}"
	for _, c := range []struct {
		name, verdict, words, bounds string
		r                            Request
	}{
		{"epsilon", "", "for ε = 4.3772 at δ = 1e-5: the number to quote. The least such ε is at least 4.37717.", "ε(1e-5) 4.37717 4.37718", Request{Text: gaussian}},
		{"delta", "", "for ε = 1 and δ = 0.12694, and for no δ below 0.126936.", "δ(1) 0.126936 0.126937", Request{Text: gaussian, Epsilon: "1"}},
		{"digits", "", "4.3772", "ε(1e-5) 4.377 4.378", Request{Text: gaussian, Digits: 4}},
		{"relation", "", "for ε = 2 at δ = 0", "ε(0) 2 2", Request{Text: "{class_name: LaplaceDpEvent, noise_multiplier: 1}", Relation: "REPLACE_ONE", Delta: "0"}},
		{"claim", "refuted", "The claim is false. At δ = 1e-5 the least ε is between 4.377 and 4.378; the claim says 4.", "δ(4)", Request{Text: gaussian, Epsilon: "4", Delta: "1e-5"}},
		{"claims", "verified", "The claim is true.", "δ(5)", Request{Text: "version: 1\nclaims: [{id: a, event: " + gaussian + ", claim: {epsilon: 5, delta: 1e-5}}]"}},
		{"history", "", "the number to quote", "ε(1e-5)", Request{Text: "[(1.1, 1, 10), (2, 1, 3)]"}},
		{"state", "", "the number to quote", "ε(1e-5)", Request{Text: `{"history": [[1.1, 1, 10]], "mechanism": "rdp"}`}},
		{"history and claim", "verified", "The claim is true.", "δ(19)", Request{Text: "[[1.1, 1, 10]]", Epsilon: "19", Delta: "1e-5"}},
		{"short form", "", "for ε = 4.3772 at δ = 1e-5", "ε(1e-5) 4.37717 4.37718", Request{Text: "gaussian(1)"}},
		{"noise", "", "With noise multiplier = 1.065 the mechanism is (ε, δ)-differentially private for ε = 1.2 at δ = 1e-5. With 1.064 it is not.",
			"δ(1.2) with it 0.00000997943 0.00000997944", Request{Text: "sgd(sigma=?, batch=256, n=60000, epochs=15)", Epsilon: "1.2", Delta: "1e-5"}},
		{"below 0", "", "for ε = 0 at δ = 0.5: the number to quote. The least such ε is below 0.", "ε(0.5) -0.375799 -0.375798", Request{Text: gaussian, Delta: "0.5"}},
		{"without bounds", "", "for ε = 0 at δ = 1: the number to quote. The least such ε is below 0.", "ε(1) -inf -inf", Request{Text: gaussian, Delta: "1"}},
		{"claim below 0", "verified", "The claim is true. δ(-1) is between 0.6788 and 0.6789; the claim says 0.7.", "δ(-1)", Request{Text: gaussian, Epsilon: "-1", Delta: "0.7"}},
		{"infinite", "", "No ε is enough at δ = 1e-5.", "ε(1e-5) inf inf", Request{Text: "{class_name: NonPrivateDpEvent}"}},
	} {
		reply := askPage(t, c.r)
		if reply.Error != "" || len(reply.Findings) != 1 {
			t.Errorf("%s: %+v", c.name, reply)
			continue
		}
		f := reply.Findings[0]
		bounds := ""
		for _, b := range f.Bounds {
			bounds += strings.Join([]string{b.Of, b.Lo, b.Hi}, " ") + "\n"
		}
		if f.Verdict != c.verdict || !strings.Contains(f.Words, c.words) || !strings.HasPrefix(bounds, c.bounds) || len(f.Assumptions) < 3 || f.Event == "" {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// TestWhatCannotBeAnswered: each mistake has an error that says what was wanted, and no file is read.
func TestWhatCannotBeAnswered(t *testing.T) {
	for _, c := range []struct {
		r    Request
		want string
	}{
		{Request{}, "there is no text, want an event, a history or claims"},
		{Request{Text: "{class_name: GaussianDpEvent, sigma: 1}"}, "perhaps noise_multiplier"},
		{Request{Text: "{class_name: GaussianDpEvent, noise_multiplier: 1}", Epsilon: "x"}, "ε"},
		{Request{Text: "{class_name: GaussianDpEvent, noise_multiplier: 1}", Delta: "-1"}, "δ = -1, want a number >= 0"},
		{Request{Text: "{class_name: GaussianDpEvent, noise_multiplier: 1}", Relation: "X"}, "relation"},
		{Request{Text: "{class_name: HistogramPairEvent, p: /etc/passwd, q: b.csv}"}, "the page reads no files"},
		{Request{Text: "{class_name: HistogramPairEvent, p: a.csv, q: b.csv}"}, "HistogramPairEvent: p: a.csv: the page reads no files"},
		{Request{Text: "gaussian(1)", Digits: 99}, "digits = 99, want an integer in [1, 30]"},
		{Request{Text: "gaussian(1)", Digits: -1}, "digits = -1, want an integer in [1, 30]"},
		{Request{Text: "gaussian"}, "want a mapping with a class_name or a short form such as gaussian(1)"},
		{Request{Text: "[[1, 2]]"}, "history[0]"},
		{Request{Text: "[(1"}, "did not find expected"},
		{Request{Text: "version: 1\nclaims: []"}, "at least one claim"},
		{Request{Text: strings.Repeat("x", mostText+1)}, "want at most"},
	} {
		if reply := askPage(t, c.r); !strings.Contains(reply.Error, c.want) || len(reply.Findings) > 0 {
			t.Errorf("%.60s: %+v, want … %s", c.r.Text, reply, c.want)
		}
	}
	// A claim that was typed has no name.
	if reply := askPage(t, Request{Text: "gaussian(1)", Epsilon: "1", Delta: "2"}); reply.Error != "claim.delta = 2, want in [0, 1]" {
		t.Errorf("%+v", reply)
	}
	var out Reply
	if err := json.Unmarshal(Answer(t.Context(), []byte("{")), &out); err != nil || out.Error == "" {
		t.Errorf("a request that is no JSON: %+v, %v", out, err)
	}
}

// TestHalves: every number once, and the first so many leave no gap that is much longer than others.
func TestHalves(t *testing.T) {
	for _, n := range []int{2, 3, 4, 7, 8, 9, 100, points} {
		order := halves(n)
		for k := 2; k <= n; k++ {
			at := slices.Sorted(slices.Values(order[:k]))
			if at[0] != 0 || at[k-1] != n-1 || len(slices.Compact(at)) != k {
				t.Fatalf("%d of %d: %v", k, n, at)
			}
			for i := 1; i < k; i++ {
				if gap := at[i] - at[i-1]; gap*(k-1) > 4*n {
					t.Errorf("%d of %d: nothing between %d and %d", k, n, at[i-1], at[i])
				}
			}
		}
		if len(order) != n {
			t.Errorf("%d numbers, want %d", len(order), n)
		}
	}
}

// TestWithoutTime: a graph for which there is no time has an error, and no points that say nothing.
func TestWithoutTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	request, err := json.Marshal(Request{Text: "sgd(sigma=1.1, batch=256, n=60000, epochs=15)"})
	if err != nil {
		t.Fatal(err)
	}
	var g Graph
	if err := json.Unmarshal(Draw(ctx, request), &g); err != nil || g.Error == "" || len(g.Points) > 0 {
		t.Errorf("%+v, %v", g, err)
	}
}

// TestDraw: the points of a graph enclose δ, which falls.
func TestDraw(t *testing.T) {
	for _, text := range []string{
		"{class_name: GaussianDpEvent, noise_multiplier: 1}",
		"[[1.1, 1, 10]]",
		"{class_name: LaplaceDpEvent, noise_multiplier: 1}",
		"{class_name: NonPrivateDpEvent}",
		"{class_name: NoOpDpEvent}",
		"version: 1\nclaims: [{id: a, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {epsilon: 9, delta: 1e-5}}]",
	} {
		request, err := json.Marshal(Request{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		var g Graph
		if err := json.Unmarshal(Draw(t.Context(), request), &g); err != nil {
			t.Fatal(err)
		}
		if g.Error != "" || len(g.Points) != points {
			t.Errorf("%s: %+v", text, g)
			continue
		}
		for i, p := range g.Points {
			if p[1] > p[2] || p[1] < 0 || p[2] > 1 || i > 0 && (p[0] <= g.Points[i-1][0] || p[1] > g.Points[i-1][2]) {
				t.Errorf("%s: point %d is %v after %v", text, i, p, g.Points[max(0, i-1)])
			}
		}
	}
	var g Graph
	if err := json.Unmarshal(Draw(t.Context(), []byte(`{"text":"[["}`)), &g); err != nil || g.Error == "" {
		t.Errorf("%+v, %v", g, err)
	}
}
