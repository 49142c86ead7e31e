// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"

	"dpverify/exact/pair"
)

var ratOne = big.NewRat(1, 1)

// evidence is what is known from below of an event that factors dominate: which
// mechanisms it stands for do attain what. An event of which nothing is known from below has
// the empty product as its witness.
type evidence struct {
	known knowledge
	// some are products that some mechanism of the event dominates each, at least one, unless all is attained.
	some []pair.Product
}

// knowledge says how much of what the factors say is attained.
type knowledge int

const (
	// bounded: the factors dominate, and some mechanisms of the event bound it from below.
	bounded knowledge = iota
	// pointwise: one factor, whose profile is attained at every ε, and whose trade-off
	// function at every type I error, by different mechanisms. What is no supremum over
	// single points, such as a Rényi divergence or the profile of a composition, is
	// bounded from above by the factor and from below by some of those mechanisms.
	pointwise
	// attained: every way to choose the factors is a mechanism of the event. All that is
	// true of a factor's pair is true of the event: its profile, its Rényi divergences.
	attained
)

// newEvidence is of an event that attains its factors wholly, or everywhere.
func newEvidence(wholly, everywhere bool, some []pair.Product) evidence {
	switch {
	case wholly:
		return evidence{known: attained}
	case everywhere:
		return evidence{pointwise, some}
	}
	return evidence{bounded, some}
}

// witnesses returns products that bound every quantity of the event from below: each is
// dominated by some mechanism of the event. There is at least one.
func (e evidence) witnesses(f Factors) []pair.Product {
	if e.known == attained {
		return f.strategies()
	}
	return e.some
}

// everywhere reports whether the greatest profile of the alternatives is the profile of the
// event at every ε, and the least trade-off function likewise, each point attained by
// some mechanism.
func (e evidence) everywhere() bool { return e.known != bounded }

// wholly reports whether every way to choose the factors is a mechanism of the event.
func (e evidence) wholly() bool { return e.known == attained }

// mapped is what is known of the image of the event under a map of pairs that keeps the
// order of profiles, takes δ(ε) from the value of the profile at one other ε′, and a
// mechanism to a mechanism.
func (e evidence) mapped(to func(pair.Product) pair.Product) evidence {
	return evidence{e.known, images(e.some, to)}
}

func images(ps []pair.Product, to func(pair.Product) pair.Product) []pair.Product {
	out := make([]pair.Product, len(ps))
	for i, p := range ps {
		out[i] = to(p)
	}
	return out
}

// A meaning is what an event stands for: factors that dominate it and what is known
// from below. The zero value is not one; neutral stands for equal distributions.
type meaning struct {
	factors  Factors
	evidence evidence
	traits   traits
}

// traits are those of an event that decide what a sample of it is.
type traits struct {
	nonPrivate bool // some factor is not private at all
	// presence: outputs may show whether a record is there, apart from its value, as those
	// of a mechanism of which only a guarantee is known, or of a local one.
	presence bool
	// coin: outputs may show a coin that has nothing to do with the data, as those of a mechanism of which only a
	// guarantee is known.
	coin bool
	// after: what is chosen may depend on an earlier output. One that says nothing of the data is a coin for all to
	// see.
	after bool
	// places: what a record does depends on its place in a stream.
	places bool
	// group: what a group of records sees, who may be in a sample each by itself.
	group bool
	// drawn: a sample of a fixed size, of neighbours of which one has a record more.
	drawn bool
	// sampled: of two records that replace each other, each is in a sample by coins of its own, and the worst data have
	// no others.
	sampled bool
	// allocated: of two records that replace each other, each draws its steps, and the worst data have no others.
	allocated bool
}

// or has the traits of both.
func (t traits) or(u traits) traits {
	return traits{t.nonPrivate || u.nonPrivate, t.presence || u.presence, t.coin || u.coin, t.after || u.after,
		t.places || u.places, t.group || u.group, t.drawn || u.drawn, t.sampled || u.sampled, t.allocated || u.allocated}
}

func neutral() meaning { return meaning{evidence: evidence{known: attained}} }

// exactly is a pair, or one of several, that the event attains.
func exactly(of ...pair.Product) meaning {
	return meaning{factors: NewFactors(of...), evidence: evidence{known: attained}}
}

// nonPrivate is disjoint distributions.
func nonPrivate() meaning {
	m := exactly(pair.Copies(pair.Response{Eps: new(big.Rat), Delta: ratOne}, 1))
	m.traits.nonPrivate = true
	return m
}

// attainedPointwise is a product whose profile and trade-off function are attained at every
// point, each by some mechanism of the event; some of them are listed.
func attainedPointwise(upper pair.Product, some ...pair.Product) meaning {
	return meaning{factors: Factors{Fixed: upper}, evidence: evidence{pointwise, some}}
}

// between is a product that dominates the event, and some that it attains.
func between(upper pair.Product, some ...pair.Product) meaning {
	return meaning{factors: Factors{Fixed: upper}, evidence: evidence{bounded, some}}
}

// times returns the composition of count copies.
func (m meaning) times(count int64) meaning {
	if count == 1 || m.factors.empty() {
		return m
	}
	out := meaning{m.factors.times(count), m.evidence, m.traits}
	if !out.evidence.wholly() {
		out.evidence.known = bounded
		out.evidence = out.evidence.mapped(func(p pair.Product) pair.Product { return p.Times(count) })
	}
	return out
}

// and returns the composition of both. A witness of a composition is a product of
// witnesses. Equal distributions have traits, too: a mechanism whose output says nothing of a record's value may show
// whether the record is there.
func (m meaning) and(n meaning) meaning {
	both := m.traits.or(n.traits)
	switch {
	case m.factors.empty():
		n.traits = both
		return n
	case n.factors.empty():
		m.traits = both
		return m
	}
	out := meaning{m.factors.and(n.factors), evidence{known: attained}, both}
	if m.evidence.wholly() && n.evidence.wholly() {
		return out
	}
	a, b := m.evidence.witnesses(m.factors), n.evidence.witnesses(n.factors)
	var some []pair.Product
	for i := range max(len(a), len(b)) {
		x, y := a[i%len(a)], b[i%len(b)]
		some = append(some, append(append(pair.Product(nil), x...), y...).Merged())
	}
	out.evidence = evidence{bounded, some}
	return out
}

// freely returns the event where each copy of a factor may be oriented either way.
func (m meaning) freely() meaning {
	if m.factors.SelfDual() {
		return m
	}
	factors, whole := m.factors.freely()
	if !whole {
		m.evidence = evidence{bounded, m.evidence.witnesses(m.factors)}
	}
	m.factors = factors
	if m.traits.after {
		m.factors = factors.mixed(Averages)
	}
	return m
}

// mapped returns the image of the event as evidence.mapped has it: one factor. A
// choice among several factors is the pair of the greatest profile from here on. One among several pairs may be made
// anew for each way to sample the others. What is not private at all remains so.
func (m meaning) mapped(to func(pair.Product) pair.Product) meaning {
	switch {
	case m.factors.empty():
		return m
	case m.traits.nonPrivate:
		return nonPrivate()
	}
	if of, ok := m.factors.Alternatives(); ok {
		return meaning{NewFactors(images(of, to)...).mixed(max(Averages, m.factors.mixing())),
			m.evidence.mapped(to), m.traits}
	}
	m.evidence = evidence{bounded, m.evidence.witnesses(m.factors)}.mapped(to)
	return meaning{NewFactors(to(m.factors.Product())), m.evidence, m.traits}
}
