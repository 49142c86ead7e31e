// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/mechanism"
)

// An eventCase is a random composition tree with its factors, each a model of the
// pair that it has under the relation, derived here and not by package pair.
type eventCase struct {
	Event     mechanism.Event
	Factors   []blurred
	SelfDual  []bool
	Relation  mechanism.Relation
	Direction mechanism.Direction
	Effort    exact.Effort
	Eps       *big.Rat
	Share     *big.Rat // picks a δ between the profile's values
}

func (c eventCase) String() string {
	return fmt.Sprintf("%s under %s, %s, effort %d; ε = %s, share %s", mechanism.EncodeEvent(c.Event), c.Relation, c.Direction, c.Effort, c.Eps.RatString(), c.Share.RatString())
}

// A tree is an event with its factors.
type tree struct {
	event    mechanism.Event
	factors  []blurred
	selfDual []bool
}

func leaf(e mechanism.Event, b blurred, selfDual bool) tree {
	return tree{e, []blurred{b}, []bool{selfDual}}
}

// drawLeaf draws an event that is no composition. A guarantee holds for the relation
// asked; noise on sums has twice the shift when a record is replaced.
func drawLeaf(r *rand.Rand, rel mechanism.Relation) tree {
	twice := int64(1)
	if rel == mechanism.ReplaceOne {
		twice = 2
	}
	guarantee := func() (mechanism.Event, blurred) {
		eps, delta := drawEps(r), drawDelta(r)
		switch r.Intn(3) {
		case 0:
			return mechanism.EpsilonDelta{Epsilon: eps, Delta: zero}, responseModel(eps, zero)
		case 1:
			return mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{{Epsilon: eps, Delta: delta}}}, responseModel(eps, delta)
		}
		return mechanism.EpsilonDelta{Epsilon: eps, Delta: delta}, responseModel(eps, delta)
	}
	switch r.Intn(9) {
	case 0, 1:
		m := drawModel(r)
		return leaf(m.event(), m.blurred(), m.finite().SelfDual())
	case 2:
		e, b := guarantee()
		return leaf(e, b, true)
	case 3:
		a, s := maxRat(drawEps(r), rat("1/10")), int64(1+r.Intn(2))
		return leaf(mechanism.DiscreteLaplace{NoiseParameter: a, Sensitivity: s}, discreteLaplaceModel(a, twice*s), true)
	case 4: // randomized response has neighbours of its own
		noise, k := drawRate(r), int64(1+r.Intn(4))
		e := mechanism.RandomizedResponse{NoiseParameter: noise, NumBuckets: k}
		hit := mul(noise, big.NewRat(1, k))
		var m model
		for x := range k {
			p, q := hit, hit
			if x == 0 {
				p = add(p, sub(one, noise))
			}
			switch {
			case rel == mechanism.ReplaceSpecial:
				q = big.NewRat(1, k)
			case x == 1 || k == 1:
				q = add(q, sub(one, noise))
			}
			m.P, m.Q = append(m.P, p), append(m.Q, q)
		}
		switch rel {
		case mechanism.ReplaceOne:
			return leaf(e, m.blurred(), true)
		case mechanism.ReplaceSpecial:
			return leaf(e, m.blurred(), m.finite().SelfDual())
		}
		return leaf(mechanism.NoOp{}, equalBlurred, true)
	case 5, 6: // sampling
		rate := drawRate(r)
		switch {
		case rel == mechanism.ReplaceOne && r.Intn(2) == 0:
			e, b := guarantee()
			return leaf(mechanism.PoissonSampled{SamplingProbability: rate, Event: e}, mixBlurred(rate, b), true)
		case rel == mechanism.ReplaceOne:
			e, b := guarantee()
			n := int64(2 + r.Intn(20))
			k := 1 + r.Int63n(n-1)
			return leaf(mechanism.SampledWithoutReplacement{SourceDatasetSize: n, SampleSize: k, Event: e}, sampleBlurred(big.NewRat(k, n), b), false)
		}
		m := drawModel(r)
		base := tree{m.event(), []blurred{m.blurred()}, nil}
		if r.Intn(2) == 0 {
			e, b := guarantee()
			base = tree{mechanism.Composed{Events: []mechanism.Event{m.event(), e}}, []blurred{timesBlurred(m.blurred(), b)}, nil}
			if rel == mechanism.ReplaceSpecial { // the guarantee may show whether the sample has the record
				return leaf(mechanism.PoissonSampled{SamplingProbability: rate, Event: base.event}, mixBlurred(rate, base.factors[0]), false)
			}
		}
		return leaf(mechanism.PoissonSampled{SamplingProbability: rate, Event: base.event}, sampleBlurred(rate, base.factors[0]), false)
	case 7:
		return leaf(mechanism.NoOp{}, equalBlurred, true)
	}
	if r.Intn(6) == 0 {
		return leaf(mechanism.NonPrivate{}, blurred{{one, one, zero, zero}, {zero, zero, one, one}}, true)
	}
	n, s := int64(1+r.Intn(4)), int64(1+r.Intn(2))
	p := drawRate(r)
	m := binomialModel(n, p, s)
	return leaf(mechanism.Binomial{Trials: n, Probability: p, Sensitivity: s}, m.blurred(), m.finite().SelfDual())
}

