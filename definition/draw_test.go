// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition_test

import (
	"math/big"
	"math/rand"
	"slices"

	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

var rat = testkit.Rat

// A generator draws events that can be run: with few records, few releases, and parameters that are short, degenerate
// ones among them.
type generator struct {
	*rand.Rand
	wanted *[]string
	quick  bool
}

func (g generator) of(xs ...string) *big.Rat { return rat(xs[g.Intn(len(xs))]) }

func (g generator) noise() *big.Rat   { return g.of("1", "1", "1/2", "2", "7/3") }
func (g generator) shift() *big.Rat   { return g.of("0", "1", "1", "1/2", "3/2") }
func (g generator) rate() *big.Rat    { return g.of("0", "1", "1/2", "1/2", "1/3", "9/10") }
func (g generator) epsilon() *big.Rat { return g.of("0", "1", "1/2", "2") }
func (g generator) delta() *big.Rat   { return g.of("0", "0", "1/10", "1/1000", "1/3", "1") }

// masses are a distribution on n outcomes, some of them without mass.
func (g generator) masses(n int) []*big.Rat {
	weights, total := make([]int64, n), int64(0)
	for i := range weights {
		weights[i] = []int64{0, 1, 1, 2, 3, 9}[g.Intn(6)]
		total += weights[i]
	}
	if total == 0 {
		weights[g.Intn(n)], total = 1, 1
	}
	out := make([]*big.Rat, n)
	for i, w := range weights {
		out[i] = big.NewRat(w, total)
	}
	return out
}

func (g generator) pair() (p, q []*big.Rat) {
	n := 2 + g.Intn(2)
	if p, q = g.masses(n), g.masses(n); g.Intn(3) == 0 { // the mirror image
		for i := range p {
			q[i] = p[n-1-i]
		}
	}
	return p, q
}

// A drawn class says how to draw one of its events, on a given number of records, 0 for any. It is drawn so often, and
// so often where trees are to be quick.
type drawnClass struct {
	name           string
	often, quickly int
	draw           func(g generator, depth int, records int64) mechanism.Event
}

func leaf(name string, often, quickly int, draw func(g generator) mechanism.Event) drawnClass {
	return drawnClass{name, often, quickly, func(g generator, _ int, _ int64) mechanism.Event { return draw(g) }}
}

var leaves = []drawnClass{
	leaf("NoOpDpEvent", 2, 1, func(generator) mechanism.Event { return mechanism.NoOp{} }),
	leaf("NonPrivateDpEvent", 1, 0, func(generator) mechanism.Event { return mechanism.NonPrivate{} }),
	leaf("GaussianDpEvent", 6, 2, func(g generator) mechanism.Event {
		if g.Intn(4) == 0 {
			return mechanism.Gaussian{NoiseVariance: g.noise()}
		}
		return mechanism.Gaussian{NoiseMultiplier: g.noise()}
	}),
	leaf("LaplaceDpEvent", 3, 0, func(g generator) mechanism.Event { return mechanism.Laplace{NoiseMultiplier: g.noise()} }),
	leaf("RandomizedResponseDpEvent", 4, 4, func(g generator) mechanism.Event {
		return mechanism.RandomizedResponse{NoiseParameter: g.rate(), NumBuckets: 1 + g.Int63n(4)}
	}),
	leaf("EpsilonDeltaDpEvent", 6, 6, func(g generator) mechanism.Event {
		return mechanism.EpsilonDelta{Epsilon: g.epsilon(), Delta: g.delta()}
	}),
	leaf("DiscreteLaplaceDpEvent", 4, 2, func(g generator) mechanism.Event {
		return mechanism.DiscreteLaplace{NoiseParameter: g.noise(), Sensitivity: g.Int63n(3)}
	}),
	leaf("DiscreteGaussianDpEvent", 4, 3, func(g generator) mechanism.Event {
		return mechanism.DiscreteGaussian{Sigma: g.noise(), Sensitivity: g.of("1", "1", "2", "3/2", "0"), Dimension: g.Int63n(3)}
	}),
	leaf("ZCDpEvent", 2, 2, func(g generator) mechanism.Event {
		return mechanism.ZCDP{Rho: g.of("0", "0", "1/10", "1/2"), Xi: g.of("0", "0", "1/10")}
	}),
	leaf("ExponentialMechanismDpEvent", 3, 2, func(g generator) mechanism.Event { return mechanism.ExponentialMechanism{Epsilon: g.epsilon()} }),
	leaf("PermuteAndFlipDpEvent", 3, 1, func(g generator) mechanism.Event { return mechanism.PermuteAndFlip{Epsilon: g.epsilon()} }),
	leaf("MixtureOfGaussiansDpEvent", 1, 0, func(g generator) mechanism.Event {
		e := mechanism.MixtureOfGaussians{StandardDeviation: g.noise(), SamplingProbs: g.masses(2)}
		for range e.SamplingProbs {
			e.Sensitivities = append(e.Sensitivities, g.of("0", "1", "2", "1/2"))
		}
		return e
	}),
	leaf("LocalRandomizerEvent", 3, 3, func(g generator) mechanism.Event { return g.table() }),
	leaf("FinitePairEvent", 10, 16, func(g generator) mechanism.Event {
		p, q := g.pair()
		return mechanism.FinitePair{P: p, Q: q}
	}),
	leaf("HistogramPairEvent", 1, 0, func(g generator) mechanism.Event {
		p, q := g.pair()
		return mechanism.HistogramPair{PathP: "p.csv", PathQ: "q.csv", P: p, Q: q}
	}),
	leaf("TruncatedGaussianEvent", 1, 0, func(g generator) mechanism.Event {
		return mechanism.Truncated{Noise: mechanism.GaussianNoise, Width: g.noise(), Sensitivity: g.shift(), Radius: g.of("1/2", "1", "3")}
	}),
	leaf("TruncatedLaplaceEvent", 1, 0, func(g generator) mechanism.Event {
		return mechanism.Truncated{Width: g.noise(), Sensitivity: g.shift(), Radius: g.of("1/2", "1", "3")}
	}),
	leaf("ClampedLaplaceEvent", 1, 0, func(g generator) mechanism.Event {
		return mechanism.Clamped{Location: g.of("0", "1", "-1"), Width: g.noise(), Shift: g.shift(), Order: mechanism.ClampOrder(g.Intn(2))}
	}),
	leaf("ClampedGaussianEvent", 1, 0, func(g generator) mechanism.Event {
		return mechanism.Clamped{Noise: mechanism.GaussianNoise, Location: g.of("0", "1", "-1"), Width: g.noise(), Shift: g.shift(), Order: mechanism.ClampOrder(g.Intn(2))}
	}),
	leaf("GaussianPairEvent", 1, 0, func(g generator) mechanism.Event {
		return mechanism.GaussianPair{SigmaP: g.noise(), SigmaQ: g.noise(), Shift: g.shift()}
	}),
	leaf("GaussianMixturePairEvent", 2, 0, func(g generator) mechanism.Event {
		side := func() (m mechanism.WeightedMeans) {
			m.Weights = g.masses(1 + g.Intn(3))
			for range m.Weights {
				m.Means = append(m.Means, g.of("0", "0", "1", "-1", "2", "1/2"))
			}
			return m
		}
		return mechanism.GaussianMixturePair{StandardDeviation: g.noise(), P: side(), Q: side()}
	}),
	leaf("ThresholdedNoiseEvent", 2, 0, func(g generator) mechanism.Event {
		noise := []mechanism.Event{mechanism.Gaussian{NoiseMultiplier: g.noise()}, mechanism.Laplace{NoiseMultiplier: g.noise()},
			mechanism.DiscreteLaplace{NoiseParameter: g.noise(), Sensitivity: g.Int63n(3)},
			mechanism.DiscreteGaussian{Sigma: g.noise(), Sensitivity: g.of("1", "2", "0"), Dimension: 1}}[g.Intn(4)]
		return mechanism.ThresholdedNoise{Event: noise, Threshold: g.of("0", "1", "2", "-1", "5/2"), Keys: 1 + g.Int63n(3)}
	}),
	leaf("MatrixMechanismEvent", 2, 0, func(g generator) mechanism.Event {
		e := mechanism.MatrixMechanism{MinSeparation: 1 + g.Int63n(3), MaxParticipations: 1 + g.Int63n(3), NoiseMultiplier: g.noise()}
		e.Strategy = mechanism.Strategy{Steps: 1 + g.Int63n(3), Toeplitz: []*big.Rat{rat("1")}}
		if e.Strategy.Steps > 1 {
			e.Strategy.Toeplitz = append(e.Strategy.Toeplitz, g.of("1/2", "1", "-1/2"))
		}
		if kind := mechanism.SamplingKind(g.Intn(7)); kind <= mechanism.RandomSteps {
			e.MinSeparation, e.MaxParticipations, e.Sampling = 0, 0, &mechanism.MatrixSampling{Kind: kind, Size: 1 + g.Int63n(3)}
			if kind != mechanism.BallsInBins && kind != mechanism.RandomSteps {
				e.Sampling.Probability = g.rate()
			}
		}
		if g.Intn(2) == 0 {
			e.Strategy = mechanism.Strategy{Steps: 2, Entries: []mechanism.Entry{{Value: g.of("1", "1/2")}, {Row: 1, Value: g.of("1", "-1")}, {Row: 1, Column: 1, Value: g.of("1", "2")}}}
		}
		return e
	}),
	leaf("SingleEpochTreeAggregationDpEvent", 1, 0, func(g generator) mechanism.Event {
		return mechanism.SingleEpochTreeAggregation{NoiseMultiplier: g.noise(), StepCounts: []int64{g.Int63n(4), g.Int63n(6)}[:1+g.Intn(2)]}
	}),
	leaf("LastIterateEvent", 2, 2, func(g generator) mechanism.Event {
		e := mechanism.LastIterate{Contraction: g.of("1/2", "1", "0", "9/10"), Steps: 1 + g.Int63n(4), Batches: 1 + g.Int63n(3), NoiseMultiplier: g.noise()}
		if g.Intn(3) == 0 {
			e.Diameter = g.of("1/10", "1", "5")
		}
		return e
	}),
	leaf("BinomialEvent", 2, 2, func(g generator) mechanism.Event {
		return mechanism.Binomial{Trials: 1 + g.Int63n(4), Probability: g.rate(), Sensitivity: g.Int63n(3)}
	}),
	leaf("AdditiveNoiseEvent", 4, 4, func(g generator) mechanism.Event {
		kind := mechanism.NoiseKind(g.Intn(2))
		e := mechanism.AdditiveNoise{Cell: g.of("1", "1/2"), Sensitivity: g.shift(), Kind: kind}
		e.Probabilities = g.masses(2*(1+g.Intn(2)) + int(kind))
		if g.Intn(2) == 0 {
			for i, p := range e.Probabilities {
				e.Probabilities[i] = new(big.Rat).Add(p, e.Probabilities[len(e.Probabilities)-1-i])
			}
			e.Probabilities = normalised(e.Probabilities)
		}
		return e
	}),
	leaf("DominatingPairEvent", 3, 2, func(g generator) mechanism.Event {
		e := mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{{Epsilon: g.epsilon(), Delta: g.delta()}}}
		if g.Intn(2) == 0 {
			e.Profile = append(e.Profile, mechanism.ProfilePoint{Epsilon: new(big.Rat).Add(e.Profile[0].Epsilon, rat("1")), Delta: new(big.Rat).Mul(e.Profile[0].Delta, rat("1/3"))})
		}
		return e
	}),
	leaf("TradeOffEvent", 3, 3, func(g generator) mechanism.Event {
		alpha := g.of("0", "1/10", "1/3", "1")
		beta := new(big.Rat).Sub(rat("1"), alpha)
		return mechanism.TradeOff{Points: []mechanism.TradeOffPoint{{Alpha: alpha, Beta: beta.Mul(beta, g.rate())}}}
	}),
	leaf("RenyiCurveEvent", 2, 2, func(g generator) mechanism.Event {
		e := mechanism.RenyiCurve{Orders: []*big.Rat{g.of("2", "3/2", "1/2", "1")}, Values: []*big.Rat{g.of("0", "1/2", "1", "1/10")}}
		if g.Intn(2) == 0 {
			e.Orders = append(e.Orders, rat("8"))
			e.Values = append(e.Values, g.of("1/2", "2", "0"))
		}
		return e
	}),
	{"TruncatedSubsampledGaussianDpEvent", 1, 0, func(g generator, _ int, records int64) mechanism.Event {
		return mechanism.TruncatedSubsampledGaussian{DatasetSize: g.records(records), SamplingProbability: g.rate(), TruncatedBatchSize: g.Int63n(4), NoiseMultiplier: g.noise()}
	}},
	{"ShuffledEvent", 1, 0, func(g generator, _ int, records int64) mechanism.Event {
		e := mechanism.Shuffled{Reports: g.records(records), Event: mechanism.EpsilonDelta{Epsilon: g.epsilon(), Delta: new(big.Rat)}}
		if g.Intn(2) == 0 {
			e.Event = mechanism.RandomizedResponse{NoiseParameter: g.rate(), NumBuckets: 1 + g.Int63n(3)}
		}
		if g.Intn(2) == 0 {
			e.Event = g.table()
		}
		return e
	}},
}

