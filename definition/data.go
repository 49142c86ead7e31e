// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"fmt"
	"slices"
	"strings"

	"dpverify/mechanism"
)

// A data set is a multiset of records, in increasing order: comparable, so that what a mechanism makes of it can be
// kept.
type data string

// null is a record that takes a place and has no value.
const null = byte(0)

// record returns the record of a number in [0, 127) with one of the two values 0 and 1.
func record(id, value int) byte { return byte(1 + 2*id + value) }

func number(r byte) int { return (int(r) - 1) / 2 }
func value(r byte) int  { return (int(r) - 1) % 2 }

func dataOf(rs []byte) data {
	slices.Sort(rs)
	return data(rs)
}

// present are the records that are not null.
func (d data) present() data {
	return d[strings.LastIndexByte(string(d), null)+1:]
}

func (d data) has(r byte) bool { return strings.IndexByte(string(d), r) >= 0 }

// names lists the records for people.
func (d data) names() []string {
	out := make([]string, len(d))
	for i, r := range []byte(d) {
		if out[i] = "null"; r != null {
			out[i] = fmt.Sprintf("record %d with value %c", 1+number(r), 'a'+rune(value(r)))
		}
	}
	return out
}

// String names the records in one line.
func (d data) String() string {
	if d == "" {
		return "no record"
	}
	return strings.Join(d.names(), " and ")
}

// missing returns how many records of d are not in e, each as often as it occurs.
func (d data) missing(e data) int {
	n := 0
	for i, j := 0, 0; i < len(d); {
		switch {
		case j < len(e) && e[j] < d[i]:
			j++
		case j < len(e) && e[j] == d[i]:
			i, j = i+1, j+1
		default:
			n++
			i++
		}
	}
	return n
}

// distance returns the least number of steps from d to e, each from a data set to a neighbour of it; −1 if there is no
// way.
func distance(r mechanism.Relation, d, e data) int {
	switch r {
	case mechanism.AddOrRemoveOne:
		return d.missing(e) + e.missing(d)
	case mechanism.ReplaceOne:
		if len(d) != len(e) {
			return -1
		}
		return d.missing(e)
	case mechanism.ReplaceSpecial:
		if len(d) != len(e) {
			return -1
		}
		d, e = d.present(), e.present()
		return d.missing(e) + e.missing(d)
	}
	panic("definition: internal error: " + r.String())
}

// Neighbours are two data sets, of which the first has a record that the other has not.
type Neighbours struct{ with, without data }

// neighbourings lists all pairs of neighbours with up to n records, n in the greater data set where exactly is set.
func neighbourings(r mechanism.Relation, n int, exactly bool) []Neighbours {
	var out []Neighbours
	for m := 1; m <= n; m++ {
		if exactly {
			m = n
		}
		for i := range m {
			others := 1 << (m - 1)
			if r == mechanism.AddOrRemoveOne {
				others = 1 // fewer of them are listed with a smaller m
			}
			for k := range others {
				out = append(out, pairOf(r, m, i, k)...)
			}
		}
	}
	return out
}

// pairOf returns the neighbours that differ in record i, where the bits of others say what each of them is.
func pairOf(r mechanism.Relation, n, i, others int) []Neighbours {
	var rest []byte
	for j := range n {
		if j == i {
			continue
		}
		bit := others & 1
		others >>= 1
		switch {
		case bit == 0:
			rest = append(rest, record(j, 0))
		case r == mechanism.ReplaceOne:
			rest = append(rest, record(j, 1))
		case r == mechanism.ReplaceSpecial:
			rest = append(rest, null)
		case r == mechanism.AddOrRemoveOne:
		}
	}
	join := func(more ...byte) data { return dataOf(append(more, rest...)) }
	switch r {
	case mechanism.AddOrRemoveOne:
		return []Neighbours{{join(record(i, 0)), join()}}
	case mechanism.ReplaceOne:
		return []Neighbours{{join(record(i, 0)), join(record(i, 1))}}
	case mechanism.ReplaceSpecial:
		return []Neighbours{{join(record(i, 0)), join(null)}}
	}
	panic("definition: internal error: " + r.String())
}
