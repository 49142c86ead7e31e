// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"errors"
	"math/big"
	"math/rand"
	random "math/rand/v2"
	"slices"
	"testing"

	"dpverify/exact/meaning"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// A leafClass draws an event of a class that is neither composed nor sampled, with
// parameters that a question is about: moderate ones, half of them hard numbers.
type leafClass struct {
	name string
	draw func(*rand.Rand) mechanism.Event
}

var leafClasses = []leafClass{
	{"NoOpDpEvent", func(*rand.Rand) mechanism.Event { return mechanism.NoOp{} }},
	{"NonPrivateDpEvent", func(*rand.Rand) mechanism.Event { return mechanism.NonPrivate{} }},
	{"GaussianDpEvent", func(r *rand.Rand) mechanism.Event { return mechanism.Gaussian{NoiseMultiplier: drawNoise(r)} }},
	{"LaplaceDpEvent", func(r *rand.Rand) mechanism.Event { return mechanism.Laplace{NoiseMultiplier: drawNoise(r)} }},
	{"RandomizedResponseDpEvent", func(r *rand.Rand) mechanism.Event {
		return mechanism.RandomizedResponse{NoiseParameter: drawRate(r), NumBuckets: 1 + r.Int63n(4)}
	}},
	{"EpsilonDeltaDpEvent", func(r *rand.Rand) mechanism.Event {
		return mechanism.EpsilonDelta{Epsilon: drawEps(r), Delta: drawDelta(r)}
	}},
	{"DiscreteLaplaceDpEvent", func(r *rand.Rand) mechanism.Event {
		return mechanism.DiscreteLaplace{NoiseParameter: quo(one, drawNoise(r)), Sensitivity: r.Int63n(4)}
	}},
	{"DiscreteGaussianDpEvent", func(r *rand.Rand) mechanism.Event {
		s := []*big.Rat{one, one, two, rat("3/2"), zero}[r.Intn(5)]
		return mechanism.DiscreteGaussian{Sigma: drawNoise(r), Sensitivity: s, Dimension: r.Int63n(3)}
	}},
	{"ZCDpEvent", func(r *rand.Rand) mechanism.Event {
		return mechanism.ZCDP{Rho: drawEps(r), Xi: []*big.Rat{zero, zero, rat("1/10")}[r.Intn(3)]}
	}},
	{"ExponentialMechanismDpEvent", func(r *rand.Rand) mechanism.Event { return mechanism.ExponentialMechanism{Epsilon: drawEps(r)} }},
	{"PermuteAndFlipDpEvent", func(r *rand.Rand) mechanism.Event { return mechanism.PermuteAndFlip{Epsilon: drawEps(r)} }},
	{"MixtureOfGaussiansDpEvent", func(r *rand.Rand) mechanism.Event {
		e := mechanism.MixtureOfGaussians{StandardDeviation: drawNoise(r)}
		probs := normalised([]*big.Rat{one, drawRate(r), drawWeight(r)})
		e.SamplingProbs = probs[:1+r.Intn(3)]
		e.SamplingProbs = normalised(e.SamplingProbs)
		for range e.SamplingProbs {
			e.Sensitivities = append(e.Sensitivities, []*big.Rat{zero, one, rat("1/3"), two}[r.Intn(4)])
		}
		return e
	}},
	{"FinitePairEvent", func(r *rand.Rand) mechanism.Event { return drawModel(r).event() }},
	{"HistogramPairEvent", func(r *rand.Rand) mechanism.Event {
		m := drawModel(r)
		return mechanism.HistogramPair{PathP: "p.csv", PathQ: "q.csv", P: m.p(), Q: m.q()}
	}},
	{"TruncatedGaussianEvent", func(r *rand.Rand) mechanism.Event {
		return mechanism.Truncated{Noise: mechanism.GaussianNoise, Width: drawNoise(r), Sensitivity: drawShift(r), Radius: mul(drawNoise(r), two)}
	}},
	{"TruncatedLaplaceEvent", func(r *rand.Rand) mechanism.Event {
		return mechanism.Truncated{Width: drawNoise(r), Sensitivity: drawShift(r), Radius: mul(drawNoise(r), two)}
	}},
	{"ClampedLaplaceEvent", func(r *rand.Rand) mechanism.Event {
		order := []mechanism.ClampOrder{mechanism.ClampThenShift, mechanism.ShiftThenClamp}[r.Intn(2)]
		return mechanism.Clamped{Location: drawReal(r), Width: drawNoise(r), Shift: drawShift(r), Order: order}
	}},
	{"ClampedGaussianEvent", func(r *rand.Rand) mechanism.Event {
		order := []mechanism.ClampOrder{mechanism.ClampThenShift, mechanism.ShiftThenClamp}[r.Intn(2)]
		return mechanism.Clamped{Noise: mechanism.GaussianNoise, Location: drawReal(r), Width: drawNoise(r), Shift: drawShift(r), Order: order}
	}},
	{"ThresholdedNoiseEvent", func(r *rand.Rand) mechanism.Event {
		noise := []mechanism.Event{mechanism.Gaussian{NoiseMultiplier: drawNoise(r)}, mechanism.Laplace{NoiseMultiplier: drawNoise(r)},
			mechanism.DiscreteLaplace{NoiseParameter: quo(one, drawNoise(r)), Sensitivity: r.Int63n(3)},
			mechanism.DiscreteGaussian{Sigma: drawNoise(r), Sensitivity: one, Dimension: 1}}[r.Intn(4)]
		return mechanism.ThresholdedNoise{Event: noise, Threshold: mul(drawReal(r), two), Keys: 1 + r.Int63n(3)}
	}},
	{"SingleEpochTreeAggregationDpEvent", func(r *rand.Rand) mechanism.Event {
		return mechanism.SingleEpochTreeAggregation{NoiseMultiplier: mul(two, drawNoise(r)), StepCounts: []int64{r.Int63n(4), r.Int63n(40)}[:1+r.Intn(2)]}
	}},
	{"MatrixMechanismEvent", func(r *rand.Rand) mechanism.Event {
		e := mechanism.MatrixMechanism{MinSeparation: 1 + r.Int63n(3), MaxParticipations: 1 + r.Int63n(3), NoiseMultiplier: mul(two, drawNoise(r))}
		e.Strategy = mechanism.Strategy{Steps: 4, Toeplitz: []*big.Rat{one, []*big.Rat{half, two, rat("-1/3")}[r.Intn(3)]}}
		if r.Intn(2) == 0 {
			e.Strategy = mechanism.Strategy{Steps: 2, Entries: []mechanism.Entry{{Row: 0, Column: 0, Value: half}, {Row: 1, Column: 0, Value: one}}}
		}
		return e
	}},
	{"BinomialEvent", func(r *rand.Rand) mechanism.Event {
		return mechanism.Binomial{Trials: 1 + r.Int63n(8), Probability: drawRate(r), Sensitivity: r.Int63n(3)}
	}},
	{"AdditiveNoiseEvent", func(r *rand.Rand) mechanism.Event { return drawAdditiveNoise(r) }},
	{"TruncatedSubsampledGaussianDpEvent", func(r *rand.Rand) mechanism.Event {
		return mechanism.TruncatedSubsampledGaussian{DatasetSize: r.Int63n(6), SamplingProbability: drawRate(r), TruncatedBatchSize: r.Int63n(5), NoiseMultiplier: drawNoise(r)}
	}},
	{"DominatingPairEvent", func(r *rand.Rand) mechanism.Event {
		e := mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{{Epsilon: drawEps(r), Delta: drawDelta(r)}}}
		for range r.Intn(3) {
			last := e.Profile[len(e.Profile)-1]
			e.Profile = append(e.Profile, mechanism.ProfilePoint{Epsilon: add(last.Epsilon, half), Delta: mul(half, last.Delta)})
		}
		return e
	}},
	{"GaussianPairEvent", func(r *rand.Rand) mechanism.Event {
		return mechanism.GaussianPair{SigmaP: drawNoise(r), SigmaQ: drawNoise(r), Shift: drawShift(r)}
	}},
	{"TradeOffEvent", func(r *rand.Rand) mechanism.Event {
		alpha := drawRate(r)
		beta := mul(sub(one, alpha), drawRate(r))
		return mechanism.TradeOff{Points: []mechanism.TradeOffPoint{{Alpha: alpha, Beta: beta}}}
	}},
	{"RenyiCurveEvent", func(r *rand.Rand) mechanism.Event {
		orders := [][]*big.Rat{{two}, {rat("3/2"), rat("8")}, {rat("9007199254740993/9007199254740992"), two, rat("64")}}[r.Intn(3)]
		e := mechanism.RenyiCurve{Orders: orders}
		for range orders {
			e.Values = append(e.Values, drawEps(r))
		}
		return e
	}},
}

