// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"context"
	"fmt"

	"dpverify/exact"
	"dpverify/internal/field"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/shorthand"
	"dpverify/internal/show"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// A Counted is what a training was taken for: how many steps it has, each on a sample. The zero value is no training.
type Counted struct {
	Steps int64
	Text  string // in words, with how an epoch was counted
}

// mostCounted is how many different samples are named.
const mostCounted = 3

// CountedIn counts the steps of what was read.
func CountedIn(r mechanism.Range) Counted {
	factors, err := composition.Factors(r.LessPrivate)
	if err != nil {
		return Counted{}
	}
	ways := shorthand.Counted(r.Written)
	var c Counted
	var parts []string
	for _, f := range factors {
		thing, each, of := sampling(f.Event)
		if of == "" && len(ways) == 0 {
			continue // what is no training
		}
		c.Steps += f.Count * each
		if f.Count > 1 {
			thing += "s"
		}
		parts = append(parts, field.Count(f.Count)+" "+thing+of)
	}
	if c.Steps < 2 {
		return Counted{}
	}
	if n := len(parts) - mostCounted; n > 0 {
		parts = append(parts[:mostCounted], fmt.Sprintf("%d other kinds of steps", n))
	}
	c.Text = prose.Joined(parts, "and")
	for _, way := range ways {
		c.Text += "; sgd counts " + way.Words()
	}
	return c
}

// sampling says what a step is a sample of, empty if it is none, or what draws the batches of several steps at once.
func sampling(e mechanism.Event) (thing string, steps int64, of string) {
	switch x := e.(type) {
	case mechanism.PoissonSampled:
		return "step", 1, " of rate " + show.Cut(number.Format(x.SamplingProbability))
	case mechanism.SampledWithoutReplacement:
		return "step", 1, fmt.Sprintf(" of %d of %d records", x.SampleSize, x.SourceDatasetSize)
	case mechanism.SampledWithReplacement:
		return "step", 1, fmt.Sprintf(" of %d of %d records, with replacement", x.SampleSize, x.SourceDatasetSize)
	case mechanism.TruncatedSubsampledGaussian:
		rate := show.Cut(number.Format(x.SamplingProbability))
		return "step", 1, fmt.Sprintf(" of rate %s, cut to %d records", rate, x.TruncatedBatchSize)
	case mechanism.RandomAllocation:
		epochs, repeated := x.Event.(mechanism.SelfComposed)
		if _, ok := epochs.Event.(mechanism.Gaussian); ok && repeated && max(x.NumSteps, epochs.Count) < 1<<20 {
			return "random allocation", x.NumSteps * epochs.Count,
				fmt.Sprintf(" to %d of %d bins, which are %d steps each", x.NumSelected, x.NumSteps, epochs.Count)
		}
		if _, ok := x.Event.(mechanism.Gaussian); ok && x.NumSteps < 1<<20 {
			return "random allocation", x.NumSteps, fmt.Sprintf(" to %d of %d steps", x.NumSelected, x.NumSteps)
		}
	case mechanism.ShuffledBatches:
		if _, ok := x.Event.(mechanism.Gaussian); ok && x.Batches < 1<<20 {
			return "random order", x.Batches, fmt.Sprintf(" of %d batches", x.Batches)
		}
	}
	return "step", 1, ""
}

// Otherwise says what other numbers are to be quoted where an epoch has ⌈n/batch⌉ steps: of the first of the questions
// of a kind, which has a name and is asked at texts, that has another. Where they are not known in the digits that are
// quoted, so that they differ by what the bounds lose, it says how many steps there are. It is empty where all are the
// same, nothing was counted, or the time ends.
func Otherwise(ctx context.Context, q exact.Question, r mechanism.Range, g Goal, name string, at []string,
	qs []Quantity, answers []Answer) string {
	k, ok := KindNamed(name)
	if r.Recounted == nil || !ok {
		return ""
	}
	words := fmt.Sprintf("with count=ceil, %s steps", field.Count(CountedIn(*r.Recounted).Steps))
	for i, a := range answers {
		const known = number.QuotedDigits - 1 // of fewer digits than these, the last one that is quoted may be another
		if !qs[i].settled(a.Enclosure, known) {
			return words
		}
	}
	g.Digits, g.Profiles, g.Progress, g.Known = number.QuotedDigits, nil, nil, nil
	others, err := Range(ctx, q, *r.Recounted, g, qs...)
	if err != nil || others == nil {
		return ""
	}
	for i, a := range others {
		if !qs[i].settled(a.Enclosure, number.QuotedDigits) {
			return words
		}
		if was, is := answers[i].Quote(k.Name), a.Quote(k.Name); was != is {
			where := ""
			if at[i] != "" {
				where = "(" + at[i] + ")"
			}
			return fmt.Sprintf("%s, the number to quote of %s%s is %s", words, k.Symbol, where, is)
		}
	}
	return ""
}

// Words say what was counted, and what there would be otherwise, which may be empty.
func (c Counted) Words(otherwise string) string {
	if otherwise == "" {
		return c.Text
	}
	return c.Text + "; " + otherwise
}
