// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"dpverify/internal/number"
	"dpverify/internal/show"
)

// CheckQuestion returns an error for an event, a relation or a direction that a Go program
// made up: all that decoders return passes. The engines ask before they look any further.
func CheckQuestion(e Event, r Relation, d Direction) error {
	if err := Validate(e); err != nil {
		return err
	}
	if _, err := ParseRelation(r.String()); err != nil {
		return err
	}
	_, err := ParseDirection(d.String())
	return err
}

// CheckParameters returns a *ParamError for what of e itself, whatever it holds, would make no sense in a
// composition: a count below 1, a rate that is none.
func CheckParameters(e Event) error {
	wrong := func(field, value, want string) error {
		return &ParamError{Class: e.ClassName(), Field: field, Value: value, Want: want}
	}
	within := func(field string, x, least, most int64) error {
		switch {
		case x >= least && x <= most:
			return nil
		case most == math.MaxInt64:
			return wrong(field, strconv.FormatInt(x, 10), fmt.Sprintf(">= %d", least))
		}
		return wrong(field, strconv.FormatInt(x, 10), fmt.Sprintf("in [%d, %d]", least, most))
	}
	switch e := e.(type) {
	case SelfComposed:
		return within("count", e.Count, 1, math.MaxInt64)
	case Group:
		return within("size", e.Size, 1, math.MaxInt64)
	case PoissonSampled:
		if q := e.SamplingProbability; q == nil || !number.Probability.Contains(q) {
			return wrong("sampling_probability", ratText(q), number.Probability.Want)
		}
	case SampledWithReplacement:
		return cmp.Or(within("source_dataset_size", e.SourceDatasetSize, 1, math.MaxInt64), within("sample_size", e.SampleSize, 0, MaxCount))
	case RandomAllocation:
		return cmp.Or(within("num_steps", e.NumSteps, 1, math.MaxInt64), within("num_selected", e.NumSelected, 0, e.NumSteps))
	case RepeatAndSelect:
		domain := e.meanDomain()
		switch {
		case e.Shape != nil && !repetitionShape.Contains(e.Shape):
			return wrong("shape", ratText(e.Shape), repetitionShape.Want)
		case e.Mean == nil || !domain.Contains(e.Mean):
			return wrong("mean", ratText(e.Mean), domain.Want)
		}
	case Maximum:
		if len(e.Events) == 0 {
			return wrong("events", "an empty list", oneOrMore)
		}
	case Shuffled:
		if err := within("reports", e.Reports, 1, MaxCount); err != nil {
			return err
		}
		if shown, ok := localReport(e.Event); !ok {
			return wrong("event", shown, localReports)
		}
	}
	return nil
}

func ratText(r *big.Rat) string {
	if r == nil {
		return "nothing"
	}
	return show.Cut(number.Format(r))
}

// CheckNumber returns a *ParamError for an argument that is nil or outside [lo, hi]; an end
// that is nil bounds nothing.
func CheckNumber(field string, x, lo, hi *big.Rat) error {
	want := "a number"
	switch {
	case lo != nil && hi != nil:
		want = fmt.Sprintf("a number in [%s, %s]", number.Format(lo), number.Format(hi))
	case lo != nil:
		want = "a number >= " + number.Format(lo)
	case hi != nil:
		want = "a number <= " + number.Format(hi)
	}
	if x == nil || lo != nil && x.Cmp(lo) < 0 || hi != nil && x.Cmp(hi) > 0 {
		return &ParamError{Field: field, Value: show.Cut(number.Format(x)), Want: want}
	}
	return nil
}

// CheckInteger returns a *ParamError for an argument outside [lo, hi].
func CheckInteger(field string, x, lo, hi int64) error {
	if x < lo || x > hi {
		return &ParamError{Field: field, Value: fmt.Sprint(x), Want: fmt.Sprintf("an integer in [%d, %d]", lo, hi)}
	}
	return nil
}
