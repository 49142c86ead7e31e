// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package replicas

import "math/big"

// A Walk is a Markov chain with few places. Its chance of taking part in a step depends on the place; then it goes on
// to the next place, one if it took part and another one if not.
type Walk struct {
	start  []*big.Rat // by place
	next   [2][]int   // by place, if it did not take part, and if it did
	chance func(step, place int) *big.Rat
	took   [][]bool // [d−1][place]: it took part d steps ago
	joins  []bool   // by place: it may take part
	steady bool     // chance does not depend on the step
}

// MinSeparated is the walk of a record that, after a step that it takes part in, takes part in none of the next
// separation − 1 ones, and otherwise in any with the rate. It starts in its stationary law.
func MinSeparated(separation int, rate *big.Rat) *Walk {
	// Place 0 may take part; place a did a steps ago.
	w := &Walk{steady: true, chance: atFirst(rate)}
	for k := range 2 {
		w.next[k] = make([]int, separation)
	}
	w.next[1][0] = 1 % separation
	all := new(big.Rat).SetInt64(int64(separation - 1))
	all.Add(all.Mul(all, rate), big.NewRat(1, 1))
	for a := range separation {
		if a > 0 {
			w.next[0][a] = (a + 1) % separation
		}
		of := new(big.Rat).Quo(rate, all)
		if a == 0 {
			of.Inv(all)
		}
		w.start, w.joins = append(w.start, of), append(w.joins, a == 0)
	}
	for d := 1; d < separation; d++ {
		row := make([]bool, separation)
		row[d] = true
		w.took = append(w.took, row)
	}
	return w
}

// Shifted is the walk of a record that is in one of bands groups at random, and takes part in every bands-th step, that
// of its group, with the rate. It remembers the last width − 1 steps. Requires: width ≤ bands.
func Shifted(bands, width int, rate *big.Rat) *Walk {
	// Place 0 may take part. Place a had its turn a steps ago and, where a < width, did not take part; the places from
	// bands on did, in order.
	n := bands + width - 1
	w := &Walk{steady: true, chance: atFirst(rate)}
	for k := range 2 {
		w.next[k] = make([]int, n)
	}
	step := func(a int) int { return (a + 1) % bands }
	for a := range bands {
		w.next[0][a] = step(a)
		w.start, w.joins = append(w.start, big.NewRat(1, int64(bands))), append(w.joins, a == 0)
	}
	for d := 1; d < width; d++ {
		w.start, w.joins = append(w.start, new(big.Rat)), append(w.joins, false)
		at := bands + d - 1
		if w.next[0][at] = at + 1; d == width-1 {
			w.next[0][at] = step(d)
		}
		row := make([]bool, n)
		row[at] = true
		w.took = append(w.took, row)
	}
	if w.next[1][0] = bands; width == 1 {
		w.next[1][0] = step(0)
	}
	return w
}

// Chosen is the walk of a record that takes part in selected of all steps, at random. It remembers the last width − 1
// steps.
func Chosen(steps, selected, width int) *Walk {
	// Place ℓ·2^(width−1) + h: ℓ steps are left to it, bit d − 1 of h says whether it took part d steps ago.
	histories := 1 << (width - 1)
	n := (selected + 1) * histories
	w := &Walk{}
	w.start = make([]*big.Rat, n)
	for p := range w.start {
		w.start[p] = new(big.Rat)
		left, h := p/histories, p%histories
		w.joins = append(w.joins, left > 0)
		w.next[0] = append(w.next[0], left*histories+h<<1%histories)
		w.next[1] = append(w.next[1], max(left-1, 0)*histories+(h<<1|1)%histories)
	}
	w.start[selected*histories].SetInt64(1)
	w.chance = func(t, p int) *big.Rat { return big.NewRat(min(int64(p/histories), int64(steps-t)), int64(steps-t)) }
	for d := 1; d < width; d++ {
		row := make([]bool, n)
		for p := range row {
			row[p] = p%histories>>(d-1)&1 == 1
		}
		w.took = append(w.took, row)
	}
	return w
}

// atFirst is the chance of place 0, which alone may take part.
func atFirst(rate *big.Rat) func(step, place int) *big.Rat {
	return func(_, place int) *big.Rat {
		if place == 0 {
			return rate
		}
		return new(big.Rat)
	}
}
