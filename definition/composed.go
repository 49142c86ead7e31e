// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"dpverify/definition/masses"
	"dpverify/mechanism"
)

// A sequence runs mechanisms one after the other. Each of them is chosen when the outcomes of those before it are
// known, among a few that its event may be.
type sequence struct {
	reading
	site
	events    []mechanism.Event
	made      map[uint64]release // by site
	histories numbering[longer]  // each is one more than its number: 0 is the history without an outcome
}

// A release is the mechanism of one of the events, the one of so many that may be run.
type release struct {
	mech
	event, variant int
}

// longer is a history with one outcome more.
type longer struct{ history, outcome int }

func (c reading) sequence(events []mechanism.Event, s site) mech {
	return &sequence{reading: c, site: s, events: events, made: map[uint64]release{}}
}

// law runs all events on one data set.
func (m *sequence) law(d data) masses.Law {
	return m.on(slices.Repeat([]data{d}, len(m.events)))
}

// on runs each event on a data set of its own.
func (m *sequence) on(ds []data) masses.Law {
	var s masses.Sum
	unit := big.NewInt(1)
	m.run(&s, ds, m.site, 0, unit, unit, unit)
	return s.Law()
}

// run adds what follows a history with so many events to go, which has a probability in [lo/den, hi/den].
func (m *sequence) run(s *masses.Sum, ds []data, at site, history int, lo, hi, den *big.Int) {
	if len(ds) == 0 {
		s.Put(history, lo, hi, den)
		return
	}
	law := m.next(len(m.events)-len(ds), at).law(ds[0])
	den = new(big.Int).Mul(den, law.Den())
	for y := range law.Len() {
		a, b := law.At(y)
		if b.Sign() == 0 {
			continue
		}
		from, to := new(big.Int).Mul(lo, a), hi
		if a == b && lo == hi {
			to = from
		} else {
			to = new(big.Int).Mul(hi, b)
		}
		m.run(s, ds[1:], at.at(y), 1+m.histories.of(longer{history, y}), from, to, den)
	}
}

// next returns the mechanism that is run after a history: one of three, mostly the first.
func (m *sequence) next(i int, at site) mech {
	k := 0
	if n := at.at(-2).pick(6); i > 0 && n < 3 {
		k = n
	}
	s := m.site.at(-3 - 3*i - k)
	made, ok := m.made[s.key]
	if !ok {
		made = release{m.read(m.events[i], s), i, k}
		m.made[s.key] = made
	}
	return made.mech
}

func (m *sequence) words(ds []data) string {
	all := slices.SortedFunc(maps.Values(m.made), func(a, b release) int {
		return cmp.Or(a.event-b.event, a.variant-b.variant)
	})
	parts := make([]string, len(all))
	for i, x := range all {
		parts[i] = fmt.Sprintf("release %d: %s", x.event+1, x.words(ds))
		if x.variant > 0 {
			parts[i] = fmt.Sprintf("release %d after some outcomes: %s", x.event+1, x.words(ds))
		}
	}
	return strings.Join(parts, "; ")
}

func (m *sequence) label(y int) string {
	var history []int
	for ; y > 0; y = m.histories.all[y-1].history {
		history = append(history, m.histories.all[y-1].outcome)
	}
	slices.Reverse(history)
	parts := make([]string, len(history))
	at := m.site
	for i, outcome := range history {
		parts[i] = m.next(i, at).label(outcome)
		at = at.at(outcome)
	}
	return strings.Join(parts, "; ")
}

// A mean draws one of several mechanisms and runs it. What each puts out is its own affair: outcomes of different ones
// may be different, so that they show which was drawn, or the same.
type mean struct {
	of       []mech
	shares   []*big.Rat
	hidden   bool
	outcomes numbering[longer] // by mechanism and outcome; of one for all where that is hidden
}

func (c reading) mean(e mechanism.Mean, s site) mech {
	m := &mean{shares: e.Probabilities, hidden: s.at(-1).pick(3) == 2}
	for i, x := range e.Events {
		m.of = append(m.of, c.read(x, s.at(i)))
	}
	return m
}

func (m *mean) law(d data) masses.Law {
	var s masses.Sum
	for i, of := range m.of {
		share := m.shares[i]
		if m.hidden {
			i = 0
		}
		if share.Sign() == 0 {
			continue
		}
		law := of.law(d)
		den := new(big.Int).Mul(law.Den(), share.Denom())
		for y := range law.Len() {
			a, b := law.At(y)
			if b.Sign() == 0 {
				continue
			}
			from, to := new(big.Int).Mul(share.Num(), a), new(big.Int).Mul(share.Num(), b)
			if a == b {
				to = from
			}
			s.Put(m.outcomes.of(longer{i, y}), from, to, den)
		}
	}
	return s.Law()
}

func (m *mean) words(ds []data) string {
	var parts []string
	for i, of := range m.of {
		parts = append(parts, "with probability "+m.shares[i].RatString()+" "+of.words(ds))
	}
	if m.hidden {
		parts = append(parts, "with the same outcomes")
	}
	return strings.Join(parts, "; ")
}

func (m *mean) label(y int) string {
	at := m.outcomes.all[y]
	if m.hidden {
		return "the outcome " + m.of[at.history].label(at.outcome) + ", or what is counted like it"
	}
	return m.of[at.history].label(at.outcome)
}
