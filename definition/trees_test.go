// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition_test

import (
	"context"
	"errors"
	"flag"
	"math"
	"math/rand"
	"testing"
	"time"

	"dpverify/ask"
	"dpverify/definition"
	"dpverify/definition/masses"
	"dpverify/exact"
	"dpverify/internal/guard"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// A trial is a question, its answer, and the worst that was found.
type trial struct {
	definition.Question
	quantity
	cells    int    // of noise
	training string // its name, if it is one
	answer   answer
	finding  definition.Finding
}

var trees = flag.Int("trees", 0, "how many trees are run, in place of 50, or 20000 under DPVERIFY_LONG=1")

var errNotRun = errors.New("has no meaning, is too large to run, or takes too long to answer")

// try asks, and runs the event so many times. The error is errNotRun, or one of the engine.
func (x *trial) try(t *definition.Tables, tries int, seed int64) (above bool, err error) {
	o := definition.Options{Records: 1 + int(seed&1), Cells: x.cells, Epsilon: x.epsilon}
	if _, err := definition.New(x.Event, x.Relation, definition.FirstChoices(), t, o); err != nil {
		return false, errNotRun
	}
	x.answer, err = guard.Value(func() (answer, error) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(testkit.Cases(100, 5000))*time.Millisecond)
		defer cancel()
		q := exact.Question{Event: x.Event, Relation: x.Relation, Direction: x.Direction}
		return guard.Within(ctx, func(ctx context.Context) (answer, error) { return x.ask(ctx, q) })
	})
	if ask.NoMeaning(err) || errors.Is(err, context.DeadlineExceeded) {
		return false, errNotRun
	} else if err != nil {
		return false, err
	}
	x.finding, err = definition.Search(x.Question, t, o, rand.New(rand.NewSource(seed)), tries, func(p masses.Pair) float64 {
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

// TestNoTreeIsAbove: no instance of a random event has more privacy loss than the upper end of an answer allows: every
// class inside of every class that holds others, under every relation, in every direction, every quantity.
func TestNoTreeIsAbove(t *testing.T) {
	turns := rand.New(rand.NewSource(1)).Perm(2 * len(nodes()) * (len(nodes()) + len(leaves)))
	counts := noneIsAbove(t, testkit.Draws(12, 50, 20000), func(r *rand.Rand, drawn int) trial {
		x := trial{quantity: drawQuantity(r), cells: 32}
		x.Event = tree(r, turns[drawn%len(turns)])
		if !testkit.Long() && slow.Match(mechanism.EncodeEvent(x.Event)) {
			x.quantity = deltaAt(rat("1/2"))
		}
		return x
	})
	counts.check(t)
}

// The same of more trees, of classes of which answers take little time: what an event means beside others and inside of
// others shows in them as well.

func TestNoCompositionIsAbove(t *testing.T)   { noQuickTreeIsAbove(t, "ComposedDpEvent") }
func TestNoMaximumIsAbove(t *testing.T)       { noQuickTreeIsAbove(t, "MaximumEvent") }
func TestNoMeanIsAbove(t *testing.T)          { noQuickTreeIsAbove(t, "MeanOfEvents") }
func TestNoPoissonSampleIsAbove(t *testing.T) { noQuickTreeIsAbove(t, "PoissonSampledDpEvent") }
func TestNoSubsetIsAbove(t *testing.T)        { noQuickTreeIsAbove(t, "SampledWithoutReplacementDpEvent") }

// TestNoSampleOfGuaranteesIsAbove: the same of Poisson samples of two guarantees of different kinds, which may have
// infinite losses between them, and of their divergences.
func TestNoSampleOfGuaranteesIsAbove(t *testing.T) {
	noneIsAbove(t, testkit.Draws(6, 16, 2000), func(r *rand.Rand, _ int) trial {
		g := generator{r, &[]string{}, true}
		guarantee := func(class string) mechanism.Event { return classNamed(class).draw(g, 1, 0) }
		inside := mechanism.Composed{Events: []mechanism.Event{
			guarantee("EpsilonDeltaDpEvent"), guarantee([]string{"ZCDpEvent", "RenyiCurveEvent"}[r.Intn(2)]),
		}}
		return trial{
			Question: definition.Question{Event: mechanism.PoissonSampled{SamplingProbability: g.rate(), Event: inside}},
			quantity: renyiAt(g.of("2", "3", "3/2")), cells: 12,
		}
	})
}

func noQuickTreeIsAbove(t *testing.T, class string) {
	t.Helper()
	noneIsAbove(t, testkit.Draws(6, 16, 20000), func(r *rand.Rand, _ int) trial {
		x := trial{quantity: drawQuantity(r), cells: 12}
		x.Event = quickTree(r, class)
		return x
	})
}

// noneIsAbove runs so many trees, and counts what they are.
func noneIsAbove(t *testing.T, n int, draw func(r *rand.Rand, drawn int) trial) reached {
	t.Helper()
	if *trees > 0 {
		n = *trees
	}
	var tables *definition.Tables
	rng := rand.New(rand.NewSource(1))
	counts, found := reached{}, 0
	for drawn, ran := 0, 0; ran < n; drawn++ {
		if drawn%100 == 0 { // or they would grow
			tables = definition.NewTables(t.Context())
		}
		seed := rng.Int63()
		r := rand.New(rand.NewSource(seed))
		x := draw(r, drawn)
		x.Relation, x.Direction = mechanism.Relation(r.Intn(3)), []mechanism.Direction{mechanism.Both, mechanism.Both, mechanism.Remove, mechanism.Add}[r.Intn(4)]
		above, err := x.try(tables, 12, seed)
		if errors.Is(err, errNotRun) {
			continue
		}
		ran++
		counts.add(x)
		if x.training != "" {
			counts[place{x.training, x.Relation, x.name}]++
		}
		if err != nil {
			t.Errorf("tree %d: %v: %v", ran, x, err)
		}
		if above {
			t.Errorf("tree %d: %v", ran, x.shrunk(tables, seed))
			if found++; found == 3 {
				t.FailNow()
			}
		}
	}
	return counts
}
