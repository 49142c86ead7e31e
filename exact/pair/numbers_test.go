// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/internal/testkit"
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