// table draws a local randomizer.
func (g generator) table() mechanism.Event {
	e := mechanism.LocalRandomizer{Table: make([][]*big.Rat, 1+g.Intn(3))}
	width := 1 + g.Intn(3)
	for i := range e.Table {
		e.Table[i] = g.masses(width)
	}
	return e
}

func normalised(xs []*big.Rat) []*big.Rat {
	total := new(big.Rat)
	for _, x := range xs {
		total.Add(total, x)
	}
	out := make([]*big.Rat, len(xs))
	for i, x := range xs {
		out[i] = new(big.Rat).Quo(x, total)
	}
	return out
}

// records are as many as are given, or a few.
func (g generator) records(given int64) int64 {
	if given > 0 {
		return given
	}
	return 1 + g.Int63n(3)
}

// nodes is a function because its events have events of all classes inside.
func nodes() []drawnClass {
	return []drawnClass{
		{"SelfComposedDpEvent", 6, 6, func(g generator, depth int, records int64) mechanism.Event {
			return mechanism.SelfComposed{Event: g.event(depth-1, records), Count: 1 + g.Int63n(3)}
		}},
		{"ComposedDpEvent", 12, 12, func(g generator, depth int, records int64) mechanism.Event {
			return mechanism.Composed{Events: g.events([]int{0, 1, 2, 2, 2, 2, 3}[g.Intn(7)], depth, records)}
		}},
		{"MaximumEvent", 6, 8, func(g generator, depth int, records int64) mechanism.Event {
			return mechanism.Maximum{Events: g.events(1+g.Intn(2), depth, records)}
		}},
		{"MeanOfEvents", 6, 8, func(g generator, depth int, records int64) mechanism.Event {
			shares := g.masses(1 + g.Intn(3))
			return mechanism.Mean{Probabilities: shares, Events: g.events(len(shares), depth, records)}
		}},
		{"GroupEvent", 3, 3, func(g generator, depth int, records int64) mechanism.Event {
			return mechanism.Group{Event: g.event(depth-1, 0), Size: 1 + g.Int63n(3)}
		}},
		{"PoissonSampledDpEvent", 9, 12, func(g generator, depth int, records int64) mechanism.Event {
			rate := g.rate()
			if rate.Cmp(rat("1")) < 0 {
				records = 0
			}
			return mechanism.PoissonSampled{SamplingProbability: rate, Event: g.event(depth-1, records)}
		}},
		{"SampledWithoutReplacementDpEvent", 6, 8, func(g generator, depth int, records int64) mechanism.Event {
			records = g.records(records)
			size := g.Int63n(records + 1)
			return mechanism.SampledWithoutReplacement{SourceDatasetSize: records, SampleSize: size, Event: g.event(depth-1, size)}
		}},
		{"SampledWithReplacementDpEvent", 2, 0, func(g generator, _ int, records int64) mechanism.Event {
			inside := []mechanism.Event{mechanism.Gaussian{NoiseMultiplier: g.noise()}, mechanism.Laplace{NoiseMultiplier: g.noise()},
				mechanism.NoOp{}, mechanism.NonPrivate{}}[g.Intn(4)]
			return mechanism.SampledWithReplacement{SourceDatasetSize: g.records(records), SampleSize: g.Int63n(4), Event: inside}
		}},
		{"RepeatAndSelectDpEvent", 2, 0, func(g generator, depth int, records int64) mechanism.Event {
			shape := []*big.Rat{nil, rat("0"), rat("1"), rat("-1/2")}[g.Intn(4)]
			return mechanism.RepeatAndSelect{Event: g.event(depth-1, records), Mean: g.of("1", "2", "3"), Shape: shape}
		}},
		{"RandomAllocationDpEvent", 3, 2, func(g generator, depth int, records int64) mechanism.Event {
			steps := 1 + g.Int63n(3)
			selected := []int64{0, 1, 1, steps}[g.Intn(4)]
			if selected < steps {
				records = 0
			}
			return mechanism.RandomAllocation{Event: g.event(depth-1, records), NumSelected: min(selected, steps), NumSteps: steps}
		}},
		{"ShuffledBatchesEvent", 2, 2, func(g generator, depth int, records int64) mechanism.Event {
			batches := []int64{1, 2, 2, 3}[g.Intn(4)]
			if batches > 1 {
				records = 0
			}
			return mechanism.ShuffledBatches{Event: g.event(depth-1, records), Batches: batches}
		}},
	}
}

