// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package dominate

import (
	"context"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// A side is an event with what dominates it.
type side struct {
	event    mechanism.Event
	question exact.Question
	problem  meaning.Problem
	bounds   meaning.Bounds[pair.Product]
}

func newSide(r Request, e mechanism.Event) (side, error) {
	s := side{event: e, question: exact.Question{Event: e, Relation: r.Relation, Direction: r.Direction,
		MaxMemory: r.MaxMemory}}
	var err error
	s.problem, s.bounds, err = meaning.ResolveProfile(e, r.Relation, r.Direction)
	return s, err
}

// attained returns products whose greatest profile the event has, at least.
func (s side) attained() []pair.Product {
	if s.bounds.Attained {
		return s.bounds.Upper
	}
	return s.bounds.Lower
}

// A profile is one orientation of a side, prepared.
type profile struct {
	*exact.Profile
	bounds meaning.Bounds[pair.Product]
	effort exact.Effort
}

// orientations prepares the directions to compare at ε ≥ 0, so that all real ε are: one where both
// directions are asked for, because the greatest of the two, at −ε, is given by its value at ε.
func (s side) orientations(ctx context.Context, t side, e exact.Effort) (a, b []profile, err error) {
	ds := []mechanism.Direction{s.question.Direction}
	switch ds[0] {
	case mechanism.Remove:
		ds = append(ds, mechanism.Add)
	case mechanism.Add:
		ds = append(ds, mechanism.Remove)
	}
	for _, d := range ds {
		for _, x := range []struct {
			side side
			out  *[]profile
		}{{s, &a}, {t, &b}} {
			q := x.side.question
			q.Direction = d
			p, err := exact.Prepare(ctx, q, e)
			if err != nil {
				return nil, nil, err
			}
			bounds, err := x.side.problem.Profile(d)
			if err != nil {
				return nil, nil, err
			}
			*x.out = append(*x.out, profile{p, bounds, e})
		}
	}
	return a, b, nil
}

// A Request asks whether the profile of Above is at least the profile of Below.
type Request struct {
	Above, Below mechanism.Event
	Relation     mechanism.Relation
	Direction    mechanism.Direction
	ask.Goal
}
