package mechanism

import "math/big"

// SampleSome returns an event whose samples of nothing, at a sampling probability or a
// sample size of 0, are samples of something instead, and whether there are any. Factors
// drops a sample of nothing, but whether it has a meaning under a relation is that of
// the event sampled.
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
			if e.SampleSize == 0 {
				e.SourceDatasetSize, e.SampleSize, changed = 2, 1, true
			}
			e.Event = walk(e.Event)
			return e
		}
		return e
	}
	some := walk(e)
	return some, changed
}
