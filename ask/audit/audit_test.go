// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dpverify/ask/audit/toy"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// The correct toy is never unsound, on the published cases and on random ones.
func TestCorrectAccountant(t *testing.T) {
	t.Parallel()
	n := testkit.Draws(12, 30, 30)
	if testing.Short() {
		n = 5
	}
	o := options(t, "correct", append(cheap(Suite()), cheap(Random(7, n))...))
	rs := mustRun(t, o)
	s := Summarize(rs)
	for original, small := range Findings(rs) {
		t.Errorf("%s: %s answered with %s", original.ID, small.Request(), small.Reply.Upper)
	}
	if s.Sound < n/3 || s.Undecided > 0 {
		t.Errorf("%d sound, %d undecided of %d", s.Sound, s.Undecided, s.Asked)
	}
	if s.MedianSlack == nil || s.WorstSlack == nil || s.MedianSlack.Positive() != interval.True {
		t.Errorf("no slack: the conversion of the toy is loose")
	}
}

// cheap drops the cases that take long to judge, all of which the toys refuse.
func cheap(cases []Case) []Case {
	return slices.DeleteFunc(slices.Clone(cases), func(c Case) bool {
		return regexp.MustCompile("Sampled|MixtureOfGaussians").Match(c.Request())
	})
}

// The wrong toy is found out, and its bug shrinks to two releases of Laplace noise.
func TestWrongAccountant(t *testing.T) {
	t.Parallel()
	o := options(t, "wrong", cheap(Suite()))
	rs := mustRun(t, o)
	var found []string
	for _, small := range Findings(rs) {
		found = append(found, string(small.Request()))
		self, ok := small.Event.(mechanism.SelfComposed)
		if !ok {
			t.Errorf("shrunk to %s, want a composition with itself", small.Request())
			continue
		}
		if _, ok := self.Event.(mechanism.Laplace); !ok || self.Count > 3 {
			t.Errorf("shrunk to %s, want a few releases of Laplace noise", small.Request())
		}
		if u := small.Judged.Understatement; u == nil || u.Positive() != interval.True {
			t.Errorf("%s: no understatement", small.Request())
		}
	}
	if len(found) == 0 {
		t.Error("nothing was found")
	}
	if len(found) > 3 {
		t.Errorf("%d findings of one bug: %s", len(found), strings.Join(found, "\n"))
	}
}

func TestToyRefusesGarbage(t *testing.T) {
	var out strings.Builder
	if err := toy.Serve(strings.NewReader("{]\n{\"id\":1}\n"), &out, toy.None); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if strings.Count(out.String(), `"error"`) != 2 {
		t.Errorf("%s", out.String())
	}
}
