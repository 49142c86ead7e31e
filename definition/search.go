// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"math"
	"math/rand"
	"slices"

	"dpverify/definition/masses"
	"dpverify/mechanism"
)

// A Finding is what a mechanism does with two neighbouring data sets.
type Finding struct {
	masses.Pair
	Instance *Instance
	// OnP and OnQ are the records on which the outcomes have the distributions P and Q.
	OnP, OnQ []string
	// Worth is what the search has made as great as it could.
	Worth   float64
	choices *Choices
}

// Search runs an event so many times, each time with other choices of the adversary, and returns the mechanism and the
// neighbours that are worth the most: first the choices that are meant to be bad, then random ones, then changes of the
// best so far. It calls worth for every pair of neighbours in the direction, and ends where that is +∞. The error is a
// *SizeError.
func Search(q Question, t *Tables, o Options, rng *rand.Rand, tries int,
	worth func(masses.Pair) float64) (Finding, error) {
	best := Finding{Worth: math.Inf(-1)}
	for k := range tries {
		c := FirstChoices()
		switch {
		case k > tries/2 && best.choices != nil:
			c = best.choices.Changed(rng)
		case k > 0:
			c = RandomChoices(rng)
		}
		i, err := New(q.Event, q.Relation, c, t, o)
		if err != nil {
			return best, err
		}
		for _, n := range i.Neighbours {
			for _, f := range q.oriented(i.both(n)) {
				f.choices = c
				if f.Worth = worth(f.Pair); f.Worth >= best.Worth {
					best = f
				}
				if math.IsInf(f.Worth, 1) {
					return best, nil
				}
			}
		}
	}
	return best, nil
}

// First runs an event with the choices that are meant to be bad, on data sets of as many records as the options say,
// one of which is replaced, or there or not; all others are the same. The error is a *SizeError.
func First(q Question, t *Tables, o Options) (Finding, error) {
	i, err := New(q.Event, q.Relation, FirstChoices(), t, o)
	if err != nil {
		return Finding{}, err
	}
	n := i.Neighbours[slices.IndexFunc(i.Neighbours, func(n Neighbours) bool {
		return len(n.with) == o.Records || i.exactly
	})]
	return q.oriented(i.both(n))[0], nil
}

// Records returns how many records an event demands of the greater of two neighbouring data sets, 0 for any number. The
// error is a *SizeError.
func Records(e mechanism.Event, r mechanism.Relation) (int, error) {
	x, err := sizeOf(e, r)
	return int(x.records), err
}

// both are what the mechanism does with two neighbours, in either order.
func (i *Instance) both(n Neighbours) (there, back Finding) {
	there = Finding{Pair: i.Pair(n), Instance: i, OnP: n.with.names(), OnQ: n.without.names()}
	back = there
	back.Pair, back.OnP, back.OnQ = there.Reversed(), there.OnQ, there.OnP
	return there, back
}

// A Question is an event, what neighbours are, and which of them is on which side.
type Question struct {
	Event     mechanism.Event
	Relation  mechanism.Relation
	Direction mechanism.Direction
}

// oriented returns what the direction asks about. Where records replace each other either is on either side.
func (q Question) oriented(there, back Finding) []Finding {
	switch {
	case q.Relation == mechanism.ReplaceOne || q.Direction == mechanism.Both:
		return []Finding{there, back}
	case q.Direction == mechanism.Add:
		return []Finding{back}
	}
	return []Finding{there}
}
