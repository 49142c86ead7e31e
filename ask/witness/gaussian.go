// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package witness

import (
	"context"
	"math"
	"math/big"

	"dpverify/mechanism"
)

// halfLine is for compositions of Gaussian noise. A record of norm 1 moves each sum by c, which is 2 where it is replaced by its opposite, and otherwise 1. With
// w_i = 1/σ_i² and V = Σ w_i the sum Σ w_i·y_i has the law N(Σ w_i·m_i, V), m_i the sums: N(V, V) with the record, and N(0, V) without it or N(−V, V).
//
//	P(Σ w_i·y_i ≥ t) = Φ((V − t)/√V)
func halfLine(_ context.Context, r Request) (*Witness, error) {
	total := new(big.Rat)
	if !gaussians(r.Event, big.NewRat(1, 1), total) || total.Sign() == 0 {
		return nil, nil
	}
	other, onQ := new(big.Rat), []string{}
	switch r.Relation {
	case mechanism.ReplaceOne:
		other, onQ = new(big.Rat).Neg(total), []string{"a record with the value −1"}
	case mechanism.ReplaceSpecial:
		onQ = []string{"a null record"}
	case mechanism.AddOrRemoveOne:
	}
	// The loss is ε at t = (V² − m²)/2(V − m) + ε·V/(V − m), m the mean on the other data set.
	t := new(big.Rat).Add(total, other)
	t.Mul(t, big.NewRat(1, 2))
	step := new(big.Rat).Quo(total, new(big.Rat).Sub(total, other))
	t.Add(t, step.Mul(step, r.Epsilon))
	t = shortened(t)
	root := bits.Sqrt(bits.Rat(total))
	tail := func(mean *big.Rat) Range {
		return rangeOf(bits.NormalCDF(bits.Div(bits.Rat(new(big.Rat).Sub(mean, t)), root)))
	}
	p, q := tail(total), tail(other)
	return &Witness{
		OnP: []string{"a record with the value 1"}, OnQ: onQ,
		Mechanism: "all other records, if there are any, have the value 0, so that each sum is that of the one record, in units of the bound of its norm, with Gaussian noise of standard deviation σ_i",
		Set:       Set{Words: "the outputs y with Σ y_i/σ_i² ≥ t", Threshold: t.RatString()},
		P:         &p, Q: &q, Excess: r.excess(p, q),
	}, nil
}

// gaussians adds 1/σ² of all releases to total, each times so often. It reports false if there is another event.
func gaussians(e mechanism.Event, times, total *big.Rat) bool {
	switch e := e.(type) {
	case mechanism.NoOp:
		return true
	case mechanism.Gaussian:
		x := new(big.Rat).Mul(e.NoiseMultiplier, e.NoiseMultiplier)
		total.Add(total, x.Quo(times, x))
		return true
	case mechanism.SelfComposed:
		return gaussians(e.Event, new(big.Rat).Mul(times, big.NewRat(e.Count, 1)), total)
	case mechanism.Composed:
		for _, x := range e.Events {
			if !gaussians(x, times, total) {
				return false
			}
		}
		return true
	}
	return false
}

// shortened is a number near x, by 2^−80 of it, with few bits.
func shortened(x *big.Rat) *big.Rat {
	if x.Num().BitLen()+x.Denom().BitLen() <= 100 {
		return x
	}
	f, _ := x.Float64()
	shift := uint(max(0, 80-int(math.Ceil(math.Log2(math.Abs(f)+1e-300)))))
	n := new(big.Int).Lsh(x.Num(), shift)
	return new(big.Rat).SetFrac(n.Quo(n, x.Denom()), new(big.Int).Lsh(big.NewInt(1), shift))
}
