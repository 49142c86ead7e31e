// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"fmt"

	"dpverify/definition/masses"
	"dpverify/mechanism"
)

// A bounded function has integer values on data sets, which differ by at most step between neighbours. Its values are
// chosen when they are asked for, between what those that are chosen already leave: on the data sets that occur it is
// any such function. First it counts record 0.
type bounded struct {
	reading
	site
	step  int
	known []known
}

type known struct {
	data
	value int
}

func (f *bounded) of(d data) int {
	lo, hi, free := 0, 0, true
	for _, k := range f.known {
		if k.data == d {
			return k.value
		}
		n := distance(f.relation, k.data, d)
		if n < 0 {
			continue
		}
		low, high := k.value-n*f.step, k.value+n*f.step
		if free {
			lo, hi, free = low, high, false
		}
		lo, hi = max(lo, low), min(hi, high)
	}
	s, value := f.on(d), 0
	for _, r := range []byte(d) {
		if f.first(r) && r == record(number(r), 0) {
			value += f.step
		}
	}
	switch kind := s.pick(4); {
	case free: // no data set from which d can be reached has a value
		value -= f.step * s.at(0).pick(3)
	case kind == 0:
		value = max(lo, min(hi, value))
	case kind == 1:
		value = lo
	case kind == 2:
		value = hi
	default:
		value = lo + s.at(0).pick(hi-lo+1)
	}
	f.known = append(f.known, known{d, value})
	return value
}

// sizes are shown where a mechanism may show how many records there are: where neighbours have equally many, and
// nothing is said about data sets of different sizes.
type sizes struct{ shown bool }

func (c reading) sizes(s site) sizes {
	return sizes{c.relation != mechanism.AddOrRemoveOne && s.pick(3) != 2}
}

func (x sizes) of(d data) int {
	if x.shown {
		return len(d)
	}
	return 0
}

func (x sizes) label(n int, rest string) string {
	if x.shown {
		return fmt.Sprintf("%d records, %s", n, rest)
	}
	return rest
}

// A visible mechanism has so many outcomes on each data set, and may show how many records there are.
type visible struct {
	sizes    sizes
	outcomes int
	run      func(data) masses.Law
	name     func(y int) string // of an outcome
	says     string             // what stands before
	chosen   func(data) string  // what was chosen on a data set
}

func (m visible) law(d data) masses.Law {
	base := m.sizes.of(d) * m.outcomes
	return m.run(d).Placed(func(i int) int { return base + i })
}

func (m visible) label(y int) string { return m.sizes.label(y/m.outcomes, m.name(y%m.outcomes)) }

func (m visible) words(ds []data) string {
	return m.says + onEach(ds, func(d data) string { return m.sizes.label(len(d), m.chosen(d)) })
}
