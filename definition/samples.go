// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"math/big"
	"math/bits"
	"slices"

	"dpverify/definition/masses"
	"dpverify/mechanism"
)

// A sample runs a mechanism on data sets that are drawn from its own.
type sample struct {
	mech
	draw func(d data, each func(chance *big.Rat, d data))
}

func (m sample) law(d data) masses.Law {
	var s masses.Sum
	m.draw(d, func(chance *big.Rat, d data) {
		s.Share(chance, m.mech.law(d), same)
	})
	return s.Law()
}

func (m sample) words(ds []data) string { return "of samples, " + m.mech.words(ds) }

func same(i int) int { return i }

// subsets calls each for all subsets of a data set, the greatest first, as lists of what is in and what is out.
func subsets(d data, each func(in, out []byte)) {
	for set := 1<<len(d) - 1; set >= 0; set-- {
		each(subset([]byte(d), set))
	}
}

// subset has what the bits of a number say, and the rest.
func subset[T any](all []T, set int) (in, out []T) {
	for i, x := range all {
		if set>>i&1 == 1 {
			in = append(in, x)
		} else {
			out = append(out, x)
		}
	}
	return in, out
}

// powers returns q^n·(1 − q)^m.
func powers(q *big.Rat, n, m int) *big.Rat {
	x := chance(n+m, n, q)
	return x.Quo(x, new(big.Rat).SetInt(new(big.Int).Binomial(int64(n+m), int64(n))))
}

func (c reading) poisson(e mechanism.PoissonSampled, s site) mech {
	c.sampled = true
	return sample{c.read(e.Event, s), func(d data, each func(*big.Rat, data)) {
		subsets(d, func(in, out []byte) {
			if p := powers(e.SamplingProbability, len(in), len(out)); p.Sign() > 0 {
				each(p, dataOf(in))
			}
		})
	}}
}

// withoutReplacement draws as many records whether there is one more or not, so that samples differ in one that is
// replaced.
func (c reading) withoutReplacement(e mechanism.SampledWithoutReplacement, s site) mech {
	c.sampled = true
	if c.relation == mechanism.AddOrRemoveOne {
		c.relation = mechanism.ReplaceOne
	}
	return sample{c.read(e.Event, s), func(d data, each func(*big.Rat, data)) {
		p := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Binomial(int64(len(d)), e.SampleSize))
		subsets(d, func(in, _ []byte) {
			if int64(len(in)) == e.SampleSize {
				each(p, dataOf(in))
			}
		})
	}}
}

func (c reading) withReplacement(e mechanism.SampledWithReplacement, s site) mech {
	c.sampled = true
	return sample{c.read(e.Event, s), func(d data, each func(*big.Rat, data)) {
		total := 1
		for range e.SampleSize {
			total *= len(d)
		}
		for k := range total {
			var drawn []byte
			for range e.SampleSize {
				drawn = append(drawn, d[k%len(d)])
				k /= len(d)
			}
			each(big.NewRat(1, int64(total)), dataOf(drawn))
		}
	}}
}

// truncatedSample is a Poisson sample of which a subset of the size of a batch is kept, with Gaussian noise on its sum.
func (c reading) truncatedSample(e mechanism.TruncatedSubsampledGaussian, s site) mech {
	c.sampled = true
	batch := int(e.TruncatedBatchSize)
	return sample{c.gaussian(mechanism.Gaussian{NoiseMultiplier: e.NoiseMultiplier}, s),
		func(d data, each func(*big.Rat, data)) {
			subsets(d, func(in, out []byte) {
				p := powers(e.SamplingProbability, len(in), len(out))
				if p.Sign() == 0 {
					return
				}
				if len(in) <= batch {
					each(p, dataOf(in))
					return
				}
				p.Quo(p, new(big.Rat).SetInt(new(big.Int).Binomial(int64(len(in)), int64(batch))))
				subsets(dataOf(in), func(kept, _ []byte) {
					if len(kept) == batch {
						each(p, dataOf(kept))
					}
				})
			})
		}}
}

// An allocation runs a mechanism in each step. Each record is in so many steps, a set of them that is drawn for it
// alone; what is run may depend on the outcomes of earlier steps.
type allocation struct {
	*sequence
	selected int
}

func (c reading) allocation(e mechanism.RandomAllocation, s site) mech {
	c.sampled = true
	steps := slices.Repeat([]mechanism.Event{e.Event}, int(e.NumSteps))
	return allocation{c.sequence(steps, s).(*sequence), int(e.NumSelected)}
}

func (m allocation) law(d data) masses.Law {
	var sets []int
	for set := range 1 << len(m.events) {
		if bits.OnesCount(uint(set)) == m.selected {
			sets = append(sets, set)
		}
	}
	total := 1
	for range len(d) {
		total *= len(sets)
	}
	var s masses.Sum
	for k := range total {
		steps := make([][]byte, len(m.events))
		for r := range len(d) {
			for i := range steps {
				if sets[k%len(sets)]>>i&1 == 1 {
					steps[i] = append(steps[i], d[r])
				}
			}
			k /= len(sets)
		}
		ds := make([]data, len(steps))
		for i, rs := range steps {
			ds[i] = dataOf(rs)
		}
		s.Share(big.NewRat(1, int64(total)), m.on(ds), same)
	}
	return s.Law()
}

// batches are those of a random order: every way to put as many records into each batch is as likely.
type batches struct{ *sequence }

func (m batches) law(d data) masses.Law {
	var s masses.Sum
	ways := [][]data{make([]data, len(m.events))}
	for _, r := range []byte(d) {
		var next [][]data
		for _, parts := range ways {
			for i, in := range parts {
				if len(in) < len(d)/len(parts) {
					more := slices.Clone(parts)
					more[i] = dataOf(append([]byte(in), r))
					next = append(next, more)
				}
			}
		}
		ways = next
	}
	for _, ds := range ways {
		s.Share(big.NewRat(1, int64(len(ways))), m.on(ds), same)
	}
	return s.Law()
}

// A group is a unit for each record: so many records, of which some or all are there, or null, or replaced together. Of
// the others there are none, or they are null or the same throughout.
type group struct {
	mech
	site
	relation mechanism.Relation
	size     int
}

// maxGroup bounds the size of a group that is written out.
const maxGroup = 4

func (m group) law(d data) masses.Law {
	var rs []byte
	for _, r := range []byte(d) {
		for i := range m.size {
			switch moves := r == null || i == 0 || m.at(number(r)).at(i).pick(4) != 1; {
			case r == null, !moves && m.relation == mechanism.ReplaceSpecial:
				rs = append(rs, null)
			case moves:
				rs = append(rs, record(number(r)*maxGroup+i, value(r)))
			case m.relation == mechanism.ReplaceOne:
				rs = append(rs, record(number(r)*maxGroup+i, 0))
			}
		}
	}
	return m.mech.law(dataOf(rs))
}
