// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpverify/exact/pair"
)

// Factors are the factors of a composition. Each copy of a choice is one of several products, which may depend on the
// outputs of earlier factors; Fixed is the product of all others.
type Factors struct {
	Fixed   pair.Product
	Choices []Choice
}

// A Choice is Count copies of a factor, each any one of Of, which are at least two.
type Choice struct {
	Of     []pair.Product
	Count  int64
	Mixing Mixing
	// Records, unless nil, says what each copy is, where Of is less than that: a sample without replacement of one sum of
	// records with Gaussian noise.
	Records *SampledRecords
}

// SampledRecords are samples without replacement at a rate, in which one record may be replaced by another one, with
// μ² of Gaussian noise on their sum.
type SampledRecords struct{ Rate, Mu2 *big.Rat }

// Mixing says how a factor may be between its alternatives. δ at each ε is at most the greatest of theirs however that
// is.
type Mixing int

const (
	// OneOf: the factor is one of them.
	OneOf Mixing = iota
	// Averages: it may be an average of them, as which one it is may depend on what else is sampled, and outputs may
	// tell. R_α is jointly quasi-convex [van Erven & Harremoës 2014, Theorem 13]: it is at most the greatest. A
	// trade-off function is at least the one of the greatest profile, and no more is known.
	Averages
	// Pointwise: it has at each α a profile of at most the greatest, and no more is known: of a divergence neither.
	Pointwise
)

// mixed returns the factors where every choice is mixed like that at least.
func (f Factors) mixed(how Mixing) Factors {
	f.Choices = slices.Clone(f.Choices)
	for i, c := range f.Choices {
		f.Choices[i].Mixing = max(c.Mixing, how)
	}
	return f
}

// mixing is how a factor may be between its alternatives at worst.
func (f Factors) mixing() (worst Mixing) {
	for _, c := range f.Choices {
		worst = max(worst, c.Mixing)
	}
	return worst
}

// settled returns the factors where a choice of which the alternatives do not bound divergences is the pair of the
// greatest profile.
func (f Factors) settled() Factors {
	out := Factors{Fixed: f.Fixed}
	for _, c := range f.Choices {
		g := Factors{Choices: []Choice{c}}
		if c.Mixing == Pointwise {
			g = Factors{Fixed: g.Product()}
		}
		out = out.and(g)
	}
	return out
}

// NewFactors returns one factor, which is any one of the given products.
func NewFactors(of ...pair.Product) Factors {
	if of = distinct(of); len(of) == 1 {
		return Factors{Fixed: of[0]}
	}
	return Factors{Choices: []Choice{{Of: of, Count: 1}}}
}

func (f Factors) empty() bool { return len(f.Fixed) == 0 && len(f.Choices) == 0 }

// Alternatives returns the products of which the factors are any one, where there is no choice or a single one: then
// the greatest of their profiles is exact. A choice next to other factors may depend on their outputs: it is none.
func (f Factors) Alternatives() ([]pair.Product, bool) {
	switch {
	case len(f.Choices) == 0:
		return []pair.Product{f.Fixed}, true
	case len(f.Choices) == 1 && f.Choices[0].Count == 1 && len(f.Fixed) == 0:
		return f.Choices[0].Of, true
	}
	return nil, false
}

// Product dominates the factors, however they are chosen: every choice becomes the
// pair of the greatest profile [Zhu, Dong & Wang 2022, Theorem 10 and Proposition 8;
// docs/errata.md, C3, has the counterexample against doing less].
func (f Factors) Product() pair.Product {
	out := append(pair.Product(nil), f.Fixed...)
	for _, c := range f.Choices {
		if of, k := apart(c.Of); k > 1 {
			out = append(out, pair.Term{Pair: pair.MaximumOf(of), Count: pair.TimesCount(c.Count, k)})
			continue
		}
		out = append(out, pair.Term{Pair: pair.MaximumOf(c.Of), Count: c.Count})
	}
	return out.Merged()
}

// apart returns the two pairs and the number of which all of three or more products are made up, and otherwise 0: each
// of those is then the choice of one of the two, so many times. That dominates no less, and has but two profiles.
func apart(of []pair.Product) ([]pair.Product, int64) {
	if len(of) < 3 {
		return nil, 0
	}
	var pairs []pair.Product
	seen := make(map[string]bool)
	total := int64(0)
	for i, p := range of {
		n := int64(0)
		for _, t := range p {
			n += t.Count
			if s := t.Pair.String(); !seen[s] {
				seen[s] = true
				pairs = append(pairs, pair.Copies(t.Pair, 1))
			}
		}
		if i > 0 && n != total || len(pairs) > 2 {
			return nil, 0
		}
		total = n
	}
	return pairs, total
}

