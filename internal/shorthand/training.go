// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package shorthand

import "math/big"

// Counts says how many steps an epoch of n records has, in batches of a size that need not divide n.
type Counts string

// The ways of counting.
const (
	Floor Counts = "floor" // ⌊n/batch⌋ an epoch: the last, smaller batch is dropped, as Opacus has it
	Ceil  Counts = "ceil"  // ⌈n/batch⌉ an epoch: the last, smaller batch is a step
	Exact Counts = "exact" // epochs·n/batch in all, rounded up: batches run over the ends of epochs
)

// countings is for the help.
const countings = "count=floor: epochs·⌊n/batch⌋ (where nothing is said), ceil: epochs·⌈n/batch⌉, or\nexact: " +
	"epochs·n/batch; rounded up"

// Words say how steps are counted.
func (c Counts) Words() string {
	switch c {
	case Ceil:
		return "⌈n/batch⌉ an epoch"
	case Exact:
		return "epochs·n/batch, rounded up"
	}
	return "⌊n/batch⌋ an epoch"
}

// steps returns how many steps there are, rounded up, where an epoch is each batches long.
func (c Counts) steps(epochs, each *big.Rat) *big.Rat {
	switch c {
	case Floor:
		each = new(big.Rat).SetInt(new(big.Int).Quo(each.Num(), each.Denom()))
	case Ceil:
		each = roundedUp(each)
	}
	return roundedUp(new(big.Rat).Mul(epochs, each))
}

// roundedUp returns the least integer that is not below x.
func roundedUp(x *big.Rat) *big.Rat {
	n := new(big.Int).Neg(x.Num())
	return new(big.Rat).SetInt(n.Neg(n.Div(n, x.Denom())))
}
