// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"strings"
	"testing"

	"dpverify/exact/renyi"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// keyed is a line about a data set.
func keyed(data, event string) string {
	return `{"data": "` + data + `", "event": "` + event + `"}` + "\n"
}

// TestAccountsOfKeys: each data set has an account of its lines alone, in the order of the file, and a filter of its
// own.
func TestAccountsOfKeys(t *testing.T) {
	a := Account{Question: Question{Lines: mustParse(t, keyed("b", "laplace(2)")+keyed("a", "laplace(2)")+keyed("b", "laplace(4)")),
		Digits: 6}}
	a.Epsilon, a.Delta = testkit.Rat("1"), testkit.Rat("0")
	var err error
	if a.Filter, err = NewFilter(a.Epsilon, a.Delta, renyi.Infinity); err != nil {
		t.Fatal(err)
	}
	accounts, err := a.Split(Data, "f")
	if err != nil || len(accounts) != 2 || accounts[0].Of != (Owner{Data, "b"}) || accounts[1].Of.Name != "a" {
		t.Fatalf("%+v, %v", accounts, err)
	}
	if last := OfLast(accounts); len(last) != 1 || last[0].Of.Name != "b" {
		t.Errorf("the last line is of %v", last[0].Of)
	}
	if _, err := AnswerAll(t.Context(), accounts, nil, func(string) {}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"1/4", "1/2"} {
		if got := accounts[i].Filter.Left(); got.Cmp(testkit.Rat(want)) != 0 || !accounts[i].Takes() {
			t.Errorf("%s has %v left, want %s", accounts[i].Of, got, want)
		}
	}
	if a.Filter.Spent.Sign() != 0 {
		t.Error("the filter of all has spent")
	}
	if _, err := a.Split(Team, "f"); err == nil || !strings.HasPrefix(err.Error(), "f:1: team is missing, want ") {
		t.Errorf("lines without a team: %v", err)
	}
}

// TestLeftKeepsTheBudget: with a guarantee of what is left the budget is kept, and with a thousandth more it is not
// where all noise is Laplace.
func TestLeftKeepsTheBudget(t *testing.T) {
	for _, lines := range []string{keyed("a", "laplace(4)"), keyed("a", "gaussian(9)") + keyed("a", "laplace(20)")} {
		a := Account{Question: Question{Lines: mustParse(t, lines), Digits: 6}}
		a.Epsilon, a.Delta = testkit.Rat("1"), testkit.Rat("1e-6")
		if err := a.Answer(t.Context(), nil); err != nil || a.Left == nil || a.Left.Sign() <= 0 {
			t.Fatalf("left %v, %v", a.Left, err)
		}
		more := mechanism.EpsilonDelta{Epsilon: a.Left, Delta: testkit.Rat("0")}
		with := append(a.Lines, Line{Number: 9, Events: mechanism.Range{MorePrivate: more, LessPrivate: more}})
		q := a.Question
		q.Lines = with
		os, err := Decide(t.Context(), q, a.Epsilon, a.Delta)
		if err != nil || os[len(os)-1].Verdict != "verified" {
			t.Errorf("%s with %v: %v, %v", lines, a.Left, os[len(os)-1].Verdict, err)
		}
	}
}

// TestWhatIsRefusedIsTaken: by a filter of the budget and the order that the refusal names.
func TestWhatIsRefusedIsTaken(t *testing.T) {
	q := Question{Digits: 6, Lines: mustParse(t, keyed("a", "gaussian(10)")+keyed("a", "poisson(0.01, gaussian(0.8)) * 300"))}
	eps, delta := testkit.Rat("0.8"), testkit.Rat("1e-6")
	f, err := NewFilter(eps, delta, DefaultOrder(eps, delta))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := Run(t.Context(), q, f)
	if err != nil || steps[1].Decision != Refused || !strings.Contains(steps[1].Refusal, " takes it, and what was accepted") {
		t.Fatalf("%+v, %v", steps[1], err)
	}
	words := strings.Fields(steps[1].Refusal)
	after := func(flag string) string {
		for i, w := range words {
			if w == flag {
				return words[i+1]
			}
		}
		return "0"
	}
	order := testkit.Rat(after("--order"))
	if f, err = NewFilter(testkit.Rat(after("--epsilon")), delta, renyi.At(order)); err != nil {
		t.Fatal(err)
	}
	if steps, err = Run(t.Context(), q, f); err != nil || steps[0].Decision != Accepted || steps[1].Decision != Accepted {
		t.Errorf("%s: %v, %v", strings.Join(words, " "), steps, err)
	}
}

// TestKeysThatAreOneNumber: however a number is written, it has one account; a text is itself.
func TestKeysThatAreOneNumber(t *testing.T) {
	var text strings.Builder
	for _, data := range []string{"1", "1.0", "1e0", "10e-1", `"1"`} {
		text.WriteString(`{"data": ` + data + `, "event": "laplace(1)"}` + "\n")
	}
	text.WriteString(`{"data": "1.0", "event": "laplace(1)"}` + "\n")
	a := Account{Question: Question{Lines: mustParse(t, text.String())}}
	accounts, err := a.Split(Data, "f")
	if err != nil || len(accounts) != 2 || len(accounts[0].Lines) != 5 {
		t.Errorf("%d accounts, %v, want 2, of which the first has 5 lines", len(accounts), err)
	}
	const want = "f:1: team = 1e100001, want an exponent"
	if _, err := Parse("f", []byte(`{"team": 1e100001, "event": "laplace(1)"}`), mechanism.Decoder{}); err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
