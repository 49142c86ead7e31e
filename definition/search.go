// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"math"
	"math/rand"

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

// Search runs an event so many times, each time with other choices of the adversary, and returns the mechanism and the neighbours that are worth the most: first
// the choices that are meant to be bad, then random ones, then changes of the best so far. It calls worth for every pair of
// neighbours in the direction, and ends where that is +∞. The error is a *SizeError.
func Search(q Question, t *Tables, o Options, rng *rand.Rand, tries int, worth func(masses.Pair) float64) (Finding, error) {
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
			there := Finding{Pair: i.Pair(n), Instance: i, OnP: n.with.names(), OnQ: n.without.names(), choices: c}
			back := there
			back.Pair, back.OnP, back.OnQ = there.Reversed(), there.OnQ, there.OnP
			for _, f := range q.oriented(there, back) {
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
