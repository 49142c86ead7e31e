// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestListedWrittenOut: the outcomes that an allocation of a finite pair lists have the profile of the pair written
// out, in either direction.
func TestListedWrittenOut(t *testing.T) {
	const w = interval.Prec(64)
	for _, base := range bases {
		for _, c := range [][2]int{{1, 2}, {1, 4}, {2, 3}, {2, 5}, {3, 4}} {
			truth := writtenOut(base, c[0], c[1])
			for _, reversed := range []bool{false, true} {
				x := pair.Allocation{Base: base, Selected: int64(c[0]), Steps: int64(c[1]), Reversed: reversed}
				os, rest, ok := x.Outcomes(60, 1<<10)
				if !ok || !rest.IsZero() || x.Kind() != pair.Discrete {
					t.Fatalf("%s lists nothing", x)
				}
				exactly := truth
				if reversed {
					exactly = truth.Reverse().(pair.Finite)
				}
				for _, alpha := range alphas {
					sum := interval.Int(0)
					for _, o := range os {
						sum = w.Add(sum, interval.Max(interval.Int(0), w.Sub(o.P, w.Mul(w.Rat(alpha), o.Q))))
					}
					if want := exactly.Delta(alpha); !sum.ContainsRat(want) || sum.RelativeBits(40) < 40 && want.Sign() > 0 {
						t.Errorf("%s: δ at α = %s is %s, want %s", x, alpha.RatString(), sum, want.FloatString(20))
					}
				}
			}
		}
	}
	if x := (pair.Allocation{Base: bases[0], Selected: 1, Steps: 1 << 20}); x.Kind() != pair.Unlisted {
		t.Errorf("%s is listed", x)
	}
}
