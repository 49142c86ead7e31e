// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpverify/definition/masses"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// Tables keep what was computed, for many instances. They are for one goroutine at a time.
type Tables struct {
	*masses.Tables
	gammas map[[2]string]interval.Interval // by the mean and the shape of a number of runs
}

// NewTables are empty. What is found once ctx has ended is wide.
func NewTables(ctx context.Context) *Tables {
	return &Tables{masses.NewTables(ctx), map[[2]string]interval.Interval{}}
}

// An Instance is a mechanism that an event may be, on data sets of a few records.
type Instance struct {
	mech    mech
	exactly bool // data sets have as many records as the event demands
	// Neighbours are the pairs of neighbouring data sets.
	Neighbours []Neighbours
}

// Options say how an event is run.
type Options struct {
	Records int      // of the greater data sets, if the event does not say it
	Cells   int      // of all noise together, about
	Epsilon *big.Rat // a point that cells are cut for; nil for 0
}

// A SizeError says that an event has more records, runs or outcomes than can be listed.
type SizeError struct{ Reason string }

func (e *SizeError) Error() string { return "definition: " + e.Reason }

const (
	maxRecords  = 4
	maxReleases = 8
	maxOutcomes = 1 << 12 // of all together, but for noise, which is cut into fewer cells
)

// New runs an event under a relation. Where it has too many records or releases, the error is a *SizeError. It is for
// events that have a meaning under the relation: it runs some that have none, too.
func New(e mechanism.Event, r mechanism.Relation, c *Choices, t *Tables, o Options) (*Instance, error) {
	size, err := sizeOf(e, r)
	if err != nil {
		return nil, err
	}
	n, exactly := o.Records, false
	if size.records > 0 {
		n, exactly = int(size.records), true
	}
	each := int(math.Pow(float64(o.Cells), 1/float64(max(1, size.noise))))
	in := reading{Tables: t, relation: r, stride: 1, cells: max(2, each)}
	if o.Epsilon != nil {
		in.hint, _ = o.Epsilon.Float64()
	}
	return &Instance{in.read(e, site{c, 1}), exactly, neighbourings(r, n, exactly)}, nil
}

// Pair runs the mechanism on two data sets.
func (i *Instance) Pair(n Neighbours) masses.Pair {
	return masses.Pair{P: i.mech.law(n.with), Q: i.mech.law(n.without)}
}

// Words say what the mechanism is, as far as it was run.
func (i *Instance) Words() string { return i.mech.words(nil) }

// Label says what an outcome is.
func (i *Instance) Label(y int) string { return i.mech.label(y) }

// A size says how much there is to list.
type size struct {
	records  int64 // that the event demands, 0 for any number
	noise    int   // releases that are cut into cells
	outcomes int64 // of the others, multiplied
}

// sizeOf adds up an event.
func sizeOf(e mechanism.Event, r mechanism.Relation) (size, error) {
	x, err := sizeOfClass(e, r)
	switch {
	case err != nil:
		return x, err
	case x.noise > maxReleases:
		return x, &SizeError{fmt.Sprintf("%d releases", x.noise)}
	case x.outcomes > maxOutcomes:
		return x, &SizeError{fmt.Sprintf("%d outcomes", x.outcomes)}
	}
	return x, nil
}

