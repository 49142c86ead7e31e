// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import (
	"math/big"

	"dpverify/exact/interval"
)

const (
	// halvings is how often a bracket [ε/2, ε] is halved.
	halvings = 3
	// leastPower and mostPower: an ε is looked for between these powers of 2.
	leastPower, mostPower = -20, 24
)

// Enough looks for an ε at which δ(ε) is delta at most, among a few: near the least one if there is one of them. at
// bounds δ(ε) from above; what it has there is returned as well. It reports false if no ε is enough.
func Enough(at func(eps *big.Rat) (*big.Rat, error), delta *big.Rat) (eps, most *big.Rat, ok bool, err error) {
	// [2^(k−1), 2^k] has the least ε, or 2^k is small or large enough.
	k := 0
	d, err := at(interval.Pow2(k))
	for err == nil && d.Cmp(delta) <= 0 && k > leastPower {
		var e *big.Rat
		if e, err = at(interval.Pow2(k - 1)); err != nil || e.Cmp(delta) > 0 {
			break
		}
		k, d = k-1, e
	}
	for err == nil && d.Cmp(delta) > 0 && k < mostPower {
		k++
		d, err = at(interval.Pow2(k))
	}
	if err != nil || d.Cmp(delta) > 0 {
		return nil, nil, false, err
	}
	lo, hi := interval.Pow2(k-1), interval.Pow2(k)
	for range halvings {
		mid := new(big.Rat).Add(lo, hi)
		mid.Mul(mid, big.NewRat(1, 2))
		e, err := at(mid)
		switch {
		case err != nil:
			return nil, nil, false, err
		case e.Cmp(delta) <= 0:
			hi, d = mid, e
		default:
			lo = mid
		}
	}
	return hi, d, true, nil
}
