// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
)

// Table 1 of Chourasia et al. 2024, (73) and (74), by which Theorem 3.2 goes from densities of the loss to its tails:
// ∫ e^(nt)·P(t < L < ∞) dt = M/n, M = E e^(nL) over finite losses; and (71), with 2·L in place of L: it is M(2n + 1)/n.
// The integral of the steps of the tail is summed in rationals, the moment is the engine's.
func TestTable1Integration(t *testing.T) {
	forAll(t, 30, scenes, func(s scene) error {
		const w = interval.Prec(300)
		f := s.A.finite()
		moments, ok := renyi.Moments(pair.Product{{Pair: f, Count: 1}})
		if !ok {
			return fmt.Errorf("no moments")
		}
		for n := 1; n <= 3; n++ {
			for scale := 1; scale <= 2; scale++ { // of the loss
				sum, tail, above := new(big.Rat), new(big.Rat), (*big.Rat)(nil)
				for _, m := range f.Masses { // the ratios fall
					if m.P.Sign() == 0 || m.Q.Sign() == 0 {
						continue
					}
					power := powRat(quo(m.P, m.Q), n*scale)
					if above != nil {
						sum = add(sum, mul(tail, sub(above, power)))
					}
					tail, above = add(tail, m.P), power
				}
				if above == nil {
					continue
				}
				sum = quo(add(sum, mul(tail, above)), big.NewRat(int64(n), 1))
				order := big.NewRat(int64(n*scale)+1, 1)
				if err := refuteRat(w.Div(w.Exp(moments(w, order)), interval.Int(int64(n))), sum, "∫ at n = %d, losses times %d", n, scale); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Sommer et al. 2020, Lemma 14: noise of a density that is constant on cells, shifted by a real number between two
// grid shifts, here by k of 6 parts of a cell: H_α is the mean of those at both grid shifts, weighted, so that it is at
// most the greater one.
func TestLemma14ShiftsBetweenGridPoints(t *testing.T) {
	const parts = 6
	forAll(t, 40, monotoneNoises, func(m monotoneNoise) error {
		weights := slices.Clone(m.Weights) // of cells, in any order: the lemma does not need that they fall
		slices.Reverse(weights)
		n := len(weights)
		cell := func(i int) *big.Rat {
			if i < 0 || i >= n {
				return zero
			}
			return weights[i]
		}
		// against is the noise against itself, moved by so many parts of a cell.
		against := func(shift int) model {
			var out model
			for i := range (n + m.Shift + 1) * parts {
				out.P = append(out.P, cell(i/parts))
				j := i - shift
				if j < 0 {
					j -= parts
				}
				out.Q = append(out.Q, cell(j/parts))
			}
			return out
		}
		j := m.Shift - 1
		low, high := against(j*parts), against((j+1)*parts)
		for k := range parts {
			between := against(j*parts + k)
			share := big.NewRat(int64(k), parts)
			for _, alpha := range alphas(low, high, between) {
				want := add(mul(sub(one, share), low.delta(alpha)), mul(share, high.delta(alpha)))
				if got := between.delta(alpha); got.Cmp(want) != 0 {
					return fmt.Errorf("H_%s = %s at the shift %d + %d/%d, want %s", alpha.RatString(), got.RatString(), j, k, parts, want.RatString())
				}
			}
		}
		return nil
	})
}
