// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
)

// metamorphicLaws are true of every event, whatever its pair is.
var metamorphicLaws = []law{
	{"reversal", checkReversal},
	{"reversed Rényi divergences", checkReversedRenyi},
	{"reversed trade-off", checkReversedTradeOff},
	{"inverse", checkInverse},
	{"both", checkBoth},
	{"NoOp", checkNoOp},
	{"counts", checkCounts},
	{"order of factors", checkOrder},
	{"parts", checkParts},
	{"efforts", checkEfforts},
	{"relations", checkRelations},
	{"rate 1", checkFullSample},
	{"rate 0", checkEmptySample},
	{"maximum next to nothing", checkMaximumOfLittle},
	{"group of one", checkGroupOfOne},
	{"wrapped NoOp", checkWrappedNoOp},
	{"wrapped trivial factors", checkWrappedTrivial},
	{"sampling", checkSampling},
	{"Rényi against δ", checkRenyi},
	{"trade-off against δ", checkTradeOff},
}

const lawBits = interval.Prec(192)

func opposite(d mechanism.Direction) mechanism.Direction {
	switch d {
	case mechanism.Remove:
		return mechanism.Add
	case mechanism.Add:
		return mechanism.Remove
	}
	return d
}

// point is an answer that was computed here from another one.
func point(x interval.Interval, command string) answer {
	return answer{Result: exact.Result{Enclosure: exact.Enclosure{Interval: x}}, command: command}
}

// δ of (Q, P) at ε is 1 − e^ε + e^ε·δ of (P, Q) at −ε: both are Σ (q − e^ε·p)₊.
func checkReversal(i *inquiry) error {
	a, err := i.ask(i.question(i.Event, i.Direction), 0, deltaAt(i.Eps))
	if err != nil {
		return err
	}
	b, err := i.ask(i.question(i.Event, opposite(i.Direction)), 0, deltaAt(neg(i.Eps)))
	if err != nil {
		return err
	}
	if a.meaningless != nil || b.meaningless != nil {
		return meet(a, b, "δ")
	}
	e := lawBits.Exp(lawBits.Rat(i.Eps))
	return meet(a, point(lawBits.Add(lawBits.Sub(interval.Int(1), e), lawBits.Mul(e, b.Interval)), b.command), "δ(ε) and 1 − e^ε + e^ε·δ(−ε) reversed")
}

// (1 − α)·R_α(P‖Q) = α·R_{1−α}(Q‖P) for 0 < α < 1.
func checkReversedRenyi(i *inquiry) error {
	a, err := i.ask(i.question(i.Event, i.Direction), 0, renyiAt(renyi.At(rat("1/4"))))
	if err != nil {
		return err
	}
	b, err := i.ask(i.question(i.Event, opposite(i.Direction)), 0, renyiAt(renyi.At(rat("3/4"))))
	if err != nil || a.meaningless != nil || b.meaningless != nil {
		return err
	}
	return meet(point(lawBits.Mul(interval.Int(3), a.Interval), a.command), b, "3·R_1/4 and R_3/4 reversed")
}

// A test of errors (x, y) is a test of errors (y, x) of the reverse.
func checkReversedTradeOff(i *inquiry) error {
	if slow(i.Event) {
		return nil
	}
	a, err := i.ask(i.question(i.Event, i.Direction), 0, tradeOffAt(i.Alpha))
	if err != nil || a.meaningless != nil {
		return err
	}
	if hi := add(upperRat(a.Interval), pow2(-40)); hi.Cmp(one) <= 0 {
		b, err := i.ask(i.question(i.Event, opposite(i.Direction)), 0, tradeOffAt(hi))
		if err != nil {
			return err
		}
		if err := atMost(b, point(lawBits.Rat(i.Alpha), a.command), "f reversed, beyond f(α)"); err != nil {
			return err
		}
	}
	return nil
}