func (g generator) events(n, depth int, records int64) []mechanism.Event {
	es := make([]mechanism.Event, n)
	for i := range es {
		es[i] = g.event(depth-1, records)
	}
	return es
}

// event draws an event of at most some depth: of the next class that is wanted, if there is one.
func (g generator) event(depth int, records int64) mechanism.Event {
	classes := leaves
	if depth > 0 && g.Intn(3) > 0 {
		classes = nodes()
	}
	if len(*g.wanted) > 0 {
		name := (*g.wanted)[0]
		*g.wanted = (*g.wanted)[1:]
		return classNamed(name).draw(g, depth, records)
	}
	all := 0
	for _, c := range classes {
		all += c.weight(g)
	}
	n := g.Intn(all)
	for _, c := range classes {
		if n -= c.weight(g); n < 0 {
			return c.draw(g, depth, records)
		}
	}
	panic("no class is drawn")
}

func (c drawnClass) weight(g generator) int {
	if g.quick {
		return c.quickly
	}
	return c.often
}

func classNamed(name string) drawnClass {
	all := append(nodes(), leaves...)
	return all[slices.IndexFunc(all, func(c drawnClass) bool { return c.name == name })]
}

// tree draws an event of depth 3 at most. Of each 2·n·m trees in turn, n classes that hold others and m classes, two
// have each of them inside of each.
func tree(r *rand.Rand, turn int) mechanism.Event {
	outer := nodes()
	all := append(nodes(), leaves...)
	node := outer[turn%len(outer)].name
	class := all[turn/len(outer)%len(all)].name
	wanted := []string{node, class}
	if turn/len(outer)/len(all)%2 == 1 {
		wanted = []string{outer[r.Intn(len(outer))].name, node, class}
	}
	return generator{r, &wanted, false}.event(3, 0)
}

// quickTree draws an event of one class that holds others, of classes of which answers take milliseconds.
func quickTree(r *rand.Rand, class string) mechanism.Event {
	return classNamed(class).draw(generator{r, &[]string{}, true}, 3, 0)
}
