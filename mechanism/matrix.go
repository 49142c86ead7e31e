// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
	"dpverify/mechanism/strategy"
)

// MatrixMechanism releases C·G + Z: the rows of G are the values of each step, sums over the records that take part in
// it, each of norm at most C, and Z has Gaussian noise on every entry. A record takes part in at most MaxParticipations
// steps, any two of which are MinSeparation apart or more; or in those that Sampling says.
type MatrixMechanism struct {
	Strategy          Strategy
	MinSeparation     int64           // in [1, MaxCount], 0 with Sampling
	MaxParticipations int64           // in [1, MaxCount], 0 with Sampling
	NoiseMultiplier   *big.Rat        // σ / C > 0
	Sampling          *MatrixSampling // or nil
}

// A Strategy is a lower-triangular matrix, and an Entry a number of it.
type (
	Strategy = strategy.Strategy
	Entry    = strategy.Entry
)

// A MatrixSampling says in which steps a record takes part, by its own coins; a SamplingKind, how it is sampled.
type (
	MatrixSampling = strategy.MatrixSampling
	SamplingKind   = strategy.SamplingKind
)

// How records are sampled: see strategy.
const (
	PoissonCyclic = strategy.PoissonCyclic
	BallsInBins   = strategy.BallsInBins
	MinSeparation = strategy.MinSeparation
	RandomShift   = strategy.RandomShift
	RandomSteps   = strategy.RandomSteps
)

func (MatrixMechanism) ClassName() string              { return "MatrixMechanismEvent" }
func (e MatrixMechanism) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e MatrixMechanism) describe() description {
	return description{
		value: &e,
		about: "A lower-triangular matrix times the values of all steps, plus Gaussian noise on every entry.",
		bound: "a Gaussian, with the sensitivity of the strategy in exact rationals; where no form of it is known, " +
			"above and below apart",
		example: `"strategy":{"toeplitz":["1","0.5","0.25"],"steps":100},"min_separation":10,"max_participations":5,` +
			`"noise_multiplier":"4"`,
		sentence: say("a matrix mechanism of %s, %s, with Gaussian noise of standard deviation %s"+field.TimesC,
			field.Many{N: e.Strategy.Steps, Thing: "step"},
			field.Each([]*MatrixSampling{e.Sampling}, "", e.participation), e.NoiseMultiplier),
		fields: []field.Field{
			// More noise is post-processing, as for Gaussian.
			e.Strategy.Field("strategy"),
			e.separation(),
			e.participations("max_participations"),
			field.Positive(1, 50).Number("noise_multiplier", &e.NoiseMultiplier, field.MorePrivate).
				Means("sigma / C, C the bound of the norm of one record's value in one step."),
		},
	}
}

// participation says in which steps a record is, for people.
func (e MatrixMechanism) participation(_ int, s *MatrixSampling) field.Sentence {
	switch {
	case s == nil && e.MaxParticipations == MaxCount:
		return say("where a record is in steps at least %s apart", e.MinSeparation)
	case s == nil:
		return say("where a record is in at most %s, at least %s apart", e.MaxParticipations, e.MinSeparation)
	case s.Kind == PoissonCyclic:
		return say("where each of %s of records is in every step of its turn with probability %s",
			field.Many{N: s.Size, Thing: "group"}, s.Probability)
	case s.Kind == MinSeparation:
		return say("where a record is in steps at least %s apart, with probability %s in each that may be", s.Size,
			s.Probability)
	case s.Kind == RandomShift:
		return say("where a record is in one of %s at random, and in every step of its turn with probability %s",
			field.Many{N: s.Size, Thing: "group"}, s.Probability)
	case s.Kind == RandomSteps:
		return say("where a record is in %s at random", field.Many{N: s.Size, Thing: "step"})
	}
	return say("where a record is in the steps of one of %s at random", field.Many{N: s.Size, Thing: "bin"})
}

// separation is the least distance of two steps of a record, or sampling.
func (e *MatrixMechanism) separation() field.Field {
	first := field.Integer("min_separation", &e.MinSeparation, 1, MaxCount, 1, 50).
		Means("The least distance of two steps that a record takes part in.")
	f := field.OneOf(first, strategy.SamplingField("sampling", &e.Sampling).Means("The coins by which a record takes "+
		"part in steps."), func() bool { return e.Sampling == nil })
	draw, write := f.Draw, f.Write
	f.Write = func(w *field.Writer) {
		if e.Sampling != nil && e.MinSeparation != 0 { // which nothing reads
			first.Write(w)
		}
		write(w)
	}
	f.Draw = func(d *field.Drawing) {
		e.MinSeparation, e.MaxParticipations, e.Sampling = 0, 0, nil
		draw(d)
	}
	return f
}

// participations is a field of records without sampling.
func (e *MatrixMechanism) participations(name string) field.Field {
	f := field.Integer(name, &e.MaxParticipations, 1, MaxCount, 1, 20).Or(func() { e.MaxParticipations = MaxCount }).
		Means("In at most how many steps a record takes part; where it is left out, as many as min_separation allows.")
	read, write, valid, draw := f.Read, f.Write, f.Valid, f.Draw
	f.Read = func(r *field.Reader) {
		switch n := r.Node.Get(name); {
		case e.Sampling == nil:
			read(r)
		case n != nil:
			r.Err = r.Invalid(name, n, "nothing, beside sampling")
		}
	}
	f.Write = func(w *field.Writer) {
		if e.Sampling == nil || e.MaxParticipations != 0 {
			write(w)
		}
	}
	f.Valid = func(v *field.Validation) bool {
		return e.Sampling == nil && valid(v) || e.Sampling != nil && e.MinSeparation == 0 && e.MaxParticipations == 0
	}
	f.Draw = func(d *field.Drawing) {
		if e.Sampling == nil {
			draw(d)
		}
	}
	return f
}

func (e MatrixMechanism) contents() Event {
	e.Strategy.File = ""
	return e
}
