// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package replicas

import (
	"context"
	"slices"

	"dpverify/exact/double"
)

// A crowd is how many of so many replicas are in which place of a walk, and how it moves on in a step.
type crowd struct {
	size   int
	at     [][]uint8 // by number: how many are in each place
	number map[string]int
	start  []double.Interval // chances
	moves  []move            // by to
	of     []int             // moves[of[i]:of[i+1]] lead to i

	causes []cause
	known  []int32 // by key: one more than the number of a cause
	by     []int32 // numbers of causes
}

// A move of some replicas of each place, which take part. Its weight in a step is the product of the numbers of its
// causes there, by[first:first+count].
type move struct {
	from, to int32
	first    int32
	count    int8
	joined   int8
}

// A cause is a factor of weights: either a toss, that so many of all replicas in a place take part, or that replicas
// that take part meet so often one that took part distance steps ago, or one another.
type cause struct {
	place, all, joined int

	met             bool
	distance, often int
}

// key tells causes apart.
func (x cause) key() int {
	const sizes, meetings = most + 1, most*most + 1
	if x.met {
		return 2 * (x.distance*meetings + x.often)
	}
	return 2*((x.place*sizes+x.all)*sizes+x.joined) + 1
}

// most is the greatest number of replicas.
const most = 12

// A limit is how many ways to be and moves there may be.
type limit struct{ ways, moves int }

// newCrowd lists what can be reached; nil if that is more than the limit.
func newCrowd(ctx context.Context, w *Walk, size int, limit limit) *crowd {
	c := &crowd{size: size, number: make(map[string]int)}
	if !c.begin(w, make([]uint8, len(w.start)), 0, size, double.Point(1), limit) {
		return nil
	}
	for i := 0; i < len(c.at); i++ {
		if i%256 == 0 && ctx.Err() != nil {
			return nil
		}
		if !c.leave(w, i, limit) {
			return nil
		}
	}
	c.start = append(c.start, make([]double.Interval, len(c.at)-len(c.start))...)
	c.sort()
	return c
}

// sort orders moves by where they lead.
func (c *crowd) sort() {
	c.of = make([]int, len(c.at)+1)
	for _, v := range c.moves {
		c.of[v.to+1]++
	}
	for i := range c.at {
		c.of[i+1] += c.of[i]
	}
	next, sorted := slices.Clone(c.of), make([]move, len(c.moves))
	for _, v := range c.moves {
		sorted[next[v.to]] = v
		next[v.to]++
	}
	c.moves = sorted
}

// add adds a move, with its causes: the tosses, and who meets whom.
func (c *crowd) add(w *Walk, from int, to []uint8, joined int, tosses []cause) {
	v := move{from: int32(from), to: int32(c.put(to)), first: int32(len(c.by)), joined: int8(joined)}
	for _, x := range tosses {
		c.because(x)
	}
	if pairs := joined * (joined - 1) / 2; pairs > 0 {
		c.because(cause{met: true, often: pairs})
	}
	for d, took := range w.took {
		often := 0
		for p, yes := range took {
			if yes {
				often += joined * int(c.at[from][p])
			}
		}
		for _, x := range tosses { // none meets itself
			if took[x.place] {
				often -= x.joined
			}
		}
		if often > 0 {
			c.because(cause{met: true, distance: d + 1, often: often})
		}
	}
	v.count = int8(len(c.by) - int(v.first))
	c.moves = append(c.moves, v)
}

// because notes a cause of the move that is added.
func (c *crowd) because(x cause) {
	k := x.key()
	if k >= len(c.known) {
		c.known = append(c.known, make([]int32, k+1-len(c.known))...)
	}
	if c.known[k] == 0 {
		c.causes = append(c.causes, x)
		c.known[k] = int32(len(c.causes))
	}
	c.by = append(c.by, c.known[k]-1)
}

// put returns the number of a way to be.
func (c *crowd) put(at []uint8) int {
	k, known := c.number[string(at)]
	if !known {
		k = len(c.at)
		c.number[string(at)] = k
		c.at = append(c.at, slices.Clone(at))
	}
	return k
}

// begin lists the starts, with their multinomial chances.
func (c *crowd) begin(w *Walk, at []uint8, place, left int, chance double.Interval, limit limit) bool {
	if place == len(w.start)-1 || left == 0 {
		if left > 0 && w.start[place].Sign() == 0 {
			return true
		}
		if left > 0 {
			at[place] = uint8(left)
			chance = chance.Mul(power(w.start[place], left))
		}
		c.put(at)
		c.start = append(c.start, chance)
		at[place] = 0
		return len(c.at) <= limit.ways
	}
	for n := range left + 1 {
		if n > 0 && w.start[place].Sign() == 0 {
			break
		}
		at[place] = uint8(n)
		if !c.begin(w, at, place+1, left-n, chance.Mul(power(w.start[place], n)).Mul(double.Int(binomial(left, n))), limit) {
			return false
		}
	}
	at[place] = 0
	return true
}

// leave lists the moves from a way to be.
func (c *crowd) leave(w *Walk, from int, limit limit) bool {
	at := c.at[from]
	to := make([]uint8, len(at))
	var choose func(place, joined int, tosses []cause) bool
	choose = func(place, joined int, tosses []cause) bool {
		for place < len(at) && at[place] == 0 {
			place++
		}
		if place == len(at) {
			c.add(w, from, to, joined, tosses)
			return len(c.at) <= limit.ways && len(c.moves) <= limit.moves
		}
		n := int(at[place])
		for m := 0; m <= n; m++ {
			if m > 0 && !w.joins[place] {
				break
			}
			more := tosses
			if w.joins[place] {
				more = append(tosses[:len(tosses):len(tosses)], cause{place: place, all: n, joined: m})
			}
			to[w.next[0][place]] += uint8(n - m)
			to[w.next[1][place]] += uint8(m)
			ok := choose(place+1, joined+m, more)
			to[w.next[0][place]] -= uint8(n - m)
			to[w.next[1][place]] -= uint8(m)
			if !ok {
				return false
			}
		}
		return true
	}
	return choose(0, 0, nil)
}
