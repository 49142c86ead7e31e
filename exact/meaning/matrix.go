// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"fmt"
	"math/big"

	"dpverify/exact/pair"
	"dpverify/exact/participation"
	"dpverify/mechanism"
)

// matrixMeaning: what a record adds to the rows of G is C·u for some participation, which moves the answer by a vector
// of squared norm at most c²·s², with s the sensitivity of the strategy: N(μ, 1) against N(0, 1), μ² = c²·s²/σ². The values of
// a step may depend on what was released before, as the noise is Gaussian [Denisov, McMahan, Rush, Smith & Thakurta 2022, Theorem 2.1].
// Where s is known from above and below only, so is the pair.
func (r *resolver) matrixMeaning(e mechanism.MatrixMechanism, path string) (meaning, error) {
	if e.Sampling != nil {
		return r.sampledMatrix(e, path)
	}
	lo, hi := strategyMatrix(e.Strategy).Sensitivity(participation.Pattern{MinSeparation: e.MinSeparation, MaxParticipations: e.MaxParticipations})
	scale := big.NewRat(r.sensitivity, 1)
	scale.Quo(scale, e.NoiseMultiplier)
	scale.Mul(scale, scale)
	of := func(s2 *big.Rat) pair.Product {
		if s2.Sign() == 0 {
			return nil
		}
		return pair.Copies(pair.Gaussian{Mu2: new(big.Rat).Mul(s2, scale)}, 1)
	}
	m := neutral()
	switch {
	case hi.Sign() == 0:
	case lo.Cmp(hi) == 0:
		m = exactly(of(hi))
	default:
		m = between(of(hi), of(lo))
		r.note("the sensitivity of the strategy of a MatrixMechanismEvent is known from above and below only: its square lies between " + decimalBelow(lo) + " and " + decimalAbove(hi))
	}
	m.traits.places = true
	return m, nil
}

// decimalBelow rounds x ≥ 0 down to 6 digits after the point.
func decimalBelow(x *big.Rat) string {
	n, _ := millionths(x)
	return fromMillionths(n)
}

// decimalAbove rounds up.
func decimalAbove(x *big.Rat) string {
	n, exact := millionths(x)
	if !exact {
		n.Add(n, big.NewInt(1))
	}
	return fromMillionths(n)
}

const million = 1_000_000

// millionths returns ⌊10⁶·x⌋, and whether it is 10⁶·x.
func millionths(x *big.Rat) (n *big.Int, exact bool) {
	y := new(big.Rat).Mul(x, big.NewRat(million, 1))
	n, rest := new(big.Int).QuoRem(y.Num(), y.Denom(), new(big.Int))
	return n, rest.Sign() == 0
}

func fromMillionths(n *big.Int) string {
	whole, rest := new(big.Int).QuoRem(n, big.NewInt(million), new(big.Int))
	return fmt.Sprintf("%d.%06d", whole, rest)
}

func strategyMatrix(s mechanism.Strategy) participation.Matrix {
	if s.Toeplitz != nil {
		return participation.Toeplitz(int(s.Steps), s.Toeplitz)
	}
	entries := make([]participation.Entry, len(s.Entries))
	for i, e := range s.Entries {
		entries[i] = participation.Entry{Row: int(e.Row), Column: int(e.Column), Value: e.Value}
	}
	return participation.New(int(s.Steps), entries)
}
