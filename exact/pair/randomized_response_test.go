// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"testing"

	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func rat(s string) *big.Rat { return testkit.Rat(s) }

// checkDistributions verifies Σp = Σq = 1 and that the outcomes are in strictly
// falling order of p/q.
func checkDistributions(f Finite) error {
	p, q := new(big.Rat), new(big.Rat)
	for i, m := range f.Masses {
		p.Add(p, m.P)
		q.Add(q, m.Q)
		if m.P.Sign() < 0 || m.Q.Sign() < 0 {
			return fmt.Errorf("outcome %d of %s has a negative mass", i, f)
		}
		if i > 0 && ratioOf(f.Masses[i-1]).compare(ratioOf(m)) >= 0 {
			return fmt.Errorf("outcomes %d and %d of %s are not in falling order", i-1, i, f)
		}
	}
	if p.Cmp(ratOne) != 0 || q.Cmp(ratOne) != 0 {
		return fmt.Errorf("%s: Σp = %s, Σq = %s, want 1 and 1", f, p.RatString(), q.RatString())
	}
	return nil
}

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
				got  Finite
				want Finite
			}{
				{replaceOneResponse(e), NewFinite(p, q)},
				{replaceSpecialResponse(e), NewFinite(p, special)},
			} {
				if err := checkDistributions(c.got); err != nil {
					t.Errorf("noise %s, %d buckets: %v", noise, k, err)
				}
				if c.got.String() != c.want.String() {
					t.Errorf("noise %s, %d buckets: %s, want %s", noise, k, c.got, c.want)
				}
			}
		}
	}
}
