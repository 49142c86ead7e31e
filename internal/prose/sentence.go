// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package prose

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// Sentence says in a sentence what an event is, for people who do not know the field. Of an event
// whose parameters are ranges, more and less are the two ends; otherwise they are equal.
func Sentence(more, less mechanism.Event) string {
	text := "The mechanism is " + phrase(less) + "."
	if !mechanism.Equal(more, less) {
		text += " Its parameters are ranges, and these are their least private ends. At the other ends it is " + phrase(more) + "."
	}
	return text
}

// phrase is an event as the end of a sentence.
func phrase(e mechanism.Event) string {
	switch e := e.(type) {
	case mechanism.NoOp:
		return "a step that reads no data"
	case mechanism.NonPrivate:
		return "a release of the data as they are"
	case mechanism.Gaussian:
		return "an answer with Gaussian noise, of standard deviation " + times(e.NoiseMultiplier)
	case mechanism.Laplace:
		return "an answer with Laplace noise, of scale " + times(e.NoiseMultiplier)
	case mechanism.RandomizedResponse:
		return fmt.Sprintf("a randomized response: with probability %s, a record's value is replaced by one of all %s values at random", exactly(e.NoiseParameter), count(e.NumBuckets))
	case mechanism.EpsilonDelta:
		return fmt.Sprintf("known by its guarantee only: it is (ε, δ)-differentially private with ε = %s and δ = %s", exactly(e.Epsilon), exactly(e.Delta))
	case mechanism.DiscreteLaplace:
		return fmt.Sprintf("an integer answer with discrete Laplace noise: the noise is x with probability proportional to exp(−%s·|x|), and one record moves the answer by at most %s", exactly(e.NoiseParameter), count(e.Sensitivity))
	case mechanism.DiscreteGaussian:
		entries := "of unknown length"
		if e.Dimension > 0 {
			entries = plural(e.Dimension, "entry", "entries")
		}
		return fmt.Sprintf("an answer of integers (%s) with discrete Gaussian noise of parameter σ = %s on each; one record moves it by at most %s in the Euclidean norm", entries, exactly(e.Sigma), exactly(e.Sensitivity))
	case mechanism.ZCDP:
		text := "known by its guarantee only: it is zero-concentrated differentially private with ρ = " + exactly(e.Rho)
		if e.Xi != nil && e.Xi.Sign() != 0 {
			text += " and ξ = " + exactly(e.Xi)
		}
		return text
	case mechanism.ExponentialMechanism:
		return "a choice by the exponential mechanism with ε = " + exactly(e.Epsilon)
	case mechanism.PermuteAndFlip:
		return "a choice by permute-and-flip with ε = " + exactly(e.Epsilon)
	case mechanism.MixtureOfGaussians:
		var moves []string
		for i, c := range e.Sensitivities {
			moves = append(moves, fmt.Sprintf("%s with probability %s", exactly(c), exactly(e.SamplingProbs[i])))
		}
		return fmt.Sprintf("an answer with Gaussian noise of standard deviation %s, which a record moves by %s", exactly(e.StandardDeviation), some(moves, ", "))
	case mechanism.SelfComposed:
		return fmt.Sprintf("a sequence of %s, each %s", plural(e.Count, "step", "steps"), phrase(e.Event))
	case mechanism.Composed:
		return composition(e)
	case mechanism.PoissonSampled:
		return fmt.Sprintf("%s; it is computed on a random sample, in which every record is with probability %s, independently", phrase(e.Event), exactly(e.SamplingProbability))
	case mechanism.SampledWithoutReplacement:
		return fmt.Sprintf("%s; it is computed on a random sample of exactly %s of %s", phrase(e.Event), count(e.SampleSize), plural(e.SourceDatasetSize, "record", "records"))
	case mechanism.SampledWithReplacement:
		return fmt.Sprintf("%s; it is computed on %s from %s, with replacement", phrase(e.Event), plural(e.SampleSize, "random draw", "random draws"), plural(e.SourceDatasetSize, "record", "records"))
	case mechanism.SingleEpochTreeAggregation:
		var steps []string
		for _, n := range e.StepCounts {
			steps = append(steps, count(n))
		}
		return fmt.Sprintf("a running sum by binary trees (steps of each: %s), where every record is in one step, with Gaussian noise in each node, of standard deviation %s", some(steps, ", "), times(e.NoiseMultiplier))
	case mechanism.TruncatedSubsampledGaussian:
		return fmt.Sprintf("an answer with Gaussian noise, of standard deviation %s; it is computed on a random sample of %s, in which each is with probability %s, and of which at most %s are kept",
			times(e.NoiseMultiplier), plural(e.DatasetSize, "record", "records"), exactly(e.SamplingProbability), count(e.TruncatedBatchSize))
	case mechanism.RandomAllocation:
		return fmt.Sprintf("a sequence of %s, of which every record is in %s at random; each step is %s", plural(e.NumSteps, "step", "steps"), count(e.NumSelected), phrase(e.Event))
	case mechanism.RepeatAndSelect:
		return fmt.Sprintf("the best of a random number of runs, %s in the mean; each run is %s", exactly(e.Mean), phrase(e.Event))
	case mechanism.Shuffled:
		return fmt.Sprintf("the shuffled reports of %s, each by itself %s", plural(e.Reports, "record", "records"), phrase(e.Event))
	case mechanism.FinitePair:
		return fmt.Sprintf("given by the probabilities of its %s with a record and without it", plural(int64(len(e.P)), "output", "outputs"))
	case mechanism.HistogramPair:
		return fmt.Sprintf("given by the histograms in %s and %s of its outputs with a record and without it", show.Name(e.PathP), show.Name(e.PathQ))
	case mechanism.TruncatedGaussian:
		return fmt.Sprintf("an answer with Gaussian noise of standard deviation %s, which is never more than %s; one record moves the answer by at most %s", exactly(e.Sigma), exactly(e.Radius), exactly(e.Sensitivity))
	case mechanism.TruncatedLaplace:
		return fmt.Sprintf("an answer with Laplace noise of scale %s, which is never more than %s; one record moves the answer by at most %s", exactly(e.Scale), exactly(e.Radius), exactly(e.Sensitivity))
	case mechanism.ClampedLaplace:
		return fmt.Sprintf("an answer with Laplace noise of scale %s around %s, moved by at most %s %s", exactly(e.Scale), exactly(e.Location), exactly(e.Shift), clamped(e.Order))
	case mechanism.ClampedGaussian:
		return fmt.Sprintf("an answer with Gaussian noise of standard deviation %s around %s, moved by at most %s %s", exactly(e.Sigma), exactly(e.Location), exactly(e.Shift), clamped(e.Order))
	case mechanism.GaussianPair:
		return fmt.Sprintf("an answer with Gaussian noise whose standard deviation is %s or %s, as the data are, and which one record moves by %s", exactly(e.SigmaP), exactly(e.SigmaQ), exactly(e.Shift))
	case mechanism.ThresholdedNoise:
		return fmt.Sprintf("a list of counts by key, of which one record moves at most %s; a count is released with its key only where it is at least %s with its noise, and is %s", count(e.Keys), exactly(e.Threshold), phrase(e.Event))
	case mechanism.Maximum:
		var parts []string
		for i, part := range e.Events {
			parts = append(parts, fmt.Sprintf("(%d) %s", i+1, phrase(part)))
		}
		return fmt.Sprintf("whichever is the worst of %s: %s", plural(int64(len(e.Events)), "mechanism", "mechanisms"), some(parts, "; "))
	case mechanism.Group:
		return fmt.Sprintf("%s; it protects groups of %s", phrase(e.Event), plural(e.Size, "record", "records"))
	case mechanism.MatrixMechanism:
		return fmt.Sprintf("a matrix mechanism of %s, where a record is in at most %s, at least %s apart, with Gaussian noise of standard deviation %s",
			plural(e.Strategy.Steps, "step", "steps"), count(e.MaxParticipations), count(e.MinSeparation), times(e.NoiseMultiplier))
	case mechanism.Binomial:
		return fmt.Sprintf("an integer answer with binomial noise, of %s with probability %s; one record moves the answer by at most %s", plural(e.Trials, "trial", "trials"), exactly(e.Probability), count(e.Sensitivity))
	case mechanism.AdditiveNoise:
		where := "cells"
		if e.Kind == mechanism.Lattice {
			where = "points"
		}
		return fmt.Sprintf("an answer with noise that a table of %s probabilities gives, on %s %s apart; one record moves the answer by at most %s", count(int64(len(e.Probabilities))), where, exactly(e.Cell), exactly(e.Sensitivity))
	case mechanism.DominatingPair:
		return fmt.Sprintf("known by its guarantee only: it is (ε, δ)-differentially private for each of %s", plural(int64(len(e.Profile)), "listed pair", "listed pairs"))
	case mechanism.TradeOff:
		return fmt.Sprintf("known by its guarantee only: every test of whether a record is there has the errors of a trade-off function through %s, or greater ones", plural(int64(len(e.Points)), "listed point", "listed points"))
	case mechanism.RenyiCurve:
		return fmt.Sprintf("known by its guarantee only: its Rényi divergences are at most those listed, at %s", plural(int64(len(e.Orders)), "order", "orders"))
	}
	return Event(e)
}

