// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"dpverify/internal/show"
	"dpverify/number"
)

var one = big.NewRat(1, 1)

// MaxCount bounds every count and size of an event, and the number of factors
// of a composition with their multiplicities.
const MaxCount int64 = 1_000_000_000_000

// A Factor is an event that is not a composition, with its multiplicity.
type Factor struct {
	Event Event
	Count int64  // in [1, MaxCount]
	Path  string // where it first appears, from "event" on: event.events[3].event
}

// Factors flattens a composition into its factors, in the order of their first
// appearance: adaptive composition is associative, and its bounds do not depend
// on the order. It is the one place where counts are multiplied and added.
//
//   - Equal factors are merged; counts multiply down the tree and add across it.
//   - A no-op vanishes, and so does a sample of nothing (sampling probability or
//     sample size 0) or of a no-op: no output depends on the data.
//   - PoissonSampled(1, M) is M: every record is in the sample.
//   - PoissonSampled(a, PoissonSampled(b, M)) is PoissonSampled(ab, M): a record
//     is in the inner sample iff it wins two independent draws, independently of
//     all other records.
//   - A sample without replacement of records that were so sampled themselves has their
//     number for its source; another one is a *ParamError.
//   - An allocation to all steps is their composition, one to no step nothing.
//   - A selection among one run is that run, one among no run nothing.
//   - A group sees each factor by itself: what it sees of a composition is the composition of Groups.
//   - Any other sampled event is one factor. What it samples is replaced by the
//     composition of its own factors.
//
// The time is linear in the size of the tree, whatever the counts are. More than
// MaxCount factors in total are a *ParamError that names the path; so is an
// event that is nil or not one of this package's types, used by value.
func Factors(e Event) ([]Factor, error) {
	f := flattener{ids: map[string]int{}}
	fs, err := f.factors(e, rootPath)
	if err != nil {
		return nil, err
	}
	out := make([]Factor, len(fs.list))
	for i, x := range fs.list {
		out[i] = x.Factor
	}
	return out, nil
}

const rootPath = "event"

// A flattener numbers the different factors that it meets, at any depth. Two
// factors are equal iff their numbers are, so the key of a sampled composition
// can refer to its factors by number and stays short.
type flattener struct {
	ids     map[string]int
	records int64        // in the sample that is looked at, if it has a fixed size; otherwise 0
	sample  bool         // whether a sample is looked at
	group   int64        // the size of the group around what is looked at; 0 and 1: none
	lists   [][]*big.Rat // of events that may name files
}

// A numbered factor has the flattener's number for its event, and for a sampled
// event the factors of what is sampled.
type numbered struct {
	Factor
	id     int
	sample *multiset
}

// A multiset of factors.
type multiset struct {
	list     []numbered
	position map[int]int // of an id in list
	total    int64       // of all counts, ≤ MaxCount
}

func (f *flattener) factors(e Event, path string) (*multiset, error) {
	m := &multiset{position: map[int]int{}}
	return m, f.flatten(m, e, 1, path)
}

// sampled returns the factors of an event that is run on a sample of so many records, or
// of no fixed number.
func (f *flattener) sampled(e Event, path string, records int64) (*multiset, error) {
	around, sample, group := f.records, f.sample, f.group
	f.records, f.sample, f.group = records, true, 1
	defer func() { f.records, f.sample, f.group = around, sample, group }()
	return f.factors(e, path)
}

// wantRecords says how many records an event inside a sample is run on. Of an event that knows
// its number of records, fewer others would make it less private.
func (f *flattener) wantRecords() string {
	if f.records == 0 {
		return "no sample around it: the number of records in it is not fixed"
	}
	return fmt.Sprintf("%d, the sample_size of the sample around it", f.records)
}

