// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"fmt"
	"math"
	"math/big"

	"dpverify/mechanism"
)

// An Instance is a mechanism that an event may be, on data sets of a few records.
type Instance struct {
	mech mech
	// Neighbours are the pairs of neighbouring data sets.
	Neighbours []Neighbours
}

// Neighbours are two data sets, of which the first has a record that the other has not.
type Neighbours struct{ with, without data }

// Names lists the records of both.
func (n Neighbours) Names() (with, without []string) { return n.with.names(), n.without.names() }

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
	maxOutcomes = 64
)

// New runs an event under a relation. Where it has too many records or releases, the error is a *SizeError. It is for events that have a meaning under
// the relation: it runs some that have none, too.
func New(e mechanism.Event, r mechanism.Relation, c *Choices, t *Tables, o Options) (*Instance, error) {
	size, err := sizeOf(e, r)
	if err != nil {
		return nil, err
	}
	n, exactly := o.Records, false
	if size.records > 0 {
		n, exactly = int(size.records), true
	}
	in := reading{Tables: t, relation: r, stride: 1, cells: max(2, o.Cells)}
	if size.noise > 1 {
		in.cells = max(2, int(math.Pow(float64(o.Cells), 1/float64(size.noise))))
	}
	if o.Epsilon != nil {
		in.hint, _ = o.Epsilon.Float64()
	}
	i := &Instance{mech: in.read(e, site{c, 1})}
	for _, x := range neighbourings(r, n, exactly) {
		i.Neighbours = append(i.Neighbours, Neighbours(x))
	}
	return i, nil
}

// Pair runs the mechanism on two data sets.
func (i *Instance) Pair(n Neighbours) Pair { return Pair{i.mech.law(n.with), i.mech.law(n.without)} }

// Label says what an outcome is.
func (i *Instance) Label(y int) string { return i.mech.label(y) }

// A size says how much there is to list.
type size struct {
	records int64 // that the event demands, 0 for any number
	noise   int   // releases whose outcomes multiply
}

// sizeOf adds up an event.
func sizeOf(e mechanism.Event, r mechanism.Relation) (size, error) {
	switch e := e.(type) {
	case mechanism.Composed:
		return sizeOfAll(e.Events, r, func(a, b int) int { return a + b })
	case mechanism.Maximum:
		return sizeOfAll(e.Events, r, func(a, b int) int { return max(a, b) })
	case mechanism.SelfComposed:
		return repeatedSize(e.Event, r, e.Count)
	case mechanism.RandomAllocation:
		x, err := repeatedSize(e.Event, r, e.NumSteps)
		if err == nil && x.records > 0 && e.NumSelected < e.NumSteps {
			return x, &SizeError{"the number of records in a step is not fixed"}
		}
		return x, err
	case mechanism.RepeatAndSelect:
		x, err := sizeOf(e.Event, r)
		x.noise *= 2 // few outcomes: each costs more
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
		return listed(e.DatasetSize, 1)
	case mechanism.Shuffled:
		return listed(e.Reports, 1)
	case mechanism.ThresholdedNoise:
		return size{noise: min(3, int(e.Keys))}, nil
	case mechanism.MatrixMechanism:
		if e.Strategy.Steps > 64 {
			return size{}, &SizeError{fmt.Sprintf("a matrix of %d steps", e.Strategy.Steps)}
		}
	case mechanism.SingleEpochTreeAggregation:
		for _, n := range e.StepCounts {
			if n > 64 {
				return size{}, &SizeError{fmt.Sprintf("a tree of %d steps", n)}
			}
		}
	case mechanism.Binomial:
		if e.Trials+e.Sensitivity > maxOutcomes {
			return size{}, &SizeError{fmt.Sprintf("%d trials", e.Trials)}
		}
	case mechanism.FinitePair:
		return finiteSize(e.P)
	case mechanism.HistogramPair:
		return finiteSize(e.P)
	case mechanism.AdditiveNoise:
		ratio := new(big.Rat).Quo(e.Sensitivity, e.Cell)
		per := new(big.Int).Mul(ratio.Denom(), big.NewInt(int64(len(e.Probabilities))))
		if !per.IsInt64() || per.Int64() > maxOutcomes || ratio.Num().Cmp(big.NewInt(maxOutcomes)) > 0 {
			return size{}, &SizeError{fmt.Sprintf("noise on %d cells", len(e.Probabilities))}
		}
	case mechanism.RandomizedResponse:
		if e.NumBuckets > maxOutcomes {
			return size{}, &SizeError{fmt.Sprintf("%d buckets", e.NumBuckets)}
		}
	case mechanism.NoOp, mechanism.NonPrivate:
		return size{}, nil
	}
	return size{noise: 1}, nil
}

func finiteSize(p []*big.Rat) (size, error) {
	if len(p) > maxOutcomes {
		return size{}, &SizeError{fmt.Sprintf("%d outcomes", len(p))}
	}
	return size{noise: 1}, nil
}

// listed is the size of an event with so many records.
func listed(records int64, noise int) (size, error) {
	if records < 1 || records > maxRecords {
		return size{}, &SizeError{fmt.Sprintf("%d records", records)}
	}
	return size{records, noise}, nil
}

func sampledSize(e mechanism.Event, r mechanism.Relation, source, sampled int64) (size, error) {
	x, err := sizeOf(e, r)
	if err != nil {
		return x, err
	}
	if x.records > 0 && x.records != sampled || sampled > maxRecords {
		return x, &SizeError{fmt.Sprintf("%d records in a sample of %d", x.records, sampled)}
	}
	return listed(source, x.noise)
}

func repeatedSize(e mechanism.Event, r mechanism.Relation, count int64) (size, error) {
	x, err := sizeOf(e, r)
	if err != nil {
		return x, err
	}
	if count > maxReleases || x.noise*int(count) > maxReleases {
		return x, &SizeError{fmt.Sprintf("%d releases", count)}
	}
	x.noise *= int(count)
	return x, nil
}

func sizeOfAll(es []mechanism.Event, r mechanism.Relation, join func(a, b int) int) (size, error) {
	var all size
	for _, e := range es {
		x, err := sizeOf(e, r)
		switch {
		case err != nil:
			return all, err
		case all.records > 0 && x.records > 0 && all.records != x.records:
			return all, &SizeError{fmt.Sprintf("%d and %d records", all.records, x.records)}
		}
		all = size{max(all.records, x.records), join(all.noise, x.noise)}
	}
	if all.noise > maxReleases {
		return all, &SizeError{fmt.Sprintf("%d releases", all.noise)}
	}
	return all, nil
}
