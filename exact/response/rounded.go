// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import "math/big"

// Rounded rounds every ε_i up, and down, to multiples of one spacing, 2Σ count·ε_i/points. Approximate randomized
// response with a larger ε dominates and one with a smaller ε satisfies the guarantee, so the compositions bound the
// composition of the guarantees from above and from below [after Murtagh & Vadhan 2016]. It reports false if all ε_i
// are 0.
func Rounded(gs []Guarantee, points int64) (up, down []Guarantee, ok bool) {
	spacing := new(big.Rat)
	for _, g := range gs {
		spacing.Add(spacing, new(big.Rat).Mul(g.Eps, new(big.Rat).SetInt64(2*g.Count)))
	}
	if spacing.Sign() == 0 {
		return nil, nil, false
	}
	spacing.Mul(spacing, big.NewRat(1, points))
	for _, g := range gs {
		n := new(big.Rat).Quo(g.Eps, spacing)
		floor := new(big.Int).Quo(n.Num(), n.Denom())
		lo := new(big.Rat).SetInt(floor)
		hi := lo
		if lo.Cmp(n) < 0 {
			hi = new(big.Rat).SetInt(floor.Add(floor, big.NewInt(1)))
		}
		down = append(down, Guarantee{new(big.Rat).Mul(lo, spacing), g.Delta, g.Count})
		up = append(up, Guarantee{new(big.Rat).Mul(hi, spacing), g.Delta, g.Count})
	}
	return up, down, true
}
