// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"
	"testing"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// TestRandomizedResponsePairs: the pairs of k-ary randomized response, written out
// outcome by outcome.
func TestRandomizedResponsePairs(t *testing.T) {
	for _, noise := range []string{"0", "1/10", "1/2", "3602879701896397/36028797018963968", "1"} {
		for _, k := range []int64{1, 2, 3, 4, 10} {
			e := mechanism.RandomizedResponse{NoiseParameter: rat(noise), NumBuckets: k}
			hit := new(big.Rat).Mul(e.NoiseParameter, big.NewRat(1, k)) // of a wrong bucket
			own := new(big.Rat).Add(new(big.Rat).Sub(ratOne, e.NoiseParameter), hit)
			var p, q, special []*big.Rat
			for x := range k {
				p, q = append(p, hit), append(q, hit)
				if x == 0 {
					p[x] = own
				}
				if x == 1 || k == 1 {
					q[x] = own
				}
				special = append(special, big.NewRat(1, k))
			}
			for _, c := range []struct {
				got  pair.Finite
				want pair.Finite
			}{
				{replaceOneResponse(e), pair.NewFinite(p, q)},
				{replaceSpecialResponse(e), pair.NewFinite(p, special)},
			} {
				if c.got.String() != c.want.String() {
					t.Errorf("noise %s, %d buckets: %s, want %s", noise, k, c.got, c.want)
				}
			}
		}
	}
}