// flatten adds count copies of e to m.
func (f *flattener) flatten(m *multiset, e Event, count int64, path string) error {
	switch e := e.(type) {
	case NoOp:
		return nil
	case SelfComposed:
		if e.Count < 1 {
			return treeError(path, e.ClassName(), "count", strconv.FormatInt(e.Count, 10), ">= 1")
		}
		return f.flatten(m, e.Event, times(count, e.Count), join(path, "event"))
	case Composed:
		for i, child := range e.Events {
			if err := f.flatten(m, child, count, join(path, index("events", i))); err != nil {
				return err
			}
		}
		return nil
	case Group:
		return f.flattenGroup(m, e, count, path)
	case PoissonSampled:
		return f.flattenPoissonSampled(m, e, count, path)
	case SampledWithoutReplacement:
		return f.flattenSampledWithoutReplacement(m, e, count, path)
	case SampledWithReplacement:
		return f.flattenSampledWithReplacement(m, e, count, path)
	case RandomAllocation:
		return f.flattenRandomAllocation(m, e, count, path)
	case RepeatAndSelect:
		return f.flattenRepeatAndSelect(m, e, count, path)
	case TruncatedSubsampledGaussian:
		if f.sample && e.DatasetSize != f.records {
			return treeError(path, e.ClassName(), "dataset_size", strconv.FormatInt(e.DatasetSize, 10), f.wantRecords())
		}
		return f.add(m, numbered{Factor{e, count, path}, f.id(f.key(e)), nil})
	case Shuffled:
		if e.Reports < 1 || e.Reports > MaxCount {
			return treeError(path, e.ClassName(), "reports", strconv.FormatInt(e.Reports, 10), fmt.Sprintf("in [1, %d]", MaxCount))
		}
		if shown, ok := localReport(e.Event); !ok {
			return treeError(path, e.ClassName(), "event", shown, localReports)
		}
		if f.sample && e.Reports != f.records {
			return treeError(path, e.ClassName(), "reports", strconv.FormatInt(e.Reports, 10), f.wantRecords())
		}
		return f.add(m, numbered{Factor{e, count, path}, f.id(f.key(e)), nil})
	case NonPrivate, Gaussian, Laplace, RandomizedResponse, EpsilonDelta, DiscreteLaplace, DiscreteGaussian, ZCDP,
		ExponentialMechanism, PermuteAndFlip, MixtureOfGaussians, FinitePair, HistogramPair, TruncatedGaussian,
		TruncatedLaplace, ClampedLaplace, ClampedGaussian, ThresholdedNoise, SingleEpochTreeAggregation, MatrixMechanism, Binomial,
		AdditiveNoise, DominatingPair, RenyiCurve:
		return f.add(m, numbered{Factor{e, count, path}, f.id(f.key(e)), nil})
	}
	return treeError(path, "", "event", fmt.Sprintf("%T", e), "an event of package mechanism, by value")
}

func (f *flattener) flattenPoissonSampled(m *multiset, e PoissonSampled, count int64, path string) error {
	q, inner := e.SamplingProbability, join(path, "event")
	if q == nil || !number.Probability.Contains(q) {
		return treeError(path, e.ClassName(), "sampling_probability", ratText(q), number.Probability.Want)
	}
	switch {
	case q.Sign() == 0:
		return nil
	case q.Cmp(one) == 0:
		return f.flatten(m, e.Event, count, inner)
	}
	fs, err := f.sampled(e.Event, inner, 0)
	if err != nil || len(fs.list) == 0 {
		return err
	}
	if x := fs.list[0]; fs.total == 1 {
		if nested, ok := x.Event.(PoissonSampled); ok {
			// nested was flattened: what it samples is no single Poisson sample again.
			q, fs = new(big.Rat).Mul(q, nested.SamplingProbability), x.sample
		}
	}
	key := "PoissonSampled " + number.Format(q) + fs.key()
	return f.add(m, numbered{Factor{PoissonSampled{q, fs.event()}, count, path}, f.id(key), fs})
}

func (f *flattener) flattenSampledWithoutReplacement(m *multiset, e SampledWithoutReplacement, count int64, path string) error {
	if f.records > 0 && e.SourceDatasetSize != f.records {
		return treeError(path, e.ClassName(), "source_dataset_size", strconv.FormatInt(e.SourceDatasetSize, 10), f.wantRecords())
	}
	if e.SampleSize == 0 {
		return nil
	}
	fs, err := f.sampled(e.Event, join(path, "event"), e.SampleSize)
	if err != nil || len(fs.list) == 0 {
		return err
	}
	key := fmt.Sprintf("SampledWithoutReplacement %d %d", e.SourceDatasetSize, e.SampleSize) + fs.key()
	e.Event = fs.event()
	return f.add(m, numbered{Factor{e, count, path}, f.id(key), fs})
}

func (f *flattener) flattenSampledWithReplacement(m *multiset, e SampledWithReplacement, count int64, path string) error {
	switch {
	case e.SourceDatasetSize < 1:
		return treeError(path, e.ClassName(), "source_dataset_size", strconv.FormatInt(e.SourceDatasetSize, 10), ">= 1")
	case e.SampleSize < 0 || e.SampleSize > MaxCount:
		return treeError(path, e.ClassName(), "sample_size", strconv.FormatInt(e.SampleSize, 10), fmt.Sprintf("in [0, %d]", MaxCount))
	case f.sample && e.SourceDatasetSize != f.records:
		return treeError(path, e.ClassName(), "source_dataset_size", strconv.FormatInt(e.SourceDatasetSize, 10), f.wantRecords())
	case e.SampleSize == 0:
		return nil
	}
	fs, err := f.sampled(e.Event, join(path, "event"), e.SampleSize)
	if err != nil || len(fs.list) == 0 {
		return err
	}
	key := fmt.Sprintf("SampledWithReplacement %d %d", e.SourceDatasetSize, e.SampleSize) + fs.key()
	e.Event = fs.event()
	return f.add(m, numbered{Factor{e, count, path}, f.id(key), fs})
}

