// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package shorthand

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"dpverify/internal/number"
	"dpverify/internal/show"
)

// samplings are how the batches of a training are made, in the words of sgd(…, sampling=…). Those that end in ( take a
// number.
var samplings = []string{"poisson", "truncated(", "fixed", "fixed_with_replacement", "allocation", "balls_in_bins",
	"cyclic(", "shuffle"}

// A sampling is one of them, with its number or nil.
type sampling struct {
	name string
	size *big.Rat
}

// samplingWords are all of them for people.
func samplingWords() string {
	return strings.NewReplacer("truncated(", "truncated(B)", "cyclic(", "cyclic(b)").Replace(strings.Join(samplings, "|"))
}

// Unknown stands for a number that is to be found.
const Unknown = "?"

type object map[string]any

// A training is DP-SGD: steps, or nil for a number to be found, each with a batch of n records and noise.
type training struct {
	noise           any
	batch, n, steps *big.Rat
	counts          Counts
}

// events are what a training is under each of the samplings; a batch of all records is no sample.
var events = map[string]func(training, *big.Rat) (object, error){
	"poisson": func(t training, _ *big.Rat) (object, error) {
		return t.each(poissonSample(new(big.Rat).Quo(t.batch, t.n), t.gaussian()))
	},
	"truncated": func(t training, size *big.Rat) (object, error) {
		if err := t.whole("n", t.n); err != nil {
			return nil, err
		}
		return t.each(object{"class_name": "TruncatedSubsampledGaussianDpEvent", "dataset_size": number.Format(t.n),
			"sampling_probability": number.Format(new(big.Rat).Quo(t.batch, t.n)),
			"truncated_batch_size": number.Format(size), "noise_multiplier": t.noise})
	},
	"fixed": func(t training, _ *big.Rat) (object, error) {
		if t.batch.Cmp(t.n) == 0 {
			return t.each(t.gaussian())
		}
		return t.drawn("SampledWithoutReplacementDpEvent")
	},
	"fixed_with_replacement": func(t training, _ *big.Rat) (object, error) {
		return t.drawn("SampledWithReplacementDpEvent")
	},
	"allocation": func(t training, _ *big.Rat) (object, error) {
		bins, epochs, err := t.epochs()
		if err != nil {
			return nil, err
		}
		return times(allocation(t.gaussian(), bins), epochs), nil
	},
	"balls_in_bins": func(t training, _ *big.Rat) (object, error) {
		bins, epochs, err := t.epochs()
		if err != nil {
			return nil, err
		}
		one := t.gaussian()
		if epochs.Cmp(big.NewRat(1, 1)) > 0 {
			one = times(one, epochs)
		}
		return allocation(one, bins), nil
	},
	// A record is in one group of n/b, which is sampled in every b-th step: in ⌈steps/b⌉ of them at most.
	"cyclic": func(t training, groups *big.Rat) (object, error) {
		rate := new(big.Rat).Quo(t.batch, t.n)
		if rate.Mul(rate, groups).Cmp(big.NewRat(1, 1)) > 0 {
			return nil, fmt.Errorf("groups of n/%s records are smaller than the batch, want cyclic(b) with b*batch <= n",
				number.Format(groups))
		}
		if t.steps == nil {
			return nil, errUnknownSteps
		}
		rounds := new(big.Rat).Quo(t.steps, groups)
		return times(poissonSample(rate, t.gaussian()), roundedUp(rounds)), nil
	},
	"shuffle": func(t training, _ *big.Rat) (object, error) {
		batches, epochs, err := t.epochs()
		if err != nil {
			return nil, err
		}
		return times(object{"class_name": "ShuffledBatchesEvent", "event": t.gaussian(), "batches": number.Format(batches)},
			epochs), nil
	},
}

var errUnknownSteps = errors.New("steps=? is no number of whole rounds, want epochs or a number of steps")

func (t training) gaussian() object {
	return object{"class_name": "GaussianDpEvent", "noise_multiplier": t.noise}
}

