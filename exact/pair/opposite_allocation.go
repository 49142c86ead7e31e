// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
)

// OppositeAllocation is (the mean over i of N(μe_i, I), the mean over i of N(−μe_i, I)) in Steps dimensions, μ² = Mu2,
// Steps ≥ 2: a record in one of the steps, which is replaced by the opposite one.
type OppositeAllocation struct {
	mirrored
	Mu2   *big.Rat
	Steps int64
}

func (x OppositeAllocation) String() string {
	return fmt.Sprintf("OppositeAllocation(1 of %d, μ²=%s)", x.Steps, x.Mu2.RatString())
}

// Reverse: z ↦ −z exchanges P and Q.
func (x OppositeAllocation) Reverse() Pair           { return x }
func (OppositeAllocation) infMass() (*big.Rat, bool) { return new(big.Rat), true }

// reach: the ratio is unbounded where all of z is large.
func (OppositeAllocation) reach() reach { return endless() }

// alone is a step that the record is in.
func (x OppositeAllocation) alone() Pair {
	return Gaussian{Mu2: new(big.Rat).Mul(x.Mu2, big.NewRat(4, 1))}
}

// OppositeBlocks returns what dominates a record in selected of steps steps, a random set, 0 < selected ≤ steps,
// which is replaced by the opposite one, and the sum of all outputs. The first is a block for each step that the
// record is in: see Blocks.
func OppositeBlocks(mu2 *big.Rat, selected, steps int64) (above, below Product) {
	size, longer := steps/selected, steps%selected
	for i, n := range []int64{selected - longer, longer} {
		block := OppositeAllocation{Mu2: mu2, Steps: size + int64(i)}
		var of Pair = block
		if block.Steps == 1 {
			of = block.alone()
		}
		if n > 0 {
			above = append(above, Term{of, n})
		}
	}
	sum := new(big.Rat).Mul(mu2, new(big.Rat).SetInt64(selected))
	sum.Mul(sum, big.NewRat(selected, steps))
	return above.Merged(), Product{{Gaussian{Mu2: sum.Mul(sum, big.NewRat(4, 1))}, 1}}
}
