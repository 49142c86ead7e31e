// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"testing"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// TestSubsetsNeedSelfDualBases: what is not proved is refused.
func TestSubsetsNeedSelfDualBases(t *testing.T) {
	asymmetric := mechanism.FinitePair{P: rats("1/2", "1/2"), Q: rats("1/3", "2/3")}
	if p, err := Resolve(mechanism.SampledWithoutReplacement{SourceDatasetSize: 12, SampleSize: 3, Event: asymmetric}, mechanism.ReplaceOne); err == nil {
		t.Errorf("a subset of a pair that is not self-dual is %s", p.Dominating())
	}
}

// TestFreeOrientation: under REPLACE_ONE several factors that are not self-dual are
// replaced by pairs that dominate both orientations, and what is attained bounds from
// below only; one factor stays as it is.
func TestFreeOrientation(t *testing.T) {
	e := mechanism.FinitePair{P: rats("1/6", "1/6", "2/3"), Q: rats("5/11", "1/2", "1/22")}
	one, err := Resolve(e, mechanism.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := one.Profile(mechanism.Both); err != nil || !b.Attained || len(b.Upper) != 2 {
		t.Errorf("one factor: %+v, %v", b, err)
	}
	two, err := Resolve(mechanism.SelfComposed{Event: e, Count: 2}, mechanism.ReplaceOne)
	if err != nil || !two.Dominating().SelfDual() {
		t.Fatalf("two factors: %+v, %v", two, err)
	}
	// Both orientations, and one of each.
	if b, err := two.Profile(mechanism.Both); err != nil || b.Attained || len(b.Lower) != 3 {
		t.Fatalf("two factors: %+v, %v", b, err)
	}
	x := pair.NewFinite(e.P, e.Q)
	s := two.Dominating()[0].Pair.(pair.Finite)
	for _, alpha := range []string{"1/10", "1/2", "1", "2", "5", "10"} {
		for _, o := range []pair.Finite{x, x.Reverse().(pair.Finite)} {
			if s.Delta(rat(alpha)).Cmp(o.Delta(rat(alpha))) < 0 {
				t.Errorf("H_%s of %s is less than H of %s", alpha, s, o)
			}
		}
	}
	// Pairs that are not finite stand for the same.
	clamped := mechanism.Clamped{Location: rat("1"), Width: rat("1"), Shift: rat("1/2")}
	c, err := Resolve(mechanism.SelfComposed{Event: clamped, Count: 3}, mechanism.ReplaceOne)
	if err != nil || !c.Dominating().SelfDual() {
		t.Errorf("%+v, %v", c, err)
	}
	// Two witnesses have every other copy reversed: 2 and 1.
	b, err := c.Profile(mechanism.Both)
	if err != nil || b.Attained || len(b.Lower) != 4 {
		t.Fatalf("%+v, %v", b, err)
	}
	for _, w := range b.Lower[2:] {
		if len(w) != 2 || w[0].Count+w[1].Count != 3 {
			t.Errorf("witness %s", w)
		}
	}
}
