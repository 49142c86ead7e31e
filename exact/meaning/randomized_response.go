// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// replaceOneResponse is randomized response on inputs x and x′: the output is x
// with probability a = 1 − p + p/k, any other value with c = p/k. The k − 2 outputs
// other than x and x′ have ratio 1.
func replaceOneResponse(e mechanism.RandomizedResponse) pair.Finite {
	a, c := responseMasses(e)
	if e.NumBuckets == 1 {
		return pair.FiniteOf([]pair.Mass{{P: a, Q: a}})
	}
	rest := new(big.Rat).Mul(c, new(big.Rat).SetInt64(e.NumBuckets-2))
	return pair.FiniteOf([]pair.Mass{{P: a, Q: c}, {P: c, Q: a}, {P: rest, Q: rest}})
}

// replaceSpecialResponse is randomized response on an input x against the
// special record, on which the output is uniform: any one output other than x
// has probability p/k against 1/k. (dp_accounting defines the special record in
// the same way.)
func replaceSpecialResponse(e mechanism.RandomizedResponse) pair.Finite {
	a, c := responseMasses(e)
	others := new(big.Rat).SetInt64(e.NumBuckets - 1)
	return pair.FiniteOf([]pair.Mass{
		{P: a, Q: big.NewRat(1, e.NumBuckets)},
		{P: c.Mul(c, others), Q: big.NewRat(e.NumBuckets-1, e.NumBuckets)},
	})
}

// responseMasses returns a = 1 − p + p/k and c = p/k.
func responseMasses(e mechanism.RandomizedResponse) (a, c *big.Rat) {
	c = new(big.Rat).Mul(e.NoiseParameter, big.NewRat(1, e.NumBuckets))
	a = new(big.Rat).Sub(big.NewRat(1, 1), e.NoiseParameter)
	return a.Add(a, c), c
}
