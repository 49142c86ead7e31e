// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"slices"
	"testing"

	"dpverify/document"
	"dpverify/exact/pair"
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
	for name, cases := range map[string][]Case{"the suite": Suite(), "random cases": Random(1, 1000)} {
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
	for _, c := range slices.Concat(Suite(), Random(2, 500)) {
		if _, err := pair.Resolve(c.Event, c.Relation); err != nil {
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
