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
}

// A move of some replicas of each place, which take part.
type move struct {
	from, to int32
	joined   int8
	tosses   []toss
}

// A toss is that so many of all replicas in a place take part.
type toss struct{ place, all, joined int }

// most is the greatest number of replicas.
const most = 12

// newCrowd lists what can be reached; nil if there are more than limit ways to be, or as many moves.
func newCrowd(ctx context.Context, w *Walk, size, limit int) *crowd {
	c := &crowd{size: size, number: make(map[string]int)}
	if !c.begin(w, make([]uint8, len(w.start)), 0, size, exactly(1), limit) {
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
	slices.SortStableFunc(c.moves, func(a, b move) int { return int(a.to - b.to) })
	for i, k := 0, 0; i <= len(c.at); i++ {
		for k < len(c.moves) && int(c.moves[k].to) < i {
			k++
		}
		c.of = append(c.of, k)
	}
	return c
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
func (c *crowd) begin(w *Walk, at []uint8, place, left int, chance double.Interval, limit int) bool {
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
		return len(c.at) <= limit
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
func (c *crowd) leave(w *Walk, from, limit int) bool {
	at := c.at[from]
	to := make([]uint8, len(at))
	var choose func(place, joined int, tosses []toss) bool
	choose = func(place, joined int, tosses []toss) bool {
		for place < len(at) && at[place] == 0 {
			place++
		}
		if place == len(at) {
			c.moves = append(c.moves, move{int32(from), int32(c.put(to)), int8(joined), slices.Clone(tosses)})
			return len(c.at) <= limit && len(c.moves) <= 8*limit
		}
		n := int(at[place])
		for m := 0; m <= n; m++ {
			if m > 0 && !w.joins[place] {
				break
			}
			more := tosses
			if w.joins[place] {
				more = append(tosses[:len(tosses):len(tosses)], toss{place, n, m})
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