func sizeOfClass(e mechanism.Event, r mechanism.Relation) (size, error) {
	const few = 3 // candidates, outcomes of the mechanism that a guarantee stands for
	switch e := e.(type) {
	case mechanism.Composed:
		return sizeOfAll(e.Events, r, size.and)
	case mechanism.Maximum:
		return sizeOfAll(e.Events, r, func(x, y size) size {
			return size{x.records, max(x.noise, y.noise), max(x.outcomes, y.outcomes)}
		})
	case mechanism.Mean:
		return sizeOfAll(e.Events, r, func(x, y size) size {
			return size{x.records, max(x.noise, y.noise), x.outcomes + y.outcomes}
		})
	case mechanism.SelfComposed:
		return repeatedSize(e.Event, r, e.Count)
	case mechanism.RandomAllocation:
		x, err := repeatedSize(e.Event, r, e.NumSteps)
		if err == nil && x.records > 0 && e.NumSelected < e.NumSteps {
			return x, &SizeError{"the number of records in a step is not fixed"}
		}
		return x, err
	case mechanism.ShuffledBatches:
		x, err := repeatedSize(e.Event, r, e.Batches)
		if err != nil || e.Batches == 1 {
			return x, err
		} else if r == mechanism.AddOrRemoveOne {
			return x, &SizeError{"batches of one size of a record more or less"}
		}
		return listed(e.Batches*max(1, x.records), x)
	case mechanism.RepeatAndSelect:
		x, err := sizeOf(e.Event, r)
		x.noise *= 2 // few cells: each costs more
		return x, err
	case mechanism.Group:
		x, err := sizeOf(e.Event, r)
		if err == nil && (e.Size > maxGroup || x.records > 0) {
			return x, &SizeError{fmt.Sprintf("a group of %d records", e.Size)}
		}
		return x, err
	case mechanism.PoissonSampled:
		x, err := sizeOf(e.Event, r)
		if err == nil && x.records > 0 && e.SamplingProbability.Cmp(big.NewRat(1, 1)) < 0 {
			return x, &SizeError{"the number of records in a Poisson sample is not fixed"}
		}
		return x, err
	case mechanism.SampledWithoutReplacement:
		if r == mechanism.AddOrRemoveOne {
			if e.SampleSize == e.SourceDatasetSize {
				return size{}, &SizeError{"a sample of more records than there are without one of them"}
			}
			r = mechanism.ReplaceOne
		}
		return sampledSize(e.Event, r, e.SourceDatasetSize, e.SampleSize)
	case mechanism.SampledWithReplacement:
		if r == mechanism.AddOrRemoveOne {
			return size{}, &SizeError{"a number of records that is not fixed"}
		}
		return sampledSize(e.Event, r, e.SourceDatasetSize, e.SampleSize)
	case mechanism.TruncatedSubsampledGaussian:
		return listed(e.DatasetSize, size{0, 1, 1})
	case mechanism.Shuffled:
		x := size{0, 0, few}
		if response, ok := e.Event.(mechanism.RandomizedResponse); ok {
			x.outcomes = response.NumBuckets
		} else if local, ok := e.Event.(mechanism.LocalRandomizer); ok {
			x.outcomes = int64(len(local.Table[0]))
		}
		if x.outcomes > maxBuckets {
			return x, &SizeError{fmt.Sprintf("%d kinds of reports", x.outcomes)}
		}
		x.outcomes = int64(math.Pow(float64(x.outcomes), float64(min(e.Reports, maxRecords))))
		return listed(e.Reports, x)
	case mechanism.ThresholdedNoise:
		return size{0, min(3, int(e.Keys)), 1}, nil
	case mechanism.MatrixMechanism:
		if e.Strategy.Steps > maxSteps {
			return size{}, &SizeError{fmt.Sprintf("a matrix of %d steps", e.Strategy.Steps)}
		}
		if s := e.Sampling; s != nil && s.Size > maxSteps {
			return size{}, &SizeError{fmt.Sprintf("%d groups of steps", s.Size)}
		}
	case mechanism.LastIterate:
		if e.Steps > maxSteps {
			return size{}, &SizeError{fmt.Sprintf("%d steps", e.Steps)}
		}
	case mechanism.SingleEpochTreeAggregation:
		for _, n := range e.StepCounts {
			if n > maxSteps {
				return size{}, &SizeError{fmt.Sprintf("a tree of %d steps", n)}
			}
		}
	case mechanism.DiscreteGaussian:
		if e.Sigma2().Cmp(big.NewRat(1<<34, 1)) > 0 { // some ten standard deviations are summed up, a term at a time
			return size{}, &SizeError{"discrete noise of a variance above 2^34"}
		}
	case mechanism.Binomial:
		return size{0, 0, e.Trials + e.Sensitivity + 1}, nil
	case mechanism.FinitePair:
		return size{0, 0, int64(len(e.P))}, nil
	case mechanism.HistogramPair:
		return size{0, 0, int64(len(e.P))}, nil
	case mechanism.AdditiveNoise:
		ratio := new(big.Rat).Quo(e.Sensitivity, e.Cell)
		all := new(big.Int).Mul(ratio.Denom(), big.NewInt(int64(len(e.Probabilities))))
		if all.Add(all, ratio.Num()).Cmp(big.NewInt(maxOutcomes)) > 0 {
			return size{}, &SizeError{fmt.Sprintf("noise on %d cells", len(e.Probabilities))}
		}
		return size{0, 0, all.Int64()}, nil
	case mechanism.RandomizedResponse:
		return size{0, 0, e.NumBuckets}, nil
	case mechanism.LocalRandomizer:
		return size{0, 0, int64(len(e.Table[0]))}, nil
	case mechanism.EpsilonDelta, mechanism.ZCDP, mechanism.RenyiCurve, mechanism.TradeOff, mechanism.ExponentialMechanism,
		mechanism.PermuteAndFlip:
		return size{0, 0, few}, nil
	case mechanism.DominatingPair:
		return size{0, 0, 2*int64(len(e.Profile)) + few}, nil
	case mechanism.NoOp, mechanism.NonPrivate:
		return size{0, 0, 1}, nil
	}
	return size{0, 1, 1}, nil
}

const (
	maxSteps   = 64
	maxBuckets = 8
)

// and is the size of both.
func (x size) and(y size) size {
	return size{x.records, x.noise + y.noise, min(x.outcomes*y.outcomes, maxOutcomes+1)}
}

// listed is the size of an event with so many records.
func listed(records int64, x size) (size, error) {
	if records < 1 || records > maxRecords {
		return size{}, &SizeError{fmt.Sprintf("%d records", records)}
	}
	x.records = records
	return x, nil
}

func sampledSize(e mechanism.Event, r mechanism.Relation, source, sampled int64) (size, error) {
	x, err := sizeOf(e, r)
	if err != nil {
		return x, err
	}
	if x.records > 0 && x.records != sampled || sampled > maxRecords {
		return x, &SizeError{fmt.Sprintf("%d records in a sample of %d", x.records, sampled)}
	}
	return listed(source, x)
}

func repeatedSize(e mechanism.Event, r mechanism.Relation, count int64) (size, error) {
	one, err := sizeOf(e, r)
	if err != nil {
		return one, err
	}
	if count > maxReleases {
		return one, &SizeError{fmt.Sprintf("%d releases", count)}
	}
	x := one
	for range count - 1 {
		x = x.and(one)
	}
	return x, nil
}

func sizeOfAll(es []mechanism.Event, r mechanism.Relation, join func(x, y size) size) (size, error) {
	all := size{0, 0, 1}
	for _, e := range es {
		x, err := sizeOf(e, r)
		switch {
		case err != nil:
			return all, err
		case all.records > 0 && x.records > 0 && all.records != x.records:
			return all, &SizeError{fmt.Sprintf("%d and %d records", all.records, x.records)}
		}
		all.records = max(all.records, x.records)
		all = join(all, x)
	}
	return all, nil
}
