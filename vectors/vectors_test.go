// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package vectors

import (
	"math/big"
	"os"
	"regexp"
	"strings"
	"testing"
)

// rat reads a decimal.
func rat(t *testing.T, s string) *big.Rat {
	t.Helper()
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is no number", s)
	}
	return x
}

// TestJudgements: an upper bound is sound from lo on, tight to hi(1 + τ); a lower bound is
// sound up to hi; an estimate is right in between.
func TestJudgements(t *testing.T) {
	for _, c := range []struct {
		lo, hi, x                  string
		upper, lower, tight, right bool
	}{
		{"1", "2", "0.999", false, true, true, false},
		{"1", "2", "1", true, true, true, true},
		{"1", "2", "2", true, true, true, true},
		{"1", "2", "2.001", true, false, true, false},
		{"1", "2", "2.3", true, false, false, false},
		{"-2", "-1", "-0.95", true, false, true, false},
		{"-2", "-1", "-0.85", true, false, false, false},
		{"inf", "inf", "1e9", false, true, true, false},
		{"-inf", "-inf", "-5", true, false, false, false},
		{"3", "inf", "7", true, true, true, true},
		{"0", "0", "0", true, true, true, true},
		{"0", "0", "1e-300", true, false, false, false},
	} {
		v := Test{Lo: c.lo, Hi: c.hi}
		x := rat(t, c.x)
		check := func(name string, got bool, err error, want bool) {
			t.Helper()
			if got != want || err != nil {
				t.Errorf("%s in [%s, %s]: %s is %v, %v, want %v", c.x, c.lo, c.hi, name, got, err, want)
			}
		}
		got, err := v.SoundUpper(x)
		check("sound as an upper bound", got, err, c.upper)
		got, err = v.SoundLower(x)
		check("sound as a lower bound", got, err, c.lower)
		got, err = v.Tight(x, big.NewRat(1, 10))
		check("tight to 0.1", got, err, c.tight)
		got, err = v.Right(x)
		check("right", got, err, c.right)
	}
	for _, bad := range []string{"", "1/3", "0x1p-2", "nan", "1_000"} {
		if _, err := (Test{Lo: bad, Hi: bad}).SoundUpper(new(big.Rat)); err == nil {
			t.Errorf("a bound %q is taken", bad)
		}
	}
}

// TestIDDependsOnTheQuestionOnly: neither blanks and the order of fields nor the answer change a
// tcId, and each part of the question does.
func TestIDDependsOnTheQuestionOnly(t *testing.T) {
	v := Test{Event: []byte(`{"class_name":"GaussianDpEvent","noise_multiplier":"1"}`), Relation: "R", Direction: "D", Quantity: "delta", At: "1", NumberFormat: "decimal"}
	id := func(v Test) string {
		t.Helper()
		s, err := v.ID()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	same := v
	same.Event, same.Lo, same.Hi, same.Comment, same.Flags = []byte(`{ "noise_multiplier": "1", "class_name": "GaussianDpEvent" }`), "0", "1", "x", []string{"Y"}
	if id(v) != id(same) {
		t.Error("the same question has another tcId")
	}
	seen := map[string]bool{id(v): true}
	for _, change := range []func(*Test){
		func(v *Test) { v.Event = []byte(`{"class_name":"GaussianDpEvent","noise_multiplier":"1.0"}`) },
		func(v *Test) { v.Relation = "S" }, func(v *Test) { v.Direction = "E" }, func(v *Test) { v.Quantity = "epsilon" },
		func(v *Test) { v.At = "1.0" }, func(v *Test) { v.NumberFormat = "binary64" },
	} {
		other := v
		change(&other)
		if seen[id(other)] {
			t.Errorf("%+v has the tcId of another question", other)
		}
		seen[id(other)] = true
	}
	if _, err := (Test{Event: []byte(`{`)}).ID(); err == nil {
		t.Error("an event that is no JSON has a tcId")
	}
}

// TestParseRefusesWhatFilesDoNotHave: a misspelt field is not a field left out.
func TestParseRefusesWhatFilesDoNotHave(t *testing.T) {
	for _, bad := range []string{`{"numberOfTest":1}`, `{} {}`, `[]`, ``, `{"testGroups":[{"tests":[{"tcid2":1}]}]}`} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// row is a row of the table of findings: a finding, a tcId, the answer that was wrong and which
// bound it was meant to be.
var row = regexp.MustCompile("(?m)^\\| ([^|]+) \\| `([0-9a-f]{8})` \\| ([^|]+) \\| (upper|lower) \\|$")

// TestEveryFindingIsCaught: each heading of docs/findings.md has a test, and the answer that was
// found fails it.
func TestEveryFindingIsCaught(t *testing.T) {
	_, files, err := Read(V1())
	if err != nil {
		t.Fatal(err)
	}
	byID := make(map[string]Test)
	for _, f := range files {
		for _, g := range f.Groups {
			for _, v := range g.Tests {
				byID[v.TcID] = v
			}
		}
	}
	page, err := os.ReadFile("../docs/vectors.md")
	if err != nil {
		t.Fatal(err)
	}
	caught := make(map[string]bool)
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		v, ok := byID[m[2]]
		if !ok {
			t.Errorf("%s: there is no test %s", m[1], m[2])
			continue
		}
		sound := v.SoundUpper
		if m[4] == "lower" {
			sound = v.SoundLower
		}
		if ok, err := sound(rat(t, m[3])); ok || err != nil {
			t.Errorf("%s: %s passes test %s, [%s, %s], %v", m[1], m[3], m[2], v.Lo, v.Hi, err)
		}
		caught[m[1]] = true
	}
	findings, err := os.ReadFile("../docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := 0
	for line := range strings.Lines(string(findings)) {
		heading, ok := strings.CutPrefix(strings.TrimSpace(line), "## ")
		if !ok || byVectorsNot[heading] != "" {
			continue
		}
		if headings++; !caught[heading] {
			t.Errorf("docs/vectors.md has no test for the finding %q", heading)
		}
	}
	if headings < 10 {
		t.Errorf("%d findings, want at least 10", headings)
	}
}

// byVectorsNot are headings that no question of an accountant shows, and why.
var byVectorsNot = map[string]string{
	"Released versions, 27 November 2026": "it says which versions were asked",
	"The audit of 22 November 2026":       "it says how the findings were found",
}

// TestThereAreEnough: vectors are for whoever has every class.
func TestThereAreEnough(t *testing.T) {
	names, files, err := Read(V1())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		n += f.NumberOfTests
	}
	if n < 600 || len(names) < 40 {
		t.Errorf("%d tests in %d files, want at least 600 in 40", n, len(names))
	}
}