// binomialModel is Bin(n, p) against itself shifted by s.
func binomialModel(n int64, p *big.Rat, s int64) model {
	var m model
	at := func(x int64) *big.Rat {
		if x < 0 || x > n {
			return zero
		}
		c := new(big.Rat).SetInt(new(big.Int).Binomial(n, x))
		return mul(c, mul(powRat(p, int(x)), powRat(sub(one, p), int(n-x))))
	}
	for x := int64(0); x <= n+s; x++ {
		m.P, m.Q = append(m.P, at(x)), append(m.Q, at(x-s))
	}
	return m
}

// drawTree draws a composition of a few leaves.
func drawTree(r *rand.Rand, rel mechanism.Relation, depth int) tree {
	switch n := r.Intn(4); {
	case depth == 0 || n == 0:
		return drawLeaf(r, rel)
	case n == 1:
		t, k := drawTree(r, rel, depth-1), 1+r.Intn(3)
		out := tree{event: mechanism.SelfComposed{Event: t.event, Count: int64(k)}}
		for range k {
			out.factors, out.selfDual = append(out.factors, t.factors...), append(out.selfDual, t.selfDual...)
		}
		return out
	}
	var out tree
	var es []mechanism.Event
	for range 1 + r.Intn(2) {
		t := drawTree(r, rel, depth-1)
		es = append(es, t.event)
		out.factors, out.selfDual = append(out.factors, t.factors...), append(out.selfDual, t.selfDual...)
	}
	out.event = mechanism.Composed{Events: es}
	return out
}

func (t tree) size() int {
	n := 1
	for _, f := range t.factors {
		n *= len(f)
		if n > 1<<20 {
			return n
		}
	}
	return n
}

var eventCases = generator[eventCase]{
	draw: func(r *rand.Rand) eventCase {
		rel := []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceOne, mechanism.ReplaceSpecial}[r.Intn(3)]
		for {
			t := drawTree(r, rel, 2)
			if t.size() > 600 || len(t.factors) > 5 {
				continue
			}
			c := eventCase{t.event, t.factors, t.selfDual, rel, mechanism.Direction(r.Intn(3)), exact.Effort(r.Intn(2)), drawReal(r), drawRate(r)}
			if r.Intn(4) == 0 { // at the sum of the ε of guarantees and the like
				c.Eps = one
			}
			return c
		}
	},
}

// truth encloses δ(ε) of the event, from all outcomes of all its factors. Where a
// record is replaced, every factor may be oriented either way.
func (c eventCase) truth(eps *big.Rat) (lo, hi *big.Rat) {
	return c.truthAt(expRat(eps))
}

func (c eventCase) truthAt(alo, ahi *big.Rat) (lo, hi *big.Rat) {
	lo, hi = new(big.Rat), new(big.Rat)
	for _, b := range c.orientations() {
		l, h := b.deltaAt(alo, ahi)
		lo, hi = maxRat(lo, l), maxRat(hi, h)
	}
	return lo, hi
}

func (c eventCase) orientations() []blurred {
	all := equalBlurred
	for _, f := range c.Factors {
		all = timesBlurred(all, f)
	}
	if c.Relation != mechanism.ReplaceOne {
		switch c.Direction {
		case mechanism.Remove:
			return []blurred{all}
		case mechanism.Add:
			return []blurred{all.reverse()}
		}
		return []blurred{all, all.reverse()}
	}
	out := []blurred{equalBlurred}
	for i, f := range c.Factors {
		var next []blurred
		for _, b := range out {
			next = append(next, timesBlurred(b, f))
			if !c.SelfDual[i] {
				next = append(next, timesBlurred(b, f.reverse()))
			}
		}
		out = next
	}
	return out
}

// prepare asks the front door, and checks that directions are refused where they
// mean nothing: under REPLACE_ONE, unless every factor is self-dual.
func (c eventCase) prepare() (*exact.Profile, error) {
	p, err := exact.Prepare(background, exact.Question{Event: c.Event, Relation: c.Relation, Direction: c.Direction}, c.Effort)
	var direction *meaning.DirectionError
	if errors.As(err, &direction) {
		if c.Relation == mechanism.ReplaceOne && c.Direction != mechanism.Both && slices.Contains(c.SelfDual, false) {
			return nil, nil
		}
		return nil, err
	}
	if err == nil && c.Relation == mechanism.ReplaceOne && c.Direction != mechanism.Both && slices.Contains(c.SelfDual, false) {
		return nil, fmt.Errorf("a direction is accepted")
	}
	return p, err
}

