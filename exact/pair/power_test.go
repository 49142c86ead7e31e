// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
)

// TestPowersByHand: the masses of n copies contain the powers, in whatever order they are asked for and at any
// precision, and are hardly wider than powers that are taken alone.
func TestPowersByHand(t *testing.T) {
	const k = 60
	third, most := rat("1/3"), rat("99999/100000")
	for _, p := range []interval.Prec{2, 3, 4, 8, 24, 53, 64, 128} {
		f := Outcome{P: p.Rat(third), Q: p.Rat(most)}
		power := newPowerOf(p, f, k)
		for i := range k {
			n := int64(1 + (i*37)%k)
			x, y := power(n)
			for _, c := range []struct {
				got  interval.Interval
				of   interval.Interval
				mass *big.Rat
			}{{x, f.P, third}, {y, f.Q, most}} {
				want := new(big.Rat).SetFrac(new(big.Int).Exp(c.mass.Num(), big.NewInt(n), nil), new(big.Int).Exp(c.mass.Denom(), big.NewInt(n), nil))
				if !c.got.ContainsRat(want) {
					t.Errorf("p = %d: %s^%d is in %s", p, c.mass.RatString(), n, c.got)
				}
				alone := p.PowInt(c.of, n)
				unit := p.Scale(alone.Upper(), 2-int(p)) // an ulp, or two
				if wide, narrow := p.Sub(c.got.Upper(), c.got.Lower()), p.Sub(alone.Upper(), alone.Lower()); p.Add(narrow, unit).Less(wide) == interval.True {
					t.Errorf("p = %d: %s^%d is in %s, and alone in %s", p, c.mass.RatString(), n, c.got, alone)
				}
			}
		}
	}
}