// Classes that are new are drawn as their files say.
func init() {
	named := map[string]bool{}
	for _, c := range leafClasses {
		named[c.name] = true
	}
	for _, c := range nodeClasses() {
		named[c.name] = true
	}
	for _, name := range mechanism.ClassNames() {
		if !named[name] {
			leafClasses = append(leafClasses, leafClass{name, func(r *rand.Rand) mechanism.Event {
				d := mechanism.Drawing{Rand: random.New(random.NewPCG(r.Uint64(), 0))}
				d.Inside = func(d *mechanism.Drawing) any { return mechanism.Draw(d, "GaussianDpEvent") }
				return mechanism.Draw(&d, name)
			}})
		}
	}
}

// A nodeClass draws an event of a class that has events inside. records is the number of
// records of the sample that the event is run on, or 0.
type nodeClass struct {
	name string
	draw func(g treeGenerator, depth int, records int64) mechanism.Event
}

// nodeClasses is a function, because its events have events of all classes inside.
func nodeClasses() []nodeClass {
	return []nodeClass{
		{"SelfComposedDpEvent", func(g treeGenerator, depth int, records int64) mechanism.Event {
			return mechanism.SelfComposed{Event: g.event(depth-1, records), Count: 1 + g.Int63n(4)}
		}},
		{"ComposedDpEvent", func(g treeGenerator, depth int, records int64) mechanism.Event {
			es := make([]mechanism.Event, []int{0, 1, 2, 2, 2, 3}[g.Intn(6)])
			for i := range es {
				es[i] = g.event(depth-1, records)
			}
			return mechanism.Composed{Events: es}
		}},
		{"MaximumEvent", func(g treeGenerator, depth int, records int64) mechanism.Event {
			es := make([]mechanism.Event, 1+g.Intn(2))
			for i := range es {
				es[i] = g.event(depth-1, records)
			}
			return mechanism.Maximum{Events: es}
		}},
		{"MeanOfEvents", func(g treeGenerator, depth int, records int64) mechanism.Event {
			es := []mechanism.Event{g.event(depth-1, records), g.event(depth-1, records)}
			rate := drawRate(g.Rand)
			return mechanism.Mean{Probabilities: []*big.Rat{rate, new(big.Rat).Sub(one, rate)}, Events: es}
		}},
		{"GroupEvent", func(g treeGenerator, depth int, records int64) mechanism.Event {
			return mechanism.Group{Event: g.event(depth-1, records), Size: 1 + g.Int63n(3)}
		}},
		{"PoissonSampledDpEvent", func(g treeGenerator, depth int, records int64) mechanism.Event {
			rate := drawRate(g.Rand)
			if n := g.Intn(8); n < 2 {
				rate = ratInt(int64(n))
			}
			if rate.Cmp(one) < 0 {
				records = 0
			}
			return mechanism.PoissonSampled{SamplingProbability: rate, Event: g.event(depth-1, records)}
		}},
		{"SampledWithoutReplacementDpEvent", func(g treeGenerator, depth int, records int64) mechanism.Event {
			if records == 0 {
				records = 1 + g.Int63n(20)
			}
			size := g.Int63n(records + 1)
			return mechanism.SampledWithoutReplacement{SourceDatasetSize: records, SampleSize: size, Event: g.event(depth-1, size)}
		}},
		{"SampledWithReplacementDpEvent", func(g treeGenerator, depth int, records int64) mechanism.Event {
			if records == 0 {
				records = 1 + g.Int63n(20)
			}
			size := g.Int63n(5)
			inside := []mechanism.Event{mechanism.Gaussian{NoiseMultiplier: drawNoise(g.Rand)}, mechanism.Laplace{NoiseMultiplier: drawNoise(g.Rand)}, g.event(depth-1, size), mechanism.NoOp{}}
			return mechanism.SampledWithReplacement{SourceDatasetSize: records, SampleSize: size, Event: inside[g.Intn(4)]}
		}},
		{"ShuffledEvent", func(g treeGenerator, _ int, records int64) mechanism.Event {
			if records == 0 {
				records = 1 + g.Int63n(20)
			}
			return mechanism.Shuffled{Reports: records, Event: mechanism.EpsilonDelta{Epsilon: ratInt(g.Int63n(3)), Delta: new(big.Rat)}}
		}},
		{"RepeatAndSelectDpEvent", func(g treeGenerator, depth int, records int64) mechanism.Event {
			inside := []mechanism.Event{mechanism.Gaussian{NoiseMultiplier: drawNoise(g.Rand)}, mechanism.NoOp{}, g.event(depth-1, records)}[g.Intn(3)]
			return mechanism.RepeatAndSelect{Event: inside, Mean: ratInt(1 + g.Int63n(4)), Shape: []*big.Rat{nil, ratInt(0), ratInt(1), big.NewRat(-1, 2)}[g.Intn(4)]}
		}},
		{"RandomAllocationDpEvent", func(g treeGenerator, depth int, records int64) mechanism.Event {
			steps := 1 + g.Int63n(4)
			selected := []int64{0, 1, 1, 1, 2, steps}[g.Intn(6)]
			if selected = min(selected, steps); selected < steps {
				records = 0
			}
			return mechanism.RandomAllocation{Event: g.event(depth-1, records), NumSelected: selected, NumSteps: steps}
		}},
	}
}

