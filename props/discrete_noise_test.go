// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// A noisyCount is a release of an integer with discrete Gaussian noise, which a record moves by shift, or a Poisson
// sample of it, or what shows whether a sample has the record beside it, or a sample of fixed size of it.
type noisyCount struct {
	variance *big.Rat
	shift    int64
	rate     *big.Rat // 1 if it is not sampled
	count    int64
	drawn    bool // rate is the size of the sample over that of the data
}

func (c noisyCount) event() mechanism.Event {
	e := mechanism.Event(mechanism.DiscreteGaussian{Variance: c.variance, Sensitivity: big.NewRat(c.shift, 1), Dimension: 1})
	switch {
	case c.drawn:
		e = mechanism.SampledWithoutReplacement{
			SourceDatasetSize: c.rate.Denom().Int64(), SampleSize: c.rate.Num().Int64(), Event: e,
		}
	case c.rate.Cmp(one) != 0:
		e = mechanism.PoissonSampled{SamplingProbability: c.rate, Event: e}
	}
	return mechanism.SelfComposed{Event: e, Count: c.count}
}

// An outcomePair has the probabilities of one outcome with the record and without it.
type outcomePair struct{ p, q interval.Interval }

// outcomes lists what a release shows, with all masses above 2^−110 of both, and bounds what is left out of either.
func (c noisyCount) outcomes(w interval.Prec, shown bool) (out []outcomePair, left interval.Interval) {
	half := new(big.Rat).Inv(new(big.Rat).Add(c.variance, c.variance))
	mass := func(x int64) interval.Interval { return w.Exp(w.Rat(new(big.Rat).Mul(half, big.NewRat(-x*x, 1)))) }
	reach := int64(1)
	for mass(reach).LessRat(interval.Pow2(-110)) != interval.True {
		reach++
	}
	total := interval.Int(1)
	for x := int64(1); x < reach; x++ {
		total = w.Add(total, w.Scale(mass(x), 1))
	}
	// Beyond reach masses fall faster than a geometric series of ratio e^(−(2·reach+1)·half) < 1 − 2^−7, if σ² ≤ 16.
	left = w.Rat(interval.Pow2(-100))
	total = interval.Union(total, w.Add(total, left))
	rate, rest := w.Rat(c.rate), w.Rat(new(big.Rat).Sub(one, c.rate))
	for x := -reach; x <= reach+c.shift; x++ {
		with, without := w.Div(mass(x-c.shift), total), w.Div(mass(x), total)
		if shown && c.rate.Cmp(one) != 0 {
			out = append(out, outcomePair{w.Mul(rate, with), w.Mul(rate, without)})
			continue
		}
		out = append(out, outcomePair{w.Add(w.Mul(rest, without), w.Mul(rate, with)), without})
	}
	if shown && c.rate.Cmp(one) != 0 {
		out = append(out, outcomePair{rest, rest})
	}
	return out, left
}

// bySummation encloses δ(ε) of both directions by the definition: every outcome of all releases, (p − e^ε·q)₊ and
// (q − e^ε·p)₊ added up. Outcomes are not merged, losses not computed.
func bySummation(cs []noisyCount, eps *big.Rat, shown bool) (remove, add interval.Interval) {
	const w = interval.Prec(120)
	all, lost := []outcomePair{{interval.Int(1), interval.Int(1)}}, interval.Int(0)
	for _, c := range cs {
		each, left := c.outcomes(w, shown)
		for range c.count {
			lost = w.Add(lost, left)
			next := make([]outcomePair, 0, len(all)*len(each))
			for _, a := range all {
				for _, b := range each {
					next = append(next, outcomePair{w.Mul(a.p, b.p), w.Mul(a.q, b.q)})
				}
			}
			all = next
		}
	}
	grow := w.Exp(w.Rat(eps))
	for _, a := range all {
		remove = w.Add(remove, interval.Max(w.Sub(a.p, w.Mul(grow, a.q)), interval.Int(0)))
		add = w.Add(add, interval.Max(w.Sub(a.q, w.Mul(grow, a.p)), interval.Int(0)))
	}
	return interval.Union(remove, w.Add(remove, lost)), interval.Union(add, w.Add(add, lost))
}

// byTurns encloses δ(ε) of releases of which an adversary, who has seen all before, says which of the two records the
// data have: by all outcomes, from the last release backwards.
func byTurns(releases [][]outcomePair, seen outcomePair, grow interval.Interval) interval.Interval {
	const w = interval.Prec(120)
	if len(releases) == 0 {
		return interval.Max(w.Sub(seen.p, w.Mul(grow, seen.q)), interval.Int(0))
	}
	best := interval.Int(0)
	for first := range 2 {
		sum := interval.Int(0)
		for _, o := range releases[0] {
			if first == 1 {
				o.p, o.q = o.q, o.p
			}
			sum = w.Add(sum, byTurns(releases[1:], outcomePair{w.Mul(seen.p, o.p), w.Mul(seen.q, o.q)}, grow))
		}
		best = interval.Max(best, sum)
	}
	return best
}

