// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"math"
	"slices"
)

// indifferent stands for a point where it does not matter which pair a step is.
const indifferent = -1

// A recorder keeps, from below, what the best move is at each point of each step.
type recorder struct {
	labels []int // of the moves
	steps  [][]int8
	now    []int8
	least  []float64 // of the values of the moves
	moves  int       // seen of this step
}

func (r *recorder) start(n int) {
	r.now, r.least, r.moves = make([]int8, n), slices.Repeat([]float64{math.Inf(1)}, n), 0
	for i := range r.now {
		r.now[i] = indifferent
	}
}

// alike is a difference of values that does not matter.
const alike = 1e-9

// end forgets the choices that do not matter.
func (r *recorder) end(next, bound []float64) {
	for i, x := range next {
		if x <= bound[i]*(1+alike) || r.moves > 1 && x-r.least[i] <= alike*x {
			r.now[i] = indifferent
		}
	}
	r.steps = append(r.steps, r.now)
}
