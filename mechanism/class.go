// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"strings"

	"dpverify/internal/field"
)

// classes has an event of each class, in the order in which the help and the schema list them.
var classes = []Event{
	NoOp{}, NonPrivate{}, Gaussian{}, Laplace{}, RandomizedResponse{}, LocalRandomizer{}, EpsilonDelta{},
	DiscreteLaplace{}, DiscreteGaussian{}, ZCDP{}, ExponentialMechanism{}, PermuteAndFlip{}, MixtureOfGaussians{},
	SelfComposed{}, Composed{}, PoissonSampled{}, SampledWithoutReplacement{}, SingleEpochTreeAggregation{},
	SampledWithReplacement{}, TruncatedSubsampledGaussian{}, RandomAllocation{}, ShuffledBatches{},
	RepeatAndSelect{},
	FinitePair{}, HistogramPair{}, Truncated{Noise: GaussianNoise}, Truncated{}, Clamped{}, Clamped{Noise: GaussianNoise},
	GaussianPair{}, GaussianMixturePair{}, ThresholdedNoise{}, Group{}, Maximum{}, Mean{}, MatrixMechanism{}, Shuffled{},
	LastIterate{}, Binomial{},
	AdditiveNoise{}, DominatingPair{}, TradeOff{}, RenyiCurve{},
}

// byName has an event of each class.
var byName = func() map[string]Event {
	out := make(map[string]Event)
	for _, c := range classes {
		out[c.ClassName()] = c
	}
	return out
}()

// ClassNames returns the class names that events may have.
func ClassNames() []string {
	var out []string
	for _, c := range classes {
		out = append(out, c.ClassName())
	}
	return out
}

// unsupportedClasses are refused by name: what dp_accounting has for events of which it knows nothing.
var unsupportedClasses = []string{"UnsupportedDpEvent"}

// A Description is a class for people.
type Description struct {
	Class     string
	Fields    []string // in their documented order; optional ones end in ?
	Relations []Relation
	Bound     string // how it is bounded
	Example   string // an event in its tree form, which has a meaning under all the relations
}

// Descriptions returns those of all classes.
func Descriptions() []Description {
	out := make([]Description, len(classes))
	for i, c := range classes {
		d := c.describe()
		example := "{" + head(c) + strings.TrimRight(","+d.example, ",") + "}"
		out[i] = Description{c.ClassName(), nil, d.relations, d.bound, example}
		if d.relations == nil {
			out[i].Relations = Relations()
		}
		for _, f := range field.Named(d.fields) {
			if f.Optional {
				f.Name += "?"
			}
			out[i].Fields = append(out[i].Fields, f.Name)
		}
	}
	return out
}

// Draw draws an event of a class: of usual parameters, or if d.Any is set, of any that the class may have. It returns
// nil if none fits into the sample that d draws for, or its fields name files.
func Draw(d *Drawing, class string) Event { return drawEvent(d, byName[class]) }
