// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestErrorTermsAreLiteral: what the error correction terms take away is the sum of the literal
// ones, and the bound without them is the bound of Definition 5. At 128 bits little is lost.
func TestErrorTermsAreLiteral(t *testing.T) {
	forTrials(t, 40, 300, func(t *testing.T, c trial) {
		c.shape.Prec = 128
		l := literalTrial(c, false)
		tree := c.tree(t.Context(), c.shape)
		if tree.u.Cmp(l.u) != 0 || tree.blind {
			return // the tree is narrower than the paper's
		}
		for _, eps := range c.eps {
			e, x := pair.RatLoss(eps), interval.RealRat(eps)
			j, k := l.least(e, new(big.Rat)), max(l.least(e, new(big.Rat)), l.least(e, l.u))
			var wantReal, wantVirtual interval.Interval
			want := l.at(l.b, l.n+1)
			for i := j; i <= l.n; i++ {
				wantVirtual = lit.Add(wantVirtual, l.at(l.virtual, i))
				if i >= k {
					wantReal = lit.Add(wantReal, l.at(l.real, i))
				}
				want = lit.Add(want, lit.Sub(l.at(l.b, i), lit.Mul(lit.Exp(e.Enclose(lit)), lit.Div(l.at(l.b, i), l.power(i)))))
			}
			scale := lit.Exp(e.Enclose(lit))
			real, virtual := tree.ErrorTerms(lit, x)
			if y := lit.Mul(scale, wantReal); !overlapWithin(real, y, 60) {
				t.Errorf("real terms at %s: %s, literally %s", eps.RatString(), real, y)
			}
			if y := lit.Mul(scale, wantVirtual); !overlapWithin(virtual, y, 60) {
				t.Errorf("virtual terms at %s: %s, literally %s", eps.RatString(), virtual, y)
			}
			none := interval.Point(tree.Uncorrected(lit, x))
			if exceeds(interval.Min(want, interval.Int(1)), none) || tree.open && !overlapWithin(none, interval.Min(want, interval.Int(1)), 60) {
				t.Errorf("without error correction at %s: %s, literally %s", eps.RatString(), none, want)
			}
			if up := interval.Point(tree.Upper(lit, x)); exceeds(up, none) {
				t.Errorf("at %s the bound %s is more than that without error correction, %s", eps.RatString(), up, none)
			}
		}
	})
}