// flattenRandomAllocation: a record that takes part in all steps is in a composition of them.
func (f *flattener) flattenRandomAllocation(m *multiset, e RandomAllocation, count int64, path string) error {
	switch {
	case e.NumSteps < 1:
		return treeError(path, e.ClassName(), "num_steps", strconv.FormatInt(e.NumSteps, 10), ">= 1")
	case e.NumSelected < 0 || e.NumSelected > e.NumSteps:
		return treeError(path, e.ClassName(), "num_selected", strconv.FormatInt(e.NumSelected, 10), fmt.Sprintf("in [0, %d]", e.NumSteps))
	case e.NumSelected == 0:
		return nil
	case e.NumSelected == e.NumSteps:
		return f.flatten(m, e.Event, times(count, e.NumSteps), join(path, "event"))
	}
	fs, err := f.sampled(e.Event, join(path, "event"), 0)
	if err != nil || len(fs.list) == 0 {
		return err
	}
	key := fmt.Sprintf("RandomAllocation %d %d", e.NumSelected, e.NumSteps) + fs.key()
	e.Event = fs.event()
	return f.add(m, numbered{Factor{e, count, path}, f.id(key), fs})
}

// flattenRepeatAndSelect: one run at most, and at least one, selects nothing. All runs are on the same records.
func (f *flattener) flattenRepeatAndSelect(m *multiset, e RepeatAndSelect, count int64, path string) error {
	domain, shape := poissonMean, "inf"
	if e.Shape != nil {
		if domain, shape = repetitions, number.Format(e.Shape); !repetitionShape.Contains(e.Shape) {
			return treeError(path, e.ClassName(), "shape", ratText(e.Shape), repetitionShape.Want)
		}
	}
	switch {
	case e.Mean == nil || !domain.Contains(e.Mean):
		return treeError(path, e.ClassName(), "mean", ratText(e.Mean), domain.Want)
	case e.Mean.Sign() == 0:
		return nil
	case e.Shape != nil && e.Mean.Cmp(one) == 0:
		return f.flatten(m, e.Event, count, join(path, "event"))
	}
	around := f.group
	f.group = 1
	fs, err := f.factors(e.Event, join(path, "event"))
	f.group = around
	if err != nil || len(fs.list) == 0 {
		return err
	}
	key := "RepeatAndSelect " + number.Format(e.Mean) + " " + shape + fs.key()
	e.Event = fs.event()
	return f.add(m, numbered{Factor{e, count, path}, f.id(key), fs})
}

// id numbers keys in the order of their first appearance.
func (f *flattener) id(key string) int {
	id, ok := f.ids[key]
	if !ok {
		id = len(f.ids)
		f.ids[key] = id
	}
	return id
}

// key spells a basic event such that different events have different keys.
func (f *flattener) key(e Event) string {
	if x, ok := e.(filed); ok {
		return x.key(f)
	}
	return string(EncodeEvent(e))
}

// list numbers lists by what is in them: events from different files may name different
// ones by the same path.
func (f *flattener) list(xs []*big.Rat) int {
	i := slices.IndexFunc(f.lists, func(known []*big.Rat) bool { return sameNumbers(xs, known) })
	if i < 0 {
		f.lists = append(f.lists, xs)
		i = len(f.lists) - 1
	}
	return i
}

func sameNumbers(xs, ys []*big.Rat) bool {
	if len(xs) != len(ys) {
		return false
	}
	for i, x := range xs {
		if x != ys[i] && (x == nil || ys[i] == nil || x.Cmp(ys[i]) != 0) {
			return false
		}
	}
	return true
}

// add adds the copies of one factor.
func (m *multiset) add(x numbered) error {
	if m.total += x.Count; m.total > MaxCount {
		return treeError(x.Path, x.Event.ClassName(), "number of factors up to here", fmt.Sprintf("more than %d", MaxCount), fmt.Sprintf("at most %d", MaxCount))
	}
	if i, ok := m.position[x.id]; ok {
		m.list[i].Count += x.Count
		return nil
	}
	m.position[x.id] = len(m.list)
	m.list = append(m.list, x)
	return nil
}

// event returns the composition of a multiset that is not empty.
func (m *multiset) event() Event {
	es := make([]Event, len(m.list))
	for i, x := range m.list {
		if es[i] = x.Event; x.Count > 1 {
			es[i] = SelfComposed{x.Event, x.Count}
		}
	}
	if len(es) == 1 {
		return es[0]
	}
	return Composed{es}
}

// key spells the multiset by the numbers of its factors.
func (m *multiset) key() string {
	var b strings.Builder
	for _, x := range m.list {
		fmt.Fprintf(&b, " %d*%d", x.Count, x.id)
	}
	return b.String()
}

// times multiplies counts and saturates at MaxCount + 1: a product that is too
// large is an error only if it is the count of a factor.
func times(a, b int64) int64 {
	if a > MaxCount/b {
		return MaxCount + 1
	}
	return a * b
}

// treeError is an error about an event that has no source text.
func treeError(path, class, field, value, want string) error {
	if path == rootPath {
		path = ""
	}
	return &ParamError{Path: path, Class: class, Field: field, Value: value, Want: want}
}

func ratText(r *big.Rat) string {
	if r == nil {
		return "nothing"
	}
	return show.Cut(number.Format(r))
}