// drawAdditiveNoise is noise on a few cells or points, symmetric and falling half of the time.
func drawAdditiveNoise(r *rand.Rand) mechanism.AdditiveNoise {
	e := mechanism.AdditiveNoise{Cell: []*big.Rat{one, half, rat("1/3")}[r.Intn(3)], Sensitivity: drawShift(r), Kind: mechanism.NoiseKind(r.Intn(2))}
	n := 2*(1+r.Intn(3)) + int(e.Kind)
	weights := make([]int64, n)
	for i := range weights {
		weights[i] = r.Int63n(5)
	}
	if shape := r.Intn(4); shape > 1 { // symmetric, and then falling
		if shape > 2 {
			slices.Sort(weights[:(n+1)/2])
		}
		for i := range n / 2 {
			weights[n-1-i] = weights[i]
		}
	}
	weights[n/2]++
	if weights[(n-1)/2] < weights[n/2] {
		weights[(n-1)/2]++
	}
	for _, w := range weights {
		e.Probabilities = append(e.Probabilities, ratInt(w))
	}
	e.Probabilities = normalised(e.Probabilities)
	return e
}

// drawNoise is a scale of noise.
func drawNoise(r *rand.Rand) *big.Rat {
	if r.Intn(2) == 0 {
		return []*big.Rat{one, two, half, rat("1/3"), rat("11/10"), rat("7/2"), rat("10"), rat("9007199254740993/9007199254740992")}[r.Intn(8)]
	}
	x, _ := new(big.Rat).SetString(drawPositive(r, -1.5, 4).FloatString(3))
	return x
}

