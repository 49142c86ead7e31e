// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"dpverify/exact/meaning"
	"dpverify/internal/document"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// classesOf adds the classes in a tree to those seen.
func classesOf(n *document.Node, seen map[string]bool) {
	if name := n.Get("class_name"); name != nil {
		seen[name.Text] = true
	}
	for _, e := range n.Entries {
		classesOf(e.Value, seen)
	}
	for _, i := range n.Items {
		classesOf(i, seen)
	}
}

// The suite and the random cases ask about every class, quantity and relation. A histogram
// pair is left out: it names files, which an accountant may not have; it is a finite pair.
func TestEverythingIsAsked(t *testing.T) {
	testkit.SkipShort(t)
	const enough = 2000 // that each class is drawn
	random := Random(1, max(enough, testkit.Cases(enough, 5000)))
	for name, cases := range map[string][]Case{"the suite": Suite(), "random cases": random} {
		classes, asked := map[string]bool{"HistogramPairEvent": true}, map[Quantity]bool{}
		relations := map[mechanism.Relation]bool{}
		for _, c := range cases {
			root, err := document.ParseJSON(mechanism.EncodeEvent(c.Event))
			if err != nil {
				t.Fatal(err)
			}
			classesOf(root, classes)
			asked[c.Quantity], relations[c.Relation] = true, true
		}
		for _, class := range mechanism.ClassNames() {
			if !classes[class] {
				t.Errorf("%s: no question about %s", name, class)
			}
		}
		for q := range quantities {
			if !asked[q] {
				t.Errorf("%s do not ask for %s", name, q)
			}
		}
		for _, r := range []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceOne, mechanism.ReplaceSpecial} {
			if !relations[r] {
				t.Errorf("%s do not ask under %s", name, r)
			}
		}
	}
}

// Every case has a meaning for the engine: no answer to it stays open for want of one.
func TestCasesHaveAMeaning(t *testing.T) {
	testkit.SkipShort(t)
	for _, c := range slices.Concat(Suite(), Random(2, testkit.Draws(150, 500, 500))) {
		if _, err := meaning.Resolve(c.Event, c.Relation); err != nil {
			t.Errorf("%s: %v", c.Request(), err)
		}
		if err := c.Quantity.check(c.At); err != nil {
			t.Errorf("%s: %v", c.Request(), err)
		}
	}
}

// A case that is read back from its request is the same.
func TestRequestsAreCases(t *testing.T) {
	for _, c := range Random(3, 100) {
		d, err := readCase(c.Request())
		if err != nil || string(d.Request()) != string(c.Request()) {
			t.Errorf("%s is read as %s, %v", c.Request(), d.Request(), err)
		}
	}
}

// The suite has an enclosure for every case, so every answer can be judged.
func TestSuiteIsAnswerable(t *testing.T) {
	testkit.SkipShort(t)
	for i, c := range cheap(Suite()) {
		if !testkit.Long() && i%9 != 0 {
			continue
		}
		r := Reply{Kind: Answered, Upper: &Number{Text: "inf", Inf: 1}, Lower: &Number{Text: "0", Rat: new(big.Rat)}}
		v, judged, err := judge{Options{Effort: 0, Budget: time.Minute}}.judge(t.Context(), c, r)
		if err != nil || v != Sound || judged.Truth == nil {
			t.Errorf("%s: %s, %v, %s", c.ID, v, err, judged.Reason)
		}
	}
}

// Random cases depend on the seed and the index only, and are valid.
func TestRandomCases(t *testing.T) {
	long, short := Random(3, 200), Random(3, 20)
	for i, c := range short {
		if string(c.Request()) != string(long[i].Request()) {
			t.Errorf("case %d depends on how many there are", i)
		}
	}
	seen := map[string]bool{}
	for _, c := range long {
		if err := mechanism.Validate(c.Event); err != nil {
			t.Error(err)
		}
		if seen[c.key()] {
			continue
		}
		seen[c.key()] = true
	}
	if len(seen) < 190 {
		t.Errorf("%d different cases of 200", len(seen))
	}
	if string(Random(4, 1)[0].key()) == string(long[0].key()) {
		t.Error("another seed gives the same case")
	}
}

func TestReadCasesRefuses(t *testing.T) {
	const event = `"event":{"class_name":"NoOpDpEvent"}`
	for _, text := range []string{
		"",
		"# only a comment",
		`[]`,
		`{"id":"a"}`,
		`{"id":"a",` + event + `}`,
		`{"id":"a",` + event + `,"quantity":"tv"}`,
		`{"id":"a",` + event + `,"quantity":"delta"}`,
		`{"id":"a",` + event + `,"quantity":"epsilon","at":1}`,
		`{"id":"a",` + event + `,"quantity":"epsilon","at":"-1"}`,
		`{"id":"a",` + event + `,"quantity":"renyi","at":"0"}`,
		`{"id":"a",` + event + `,"quantity":"tradeoff","at":"1.1"}`,
		`{"id":"a","quantity":"delta","at":1}`,
		`{` + event + `,"quantity":"delta","at":1}`,
		`{"id":"a",` + event + `,"quantity":"delta","at":1,"color":"red"}`,
		`{"id":"a",` + event + `,"quantity":"delta","at":1}` + "\n" + `{"id":"a",` + event + `,"quantity":"delta","at":1}`,
	} {
		if c, err := ReadCases("x.jsonl", []byte(text)); err == nil {
			t.Errorf("%s is read as %v", text, c)
		} else if !strings.HasPrefix(err.Error(), "x.jsonl:") {
			t.Errorf("%v does not name the file", err)
		}
	}
}