// TestReplacedDiscreteGaussiansBySummation: samples of fixed size of discrete Gaussians whose record is replaced. The
// data that attain a release are a record that counts and others that do not, against none that does, either way round.
func TestReplacedDiscreteGaussiansBySummation(t *testing.T) {
	const w = interval.Prec(120)
	rng := rand.New(rand.NewSource(33))
	narrow, all := 0, testkit.Cases(6, 200)
	for i := range all {
		var releases [][]outcomePair
		var events []mechanism.Event
		lost := interval.Int(0)
		composed := i%8 == 7 // which takes long
		for len(events) == 0 || composed && len(releases) < 2 {
			c := noisyCount{
				variance: rat([]string{"1/100", "1/10", "1/4", "1/2", "10/11"}[rng.Intn(5)]),
				shift:    1 + rng.Int63n(3), count: 1, drawn: true,
				rate: rat([]string{"1/100", "1/3", "1/2", "9/10", "2/7"}[rng.Intn(5)]),
			}
			if composed && rng.Intn(2) == 0 {
				c.count = 2
			}
			events = append(events, c.event())
			each, left := c.outcomes(w, false)
			for range c.count {
				releases, lost = append(releases, each), w.Add(lost, left)
			}
		}
		eps := big.NewRat(rng.Int63n(90)-20, 10)
		want := byTurns(releases, outcomePair{interval.Int(1), interval.Int(1)}, w.Exp(w.Rat(eps)))
		want = interval.Union(want, w.Add(want, lost))
		q := exact.Question{Event: mechanism.Composed{Events: events}, Relation: mechanism.ReplaceOne}
		got, err := exact.Delta(t.Context(), q, eps, 0)
		if _, meet := interval.Intersect(got.Interval, want); err != nil || !meet {
			t.Errorf("%s: δ(%s) in %v, %v; by all outcomes in %v", mechanism.EncodeEvent(q.Event), eps.RatString(),
				got.Interval, err, want)
		}
		if want.LessRat(rat("1e-12")) == interval.True || got.RelativeBits(10) >= 10 {
			narrow++
		}
	}
	if narrow*2 < all {
		t.Errorf("%d of %d answers have three digits", narrow, all)
	}
}

// TestDiscreteGaussiansBySummation: random small compositions of discrete Gaussians and their Poisson samples, under
// all relations and in both directions, hold what the definition says; ε is also below 0, and at losses.
func TestDiscreteGaussiansBySummation(t *testing.T) {
	rng := rand.New(rand.NewSource(32))
	narrow, all := 0, 0
	for i := range testkit.Draws(3, 6, 200) {
		outcomes := 1.0
		var cs []noisyCount
		var events []mechanism.Event
		var rho big.Rat
		for range 1 + rng.Intn(3) {
			c := noisyCount{
				variance: rat([]string{"1/100", "1/10", "1/4", "1/2", "10/11", "1", "9/4", "3"}[rng.Intn(8)]),
				shift:    1 + rng.Int63n(3), rate: one, count: 1 + rng.Int63n(2),
			}
			if i%2 == 1 {
				c.rate = rat([]string{"1/100", "1/3", "1/2", "9/10"}[rng.Intn(4)])
			}
			variance, _ := c.variance.Float64()
			for range c.count {
				outcomes *= 12*variance + 8
			}
			if outcomes > 2e4 && len(cs) > 0 {
				break
			}
			cs, events = append(cs, c), append(events, c.event())
			rho.Add(&rho, new(big.Rat).Quo(big.NewRat(c.count*c.shift*c.shift, 2), c.variance))
		}
		eps := big.NewRat(rng.Int63n(120)-20, 10)
		if i%3 == 0 {
			eps.Set(&rho) // a loss, if nothing is sampled
		}
		relation := []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial, mechanism.ReplaceOne}[rng.Intn(3)]
		sampled := cs[0].rate.Cmp(one) != 0
		if sampled && relation == mechanism.ReplaceOne {
			relation = mechanism.AddOrRemoveOne // of replaced records a sample may show more
		}
		remove, add := bySummation(cs, eps, relation == mechanism.ReplaceSpecial)
		want := interval.Max(remove, add)
		q := exact.Question{Event: mechanism.Composed{Events: events}, Relation: relation}
		got, err := exact.Delta(t.Context(), q, eps, exact.Effort(i%2))
		if _, meet := interval.Intersect(got.Interval, want); err != nil || !meet {
			t.Errorf("%s, %s: δ(%s) in %v, %v; by all outcomes in %v", mechanism.EncodeEvent(q.Event), relation,
				eps.RatString(), got.Interval, err, want)
		}
		if all++; want.LessRat(rat("1e-12")) == interval.True || got.RelativeBits(20) >= 20 {
			narrow++
		}
		if relation == mechanism.AddOrRemoveOne {
			for direction, want := range map[mechanism.Direction]interval.Interval{mechanism.Remove: remove, mechanism.Add: add} {
				q.Direction = direction
				got, err := exact.Delta(t.Context(), q, eps, 0)
				if _, meet := interval.Intersect(got.Interval, want); err != nil || !meet {
					t.Errorf("%s, %s: δ(%s) in %v, %v; by all outcomes in %v", mechanism.EncodeEvent(q.Event), direction,
						eps.RatString(), got.Interval, err, want)
				}
			}
		}
	}
	if narrow*4 < all*3 {
		t.Errorf("%d of %d answers have six digits", narrow, all)
	}
}