// drawShift is a shift between two distributions, 0 among them.
func drawShift(r *rand.Rand) *big.Rat {
	return []*big.Rat{zero, one, one, half, rat("1/3"), rat("3")}[r.Intn(6)]
}

// A treeGenerator draws events of all classes.
type treeGenerator struct{ *rand.Rand }

// event returns an event of the given depth at most.
func (g treeGenerator) event(depth int, records int64) mechanism.Event {
	if nodes := nodeClasses(); depth > 0 && g.Intn(2) == 0 {
		return nodes[g.Intn(len(nodes))].draw(g, depth, records)
	}
	return leafClasses[g.Intn(len(leafClasses))].draw(g.Rand)
}

// tree returns one that has a meaning under the relation, but for one of sixteen that
// need not have one. Few compositions are of classes that take seconds.
func (g treeGenerator) tree(rel mechanism.Relation) mechanism.Event {
	anything, seconds := g.Intn(16) == 0, g.Intn(32) == 0
	for {
		e := g.event(2, 0)
		if slow(e) && factors(e) > 1 && !seconds {
			continue
		}
		_, err := meaning.Resolve(e, rel)
		var undefined *meaning.RelationError
		if err == nil || anything && errors.As(err, &undefined) {
			return e
		}
	}
}

// factors counts the leaves of a tree, with their multiplicities.
func factors(e mechanism.Event) int64 {
	inside := children(e)
	if len(inside) == 0 {
		return 1
	}
	n := int64(0)
	for _, c := range inside {
		n += factors(c)
	}
	if s, ok := e.(mechanism.SelfComposed); ok {
		n *= s.Count
	}
	return n
}

