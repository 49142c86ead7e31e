package mechanism

import "math/big"

// SampleSome returns an event whose samples of nothing, at a sampling probability or a
// sample size of 0, are samples of something instead, and whether there are any. Factors
// drops a sample of nothing, but whether it has a meaning under a relation is that of
// the event sampled. Sizes of nested samples keep fitting.
func SampleSome(e Event) (Event, bool) {
	changed := false
	var walk func(e Event) Event
	walk = func(e Event) Event {
		switch e := e.(type) {
		case SelfComposed:
			e.Event = walk(e.Event)
			return e
		case Composed:
			es := make([]Event, len(e.Events))
			for i, child := range e.Events {
				es[i] = walk(child)
			}
			return Composed{es}
		case PoissonSampled:
			if e.SamplingProbability != nil && e.SamplingProbability.Sign() == 0 {
				e.SamplingProbability, changed = big.NewRat(1, 2), true
			}
			e.Event = walk(e.Event)
			return e
		case SampledWithoutReplacement:
			e.Event = walk(e.Event)
			if e.SampleSize == 0 {
				e.SampleSize, changed = max(1, source(e.Event)), true
				e.SourceDatasetSize = max(e.SourceDatasetSize, e.SampleSize)
			}
			return e
		}
		return e
	}
	some := walk(e)
	return some, changed
}

// source returns the number of records that a sample without replacement inside e is taken
// of, where nothing else samples them first; 0 if there is none.
func source(e Event) int64 {
	switch e := e.(type) {
	case SelfComposed:
		return source(e.Event)
	case Composed:
		for _, child := range e.Events {
			if n := source(child); n > 0 {
				return n
			}
		}
	case PoissonSampled:
		if e.SamplingProbability != nil && e.SamplingProbability.Cmp(one) == 0 {
			return source(e.Event)
		}
	case SampledWithoutReplacement:
		return e.SourceDatasetSize
	}
	return 0
}
