// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"math/big"

	"dpverify/exact/interval"
)

// A choice is what the sum (1) is taken with. It is made in float64: nothing rests on it but the width.
type choice struct {
	tilt   int64    // a
	period *big.Rat // A
	nodes  *big.Int // N = AM
	sieve  int64    // T
	last   int64    // nodes up to j = last ≤ N/2 are taken: U = 2π·last/A, or πM if last = N/2
	prec   interval.Prec
}

// partial reports whether there are nodes beyond U.
func (c choice) partial() bool { return c.nodes.Cmp(big.NewInt(2*c.last+1)) > 0 }

// height encloses U.
func (c choice) height(w interval.Prec) interval.Interval {
	return w.Div(w.Mul(w.Scale(w.Pi(), 1), interval.Int(c.last)), w.Rat(c.period))
}