// ε(δ) is the least ε with δ(ε) ≤ δ.
func checkInverse(i *inquiry) error {
	q := i.question(i.Event, i.Direction)
	e, err := i.ask(q, 0, epsilonAt(i.Delta))
	if err != nil || e.meaningless != nil {
		return err
	}
	want := point(lawBits.Rat(i.Delta), e.command)
	if !e.Hi().IsInf() {
		hi, _ := e.Hi().Rat(nil)
		d, err := i.ask(q, 0, deltaAt(hi))
		if err != nil {
			return err
		}
		if err := atMost(d, want, "δ at ε(δ), and δ"); err != nil {
			return err
		}
	}
	lo := rat("3000") // for +∞: no ε is enough
	if !e.Lo().IsInf() {
		lo, _ = e.Lo().Rat(nil)
		lo = sub(lo, pow2(-60))
	} else if e.Lo().Signbit() {
		return nil
	}
	d, err := i.ask(q, 0, deltaAt(lo))
	if err != nil {
		return err
	}
	return atMost(want, d, "δ, and δ left of ε(δ)")
}

// Both directions together are the less private one, after composition.
func checkBoth(i *inquiry) error {
	both := i.question(i.Event, mechanism.Both)
	return i.compare(i.question(i.Event, mechanism.Remove), i.question(i.Event, mechanism.Add), func(what quantity, a, b answer) error {
		c, err := i.ask(both, 0, what)
		if err != nil {
			return err
		}
		if a.meaningless != nil || b.meaningless != nil {
			if (a.meaningless == nil) != (b.meaningless == nil) {
				return meet(a, b, "directions")
			}
			return nil
		}
		return meet(what.greatest(a, b), c, "the less private direction, and both")
	})
}

// What releases nothing changes nothing.
func checkNoOp(i *inquiry) error {
	nothing := []mechanism.Event{
		mechanism.NoOp{}, mechanism.Composed{}, mechanism.SelfComposed{Event: mechanism.NoOp{}, Count: 7},
		mechanism.PoissonSampled{SamplingProbability: i.Rate, Event: mechanism.NoOp{}},
	}[i.Intn(4)]
	return i.same(mechanism.Composed{Events: []mechanism.Event{nothing, mechanism.SelfComposed{Event: i.Event, Count: 1}}}, "with what releases nothing")
}

// k copies are j copies and k − j copies; a·b copies are a times b copies.
func checkCounts(i *inquiry) error {
	k := 2 + i.Int63n(3)
	whole := mechanism.SelfComposed{Event: i.Event, Count: k}
	split := mechanism.Composed{Events: []mechanism.Event{
		mechanism.SelfComposed{Event: i.Event, Count: k - 1}, mechanism.NoOp{}, mechanism.Composed{Events: []mechanism.Event{i.Event}},
	}}
	if k == 4 && i.Intn(2) == 0 {
		twice := mechanism.SelfComposed{Event: i.Event, Count: 2}
		split.Events = []mechanism.Event{mechanism.SelfComposed{Event: twice, Count: 2}}
	}
	d := i.Direction
	return i.compare(i.question(whole, d), i.question(split, d), func(what quantity, a, b answer) error {
		if err := meet(a, b, "copies, split"); err != nil {
			return err
		}
		one, err := i.ask(i.question(i.Event, d), 0, what)
		if err != nil {
			return err
		}
		return what.noLess(one, a, "one copy, and several")
	})
}

// The order of factors does not matter, at any depth.
func checkOrder(i *inquiry) error {
	moved := false
	e := everywhere(i.Event, func(e mechanism.Event) mechanism.Event {
		c, ok := e.(mechanism.Composed)
		if !ok || len(c.Events) < 2 {
			return e
		}
		moved = true
		es := make([]mechanism.Event, len(c.Events))
		for to, from := range i.Perm(len(es)) {
			es[to] = c.Events[from]
		}
		return mechanism.Composed{Events: es}
	})
	if !moved {
		return nil
	}
	return i.same(e, "factors in another order")
}

// To forget a part of the output is a post-processing.
func checkParts(i *inquiry) error {
	c, ok := i.Event.(mechanism.Composed)
	if !ok || len(c.Events) < 2 {
		return nil
	}
	part := c.Events[i.Intn(len(c.Events))]
	return i.compare(i.question(part, mechanism.Both), i.question(c, mechanism.Both), func(what quantity, a, b answer) error {
		return what.noLess(a, b, "a part, and the whole")
	})
}

// Enclosures at two efforts have the truth in common.
func checkEfforts(i *inquiry) error {
	q := i.question(i.Event, i.Direction)
	for _, what := range i.quantities() {
		a, err := i.ask(q, 0, what)
		if err != nil {
			return err
		}
		b, err := i.ask(q, 1, what)
		if err != nil {
			return err
		}
		if err := meet(a, b, "efforts 0 and 1"); err != nil {
			return err
		}
	}
	return nil
}

