// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"fmt"
	"math/big"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// maxNoise bounds the cells of additive noise times the shifts that are worth a pair each.
const maxNoise = 1 << 18

// noiseMeaning returns the pairs of additive noise and itself shifted by x, |x| ≤ s, s =
// Sensitivity, in cells Δ = 1.
//
// Any cells [Sommer, Abfalterer, Zingg & Mohammadi 2021, Lemma 14]. Let x = k + θ, 0 ≤ θ ≤ 1, for
// an integer k. Given its position within a cell, which is uniform and tells nothing, the noise is
// a distribution on cells, shifted by k + 1 with probability θ and by k otherwise. So the pair of
// x is the mixture, visibly so, of the pairs of k + 1 and k, its profile is linear in θ, and it
// is dominated at each α by one of the pairs at the ends of any interval around x between two
// integers. Hence the shifts 1, 2, … ≤ s and s itself are enough, for each copy of a composition,
// which may choose among them by what it has seen; and they are shifts that occur. A shift by −x is the
// pair of x in the other order. The mixture is between the two pairs, neither of which is worse as a whole: see
// Averages. One shift is worse than all below it that have no integer between. Points of a lattice: only shifts by
// integers occur.
//
// Falling noise [Theorem 15 has it for symmetric noise]: s alone is enough. For α ≥ 1 the integrand of
// H_α = ∫ (f(y) − αf(y − x))₊ does not fall as x rises, for each y: as long as 0 ≤ y − x ≤ y, f(y) ≤
// f(y − x) ≤ αf(y − x), so that it is 0; from y − x ≤ 0 on, f(y − x) falls as x rises. The other order is
// the one of the noise −y, which falls as well, and H_α(P‖Q) = 1 − α + αH_{1/α}(Q‖P) gives α < 1. Sums over
// a lattice likewise. The pair of symmetric noise is self-dual, so that one order is enough.
func noiseMeaning(e mechanism.AdditiveNoise, path string) (meaning, error) {
	shifts, err := noiseShifts(e, path)
	if err != nil {
		return meaning{}, err
	}
	var of []pair.Product
	for _, x := range shifts {
		f := pair.NewFinite(e.Shifted(x))
		if f.Trivial() {
			continue
		}
		of = append(of, pair.Copies(f, 1))
		if r := f.Reverse(); !f.SelfDual() {
			of = append(of, pair.Copies(r, 1))
		}
	}
	if len(of) == 0 {
		return neutral(), nil
	}
	m := exactly(of...)
	if len(shifts) > 1 && e.Kind != mechanism.Lattice {
		m.factors = m.factors.mixed(Averages)
	}
	return m, nil
}

// noiseShifts returns the shifts > 0 that are enough, in increasing order.
func noiseShifts(e mechanism.AdditiveNoise, path string) ([]*big.Rat, error) {
	steps := new(big.Rat).Quo(e.Sensitivity, e.Cell)
	floor := new(big.Int).Quo(steps.Num(), steps.Denom())
	last := e.Sensitivity
	if e.Kind == mechanism.Lattice {
		last = new(big.Rat).Mul(e.Cell, new(big.Rat).SetInt(floor))
	}
	n := int64(len(e.Probabilities))
	apart := floor.Cmp(big.NewInt(n)) >= 0 // no shift is worse
	switch {
	case last.Sign() == 0:
		return nil, nil
	case apart || e.Falling():
		return []*big.Rat{last}, nil
	case floor.Int64()*n > maxNoise: // floor < n ≤ MaxListLen
		return nil, &mechanism.ParamError{Path: shown(path), Class: e.ClassName(),
			Field: "probabilities", Value: fmt.Sprintf("%d, and %d shifts", n, floor.Int64()),
			Want: fmt.Sprintf("falling noise, of which one shift is the worst, or at most %d of both, multiplied", maxNoise)}
	}
	var shifts []*big.Rat
	for k := int64(1); k <= floor.Int64(); k++ {
		shifts = append(shifts, new(big.Rat).Mul(e.Cell, new(big.Rat).SetInt64(k)))
	}
	if k := len(shifts); k == 0 || shifts[k-1].Cmp(last) < 0 {
		shifts = append(shifts, last)
	}
	return shifts, nil
}
