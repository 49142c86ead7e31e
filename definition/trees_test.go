// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition_test

import (
	"context"
	"errors"
	"math"
	"math/rand"
	"testing"
	"time"

	"dpverify/ask"
	"dpverify/definition"
	"dpverify/exact"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// A trial is a question, its answer, and the worst that was found.
type trial struct {
	definition.Question
	quantity
	answer  answer
	finding definition.Finding
}

var errNotRun = errors.New("has no meaning, is too large to run, or takes too long to answer")

// try asks, and runs the event so many times. The error is errNotRun, or one of the engine.
func (x *trial) try(t *definition.Tables, tries int, seed int64) (above bool, err error) {
	o := definition.Options{Records: 1 + int(seed&1), Cells: 32, Epsilon: x.epsilon}
	if _, err := definition.New(x.Event, x.Relation, definition.FirstChoices(), t, o); err != nil {
		return false, errNotRun
	}
	x.answer, err = ask.Guarded(func() (answer, error) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(testkit.Cases(400, 5000))*time.Millisecond)
		defer cancel()
		q := exact.Question{Event: x.Event, Relation: x.Relation, Direction: x.Direction}
		return ask.Within(ctx, func(ctx context.Context) (answer, error) { return x.ask(ctx, q) })
	})
	if ask.NoMeaning(err) || errors.Is(err, context.DeadlineExceeded) {
		return false, errNotRun
	} else if err != nil {
		return false, err
	}
	x.finding, err = definition.Search(x.Question, t, o, rand.New(rand.NewSource(seed)), tries, func(p definition.Pair) float64 {
		if x.above(x.answer, p) {
			above = true
			return math.Inf(1)
		}
		return x.worth(p)
	})
	if above {
		x.finding.Worth = x.worth(x.finding.Pair)
	}
	return above, err
}

// TestNoTreeIsAbove: no instance of a random event has more privacy loss than the upper end of an answer allows: every class inside of every class that holds
// others, under every relation, in every direction, every quantity.
func TestNoTreeIsAbove(t *testing.T) {
	n := testkit.Cases(300, 20000)
	tables := definition.NewTables()
	rng := rand.New(rand.NewSource(1))
	turns := rng.Perm(2 * len(nodes()) * (len(nodes()) + len(leaves)))
	reached := table{}
	for drawn, ran := 0, 0; ran < n; drawn++ {
		seed := rng.Int63()
		r := rand.New(rand.NewSource(seed))
		x := trial{quantity: drawQuantity(r)}
		x.Relation, x.Direction = mechanism.Relation(r.Intn(3)), []mechanism.Direction{mechanism.Both, mechanism.Both, mechanism.Remove, mechanism.Add}[r.Intn(4)]
		x.Event = tree(r, turns[drawn%len(turns)])
		above, err := x.try(tables, 12, seed)
		if errors.Is(err, errNotRun) {
			continue
		}
		ran++
		reached.add(x)
		if err != nil {
			t.Errorf("tree %d: %v: %v", ran, x, err)
		}
		if above {
			t.Errorf("tree %d: %v", ran, x.shrunk(tables, seed))
		}
	}
	reached.check(t, n)
}