// children returns the events inside an event.
func children(e mechanism.Event) []mechanism.Event {
	switch e := e.(type) {
	case mechanism.SelfComposed:
		return []mechanism.Event{e.Event}
	case mechanism.Composed:
		return e.Events
	case mechanism.Maximum:
		return e.Events
	case mechanism.Mean:
		return e.Events
	case mechanism.PoissonSampled:
		return []mechanism.Event{e.Event}
	case mechanism.SampledWithoutReplacement:
		return []mechanism.Event{e.Event}
	case mechanism.SampledWithReplacement:
		return []mechanism.Event{e.Event}
	case mechanism.RandomAllocation:
		return []mechanism.Event{e.Event}
	case mechanism.RepeatAndSelect:
		return []mechanism.Event{e.Event}
	}
	return nil
}

// rebuilt returns an event with other events inside.
func rebuilt(e mechanism.Event, inside []mechanism.Event) mechanism.Event {
	switch e := e.(type) {
	case mechanism.SelfComposed:
		e.Event = inside[0]
		return e
	case mechanism.Composed:
		return mechanism.Composed{Events: inside}
	case mechanism.Maximum:
		return mechanism.Maximum{Events: inside}
	case mechanism.Mean:
		return mechanism.Mean{Probabilities: e.Probabilities, Events: inside}
	case mechanism.PoissonSampled:
		e.Event = inside[0]
		return e
	case mechanism.SampledWithoutReplacement:
		e.Event = inside[0]
		return e
	case mechanism.SampledWithReplacement:
		e.Event = inside[0]
		return e
	case mechanism.RandomAllocation:
		e.Event = inside[0]
		return e
	case mechanism.RepeatAndSelect:
		e.Event = inside[0]
		return e
	}
	return e
}

// everywhere applies f to every event of a tree, from the leaves up.
func everywhere(e mechanism.Event, f func(mechanism.Event) mechanism.Event) mechanism.Event {
	var inside []mechanism.Event
	for _, c := range children(e) {
		inside = append(inside, everywhere(c, f))
	}
	return f(rebuilt(e, inside))
}

// smallerTrees proposes the events inside, trees with a part less, and lower counts.
func smallerTrees(e mechanism.Event) []mechanism.Event {
	inside := children(e)
	out := slices.Clone(inside)
	if s, ok := e.(mechanism.SelfComposed); ok && s.Count > 1 {
		s.Count--
		out = append(out, s)
	}
	if c, ok := e.(mechanism.Composed); ok {
		for i := range c.Events {
			out = append(out, mechanism.Composed{Events: slices.Delete(slices.Clone(c.Events), i, i+1)})
		}
	}
	for i, c := range inside {
		for _, s := range smallerTrees(c) {
			with := slices.Clone(inside)
			with[i] = s
			out = append(out, rebuilt(e, with))
		}
	}
	return out
}

// TestTreesHaveAllClasses: each class of package mechanism is in the tables that trees are
// drawn from under its name, what is drawn is valid, and under each relation under which
// a class has a meaning, some tree has it.
func TestTreesHaveAllClasses(t *testing.T) {
	g := treeGenerator{rand.New(rand.NewSource(1))}
	drawn := map[string]func() mechanism.Event{}
	for _, c := range leafClasses {
		drawn[c.name] = func() mechanism.Event { return c.draw(g.Rand) }
	}
	for _, c := range nodeClasses() {
		drawn[c.name] = func() mechanism.Event { return c.draw(g, 2, 0) }
	}
	for _, name := range mechanism.ClassNames() {
		draw := drawn[name]
		for range testkit.Draws(8, 20, 20) {
			e := draw()
			if e.ClassName() != name {
				t.Errorf("%s is drawn for the class %s", mechanism.EncodeEvent(e), name)
			}
			if err := mechanism.Validate(e); err != nil {
				t.Errorf("%s: %v", mechanism.EncodeEvent(e), err)
			}
		}
	}
	for _, rel := range relations {
		wanted := map[string]bool{}
		for _, name := range mechanism.ClassNames() {
			for range 50 {
				if _, err := meaning.Resolve(drawn[name](), rel); err == nil {
					wanted[name] = true
					break
				}
			}
		}
		for n := 0; n < 900 && len(wanted) > 0; n++ {
			everywhere(g.tree(rel), func(e mechanism.Event) mechanism.Event {
				if wanted[e.ClassName()] {
					if _, err := meaning.Resolve(e, rel); err == nil {
						delete(wanted, e.ClassName())
					}
				}
				return e
			})
		}
		for name := range wanted {
			t.Errorf("%s has a meaning under %s, and no tree of 900 has it", name, rel)
		}
	}
}

var relations = []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceOne, mechanism.ReplaceSpecial}
