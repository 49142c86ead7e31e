// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"os"
	"strings"
	"testing"

	"dpverify/exact"
	"dpverify/mechanism"
)

// TestGapsAreListed: docs/relations.md says of each class whether its bounds meet, alone, twice and next to noise:
// under one relation at least, of one of the events that stand for the class, they do not where it says ≤. Classes that
// it does not list have bounds that meet.
func TestGapsAreListed(t *testing.T) {
	text, err := os.ReadFile("../docs/relations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(text), "### Where a gap remains\n")
	if !ok {
		t.Fatal("docs/relations.md has no section about gaps")
	}
	table, _, _ := strings.Cut(after, "\n#")
	said := map[string]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 9 || !strings.Contains(cells[1], "Event") {
			continue
		}
		for name := range strings.SplitSeq(cells[1], ",") {
			said[strings.TrimSpace(name)] = strings.TrimSpace(cells[2]) + strings.TrimSpace(cells[3]) + strings.TrimSpace(cells[4])
		}
	}
	more := []mechanism.Event{ // of classes with a gap that their representatives do not have
		mechanism.MatrixMechanism{Strategy: mechanism.Strategy{Steps: 6, Toeplitz: rats("1", "1/2", "-3/10")}, MinSeparation: 1, MaxParticipations: 6, NoiseMultiplier: two},
		mechanism.DiscreteGaussian{Sigma: one, Sensitivity: two, Dimension: 3},
		mechanism.RandomAllocation{Event: mechanism.Gaussian{NoiseMultiplier: two}, NumSelected: 3, NumSteps: 10},
		mechanism.Maximum{Events: []mechanism.Event{
			mechanism.SelfComposed{Event: mechanism.FinitePair{P: rats("1/10", "9/10"), Q: rats("1/2", "1/2")}, Count: 2}, mechanism.Gaussian{NoiseMultiplier: two}}},
	}
	found := map[string][3]bool{} // in which place a gap remains
	for _, e := range append(representatives(t), more...) {
		marks := found[e.ClassName()]
		for _, rel := range relations {
			for i, x := range []mechanism.Event{e, mechanism.SelfComposed{Event: e, Count: 2}, mechanism.Composed{Events: []mechanism.Event{e, mechanism.Gaussian{NoiseMultiplier: two}}}} {
				if _, attained, err := exact.Orientations(exact.Question{Event: x, Relation: rel}); err == nil && !attained {
					marks[i] = true
				}
			}
		}
		found[e.ClassName()] = marks
	}
	for name, marks := range found {
		want := ""
		for _, gap := range marks {
			want += map[bool]string{false: "=", true: "≤"}[gap]
		}
		switch got, listed := said[name]; {
		case !listed && want != "===", listed && got != want:
			t.Errorf("docs/relations.md says %q of %s, want %s", got, name, want)
		}
		delete(said, name)
	}
	for name := range said {
		t.Errorf("docs/relations.md says where a gap remains of %s, of which no event stands for its class", name)
	}
}