// composition is a list of events, each with its number.
func composition(e mechanism.Composed) string {
	if len(e.Events) == 0 {
		return "a sequence of no steps"
	}
	var parts []string
	for i, part := range e.Events {
		parts = append(parts, fmt.Sprintf("(%d) %s", i+1, phrase(part)))
	}
	return fmt.Sprintf("a sequence of %s: %s", plural(int64(len(e.Events)), "part", "parts"), some(parts, "; "))
}

// some joins the first of many texts.
func some(texts []string, between string) string {
	const most = 6
	if n := len(texts); n > most+1 {
		texts = append(texts[:most:most], fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(texts, between)
}

func clamped(o mechanism.ClampOrder) string {
	if o == mechanism.ClampThenShift {
		return "after everything below 0 has become 0"
	}
	return "before everything below 0 becomes 0"
}

// times is a multiple of the bound of what one record contributes.
func times(r *big.Rat) string {
	return exactly(r) + " times the bound C on what one record contributes"
}

// exactly is a number as it is written; beside a fraction stands about what it is.
func exactly(r *big.Rat) string {
	if r == nil {
		return "not given"
	}
	text := show.Cut(number.Format(r))
	if strings.Contains(text, "/") {
		text += " (about " + strings.TrimPrefix(About(interval.Prec(64).Rat(r)), "≈ ") + ")"
	}
	return Readable(text)
}

// count groups the digits of a number by commas.
func count(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Joined lists words, the last after "or" or "and".
func Joined(words []string, last string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// Few lists at most so many words, with … in the place of the others.
func Few(words []string, most int) string {
	if len(words) > most {
		words = append(slices.Clone(words[:most]), "…")
	}
	return strings.Join(words, ", ")
}

// Many is a number of things as an output has it.
func Many(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// plural is a count of things in a sentence.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}
