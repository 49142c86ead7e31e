// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package drawn makes means of products of pairs: one of them is drawn at random, and shows which.
package drawn

import (
	"math/big"
	"slices"

	"dpverify/exact/pair"
)

var one = big.NewRat(1, 1)

// Of returns the mean of products, drawn with probabilities ≥ 0 of sum 1. What is drawn among equal ones is one of
// them, an empty product is nothing, and a mean of finite pairs is one.
func Of(shares []*big.Rat, of []pair.Product) pair.Product {
	var m pair.Mean
	index := make(map[string]int)
	for i, p := range of {
		key := p.String()
		switch at, ok := index[key]; {
		case shares[i].Sign() == 0:
		case ok:
			m.Shares[at] = new(big.Rat).Add(m.Shares[at], shares[i])
		default:
			index[key] = len(m.Of)
			m.Shares, m.Of = append(m.Shares, shares[i]), append(m.Of, p)
		}
	}
	if len(m.Of) == 1 {
		return m.Of[0]
	}
	if f, ok := finite(m); ok {
		return pair.Copies(f, 1)
	}
	return pair.Copies(m, 1)
}

// finite is the mean of single finite pairs, and of nothing.
func finite(m pair.Mean) (pair.Finite, bool) {
	var ms []pair.Mass
	for i, p := range m.Of {
		f, ok := pair.Single[pair.Finite](p)
		if len(p) == 0 {
			f, ok = pair.Finite{Masses: []pair.Mass{{P: one, Q: one}}}, true
		}
		if !ok {
			return f, false
		}
		for _, x := range f.Masses {
			ms = append(ms, pair.Mass{P: new(big.Rat).Mul(m.Shares[i], x.P), Q: new(big.Rat).Mul(m.Shares[i], x.Q)})
		}
	}
	return pair.FiniteOf(ms), true
}

// Apart returns the likeliest product, and the probability of all others with their mean: the mean is one or the other.
func Apart(m pair.Mean) (likely pair.Product, rare *big.Rat, others pair.Product) {
	at := 0
	for i, s := range m.Shares {
		if s.Cmp(m.Shares[at]) > 0 {
			at = i
		}
	}
	rare = new(big.Rat).Sub(one, m.Shares[at])
	var shares []*big.Rat
	for i, s := range m.Shares {
		if i != at {
			shares = append(shares, new(big.Rat).Quo(s, rare))
		}
	}
	return m.Of[at], rare, Of(shares, slices.Delete(slices.Clone(m.Of), at, at+1))
}

// most bounds the means that Ways lists.
const most = 64

// Ways returns the means of one product of each list, and reports false if they are more than 64.
func Ways(shares []*big.Rat, lists [][]pair.Product) ([]pair.Product, bool) {
	ways := 1
	for _, list := range lists {
		if ways *= len(list); ways > most {
			return nil, false
		}
	}
	out := make([]pair.Product, ways)
	for way := range out {
		of, rest := make([]pair.Product, len(lists)), way
		for i, list := range lists {
			of[i], rest = list[rest%len(list)], rest/len(list)
		}
		out[way] = Of(shares, of)
	}
	return out, true
}

// Some returns the means of Ways or, if they are too many, some of them: the same place of all lists, which start again
// where they end.
func Some(shares []*big.Rat, lists [][]pair.Product) []pair.Product {
	out, ok := Ways(shares, lists)
	for at := 0; !ok && at < most; at++ {
		w := make([]pair.Product, len(lists))
		for i, list := range lists {
			w[i] = list[at%len(list)]
		}
		out = append(out, Of(shares, w))
	}
	return out
}
