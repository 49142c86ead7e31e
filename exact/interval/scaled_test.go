// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"testing"
)

// TestScaledMassesBoundTheProbability: ⌊lo·2^prec⌋ and ⌈hi·2^prec⌉ bound m·2^prec for every
// probability m of the enclosure, by less than 1 where it is a point; all eighths and the
// numbers next to them, and ends far outside of [0, 1].
func TestScaledMassesBoundTheProbability(t *testing.T) {
	var ends []*big.Rat
	for k := int64(-2); k <= 10; k++ {
		for _, d := range []*big.Rat{new(big.Rat), Pow2(-40), Pow2(-3000)} {
			ends = append(ends, new(big.Rat).Add(big.NewRat(k, 8), d), new(big.Rat).Sub(big.NewRat(k, 8), d))
		}
	}
	ends = append(ends, Pow2(4000), new(big.Rat).Neg(Pow2(4000)), big.NewRat(1, 3), big.NewRat(1023, 1024))
	one := big.NewRat(1, 1)
	clip := func(r *big.Rat) *big.Rat {
		switch {
		case r.Sign() < 0:
			return new(big.Rat)
		case r.Cmp(one) > 0:
			return one
		}
		return r
	}
	for _, prec := range []uint{0, 1, 2, 3, 8, 61, 64, 128} {
		unit := Pow2(int(prec))
		for _, r := range ends {
			x := Prec(4096).Rat(r)
			lo, hi, _ := x.Rationals()
			floor, ceil := new(big.Rat).SetInt(FloorScaled(x, prec)), new(big.Rat).SetInt(CeilScaled(x, prec))
			lo, hi = new(big.Rat).Mul(clip(lo), unit), new(big.Rat).Mul(clip(hi), unit)
			if floor.Cmp(lo) > 0 || hi.Cmp(ceil) > 0 {
				t.Errorf("%s at %d bits: %s and %s do not bound it", r.FloatString(5), prec, floor, ceil)
			}
			if lo.Sub(lo, floor).Cmp(one) >= 0 || ceil.Sub(ceil, hi).Cmp(one) >= 0 {
				t.Errorf("%s at %d bits: %s or %s is not next to it", r.FloatString(5), prec, floor, ceil)
			}
		}
		if all := Entire(); FloorScaled(all, prec).Sign() != 0 || new(big.Rat).SetInt(CeilScaled(all, prec)).Cmp(unit) != 0 {
			t.Errorf("a probability that is not known is between 0 and 1, at %d bits", prec)
		}
		if x := PosInf(); new(big.Rat).SetInt(FloorScaled(x, prec)).Cmp(unit) != 0 || CeilScaled(NegInf(), prec).Sign() != 0 {
			t.Errorf("infinite ends are clipped to 0 and 1, at %d bits", prec)
		}
	}
}

// TestEndsArePoints: Lower and Upper are the ends of what they are of.
func TestEndsArePoints(t *testing.T) {
	for _, x := range []Interval{{}, Int(3), Union(Int(-1), Int(2)), Entire()} {
		if lo, hi := x.Lower(), x.Upper(); lo.Lo().Cmp(x.Lo()) != 0 || lo.Hi().Cmp(x.Lo()) != 0 || hi.Lo().Cmp(x.Hi()) != 0 || hi.Hi().Cmp(x.Hi()) != 0 {
			t.Errorf("%s has the ends %s and %s", x, lo, hi)
		}
	}
}