// Whole events through the front door: the enclosure of δ contains the sum over all
// outcomes, in every relation and direction, and a value that is claimed to be exact
// is.
func TestFrontDoorDelta(t *testing.T) {
	forAll(t, 26, eventCases, func(c eventCase) error {
		p, err := c.prepare()
		if p == nil || err != nil {
			return err
		}
		for _, eps := range []*big.Rat{c.Eps, zero, rat("-1/2"), rat("30")} {
			r, err := p.Delta(background, eps)
			if err != nil {
				return err
			}
			lo, hi := c.truth(eps)
			if err := refute(r.Interval, lo, hi, "δ(%s) by %v", eps.RatString(), r.Methods); err != nil {
				return err
			}
			if r.Value != nil && (r.Value.Cmp(lo) < 0 || r.Value.Cmp(hi) > 0) {
				return fmt.Errorf("δ(%s) is claimed to be %s exactly, want [%s, %s]", eps.RatString(), r.Value.RatString(), lo.FloatString(40), hi.FloatString(40))
			}
			if p.Tight() && sub(upperRat(r.Interval), lowerRat(r.Interval)).Cmp(rat("1/10000000000")) > 0 {
				return fmt.Errorf("δ(%s) by %v is tight and as wide as [%s, %s]", eps.RatString(), r.Methods, text(r.Lo()), text(r.Hi()))
			}
		}
		return nil
	})
}

// ε(δ) is the inverse: δ(ε) ≤ δ at the upper end of its enclosure, and δ(ε) > δ at every
// point left of its lower end.
func TestFrontDoorEpsilon(t *testing.T) {
	forAll(t, 6, eventCases, func(c eventCase) error {
		p, err := c.prepare()
		if p == nil || err != nil {
			return err
		}
		inf := new(big.Rat) // the mass of infinite loss, exactly known or nearly
		_, ihi := c.truthAt(pow2(4000), pow2(4000))
		inf = maxRat(inf, ihi)
		_, at := c.truth(c.Eps)
		for _, delta := range []*big.Rat{at, inf, mul(inf, half), mul(add(inf, mul(c.Share, sub(one, inf))), one), zero} {
			delta = minRat(delta, sub(one, pow2(-30)))
			r, err := p.Epsilon(background, delta, 30)
			if err != nil {
				return err
			}
			if err := c.checkEpsilon(r, delta); err != nil {
				return fmt.Errorf("ε(%s) in [%s, %s] by %v: %w", delta.FloatString(40), text(r.Lo()), text(r.Hi()), r.Methods, err)
			}
		}
		return nil
	})
}

func (c eventCase) checkEpsilon(r exact.Result, delta *big.Rat) error {
	if hi := r.Hi(); !hi.IsInf() {
		x, _ := hi.Rat(nil)
		if lo, _ := c.truth(clampEps(x)); lo.Cmp(delta) > 0 {
			return fmt.Errorf("δ at the upper end is at least %s", lo.FloatString(40))
		}
	} else if hi.Signbit() {
		return fmt.Errorf("ε = −∞ for δ < 1")
	}
	lo := r.Lo()
	if lo.IsInf() && lo.Signbit() {
		return nil
	}
	x := rat("3000") // for +∞: no ε is enough
	if !lo.IsInf() {
		x, _ = lo.Rat(nil)
		x = clampEps(sub(x, pow2(-60)))
	}
	if _, hi := c.truth(x); hi.Cmp(delta) <= 0 {
		return fmt.Errorf("left of the lower end, at %s, δ is at most %s", x.FloatString(30), hi.FloatString(40))
	}
	if r.Value != nil {
		if lo, _ := c.truth(r.Value); lo.Cmp(delta) > 0 {
			return fmt.Errorf("δ at the exact value %s is at least %s", r.Value.RatString(), lo.FloatString(40))
		}
		if _, hi := c.truth(sub(r.Value, pow2(-40))); hi.Cmp(delta) <= 0 {
			return fmt.Errorf("δ just left of the exact value %s is at most %s", r.Value.RatString(), hi.FloatString(40))
		}
	}
	return nil
}

// clampEps brings an ε into the range in which the model can compute e^ε.
func clampEps(x *big.Rat) *big.Rat { return maxRat(rat("-3000"), minRat(rat("3000"), x)) }

// Dropping factors is a post-processing: a part of a composition never has a larger
// δ than the whole.
func TestDataProcessingOfParts(t *testing.T) {
	forAll(t, 30, eventCases, func(c eventCase) error {
		whole, ok := c.Event.(mechanism.Composed)
		if !ok || len(whole.Events) < 2 {
			return nil
		}
		a, err := exact.Delta(background, exact.Question{Event: whole, Relation: c.Relation}, c.Eps, c.Effort)
		if err != nil {
			return err
		}
		for _, e := range whole.Events {
			b, err := exact.Delta(background, exact.Question{Event: e, Relation: c.Relation}, c.Eps, c.Effort)
			if err != nil {
				return err
			}
			if a.Less(b.Interval) == interval.True {
				return fmt.Errorf("δ of the whole is at most %s, δ of the part %s at least %s", text(a.Hi()), mechanism.EncodeEvent(e), text(b.Lo()))
			}
		}
		return nil
	})
}
