// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"fmt"
	"math/big"

	"dpverify/definition/masses"
	"dpverify/definition/promise"
)

// A table is a random finite mechanism that keeps a promise: its rows are the distributions of outcomes, and a
// data set has the row of its class. Neighbouring data sets have classes that are next to each other, or, where any two
// rows keep the promise, any classes.
type table struct {
	visible
	rows    []masses.Law
	class   *bounded
	start   int  // the row of the class 0
	any     bool // any data set may have any class
	classes site
}

// row is the distribution of outcomes on a data set.
func (m *table) row(d data) masses.Law {
	if m.any {
		return m.rows[m.classes.on(d).pick(len(m.rows))]
	}
	return m.rows[max(0, min(len(m.rows)-1, m.class.of(d)+m.start))]
}

// guarantee is a table that keeps a promise: the steps of a broken line, or rows each as far from the one before as the
// promise allows, towards some distribution; or rows as far from one as any two may be.
func (c reading) guarantee(s site, pr promise.Promise) mech {
	m := &table{class: &bounded{reading: c, site: s.at(0), step: 1}, classes: s.at(2), start: s.at(4).pick(3)}
	sizes := c.sizes(s.at(1))
	var rows [][]*big.Rat
	s = s.at(3)
	kind := s.pick(4)
	if c.stride > 1 { // a group is at least two steps away
		kind = (kind + 1) % 4
	}
	switch {
	case kind == 0 && pr.Line() != nil:
		rows = promise.Steps(pr.Line(), s.at(0).pick(2) == 1)
		if !pr.Kept(rows[0], rows[1]) {
			panic("definition: internal error: the steps of a trade-off function break the promise that it stands for")
		}
	case kind == 3:
		m.any = true
		n := 2 + s.at(0).pick(2)
		start := drawn(s.at(1), n+s.at(2).pick(2))
		for i := range n {
			rows = append(rows, promise.Onto(start, i))
		}
		rows = promise.Spread(start, rows, pr)
	default:
		n := 2 + s.at(0).pick(2)
		if kind == 0 {
			rows = append(rows, drawn(s.at(1), 2))
		} else {
			rows = append(rows, drawn(s.at(1), n))
		}
		for i := range 2 + s.at(2).pick(3) {
			row := rows[i]
			target := promise.Onto(row, 0)
			if kind == 2 {
				target = drawn(s.at(3+i), len(row))
			}
			rows = append(rows, promise.Moved(row, target, pr))
		}
	}
	for _, r := range rows {
		m.rows = append(m.rows, masses.Exactly(r))
	}
	m.visible = visible{sizes, m.rows[0].Len(), m.row, func(y int) string { return fmt.Sprintf("outcome %d", 1+y) },
		"outcomes have the probabilities ", func(d data) string {
			var xs []*big.Rat
			for i := range m.outcomes {
				x, _ := m.row(d).Mass(i)
				xs = append(xs, x)
			}
			return tuple(xs)
		}}
	return m
}

// drawn is a distribution on n outcomes, some of which may have no mass; first an even one.
func drawn(s site, n int) []*big.Rat {
	if n == 2 {
		p := big.NewRat(64+around(s.pick(129), 129), 128)
		return []*big.Rat{p, new(big.Rat).Sub(big.NewRat(1, 1), p)}
	}
	total := int64(0)
	weights := make([]int64, n)
	for i := range weights {
		weights[i] = []int64{8, 16, 32, 64, 512, 1 << 14, 0, 1, 2, 3, 4, 5}[s.at(i).pick(12)]
		total += weights[i]
	}
	if total == 0 {
		weights[0], total = 1, 1
	}
	row := make([]*big.Rat, n)
	for i, w := range weights {
		row[i] = big.NewRat(w, total)
	}
	return row
}
