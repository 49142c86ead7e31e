// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// Steps are the copies of a choice in a composition: each of them is any one of Of, in view of the outputs of those
// before.
type Steps struct {
	Of    []pair.Product
	Count int64
	// Bounded says that no step does more than the greatest of Of, at every convex function of the ratio, and Attained
	// that a step may be each of them.
	Bounded, Attained bool
	// Records, unless nil, says what bounds a step where Bounded is false.
	Records *SampledRecords
	// Before dominates all else that is in the composition, and After is part of some mechanism of the event, together
	// with any Of.
	Before, After pair.Product
	// Product dominates the whole.
	Product pair.Product
}

// Steps returns for each orientation of the event the choice with the most copies. There are none without a choice
// beside others.
//
// Where records may be exchanged, Of has both orientations of what is not self-dual, and one orientation of the event
// is all. Otherwise the records stand on the same sides in all steps.
func (p Problem) Steps(d mechanism.Direction) []Steps {
	f := p.meaning.factors
	if _, alone := f.Alternatives(); alone || p.check(d) != nil {
		return nil
	}
	oriented := []Factors{f}
	if !p.freely && !f.SelfDual() {
		switch d {
		case mechanism.Add:
			oriented = []Factors{f.Reverse()}
		case mechanism.Both:
			oriented = append(oriented, f.Reverse())
		}
	}
	var out []Steps
	for _, f := range oriented {
		most := 0
		for i, c := range f.Choices {
			if c.Count > f.Choices[most].Count {
				most = i
			}
		}
		c := f.Choices[most]
		rest := Factors{Fixed: f.Fixed}
		rest.Choices = append(append(rest.Choices, f.Choices[:most]...), f.Choices[most+1:]...)
		out = append(out, Steps{
			Of: c.Of, Count: c.Count, Bounded: c.Mixing != Pointwise, Attained: p.meaning.evidence.wholly(),
			Before: rest.Product(), After: rest.strategies()[0], Product: f.Product(),
		})
		out[len(out)-1].Records = c.Records
	}
	return out
}