// each is the event in every step.
func (t training) each(e object) (object, error) { return times(e, t.steps), nil }

// drawn is a batch of a fixed size.
func (t training) drawn(class string) (object, error) {
	if err := errors.Join(t.whole("n", t.n), t.whole("batch", t.batch)); err != nil {
		return nil, err
	}
	return t.each(object{"class_name": class, "source_dataset_size": number.Format(t.n),
		"sample_size": number.Format(t.batch), "event": t.gaussian()})
}

func (t training) whole(name string, x *big.Rat) error {
	if !x.IsInt() {
		return fmt.Errorf("%s = %s, want an integer", name, show.Cut(number.Format(x)))
	}
	return nil
}

// epochs returns how many batches an epoch has and how many epochs there are.
func (t training) epochs() (bins, epochs *big.Rat, err error) {
	if t.steps == nil {
		return nil, nil, errUnknownSteps
	}
	each := new(big.Rat).Quo(t.n, t.batch)
	if t.counts == Exact && !each.IsInt() {
		return nil, nil, fmt.Errorf("epochs of %s batches, want count=floor or count=ceil", number.Format(each))
	}
	bins = t.counts.steps(big.NewRat(1, 1), each)
	if epochs = new(big.Rat).Quo(t.steps, bins); !epochs.IsInt() {
		return nil, nil, fmt.Errorf("%s steps, want whole epochs of %s", number.Format(t.steps), number.Format(bins))
	}
	return bins, epochs, nil
}

// allocation puts a record into one of so many batches.
func allocation(e object, bins *big.Rat) object {
	return object{"class_name": "RandomAllocationDpEvent", "event": e, "num_selected": "1",
		"num_steps": number.Format(bins)}
}

func poissonSample(rate *big.Rat, e object) object {
	if rate.Cmp(big.NewRat(1, 1)) >= 0 {
		return e
	}
	text := number.Format(rate)
	return object{"class_name": "PoissonSampledDpEvent", "sampling_probability": text, "event": e}
}

// times is so many copies, nil for a number to be found.
func times(e object, count *big.Rat) object {
	text := Unknown
	if count != nil {
		text = number.Format(count)
	}
	return object{"class_name": "SelfComposedDpEvent", "event": e, "count": text}
}

// Counts says how many steps an epoch of n records has, in batches of a size that need not divide n.
type Counts string

// The ways of counting.
const (
	Floor Counts = "floor" // ⌊n/batch⌋ an epoch: the last, smaller batch is dropped, as Opacus has it
	Ceil  Counts = "ceil"  // ⌈n/batch⌉ an epoch: the last, smaller batch is a step
	Exact Counts = "exact" // epochs·n/batch in all, rounded up: batches run over the ends of epochs
)

// countings is for the help.
const countings = "count=floor: epochs·⌊n/batch⌋ (where nothing is said), ceil: epochs·⌈n/batch⌉, or\nexact: " +
	"epochs·n/batch; rounded up"

// Words say how steps are counted.
func (c Counts) Words() string {
	switch c {
	case Ceil:
		return "⌈n/batch⌉ an epoch"
	case Exact:
		return "epochs·n/batch, rounded up"
	}
	return "⌊n/batch⌋ an epoch"
}

// steps returns how many steps there are, rounded up, where an epoch is each batches long.
func (c Counts) steps(epochs, each *big.Rat) *big.Rat {
	switch c {
	case Floor:
		each = new(big.Rat).SetInt(new(big.Int).Quo(each.Num(), each.Denom()))
	case Ceil:
		each = roundedUp(each)
	}
	return roundedUp(new(big.Rat).Mul(epochs, each))
}

// roundedUp returns the least integer that is not below x.
func roundedUp(x *big.Rat) *big.Rat {
	n := new(big.Int).Neg(x.Num())
	return new(big.Rat).SetInt(n.Neg(n.Div(n, x.Denom())))
}
