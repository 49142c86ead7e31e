// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"fmt"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// A Problem is what an event means under a relation. It answers with bounds, which
// say themselves what they bound from which side: nothing about them is to be
// inferred from the pairs.
type Problem struct {
	meaning meaning
	freely  bool // only the maximum of the two directions is defined
	// Notes are assumptions that the answer rests on, for people.
	Notes []string
}

// Bounds of a quantity that rises with the profile: it is at most the greatest over
// Upper. If Attained it is that, and otherwise at least the greatest over Lower.
type Bounds[T any] struct {
	Upper    []T
	Attained bool
	Lower    []pair.Product
}

// A RelationError says that an event is not defined, or not proved, under a
// neighbouring relation.
type RelationError struct {
	Path, Class string
	Relation    mechanism.Relation
	Reason      string
}

func (e *RelationError) Error() string {
	place := "mechanism: "
	if path := shown(e.Path); path != "" {
		place += path + ": "
	}
	return fmt.Sprintf("%s%s: %s under %s", place, e.Class, e.Reason, e.Relation)
}

// A DirectionError says that a direction is not defined.
type DirectionError struct{ Direction mechanism.Direction }

func (e *DirectionError) Error() string {
	return fmt.Sprintf("direction = %s, want both: under REPLACE_ONE each factor may be oriented either way, and some "+
		"factor is not self-dual", e.Direction)
}

// problem orients a meaning. Where the two records may be exchanged in any factor, each copy
// of one that is not self-dual is a choice.
func (r *resolver) problem(m meaning) Problem {
	p := Problem{meaning: m, Notes: r.notes}
	if r.exchange && !m.factors.SelfDual() {
		p.freely = true
		p.meaning = m.freely()
	}
	return p
}

// Dominating returns the product that dominates the event in the direction remove, and
// reversed in the direction add.
func (p Problem) Dominating() pair.Product { return p.meaning.factors.Product() }

// ResolveProfile is Resolve, and Profile in a direction of what it returns, where all shifts of a vector are listed
// if it is alone.
func ResolveProfile(e mechanism.Event, rel mechanism.Relation,
	d mechanism.Direction) (Problem, Bounds[pair.Product], error) {
	prob, err := Resolve(e, rel)
	if err != nil {
		return prob, Bounds[pair.Product]{}, err
	}
	b, err := prob.Profile(d)
	return prob, alone(b), err
}

// Profile bounds the profile: δ(ε) of any ε, ε(δ) of any δ, and, with the least for the
// greatest, the trade-off function, unless Tests bounds that. The error is a *DirectionError.
func (p Problem) Profile(d mechanism.Direction) (Bounds[pair.Product], error) {
	if err := p.check(d); err != nil {
		return Bounds[pair.Product]{}, err
	}
	upper, alternatives := p.meaning.factors.Alternatives()
	if !alternatives {
		upper = []pair.Product{p.meaning.factors.Product()}
	}
	b := Bounds[pair.Product]{Upper: p.oriented(upper, d)}
	if b.Attained = alternatives && p.meaning.evidence.everywhere(); !b.Attained {
		b.Lower = p.witnesses(d)
	}
	return b, nil
}

// Tests bounds the trade-off function, and what is made of it, where an event may be between its alternatives: it is at
// least the least over Upper. It reports false where it is Profile that does.
//
// Where alternatives are mixed pointwise, the greatest profile has the lower convex hull of their trade-off functions.
// The bound is attained if the mechanism may toss a coin for all to see, which gives any average of two points of the
// hull. Noise on a function of the data is no such mechanism: of it only the alternatives are known from the other
// side, those that Profile attains.
func (p Problem) Tests(d mechanism.Direction) (Bounds[pair.Product], bool) {
	f := p.meaning.factors
	_, alternatives := f.Alternatives()
	attained := f.mixing() == Pointwise && p.meaning.evidence.everywhere() && p.meaning.traits.coin
	return Bounds[pair.Product]{p.oriented([]pair.Product{f.Product()}, d), attained, nil}, alternatives &&
		f.mixing() != OneOf
}

// Divergence bounds the Rényi divergences: R_α is at most the greatest over Upper of the
// sum over its factors, of a choice of the alternative that is the greatest at α. The
// divergence of a composition is at most the sum over its factors, however these depend on
// earlier outputs. The error is a *DirectionError.
func (p Problem) Divergence(d mechanism.Direction) (Bounds[Factors], error) {
	if err := p.check(d); err != nil {
		return Bounds[Factors]{}, err
	}
	f := p.meaning.factors.settled()
	b := Bounds[Factors]{Upper: []Factors{f}}
	if !p.freely && !f.SelfDual() {
		switch d {
		case mechanism.Add:
			b.Upper = []Factors{f.Reverse()}
		case mechanism.Both:
			b.Upper = []Factors{f, f.Reverse()}
		}
	}
	if b.Attained = p.meaning.evidence.wholly() && p.meaning.factors.mixing() != Pointwise; !b.Attained {
		b.Lower = p.witnesses(d)
	}
	return b, nil
}

func (p Problem) check(d mechanism.Direction) error {
	if p.freely && d != mechanism.Both {
		return &DirectionError{d}
	}
	return nil
}

func (p Problem) witnesses(d mechanism.Direction) []pair.Product {
	ws := p.meaning.evidence.witnesses(p.meaning.factors)
	return orient(ws, d)
}

// oriented is orient for what dominates: where the factors are oriented freely, both
// orientations are among the alternatives.
func (p Problem) oriented(ps []pair.Product, d mechanism.Direction) []pair.Product {
	if p.freely {
		return ps
	}
	return orient(ps, d)
}

// orient returns the products whose profiles' maximum answers a direction.
func orient(ps []pair.Product, d mechanism.Direction) []pair.Product {
	var out []pair.Product
	for _, p := range ps {
		switch {
		case p.SelfDual() || d == mechanism.Remove:
			out = append(out, p)
		case d == mechanism.Add:
			out = append(out, p.Reverse())
		default:
			out = append(out, p, p.Reverse())
		}
	}
	return distinct(out)
}

// alone lists the shifts of one vector of discrete Gaussian noise of any length, which may be too many to compose, but
// not for a profile each: the greatest of them is attained.
func alone(b Bounds[pair.Product]) Bounds[pair.Product] {
	if b.Attained || len(b.Upper) != 1 || len(b.Upper[0]) != 1 || b.Upper[0][0].Count != 1 {
		return b
	}
	noise, norm2, ok := Vectors(b.Upper[0][0], b.Lower)
	if !ok {
		return b
	}
	ss, ok := maximalShifts(norm2, 0, maxAlone)
	if !ok {
		return b
	}
	out := Bounds[pair.Product]{Attained: true}
	for _, s := range ss {
		out.Upper = append(out.Upper, s.product(noise))
	}
	return out
}

// Copies returns the factor of which an event is copies, where it does not attain that, and what it attains. It reports
// false of every other event.
func (p Problem) Copies() (term pair.Term, attained []pair.Product, ok bool) {
	f := p.meaning.factors
	if len(f.Choices) > 0 || len(f.Fixed) != 1 || f.Fixed[0].Count < 2 || p.meaning.evidence.wholly() {
		return term, nil, false
	}
	return f.Fixed[0], p.meaning.evidence.witnesses(f), true
}