// strategies returns products that are ways to choose: the same alternative in all
// copies of a choice and, of two alternatives, each in every other copy.
func (f Factors) strategies() []pair.Product {
	most := 1
	for _, c := range f.Choices {
		most = max(most, len(c.Of))
	}
	var out []pair.Product
	for i := range most {
		p := append(pair.Product(nil), f.Fixed...)
		for _, c := range f.Choices {
			p = append(p, c.Of[i%len(c.Of)].Times(c.Count)...)
		}
		out = append(out, p.Merged())
	}
	if most != 2 {
		return out
	}
	for first := range 2 {
		p := append(pair.Product(nil), f.Fixed...)
		at := int64(first)
		for _, c := range f.Choices {
			p = append(p, c.Of[at%2].Times(c.Count-c.Count/2)...)
			if c.Count > 1 {
				p = append(p, c.Of[(at+1)%2].Times(c.Count/2)...)
			}
			at = (at + c.Count) % 2
		}
		out = append(out, p.Merged())
	}
	return distinct(out)
}

// distinct drops all but the first of equal products, whatever the order of their
// factors.
func distinct(ps []pair.Product) []pair.Product {
	seen := make(map[string]bool)
	var out []pair.Product
	for _, p := range ps {
		var parts []string
		for _, t := range p {
			parts = append(parts, pair.Product{t}.String())
		}
		slices.Sort(parts)
		if s := strings.Join(parts, " "); !seen[s] {
			seen[s] = true
			out = append(out, p)
		}
	}
	return out
}

// times returns count copies of the factors.
func (f Factors) times(count int64) Factors {
	out := Factors{Fixed: f.Fixed.Times(count)}
	for _, c := range f.Choices {
		out.Choices = append(out.Choices, Choice{c.Of, pair.TimesCount(c.Count, count), c.Mixing, c.Records})
	}
	return out
}

// and returns the factors of both.
func (f Factors) and(g Factors) Factors {
	out := Factors{Fixed: append(append(pair.Product(nil), f.Fixed...), g.Fixed...).Merged()}
	index := make(map[string]int)
	for _, c := range append(append([]Choice(nil), f.Choices...), g.Choices...) {
		key := fmt.Sprint(c.Mixing, c.Records != nil, pair.Maximum{Of: c.Of})
		if i, ok := index[key]; ok {
			out.Choices[i].Count = min(out.Choices[i].Count+c.Count, pair.TooMany)
			continue
		}
		index[key] = len(out.Choices)
		out.Choices = append(out.Choices, c)
	}
	return out
}

// tooMany reports a count that package mechanism does not allow.
func (f Factors) tooMany(limit int64) bool {
	for _, t := range f.Fixed {
		if t.Count > limit {
			return true
		}
	}
	for _, c := range f.Choices {
		if c.Count > limit {
			return true
		}
	}
	return false
}

// SelfDual reports whether all that the factors may be is self-dual.
func (f Factors) SelfDual() bool {
	for _, c := range f.Choices {
		for _, p := range c.Of {
			if !p.SelfDual() {
				return false
			}
		}
	}
	return f.Fixed.SelfDual()
}

// Reverse returns the factors with the two records exchanged.
func (f Factors) Reverse() Factors {
	out := Factors{Fixed: f.Fixed.Reverse()}
	for _, c := range f.Choices {
		out.Choices = append(out.Choices, Choice{pair.ReverseAll(c.Of), c.Count, c.Mixing, c.Records})
	}
	return out
}

// freely returns the factors where each copy of a pair may be oriented either way: what is not self-dual becomes a
// choice of its two orientations.
//
// An alternative may be a product of several copies. Each of them is oriented by itself, in view of the outputs of
// those before, so that it is not enough to reverse the product as a whole. Such an alternative becomes the product of
// the pairs of the greatest profiles, which dominates all of these ways, and whole is false: the factors are then an
// upper bound only.
func (f Factors) freely() (out Factors, whole bool) {
	whole = true
	for _, t := range f.Fixed {
		if t.Pair.SelfDual() {
			out.Fixed = append(out.Fixed, t)
			continue
		}
		out = out.and(NewFactors(pair.Copies(t.Pair, 1), pair.Copies(t.Pair.Reverse(), 1)).times(t.Count))
	}
	for _, c := range f.Choices {
		if c.Records != nil { // whoever of the records is there
			out = out.and(Factors{Choices: []Choice{c}})
			continue
		}
		var of []pair.Product
		for _, p := range c.Of {
			free, _ := Factors{Fixed: p}.freely()
			each, ok := free.Alternatives()
			if !ok {
				each, whole = []pair.Product{free.Product()}, false
			}
			of = append(of, each...)
		}
		out = out.and(NewFactors(of...).times(c.Count).mixed(c.Mixing))
	}
	return out, whole
}