// ADD_OR_REMOVE_ONE ≤ REPLACE_SPECIAL ≤ REPLACE_ONE of all that has a meaning under both.
//
// Proof, for the pairs of docs/relations.md, factor by factor; products keep it. Noise has twice
// the shift, or the same. Guarantees and pairs given outright are the same, and may be oriented
// freely under REPLACE_ONE. Randomized response against uniform output is the average
// over all second inputs, of which H_α is at most the greatest, by joint convexity. A sample of which
// it is shown whether it has the record, (1−γ)(1−α)₊ + γH_α(P‖Q), is at least
// H_α((1−γ)Q + γP‖Q), likewise. For a sampled Gaussian, P = (1−γ)N(0) + γN(μ), against
// Q = N(0) or Q′ = (1−γ)N(0) + γN(−μ): the best event of (P, Q) is {x > t}, where Q′ has less
// mass than Q, and the best event of (Q, P) is {x < t}, where it has more. ∎
func checkRelations(i *inquiry) error {
	order := []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial, mechanism.ReplaceOne}
	for k, stronger := range order {
		for _, weaker := range order[:k] {
			p, q := i.question(i.Event, mechanism.Both), i.question(i.Event, mechanism.Both)
			p.Relation, q.Relation = weaker, stronger
			if err := i.compare(p, q, func(what quantity, a, b answer) error {
				return what.noLess(a, b, "relations")
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// A sample of everything is no sample.
func checkFullSample(i *inquiry) error {
	if err := i.same(mechanism.PoissonSampled{SamplingProbability: one, Event: i.Event}, "a sample of rate 1"); err != nil {
		return err
	}
	n, ok := sourceSize(i.Event)
	if i.Relation != mechanism.ReplaceOne || !ok {
		return nil
	}
	whole := mechanism.SampledWithoutReplacement{SourceDatasetSize: n, SampleSize: n, Event: i.Event}
	return i.compare(i.question(i.Event, mechanism.Both), i.question(whole, mechanism.Both), func(_ quantity, a, b answer) error {
		if b.meaningless != nil { // of what is not self-dual
			return nil
		}
		return meet(a, b, "a sample of everything")
	})
}

// The worst of an event and of one that is nearly nothing is as bad as the worse of the two, and not known better: what
// is known of a maximum comes of its events.
func checkMaximumOfLittle(i *inquiry) error {
	little := []mechanism.Event{mechanism.Laplace{NoiseMultiplier: rat("1000")}, mechanism.FinitePair{P: rats("501/1000", "499/1000"), Q: rats("499/1000", "501/1000")}, mechanism.NoOp{}}[i.Intn(3)]
	maximum := i.question(mechanism.Maximum{Events: []mechanism.Event{i.Event, little}}, i.Direction)
	return i.compare(i.question(i.Event, i.Direction), maximum, func(what quantity, a, b answer) error {
		c, err := i.ask(i.question(little, i.Direction), 0, what)
		if err != nil || c.meaningless != nil {
			return err
		}
		return meet(what.greatest(a, c), b, "the worst of two")
	})
}

// A group of one record is that record.
func checkGroupOfOne(i *inquiry) error {
	return i.compare(i.question(i.Event, i.Direction), i.question(mechanism.Group{Event: i.Event, Size: 1}, i.Direction), func(_ quantity, a, b answer) error {
		if b.meaningless != nil { // of what no group is defined
			return nil
		}
		return meet(a, b, "a group of one")
	})
}

// wrapped puts an event into one that holds others.
func (i *inquiry) wrapped(e mechanism.Event, kind int) mechanism.Event {
	switch kind {
	case 0:
		return mechanism.PoissonSampled{SamplingProbability: i.Rate, Event: e}
	case 1:
		n, ok := sourceSize(e)
		if !ok {
			n = 4
		}
		return mechanism.SampledWithoutReplacement{SourceDatasetSize: n + 1, SampleSize: n, Event: e}
	case 2:
		return mechanism.RandomAllocation{Event: e, NumSelected: 1, NumSteps: 2}
	case 3:
		return mechanism.Group{Event: e, Size: 2}
	case 4:
		return mechanism.Maximum{Events: []mechanism.Event{e, mechanism.EpsilonDelta{Epsilon: half, Delta: zero}}}
	case 5:
		return mechanism.RepeatAndSelect{Event: e, Mean: two, Shape: one}
	}
	return mechanism.SelfComposed{Event: e, Count: 2}
}

const wrappers = 7

// both is a composition of the event and another one, in either order.
func (i *inquiry) both(other mechanism.Event) mechanism.Event {
	if i.Pick%2 == 0 {
		return mechanism.Composed{Events: []mechanism.Event{other, i.Event}}
	}
	return mechanism.Composed{Events: []mechanism.Event{i.Event, other}}
}

// What releases nothing changes nothing inside of anything.
func checkWrappedNoOp(i *inquiry) error {
	kind := i.Intn(wrappers)
	return i.compare(i.question(i.wrapped(i.Event, kind), i.Direction), i.question(i.wrapped(i.both(mechanism.NoOp{}), kind), i.Direction), func(_ quantity, a, b answer) error {
		return meet(a, b, "with what releases nothing, inside of another event")
	})
}

// Events that say nothing of a record's value, but perhaps how many records there are, are alike beside anything inside
// of anything; and so are those that say nothing at all.
func checkWrappedTrivial(i *inquiry) error {
	silent := [][]mechanism.Event{
		{mechanism.ZCDP{Rho: zero, Xi: zero}, mechanism.EpsilonDelta{Epsilon: zero, Delta: zero}, mechanism.ExponentialMechanism{Epsilon: zero}, mechanism.PermuteAndFlip{Epsilon: zero},
			mechanism.TradeOff{Points: []mechanism.TradeOffPoint{{Alpha: zero, Beta: one}}}, mechanism.RenyiCurve{Orders: rats("2"), Values: rats("0")},
			mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{{Epsilon: zero, Delta: zero}}}, mechanism.DiscreteGaussian{Sigma: one, Sensitivity: half}},
		{mechanism.NoOp{}, mechanism.FinitePair{P: rats("1/3", "2/3"), Q: rats("1/3", "2/3")}, mechanism.DiscreteLaplace{NoiseParameter: one}, mechanism.Binomial{Trials: 3, Probability: half},
			mechanism.Truncated{Width: one, Sensitivity: zero, Radius: one}},
	}[i.Intn(2)]
	kind := i.Intn(wrappers)
	a, b := silent[i.Intn(len(silent))], silent[i.Intn(len(silent))]
	return i.compare(i.question(i.wrapped(i.both(a), kind), i.Direction), i.question(i.wrapped(i.both(b), kind), i.Direction), func(_ quantity, a, b answer) error {
		if a.meaningless != nil || b.meaningless != nil { // groups, for instance, are not defined of all of them
			return nil
		}
		return meet(a, b, "next to what says nothing")
	})
}

// sourceSize is the size that a sample around e has to have; 10 where it may be any, and
// false where there is none.
func sourceSize(e mechanism.Event) (int64, bool) {
	n := int64(0)
	var walk func(mechanism.Event) bool
	walk = func(e mechanism.Event) bool {
		switch e := e.(type) {
		case mechanism.SampledWithoutReplacement:
			if n > 0 && n != e.SourceDatasetSize {
				return false
			}
			n = e.SourceDatasetSize
			return true
		case mechanism.SampledWithReplacement:
			if n > 0 && n != e.SourceDatasetSize {
				return false
			}
			n = e.SourceDatasetSize
			return true
		case mechanism.TruncatedSubsampledGaussian:
			if n > 0 && n != e.DatasetSize || e.DatasetSize == 0 {
				return false
			}
			n = e.DatasetSize
			return true
		case mechanism.PoissonSampled:
			if e.SamplingProbability.Cmp(one) < 0 {
				return true
			}
		}
		for _, c := range children(e) {
			if !walk(c) {
				return false
			}
		}
		return true
	}
	ok := walk(e)
	if n == 0 {
		n = 10
	}
	return n, ok
}

// A sample of nothing releases nothing, if a sample of something has a meaning.
func checkEmptySample(i *inquiry) error {
	samples := []mechanism.Event{
		mechanism.PoissonSampled{SamplingProbability: half, Event: i.Event}, mechanism.PoissonSampled{SamplingProbability: zero, Event: i.Event},
	}
	if n, ok := sourceSize(i.Event); ok && i.Intn(2) == 0 {
		samples = []mechanism.Event{
			mechanism.SampledWithoutReplacement{SourceDatasetSize: n + 1, SampleSize: n, Event: i.Event},
			mechanism.SampledWithoutReplacement{SourceDatasetSize: n + 1, SampleSize: 0, Event: i.Event},
		}
	}
	some, err := i.ask(i.question(samples[0], mechanism.Both), 0, renyiAt(renyi.At(two)))
	if err != nil {
		return err
	}
	return i.compare(i.question(samples[1], mechanism.Both), i.question(mechanism.NoOp{}, mechanism.Both), func(_ quantity, a, b answer) error {
		if some.meaningless != nil || a.meaningless != nil {
			return meet(answer{meaningless: some.meaningless, command: some.command}, answer{meaningless: a.meaningless, command: a.command}, "samples of something and of nothing")
		}
		return meet(a, b, "a sample of nothing, and nothing")
	})
}

// A sample is never less private than the whole: H_α((1−γ)Q + γP‖Q) ≤ (1−γ)(1−α)₊ + γH_α(P‖Q),
// by joint convexity, which is at most H_α(P‖Q). It grows with the rate, being convex in it and least
// at 0.
func checkSampling(i *inquiry) error {
	rate := i.Rate
	sample := func(rate *big.Rat) exact.Question {
		return i.question(mechanism.PoissonSampled{SamplingProbability: rate, Event: i.Event}, mechanism.Both)
	}
	if err := i.compare(sample(rate), i.question(i.Event, mechanism.Both), func(what quantity, a, b answer) error {
		return what.noLess(a, b, "a sample, and the whole")
	}); err != nil {
		return err
	}
	if i.Intn(4) > 0 {
		return nil
	}
	return i.compare(sample(mul(half, rate)), sample(rate), func(what quantity, a, b answer) error {
		return what.noLess(a, b, "a smaller sample, and a greater one")
	})
}

// Rényi divergences and the profile imply bounds of each other, of each mechanism and
// orientation, and so of the greatest.
func checkRenyi(i *inquiry) error {
	q := i.question(i.Event, i.Direction)
	order := []*big.Rat{rat("3/2"), two, rat("10")}[i.Intn(3)]
	var rs []answer
	for _, alpha := range []renyi.Order{renyi.At(one), renyi.At(two), renyi.Infinity, renyi.At(order)} {
		r, err := i.ask(q, 0, statedRenyi(alpha))
		if err != nil || r.meaningless != nil {
			return err
		}
		rs = append(rs, r)
	}
	low, err := i.ask(q, 0, renyiAt(renyi.At(half)))
	if err != nil {
		return err
	}
	for _, r := range rs[:3] {
		if err := atMost(low, r, "Rényi divergences of rising orders"); err != nil {
			return err
		}
	}
	if err := i.variationAgainstRenyi(q, low, rs[0]); err != nil {
		return err
	}
	for _, eps := range []*big.Rat{i.Eps, zero, one} {
		d, err := i.ask(q, 0, deltaAt(eps))
		if err != nil {
			return err
		}
		if err := atMost(d, point(renyiToDelta(rs[3], order, eps), rs[3].command), "δ, and what a Rényi divergence implies"); err != nil {
			return err
		}
		if eps.Sign() >= 0 {
			if err := atMost(point(deltaToRenyi(d, eps), d.command), rs[1], "what δ implies, and the Rényi divergence of order 2"); err != nil {
				return err
			}
		}
	}
	if rs[2].Hi().IsInf() {
		return nil
	}
	hi, _ := rs[2].Hi().Rat(nil)
	d, err := i.ask(q, 0, deltaAt(hi))
	if err != nil {
		return err
	}
	return atMost(d, point(interval.Int(0), rs[2].command), "δ at the greatest loss, and 0")
}

// variationAgainstRenyi: 1 − e^(−R/2) ≤ TV and TV² ≤ 1 − e^(−R) for R = R_1/2, −2 times the
// logarithm of the Bhattacharyya coefficient [Le Cam]; 2·TV² ≤ R_1 [Pinsker].
func (i *inquiry) variationAgainstRenyi(q exact.Question, r, kl answer) error {
	tv, err := i.ask(q, 0, variation())
	if err != nil {
		return err
	}
	decay := func(x interval.Interval) interval.Interval { return lawBits.Exp(x.Neg()) }
	if err := atMost(point(lawBits.Sub(interval.Int(1), decay(lawBits.Scale(r.Interval, -1))), r.command), tv, "1 − e^(−R/2) and TV"); err != nil {
		return err
	}
	square := lawBits.Sqr(interval.Point(tv.Lo()))
	if !r.Hi().IsInf() {
		if err := atMost(point(square, tv.command), point(lawBits.Sub(interval.Int(1), decay(interval.Point(r.Hi()))), r.command), "TV² and 1 − e^−R"); err != nil {
			return err
		}
	}
	if kl.Hi().IsInf() {
		return nil
	}
	return atMost(point(lawBits.Scale(square, 1), tv.command), kl, "2·TV² and R_1")
}

// renyiToDelta bounds δ(ε) ≤ e^((α−1)(R_α−ε))·(1 − 1/α)^α/(α − 1) [Canonne, Kamath & Steinke
// 2020, Proposition 12].
func renyiToDelta(r answer, alpha, eps *big.Rat) interval.Interval {
	if r.Hi().IsInf() {
		return interval.Int(1)
	}
	w := lawBits
	a := w.Rat(sub(alpha, one))
	x := w.Mul(a, w.Sub(interval.Point(r.Hi()), w.Rat(eps)))
	x = w.Add(x, w.Mul(w.Rat(alpha), w.Log(w.Rat(sub(one, quo(one, alpha))))))
	return interval.Min(interval.Int(1), w.Exp(w.Sub(x, w.Log(a))))
}

// deltaToRenyi bounds R_2 ≥ log(1 + 4δ(δ + e^ε − 1)) for ε ≥ 0.
//
// Proof. Let c = e^ε − 1 and let S have P(S) − e^ε·Q(S) = δ. With q = Q(S), P(S) − q = δ + cq, and
// by data processing e^{R_2} − 1 = χ²(P‖Q) ≥ (δ + cq)²/(q(1−q)). Its derivative has the sign of
// (c + 2δ)q − δ, and at q = δ/(c + 2δ) it is 4δ(δ + c). The bound rises with δ. ∎
func deltaToRenyi(d answer, eps *big.Rat) interval.Interval {
	w := lawBits
	delta := interval.Point(d.Lo())
	c := w.Expm1(w.Rat(eps))
	return w.Log1p(w.Scale(w.Mul(delta, w.Add(delta, c)), 2))
}

// The profile and the trade-off function are each other's dual: f(x) ≥ e^−ε·(1 − x − δ(ε)) for
// every x and ε, and δ(ε) = sup_x (1 − x − e^ε·f(x)), where f falls and f(1) = 0.
func checkTradeOff(i *inquiry) error {
	if slow(i.Event) {
		return nil
	}
	q := i.question(i.Event, i.Direction)
	levels := []*big.Rat{zero, i.Alpha}
	var fs []answer
	for _, x := range levels {
		f, err := i.ask(q, 0, tradeOffAt(x))
		if err != nil || f.meaningless != nil {
			return err
		}
		fs = append(fs, f)
	}
	w := lawBits
	for _, eps := range []*big.Rat{i.Eps, zero} {
		d, err := i.ask(q, 0, deltaAt(eps))
		if err != nil {
			return err
		}
		e := w.Exp(w.Rat(eps))
		for k, x := range levels {
			line := w.Div(w.Sub(w.Rat(sub(one, x)), interval.Point(d.Hi())), e)
			if err := atMost(point(line, d.command), fs[k], fmt.Sprintf("e^−ε·(1 − x − δ(ε)), and f at %s", x.RatString())); err != nil {
				return err
			}
		}
		// From 0 to the level f is at least f there; beyond it at least 0.
		best := interval.Max(w.Sub(interval.Int(1), w.Mul(e, interval.Point(fs[1].Lo()))), w.Rat(sub(one, i.Alpha)))
		if err := atMost(d, point(best, fs[1].command), "δ, and what the trade-off function allows"); err != nil {
			return err
		}
	}
	return nil
}
