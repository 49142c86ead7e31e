// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package batch

import (
	"math/big"
	"sort"

	"dpverify/exact/double"
)

// A grid has the laws of two coordinates of the noise, along the record and across it, in units of the noise, and how
// far a record reaches in these units.
type grid struct {
	mu            float64
	along, across law
	record        []float64 // the likelihood ratios of a place at mu along the record
}

// newGrid cuts so many cells to a unit, or twice as many where mu is large. Gaussians are at most 2·mu along the record
// and mu across it. What is beyond so many units on the side where the record is seen best is left whole.
func newGrid(mu float64, along, across, beyond int64) *grid {
	reach := double.Rat(mu)
	more := min(int64(mu)+1, 2)
	g := &grid{mu: mu,
		along:  newLaw(prec, new(big.Rat).Mul(reach, big.NewRat(2, 1)), along*more, -beyond*along*more, 5*along*more),
		across: newLaw(prec, reach, across*more, -5*across*more, 4*across*more)}
	g.record = make([]float64, len(g.along.places))
	g.powers(&g.along, 1, g.record)
	return g
}

// A far is a place as seen from another one, in units of mu: along the record, at most 2, and across it, at most 1.
type far struct{ along, across float64 }

// A lone Gaussian of a positive weight, moved to 0, and others of negative weights: one at 1 along the record, and two
// at places.
type lone struct {
	kept    float64
	weights [3]float64
	places  [2]far
}

// A table is where a grid keeps the likelihood ratios at its nodes.
type table struct {
	*grid
	along, across [2][]float64
}

func (g *grid) newTable() *table {
	t := &table{grid: g}
	for i := range t.along {
		t.along[i], t.across[i] = make([]float64, len(g.along.places)), make([]float64, len(g.across.places))
	}
	return t
}

// spare covers the errors of float64. Places and weights of laws, and places of cells, are within 2^10, and mu ≤ 8, so
// that exponents are below 2^9, of few roundings, and off by less than 2^−40; Exp64 is off by the factor 1 + 2^−45, and
// powers of a ratio, of which there are block at most, by as much each, with two roundings: by 1 + 2^−38 in all, and
// products of three such by 1 + 2^−36. What underflows is less, which is no harm where X is to be bounded from below.
// Sums of less than 2^20 numbers that are not negative, each of few roundings, are off by less than 1 + 2^−32.
const spare = 1 - 0x1p-30

// block is how many likelihood ratios are powers of one.
const block = 64

// powers has e^(cy − c²/2) at the first places y of a law, c = mu·units.
func (g *grid) powers(l *law, units float64, into []float64) {
	c := g.mu * units
	step := double.Exp64(float64(c * (l.places[1] - l.places[0])))
	for start := 0; start < len(into); start += block {
		x := double.Exp64(float64(c*l.places[start]) - float64(c*c)/2)
		for i := start; i < min(start+block, len(into)); i++ {
			into[i] = x
			x *= step
		}
	}
}

// line bounds the mean over the coordinate along the record of (kept − X)₊, with X the weights times the ratios, by the
// lemma of laws, at the first nodes; there is none at the others.
func (t *table) line(n int, kept, record, first, second float64) float64 {
	weights, r, a, b := t.grid.along.weights[:n], t.record[:n], t.along[0][:n], t.along[1][:n]
	sum := t.grid.along.below * kept
	for i, p := range weights {
		x := float64(record*r[i]) + float64(first*a[i]) + float64(second*b[i])
		if x >= kept {
			break // X rises
		}
		sum += float64(p * (kept - x))
	}
	return sum
}

// nodes is how many there are below the first one where X exceeds kept by one weight alone.
func (t *table) nodes(kept, record float64) int {
	return sort.Search(len(t.record), func(i int) bool { return float64(record*t.record[i]) >= kept })
}

// mean bounds E (kept − X)₊: by the lemma of laws for the coordinate along the record, given the one across it, and
// then for the other, as X at each place along the record is a sum of such exponentials as well.
func (t *table) mean(l lone) float64 {
	record, first, second := l.weights[0]*spare, l.weights[1]*spare, l.weights[2]*spare
	n := t.nodes(l.kept, record)
	for i, p := range l.places {
		t.powers(&t.grid.along, p.along, t.along[i][:n])
		t.powers(&t.grid.across, p.across, t.across[i])
	}
	law := &t.grid.across
	sum := law.below * t.line(n, l.kept, record, 0, 0)
	for k, p := range law.weights {
		sum += float64(p * t.line(n, l.kept, record, float64(first*t.across[0][k]), float64(second*t.across[1][k])))
	}
	return sum/spare + 0x1p-1000
}

// single is the mean with one other, at 1 along the record.
func (t *table) single(kept, weight float64) float64 {
	record := weight * spare
	return t.line(t.nodes(kept, record), kept, record, 0, 0)/spare + 0x1p-1000
}
