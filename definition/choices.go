// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"maps"
	"math/rand"
	"slices"
)

// Choices are what an adversary decides on, each at a place of the event that is run. A place that is not set has its
// first option, which is meant to be a bad one, or with some probability any of them.
type Choices struct {
	seed uint64
	bold uint64 // of 256 choices so many are not just the first
	set  map[uint64]int
	made map[uint64]int // how many options there were at each place that was asked for
}

// FirstChoices takes the first option everywhere.
func FirstChoices() *Choices { return &Choices{set: map[uint64]int{}, made: map[uint64]int{}} }

// RandomChoices takes any option at a part of all places, which is random as well.
func RandomChoices(rng *rand.Rand) *Choices {
	c := FirstChoices()
	c.seed, c.bold = rng.Uint64(), []uint64{32, 96, 160, 256}[rng.Intn(4)]
	return c
}

// Changed returns choices that differ at a few places that were asked for.
func (c *Choices) Changed(rng *rand.Rand) *Choices {
	d := &Choices{seed: c.seed, bold: c.bold, set: maps.Clone(c.set), made: map[uint64]int{}}
	places := slices.Sorted(maps.Keys(c.made))
	for range 1 + rng.Intn(3) {
		if len(places) == 0 {
			break
		}
		at := places[rng.Intn(len(places))]
		n := c.made[at]
		if d.set[at] = rng.Intn(n); rng.Intn(2) == 0 { // one that is next to what it was
			d.set[at] = (c.pick(at, n) + n + 1 - 2*rng.Intn(2)) % n
		}
	}
	return d
}

// pick returns a number in [0, n).
func (c *Choices) pick(at uint64, n int) int {
	if n <= 1 {
		return 0
	}
	c.made[at] = n
	if x, ok := c.set[at]; ok {
		return x % n
	}
	if x := mix(c.seed, at); x%256 < c.bold {
		return int(x >> 8 % uint64(n))
	}
	return 0
}

// A site is where in the event, and after which earlier outputs, something is chosen.
type site struct {
	*Choices
	key uint64
}

// at is a site inside of s.
func (s site) at(i int) site { return site{s.Choices, mix(s.key, uint64(i)+1)} }

// on is the site of s at which a choice depends on a data set.
func (s site) on(d data) site {
	for i := range len(d) {
		s = s.at(int(d[i]))
	}
	return s.at(-1)
}

func (s site) pick(n int) int { return s.Choices.pick(s.key, n) }

// mix is the finalizer of SplitMix64 [Steele, Lea & Flood 2014].
func mix(a, b uint64) uint64 {
	x := a ^ b*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
