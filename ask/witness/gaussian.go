// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package witness

import (
	"context"
	"math"
	"math/big"

	"dpverify/mechanism"
)

// halfLine is for compositions of Gaussian noise. A record of norm 1 moves each sum by 1, and one that is replaced by
// its opposite by 2. With w_i = 1/σ_i² and V = Σ w_i the sum Σ w_i·y_i has the law N(Σ w_i·m_i, V), m_i the sums, which
// is N(m, V) with m = V, 0 or −V.
//
//	P(Σ w_i·y_i ≥ t) = Φ((m − t)/√V)
//
// The loss is ε at t = (m + m′)/2 + ε·V/(m − m′), m′ the mean on the other data set.
func halfLine(_ context.Context, r Request) (*Witness, error) {
	total := new(big.Rat)
	if !gaussians(r.Event, big.NewRat(1, 1), total) || total.Sign() == 0 {
		return nil, nil
	}
	w := &Witness{
		Mechanism: "all other records, if there are any, have the value 0, so that each sum is that of the one record, in " +
			"units of the bound of its norm, with Gaussian noise of standard deviation σ_i",
		Set: Set{Words: "the outputs y with Σ y_i/σ_i² ≥ t"},
	}
	var onP, onQ *big.Rat
	w.OnP, onP, w.OnQ, onQ = oneRecord(r, total)
	distance := new(big.Rat).Sub(onP, onQ)
	t := new(big.Rat).Add(onP, onQ)
	t.Mul(t, big.NewRat(1, 2))
	step := new(big.Rat).Quo(total, distance)
	t = shortened(t.Add(t, step.Mul(step, r.Epsilon)))
	w.Set.Threshold = t.RatString()
	root := bits.Sqrt(bits.Rat(total))
	tail := func(mean *big.Rat) (Range, bool) {
		return rangeOf(bits.NormalCDF(bits.Div(bits.Rat(new(big.Rat).Sub(mean, t)), root)))
	}
	inP, ok := tail(onP)
	inQ, found := tail(onQ)
	if !ok || !found {
		return nil, nil
	}
	w.P, w.Q = &inP, &inQ
	w.Excess = r.excess(*w.P, *w.Q)
	return w, nil
}

// oneRecord returns two data sets that differ in one record, and the means of Σ w_i·y_i on them: of 1 for each sum it
// is total.
func oneRecord(r Request, total *big.Rat) (p []string, onP *big.Rat, q []string, onQ *big.Rat) {
	none := []string{}
	if r.Relation == mechanism.ReplaceSpecial {
		none = []string{"a null record"}
	}
	one, other := []string{"a record with the value 1"}, []string{"a record with the value −1"}
	minus := new(big.Rat).Neg(total)
	switch {
	case r.Relation == mechanism.ReplaceOne:
		return one, total, other, minus
	case r.Direction == mechanism.Add:
		return none, new(big.Rat), other, minus
	}
	return one, total, none, new(big.Rat)
}

// gaussians adds 1/σ² of all releases to total, each times so often. It reports false if there is another event.
func gaussians(e mechanism.Event, times, total *big.Rat) bool {
	switch e := e.(type) {
	case mechanism.NoOp:
		return true
	case mechanism.Gaussian:
		x := e.Variance()
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
