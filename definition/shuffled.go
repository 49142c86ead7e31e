// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"dpverify/definition/masses"
	"dpverify/definition/promise"
	"dpverify/mechanism"
)

// reports are what a local randomizer makes of each record, as a multiset: how many there are of each kind.
type reports struct {
	randomizer func(r byte) masses.Law
	kinds      int
	counts     numbering[string]
}

func (m *reports) law(d data) masses.Law {
	so := map[string]masses.Law{strings.Repeat("\x00", m.kinds): masses.Certain(0)}
	for _, r := range []byte(d) {
		next, report := map[string]*masses.Sum{}, m.randomizer(r)
		for counts, mass := range so {
			for kind := range report.Len() {
				more := []byte(counts)
				more[kind]++
				s := next[string(more)]
				if s == nil {
					s = &masses.Sum{}
					next[string(more)] = s
				}
				s.Add(report, kind, mass, func(int) int { return 0 })
			}
		}
		so = map[string]masses.Law{}
		for counts, s := range next {
			so[counts] = s.Law()
		}
	}
	var s masses.Sum
	for counts, mass := range so {
		k := m.counts.of(counts)
		s.Share(big.NewRat(1, 1), mass, func(int) int { return k })
	}
	return s.Law()
}

func (m *reports) words([]data) string { return "reports are made of each record, and counted" }

func (m *reports) label(y int) string {
	var parts []string
	for kind, n := range []byte(m.counts.all[y]) {
		parts = append(parts, fmt.Sprintf("%d × report %d", n, kind+1))
	}
	return strings.Join(parts, ", ")
}

// shuffled are reports of any randomizer that is ε-DP for any two records, or of randomized response or of a table,
// where the input of a record is any function of it.
func (c reading) shuffled(e mechanism.Shuffled, s site) mech {
	m := &reports{}
	switch e := e.Event.(type) {
	case mechanism.RandomizedResponse:
		m.kinds = int(e.NumBuckets)
		m.randomizer = func(r byte) masses.Law { return response(e, c.bucket(s, int(e.NumBuckets), r)) }
	case mechanism.LocalRandomizer:
		m.kinds = len(e.Table[0])
		m.randomizer = func(r byte) masses.Law { return masses.Exactly(e.Table[c.bucket(s, len(e.Table), r)]) }
	case mechanism.EpsilonDelta:
		pr := promise.NewProfile([]mechanism.ProfilePoint{{Epsilon: e.Epsilon, Delta: e.Delta}})
		m.kinds = 2 + s.at(-1).pick(3)/2
		start := drawn(s.at(-2), m.kinds)
		var rows [][]*big.Rat
		for i := range m.kinds {
			rows = append(rows, promise.Onto(start, i))
		}
		rows = promise.Spread(start, rows, pr)
		m.randomizer = func(r byte) masses.Law {
			k := s.at(int(r)).pick(m.kinds)
			if c.first(r) && value(r) == 0 {
				k = m.kinds - 1 - k
			}
			return masses.Exactly(rows[k])
		}
	}
	return m
}

// bucket is the input of a record, one of n.
func (c reading) bucket(s site, n int, r byte) int {
	k := 1
	if c.first(r) {
		k = value(r)
	}
	return (k + s.at(int(r)).pick(n)) % n
}

// response is the report of a bucket, or of none if it is negative: a uniform one.
func response(e mechanism.RandomizedResponse, bucket int) masses.Law {
	n := e.NumBuckets
	uniform := big.NewRat(1, n)
	row := make([]*big.Rat, n)
	for i := range row {
		row[i] = uniform
		if bucket >= 0 {
			row[i] = new(big.Rat).Mul(uniform, e.NoiseParameter)
		}
		if i == bucket {
			row[i].Add(row[i], new(big.Rat).Sub(big.NewRat(1, 1), e.NoiseParameter))
		}
	}
	return masses.Exactly(row)
}

// reporter makes a report of a table, whose input is any function of the data. How many records there are is visible.
func (c reading) reporter(e mechanism.LocalRandomizer, s site) mech {
	input := func(d data) int { return s.at(0).on(d).pick(len(e.Table)) }
	return visible{c.sizes(s.at(1)), len(e.Table[0]), func(d data) masses.Law { return masses.Exactly(e.Table[input(d)]) },
		func(y int) string { return "report " + strconv.Itoa(1+y) }, "the input is ",
		func(d data) string { return strconv.Itoa(input(d) + 1) }}
}

// responder releases a randomized response. Under REPLACE_ONE it is about a bucket that is any function of the data;
// under REPLACE_SPECIAL about record 0, a uniform report where that is null, or about others where there is no null
// record. How many records there are is visible.
func (c reading) responder(e mechanism.RandomizedResponse, s site) mech {
	n := int(e.NumBuckets)
	bucket := func(d data) int { return c.responded(s.at(0), d, n) }
	return visible{c.sizes(s.at(1)), n, func(d data) masses.Law { return response(e, bucket(d)) },
		func(y int) string { return "bucket " + strconv.Itoa(1+y) }, "the true bucket is ",
		func(d data) string {
			if k := bucket(d); k >= 0 {
				return strconv.Itoa(k + 1)
			}
			return "none"
		}}
}

// responded returns the bucket that a report is about, −1 for none.
func (c reading) responded(at site, d data, n int) int {
	s, k := at.at(0).on(d), 0
	for _, r := range []byte(d) {
		if r != null && c.first(r) {
			s, k = at.at(1), value(r)
		}
	}
	if c.relation == mechanism.ReplaceSpecial {
		if s.key != at.at(1).key && d.has(null) {
			return -1
		}
	} else {
		s = at.at(0).on(d)
	}
	return (k + s.pick(n)) % n
}
