// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"math/big"
	"strings"
	"testing"

	"dpverify/ask"
	"dpverify/ask/calibrate"
	"dpverify/certify"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func mustParse(t *testing.T, text string) []Line {
	t.Helper()
	lines, err := Parse("ledger.jsonl", []byte(text), mechanism.Decoder{})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

const (
	gauss   = `{"class_name": "GaussianDpEvent", "noise_multiplier": 10}`
	laplace = `{"class_name": "LaplaceDpEvent", "noise_multiplier": 10}`
)

// TestParse: lines keep their numbers and ids, blank ones are left out.
func TestParse(t *testing.T) {
	lines := mustParse(t, gauss+"\r\n\n  \n"+`{"event": `+laplace+`, "id": "x"}`+"\n"+`{"id": 7, "event": `+gauss+`}`)
	if len(lines) != 3 || lines[0].String() != "line 1" || lines[1].String() != "line 4, x" || lines[2].String() != "line 5, 7" {
		t.Errorf("%v", lines)
	}
	if lines := mustParse(t, `"gaussian(5) * 2"`); len(lines) != 1 || lines[0].Events.LessPrivate.ClassName() != "SelfComposedDpEvent" {
		t.Errorf("%v", lines)
	}
	if lines := mustParse(t, ""); len(lines) != 0 {
		t.Errorf("%v", lines)
	}
}

// TestMalformedLines: an error names the file, the line, the field, the value and what was wanted.
func TestMalformedLines(t *testing.T) {
	for text, want := range map[string]string{
		`[1]`:                        `ledger.jsonl:2: the line = a list of 1, want an event with a class_name`,
		`"gauss(1)"`:                 `ledger.jsonl:2: mechanism: event = "gauss(1)", want a short form: column 1: "gauss", want one of gaussian, `,
		`{"id": 1}`:                  `ledger.jsonl:2: class_name is missing, want an event with a class_name`,
		`{"id": [], "event": {}}`:    `ledger.jsonl:2: id = a list of 0, want a string or a number`,
		`{"event": {}, "sigma": 1}`:  `ledger.jsonl:2: unknown field "sigma", want id, data, team or event`,
		`{"event": {}}`:              `ledger.jsonl:2: mechanism: class_name is missing`,
		`{"class_name": "Gaussian"}`: `ledger.jsonl:2: `,
		`{"class_name": "GaussianDpEvent", "noise_multiplier": -1}`: `ledger.jsonl:2: `,
		gauss + gauss: `ledger.jsonl:2: column `,
		`{`:           `ledger.jsonl:2: column `,
	} {
		_, err := Parse("ledger.jsonl", []byte(gauss+"\n"+text+"\n"), mechanism.Decoder{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s…", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(gauss + "\n\n" + `{"id": 1, "event": ` + laplace + `}`)
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := Parse("f", []byte(text), mechanism.Decoder{})
		if err != nil {
			return
		}
		for _, l := range lines {
			if l.Events.LessPrivate == nil || l.Events.MorePrivate == nil || l.Number < 1 {
				t.Errorf("%q: %+v", text, l)
			}
		}
	})
}

// TestTotalsCompose: the total after each line is the total of all lines up to it: k copies of
// noise 10 are one of noise 10/√k.
func TestTotalsCompose(t *testing.T) {
	delta := testkit.Rat("1e-6")
	q := Question{Lines: mustParse(t, strings.Repeat(gauss+"\n", 4)), Digits: 10}
	many, err := Totals(t.Context(), q, ask.Epsilon(delta))
	if err != nil || len(many) != 4 {
		t.Fatal(len(many), err)
	}
	for i, sigma := range map[int]string{0: "10", 3: "5"} {
		one := Question{Lines: mustParse(t, strings.Replace(gauss, "10", sigma, 1)), Digits: 10}
		want, err := Totals(t.Context(), one, ask.Epsilon(delta))
		if err != nil || want[0].Lo().Cmp(many[i].Hi()) > 0 || want[0].Hi().Cmp(many[i].Lo()) < 0 || !many[i].Complete() {
			t.Errorf("after %d lines: %v, want %v", i+1, many[i].Interval, want[0].Interval)
		}
	}
	if many[1].Lo().Cmp(many[0].Hi()) <= 0 {
		t.Errorf("%v after one, %v after two", many[0].Interval, many[1].Interval)
	}
}

// TestTotalsShareNothingThatCounts: totals of samples in any order have the digits that each composition has alone.
func TestTotalsShareNothingThatCounts(t *testing.T) {
	sampled := func(q, sigma string, count string) string {
		return `{"class_name": "SelfComposedDpEvent", "count": ` + count + `, "event": {"class_name": "PoissonSampledDpEvent", "sampling_probability": ` +
			q + `, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": ` + sigma + `}}}` + "\n"
	}
	a, b := sampled("0.01", "1", "50"), sampled("0.02", "1.5", "50")
	q := Question{Lines: mustParse(t, a+gauss+"\n"+b+a+a+gauss+"\n"+b), Digits: 8}
	delta := ask.Epsilon(testkit.Rat("1e-6"))
	totals, err := Totals(t.Context(), q, delta)
	if err != nil || len(totals) != len(q.Lines) {
		t.Fatal(len(totals), err)
	}
	for i, total := range totals {
		if i%3 != 0 {
			continue
		}
		var events []mechanism.Event
		for _, l := range q.Lines[:i+1] {
			events = append(events, l.Events.LessPrivate)
		}
		want, err := ask.For(t.Context(), exact.Question{Event: mechanism.Composed{Events: events}}, ask.Goal{Digits: 8}, delta)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := total.Decimal(8)
		if wantLo, wantHi := want[0].Decimal(8); lo != wantLo || hi != wantHi {
			t.Errorf("after %d lines: [%s, %s], alone [%s, %s]", i+1, lo, hi, wantLo, wantHi)
		}
	}
	found, err := Decide(t.Context(), q, testkit.Rat("1.5"), testkit.Rat("1e-6"))
	if err != nil || len(found) != len(totals) {
		t.Fatal(len(found), err)
	}
	for i, o := range found {
		if want := totals[i].LessEqRat(testkit.Rat("1.5")) == interval.True; want != (o.Verdict == certify.Verified) {
			t.Errorf("after %d lines: %s, ε ∈ %v", i+1, o.Verdict, totals[i].Interval)
		}
	}
}

// TestNoMeaning: an error about an event names its line.
func TestNoMeaning(t *testing.T) {
	subset := `{"class_name": "SampledWithoutReplacementDpEvent", "source_dataset_size": 9, "sample_size": 3, "event": ` + gauss + `}`
	q := Question{Lines: mustParse(t, gauss+"\n"+gauss+"\n"+subset), Digits: 6, Direction: mechanism.Remove, Relation: mechanism.ReplaceOne}
	totals, err := Totals(t.Context(), q, ask.Epsilon(testkit.Rat("1e-6")))
	if err == nil || !strings.HasPrefix(err.Error(), "line 3: ") || len(totals) != 2 {
		t.Errorf("%d totals, %v", len(totals), err)
	}
	if _, err := Decide(t.Context(), q, testkit.Rat("1"), testkit.Rat("1e-6")); err == nil || !strings.HasPrefix(err.Error(), "line 3: ") {
		t.Errorf("%v", err)
	}
}

// TestNothingIsZero: an ε is not negative.
func TestNothingIsZero(t *testing.T) {
	q := Question{Lines: mustParse(t, `{"class_name": "NoOpDpEvent"}`), Digits: 6}
	totals, err := Totals(t.Context(), q, ask.Epsilon(testkit.Rat("0.1")))
	if err != nil || totals[0].Lo().Sign() != 0 || totals[0].Hi().Sign() != 0 {
		t.Errorf("%v, %v", totals, err)
	}
	var a Account
	a.Delta = new(big.Rat)
	if err := a.Answer(t.Context(), nil); err != nil || !strings.HasPrefix(a.Text(), "no events: ε = 0, δ = 0\n") {
		t.Errorf("%q, %v", a.Text(), err)
	}
}

// TestDecide: a budget of pure noise is kept to the last bit, and not exceeded unseen.
func TestDecide(t *testing.T) {
	q := Question{Lines: mustParse(t, strings.Repeat(laplace+"\n", 4)), Digits: 6}
	found, err := Decide(t.Context(), q, testkit.Rat("0.3"), new(big.Rat))
	if err != nil || len(found) != 4 {
		t.Fatal(len(found), err)
	}
	for i, want := range []certify.Verdict{certify.Verified, certify.Verified, certify.Verified, certify.Refuted} {
		if found[i].Verdict != want {
			t.Errorf("after %d lines: %s, want %s", i+1, found[i].Verdict, want)
		}
	}
}

// TestNext: how many copies, or which noise, fit after a ledger: with δ = 0, ε adds up.
func TestNext(t *testing.T) {
	testkit.SkipShort(t)
	template := func(text string) *calibrate.Template {
		x, err := calibrate.ParseOrCopies("EVENT", []byte(text), mechanism.Decoder{})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, c := range []struct {
		lines      int
		next, best string
		full       bool
	}{
		{2, laplace, "3", false}, {0, laplace, "5", false}, {5, laplace, "", true},
		{3, `{"class_name": "LaplaceDpEvent", "noise_multiplier": "?"}`, "5.000", false},
		{6, `{"class_name": "LaplaceDpEvent", "noise_multiplier": "?"}`, "", true},
	} {
		q := Question{Lines: mustParse(t, strings.Repeat(laplace+"\n", c.lines)), Digits: 6}
		got, err := Next(t.Context(), q, template(c.next), testkit.Rat("0.5"), new(big.Rat))
		switch {
		case err != nil:
			t.Errorf("%d lines, %s: %v", c.lines, c.next, err)
		case got.Full != c.full:
			t.Errorf("%d lines, %s: full is %v", c.lines, c.next, got.Full)
		case !c.full && (got.Finding.Best == nil || got.Finding.Best.Text != c.best):
			t.Errorf("%d lines, %s: %+v, want %s", c.lines, c.next, got.Finding.Best, c.best)
		}
	}
}
