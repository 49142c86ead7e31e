// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpverify/exact/meaning"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// Random returns n random cases. The i-th depends on the seed and i only.
//
// They are compositions of mechanisms, common ones more often than others, with
// parameters and counts on a logarithmic scale and a third of them at round or awkward
// values, and δ from 10^−2 to 10^−30. Half of them ask for ε. A new class is among them.
func Random(seed uint64, n int) []Case {
	out := make([]Case, n)
	for i := range out {
		g := generator{rand.New(rand.NewPCG(seed, uint64(i)))}
		out[i] = g.next()
		out[i].ID = fmt.Sprintf("random-%d-%d", seed, i)
	}
	return out
}

// A generator draws the numbers of one case.
type generator struct{ r *rand.Rand }

func (g generator) next() Case {
	var c Case
	switch g.r.IntN(12) {
	case 0, 1:
		c.Relation = mechanism.ReplaceOne
	case 2:
		c.Relation = mechanism.ReplaceSpecial
	}
	c.Event = g.composed(c.Relation)
	switch g.r.IntN(12) {
	case 0, 1, 2:
		c.Quantity, c.At = Delta, g.number(0.01, 20)
	case 3, 4:
		c.Quantity, c.At = Renyi, g.order()
	case 5:
		c.Quantity, c.At = TradeOff, g.number(0.001, 0.9)
	default:
		c.Quantity, c.At = Epsilon, g.delta()
	}
	return c
}

func (g generator) number(lo, hi float64) *big.Rat {
	return (&mechanism.Drawing{Rand: g.r}).Usual(lo, hi)
}

// delta returns a number from 10^−30 to 10^−2.
func (g generator) delta() *big.Rat {
	e := 2 + g.r.IntN(29)
	m := int64(1)
	if e > 2 && g.r.IntN(3) == 0 {
		m = 1 + g.r.Int64N(9)
	}
	return new(big.Rat).Quo(big.NewRat(m, 1), number.PowerOfTen(e))
}

// order returns an order of a Rényi divergence above 1, half of them integers.
func (g generator) order() *big.Rat {
	if g.r.IntN(2) == 0 {
		return big.NewRat(2+g.r.Int64N(63), 1)
	}
	return new(big.Rat).Add(one, g.number(0.01, 30))
}

// A kind is how often a class is drawn, of which a composition has at most so many copies.
type kind struct {
	weight int
	most   float64
}

const many, few = 5000, 50

// kinds are classes that are not drawn once in a while, with a few copies. Compositions are made of the others.
var kinds = map[string]kind{
	"GaussianDpEvent": {8, many}, "LaplaceDpEvent": {5, many}, "DiscreteLaplaceDpEvent": {3, many},
	"EpsilonDeltaDpEvent": {5, many}, "PoissonSampledDpEvent": {12, many}, "RandomizedResponseDpEvent": {4, many},
	"SampledWithoutReplacementDpEvent": {2, few},
	"RandomAllocationDpEvent":          {1, 1}, "RepeatAndSelectDpEvent": {1, 1}, "ShuffledEvent": {1, 1},
	"SelfComposedDpEvent": {}, "ComposedDpEvent": {}, inFiles: {},
}

// inside are classes of events that are sampled from, grouped, or selected from.
var inside = []string{"GaussianDpEvent", "GaussianDpEvent", "GaussianDpEvent", "LaplaceDpEvent",
	"DiscreteLaplaceDpEvent", "DiscreteGaussianDpEvent", "EpsilonDeltaDpEvent"}

// composed returns one mechanism, many copies of one, or a few different ones, with a meaning under the relation.
func (g generator) composed(rel mechanism.Relation) mechanism.Event {
	switch g.r.IntN(5) {
	case 0:
		e, _ := g.mechanism(rel)
		return e
	case 1:
		events := make([]mechanism.Event, 2+g.r.IntN(2))
		for i := range events {
			e, most := g.mechanism(rel)
			events[i] = g.times(e, min(most, 100))
		}
		return mechanism.Composed{Events: events}
	}
	return g.times(g.mechanism(rel))
}

// times composes a mechanism with itself.
func (g generator) times(e mechanism.Event, most float64) mechanism.Event {
	n := int64(math.Exp(g.r.Float64() * math.Log(most)))
	if n <= 1 {
		return e
	}
	return mechanism.SelfComposed{Event: e, Count: n}
}

// mechanism returns one that has a meaning under the relation, and how many copies of it a composition may have.
func (g generator) mechanism(rel mechanism.Relation) (e mechanism.Event, most float64) {
	d := mechanism.Drawing{Rand: g.r}
	d.Inside = func(d *mechanism.Drawing) any { return mechanism.Draw(d, inside[g.r.IntN(len(inside))]) }
	var classes []string
	for _, c := range mechanism.ClassNames() {
		k, ok := kinds[c]
		if !ok {
			k.weight = 1
		}
		classes = append(classes, slices.Repeat([]string{c}, k.weight)...)
	}
	for {
		class := classes[g.r.IntN(len(classes))]
		e = mechanism.Draw(&d, class)
		if _, err := meaning.Resolve(e, rel); err == nil {
			return e, cmp.Or(kinds[class].most, few)
		}
	}
}
