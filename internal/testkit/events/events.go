// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package events makes random events for tests: of every class, nested, with sizes that fit.
package events

import (
	"math/big"
	"math/rand"
	random "math/rand/v2"

	"dpverify/internal/testkit"
	"dpverify/mechanism"

	"github.com/leanovate/gopter"
)

// A Case wraps an event, because generators are for concrete types.
type Case struct{ Event mechanism.Event }

func (c Case) String() string { return string(mechanism.EncodeEvent(c.Event)) }

// Gen turns a random function into a gopter generator.
func Gen() gopter.Gen {
	return func(p *gopter.GenParameters) *gopter.GenResult {
		return gopter.NewGenResult(Case{Random(p.Rng, 4)}, gopter.NoShrinker)
	}
}

// Rand is a source of numbers.
func Rand(seed int64) *rand.Rand { return rand.New(rand.NewSource(seed)) }

// wrappers are classes of events that are about others, and drawn half of the time.
var wrappers = []string{"SelfComposedDpEvent", "ComposedDpEvent", "PoissonSampledDpEvent",
	"SampledWithoutReplacementDpEvent", "SampledWithReplacementDpEvent", "RandomAllocationDpEvent",
	"RepeatAndSelectDpEvent", "GroupEvent"}

// usual are drawn often, so that equal ones occur.
var usual = []mechanism.Event{mechanism.NoOp{}, mechanism.NonPrivate{},
	mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}, mechanism.Gaussian{NoiseMultiplier: big.NewRat(2, 2)},
	mechanism.Laplace{NoiseMultiplier: big.NewRat(1, 1)}}

// Random returns a valid event of the given depth at most. A maximum or a mean is no part of a sample, and drawn as the
// whole.
func Random(rng *rand.Rand, depth int) mechanism.Event {
	d := &mechanism.Drawing{Rand: random.New(random.NewPCG(rng.Uint64(), 0))}
	d.Any = func() *big.Rat { return testkit.RandomRat(rng) }
	d.Inside = func(d *mechanism.Drawing) any {
		if depth == 0 {
			return nil
		}
		depth--
		defer func() { depth++ }()
		return one(d, depth)
	}
	if whole := rng.Intn(16); depth > 0 && whole < 2 {
		return mechanism.Draw(d, []string{"MaximumEvent", "MeanOfEvents"}[whole])
	}
	return one(d, depth)
}

// one returns an event that is no maximum and no mean.
func one(d *mechanism.Drawing, depth int) mechanism.Event {
	names := mechanism.ClassNames()
	for {
		class := names[d.Rand.IntN(len(names))]
		switch {
		case depth > 0 && d.Rand.IntN(2) == 0:
			class = wrappers[d.Rand.IntN(len(wrappers))]
		case d.Rand.IntN(3) == 0:
			return usual[d.Rand.IntN(len(usual))]
		}
		switch class {
		case "MaximumEvent", "MeanOfEvents":
			continue
		case "HistogramPairEvent":
			r := big.NewRat
			return mechanism.HistogramPair{PathP: "p.csv", PathQ: "q.csv",
				P: []*big.Rat{r(1, 4), r(3, 4), r(0, 1)}, Q: []*big.Rat{r(1, 3), r(0, 1), r(2, 3)}}
		}
		if e := mechanism.Draw(d, class); e != nil {
			return e
		}
	}
}
