// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package composition says what an event consists of: the factors of a composition, each with how often it
// occurs. It is the one place where counts are multiplied and added.
package composition

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"dpverify/internal/number"
	"dpverify/mechanism"
)

var one = big.NewRat(1, 1)

// A Factor is an event that is not a composition, with its multiplicity.
type Factor struct {
	Event mechanism.Event
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
//   - A maximum or a mean of one event is that event. Each of several is replaced by the composition of its own
//     factors; a sample of either is a *ParamError.
//   - A group sees each factor by itself: what it sees of a composition is the composition of Groups, and of a mean
//     the mean of them.
//   - Any other sampled event is one factor. What it samples is replaced by the
//     composition of its own factors.
//
// The time is linear in the size of the tree, whatever the counts are. More than
// MaxCount factors in total are a *ParamError that names the path; so is an
// event that is nil or not one of this package's types, used by value.
func Factors(e mechanism.Event) ([]Factor, error) {
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

func (f *flattener) factors(e mechanism.Event, path string) (*multiset, error) {
	m := &multiset{position: map[int]int{}}
	return m, f.flatten(m, e, 1, path)
}

// sampled returns the factors of an event that is run on a sample of so many records, or
// of no fixed number.
func (f *flattener) sampled(e mechanism.Event, path string, records int64) (*multiset, error) {
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
func (f *flattener) flatten(m *multiset, e mechanism.Event, count int64, path string) error {
	if err := checked(path, e); err != nil {
		return err
	}
	inner := path + ".event"
	switch e := e.(type) {
	case mechanism.NoOp:
		return nil
	case mechanism.SelfComposed:
		return f.flatten(m, e.Event, times(count, e.Count), inner)
	case mechanism.Composed:
		for i, child := range e.Events {
			if err := f.flatten(m, child, count, fmt.Sprintf("%s.events[%d]", path, i)); err != nil {
				return err
			}
		}
		return nil
	case mechanism.Group:
		return f.flattenGroup(m, e, count, path)
	case mechanism.Maximum:
		return f.flattenMaximum(m, e, count, path)
	case mechanism.Mean:
		return f.flattenMean(m, e, count, path)
	case mechanism.PoissonSampled:
		return f.flattenPoissonSampled(m, e, count, path)
	case mechanism.SampledWithoutReplacement:
		if f.records > 0 && e.SourceDatasetSize != f.records {
			return f.wrongRecords(path, e, "source_dataset_size", e.SourceDatasetSize)
		}
		if e.SampleSize == 0 {
			return nil
		}
		key := fmt.Sprintf("SampledWithoutReplacement %d %d", e.SourceDatasetSize, e.SampleSize)
		fs, err := f.sampled(e.Event, inner, e.SampleSize)
		return f.addSample(m, fs, err, key, count, path, func(in mechanism.Event) mechanism.Event { e.Event = in; return e })
	case mechanism.SampledWithReplacement:
		if f.sample && e.SourceDatasetSize != f.records {
			return f.wrongRecords(path, e, "source_dataset_size", e.SourceDatasetSize)
		}
		if e.SampleSize == 0 {
			return nil
		}
		key := fmt.Sprintf("SampledWithReplacement %d %d", e.SourceDatasetSize, e.SampleSize)
		fs, err := f.sampled(e.Event, inner, e.SampleSize)
		return f.addSample(m, fs, err, key, count, path, func(in mechanism.Event) mechanism.Event { e.Event = in; return e })
	case mechanism.RandomAllocation:
		// A record that takes part in all steps is in a composition of them.
		switch e.NumSelected {
		case 0:
			return nil
		case e.NumSteps:
			return f.flatten(m, e.Event, times(count, e.NumSteps), inner)
		}
		key := fmt.Sprintf("RandomAllocation %d %d", e.NumSelected, e.NumSteps)
		fs, err := f.sampled(e.Event, inner, 0)
		return f.addSample(m, fs, err, key, count, path, func(in mechanism.Event) mechanism.Event { e.Event = in; return e })
	case mechanism.ShuffledBatches:
		if e.Batches == 1 { // a batch of all records
			return f.flatten(m, e.Event, count, inner)
		}
		fs, err := f.sampled(e.Event, inner, 0)
		return f.addSample(m, fs, err, fmt.Sprintf("ShuffledBatches %d", e.Batches), count, path,
			func(in mechanism.Event) mechanism.Event {
				return mechanism.ShuffledBatches{Event: in, Batches: e.Batches}
			})
	case mechanism.RepeatAndSelect:
		return f.flattenRepeatAndSelect(m, e, count, path)
	case mechanism.TruncatedSubsampledGaussian:
		if f.sample && e.DatasetSize != f.records {
			return f.wrongRecords(path, e, "dataset_size", e.DatasetSize)
		}
	case mechanism.Shuffled:
		if f.sample && e.Reports != f.records {
			return f.wrongRecords(path, e, "reports", e.Reports)
		}
	default: // a factor
		if reflect.ValueOf(e).Kind() != reflect.Struct {
			return &mechanism.ParamError{Path: shown(path), Field: "event", Value: fmt.Sprintf("%T", e),
				Want: "an event of package mechanism, by value"}
		}
	}
	return f.add(m, numbered{Factor{e, count, path}, f.id(f.key(e)), nil})
}

// addSample adds the copies of an event that is run on a sample, or of a part, with fs for the factors of what is
// sampled. The key spells the rest of it.
func (f *flattener) addSample(m, fs *multiset, err error, key string, count int64, path string,
	of func(mechanism.Event) mechanism.Event) error {
	if err != nil || len(fs.list) == 0 {
		return err
	}
	for _, x := range fs.list {
		const inside = "inside of a sample, a selection or an allocation"
		if _, ok := x.Event.(mechanism.Maximum); ok {
			return wrong(x.Path, x.Event, "events", inside, "samples inside of the maximum")
		}
		if _, ok := x.Event.(mechanism.Mean); ok {
			return wrong(x.Path, x.Event, "events", inside, "the mean of the samples, which is the same as the sample of a mean")
		}
	}
	return f.add(m, numbered{Factor{of(fs.event()), count, path}, f.id(key + fs.key()), fs})
}

func (f *flattener) flattenPoissonSampled(m *multiset, e mechanism.PoissonSampled, count int64, path string) error {
	q, inner := e.SamplingProbability, path+".event"
	switch {
	case q.Sign() == 0:
		return nil
	case q.Cmp(one) == 0:
		return f.flatten(m, e.Event, count, inner)
	}
	fs, err := f.sampled(e.Event, inner, 0)
	if err == nil && fs.total == 1 {
		x := fs.list[0]
		if nested, ok := x.Event.(mechanism.PoissonSampled); ok {
			// nested was flattened: what it samples is no single Poisson sample again.
			q, fs = new(big.Rat).Mul(q, nested.SamplingProbability), x.sample
		}
	}
	return f.addSample(m, fs, err, "PoissonSampled "+number.Format(q), count, path,
		func(in mechanism.Event) mechanism.Event {
			return mechanism.PoissonSampled{SamplingProbability: q, Event: in}
		})
}

// flattenRepeatAndSelect: one run at most, and at least one, selects nothing. All runs are on the same records.
func (f *flattener) flattenRepeatAndSelect(m *multiset, e mechanism.RepeatAndSelect, count int64, path string) error {
	shape := "inf"
	if e.Shape != nil {
		shape = number.Format(e.Shape)
	}
	switch {
	case e.Mean.Sign() == 0:
		return nil
	case e.Shape != nil && e.Mean.Cmp(one) == 0:
		return f.flatten(m, e.Event, count, path+".event")
	}
	around := f.group
	f.group = 1
	fs, err := f.factors(e.Event, path+".event")
	f.group = around
	key := "RepeatAndSelect " + number.Format(e.Mean) + " " + shape
	return f.addSample(m, fs, err, key, count, path, func(in mechanism.Event) mechanism.Event { e.Event = in; return e })
}

// flattenGroup: a group sees each factor of a composition, a group of groups is one of as many records as both
// sizes multiplied, and a group of one is none.
func (f *flattener) flattenGroup(m *multiset, e mechanism.Group, count int64, path string) error {
	around := f.group
	f.group = times(max(around, 1), e.Size)
	defer func() { f.group = around }()
	if f.group > mechanism.MaxCount {
		return wrong(path, e, "size, with the groups around it", fmt.Sprintf("more than %d", mechanism.MaxCount),
			fmt.Sprintf("at most %d", mechanism.MaxCount))
	}
	return f.flatten(m, e.Event, count, path+".event")
}

// add adds the copies of one factor, as the group around it sees it.
func (f *flattener) add(m *multiset, x numbered) error {
	if f.group > 1 {
		key := fmt.Sprintf("Group %d %d", f.group, x.id)
		x.Event, x.id, x.sample = mechanism.Group{Event: x.Event, Size: f.group}, f.id(key), nil
	}
	return m.add(x)
}

// flattenMaximum: each event is the composition of its own factors, and one alone is itself.
func (f *flattener) flattenMaximum(m *multiset, e mechanism.Maximum, count int64, path string) error {
	if len(e.Events) == 1 {
		return f.flatten(m, e.Events[0], count, path+".events[0]")
	}
	around := f.group
	f.group = 1
	defer func() { f.group = around }()
	x, err := f.oneOf(e, "Maximum", e.Events, count, path)
	if err != nil {
		return err
	}
	f.group = around
	return f.add(m, x)
}

// flattenMean: each event is the composition of its own factors, as the group around it sees them, and one alone is
// itself.
func (f *flattener) flattenMean(m *multiset, e mechanism.Mean, count int64, path string) error {
	if len(e.Events) == 1 {
		return f.flatten(m, e.Events[0], count, path+".events[0]")
	}
	x, err := f.oneOf(e, fmt.Sprintf("Mean %d", f.list(e.Probabilities)), e.Events, count, path)
	if err != nil {
		return err
	}
	return m.add(x)
}

// oneOf is the factor of a maximum or a mean, each event replaced by the composition of its own factors.
func (f *flattener) oneOf(e mechanism.Event, what string, of []mechanism.Event, count int64,
	path string) (numbered, error) {
	key := new(strings.Builder)
	key.WriteString(what)
	events := make([]mechanism.Event, len(of))
	total := int64(1)
	for i, x := range of {
		fs, err := f.factors(x, fmt.Sprintf("%s.events[%d]", path, i))
		if err != nil {
			return numbered{}, err
		}
		total = max(total, fs.total)
		if events[i] = mechanism.Event(mechanism.NoOp{}); len(fs.list) > 0 {
			events[i] = fs.event()
		}
		fmt.Fprintf(key, " [%s ]", fs.key())
	}
	if total > mechanism.MaxCount/count {
		return numbered{}, wrong(path, e, "number of factors up to here", fmt.Sprintf("more than %d", mechanism.MaxCount),
			fmt.Sprintf("at most %d", mechanism.MaxCount))
	}
	return numbered{Factor{withEvents(e, events), count, path}, f.id(key.String()), nil}, nil
}

// withEvents is a maximum or a mean of other events.
func withEvents(e mechanism.Event, events []mechanism.Event) mechanism.Event {
	if mean, ok := e.(mechanism.Mean); ok {
		return mechanism.Mean{Probabilities: mean.Probabilities, Events: events}
	}
	return mechanism.Maximum{Events: events}
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
func (f *flattener) key(e mechanism.Event) string {
	switch e := e.(type) {
	case mechanism.HistogramPair:
		return fmt.Sprintf("HistogramPair %d %d", f.list(e.P), f.list(e.Q))
	case mechanism.AdditiveNoise:
		list := f.list(e.Probabilities)
		e.File, e.SHA256, e.Probabilities = "", "", nil
		return fmt.Sprintf("%d %s", list, mechanism.EncodeEvent(e))
	case mechanism.MatrixMechanism:
		s := e.Strategy
		values := slices.Clone(s.Toeplitz)
		e.Strategy = mechanism.Strategy{Steps: s.Steps, Entries: slices.Clone(s.Entries)}
		for i, x := range s.Entries {
			values = append(values, x.Value)
			e.Strategy.Entries[i].Value = nil
		}
		return fmt.Sprintf("%t %d %s", s.Toeplitz == nil, f.list(values), mechanism.EncodeEvent(e))
	}
	return string(mechanism.EncodeEvent(e))
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
	if m.total += x.Count; m.total > mechanism.MaxCount {
		return wrong(x.Path, x.Event, "number of factors up to here", fmt.Sprintf("more than %d", mechanism.MaxCount),
			fmt.Sprintf("at most %d", mechanism.MaxCount))
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
func (m *multiset) event() mechanism.Event {
	es := make([]mechanism.Event, len(m.list))
	for i, x := range m.list {
		if es[i] = x.Event; x.Count > 1 {
			es[i] = mechanism.SelfComposed{Event: x.Event, Count: x.Count}
		}
	}
	if len(es) == 1 {
		return es[0]
	}
	return mechanism.Composed{Events: es}
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
	if a > mechanism.MaxCount/b {
		return mechanism.MaxCount + 1
	}
	return a * b
}

// wrong is an error about an event at a path: a field does not fit what is around it.
func wrong(path string, e mechanism.Event, field, value, want string) error {
	return &mechanism.ParamError{Path: shown(path), Class: e.ClassName(), Field: field, Value: value, Want: want}
}

// wrongRecords is the error about an event that knows its number of records.
func (f *flattener) wrongRecords(path string, e mechanism.Event, field string, records int64) error {
	return wrong(path, e, field, strconv.FormatInt(records, 10), f.wantRecords())
}

// checked returns an error for parameters of e itself that no decoder would have read.
func checked(path string, e mechanism.Event) error {
	err := mechanism.CheckParameters(e)
	var p *mechanism.ParamError
	if errors.As(err, &p) {
		at := *p
		at.Path = shown(path)
		return &at
	}
	return err
}

// shown is a path in an error: errors about the root leave it out.
func shown(path string) string {
	if path == rootPath {
		return ""
	}
	return path
}
