// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
)

// modelBits is the relative accuracy of the enclosures of e^x that the slow side
// uses.
const modelBits = 320

// expRat returns rationals lo ≤ e^x ≤ hi, by the Taylor series at x/2^k and k
// squarings, in rational arithmetic.
func expRat(x *big.Rat) (lo, hi *big.Rat) {
	if x.Sign() == 0 {
		return one, one
	}
	if x.Sign() < 0 {
		lo, hi = expRat(neg(x))
		return roundDown(new(big.Rat).Inv(hi)), roundUp(new(big.Rat).Inv(lo))
	}
	k := 4
	u := mul(x, pow2(-k))
	for u.Cmp(pow2(-4)) > 0 {
		u = mul(u, half)
		k++
	}
	ulo, uhi := roundDown(u), roundUp(u)
	lo, hi = taylor(ulo, false), taylor(uhi, true)
	for range k {
		lo, hi = roundDown(mul(lo, lo)), roundUp(mul(hi, hi))
	}
	return lo, hi
}

// taylor sums u^i/i! with every operation rounded down, or up, for 0 ≤ u ≤ 1/8. What
// is left out is less than twice the first term left out.
func taylor(u *big.Rat, up bool) *big.Rat {
	sum, term := big.NewRat(1, 1), big.NewRat(1, 1)
	small := pow2(-modelBits - 60)
	for i := int64(1); term.Cmp(small) >= 0; i++ {
		term = roundTo(quo(mul(term, u), ratInt(i)), up)
		sum = roundTo(add(sum, term), up)
	}
	if up {
		sum = roundUp(add(sum, mul(two, small)))
	}
	return sum
}

// roundDown and roundUp round to about modelBits + 40 significant bits.
func roundDown(x *big.Rat) *big.Rat { return roundTo(x, false) }
func roundUp(x *big.Rat) *big.Rat   { return roundTo(x, true) }

func roundTo(x *big.Rat, up bool) *big.Rat {
	const bits = modelBits + 60
	if x.Num().BitLen() <= bits && x.Denom().BitLen() <= bits {
		return x
	}
	shift := bits - (x.Num().BitLen() - x.Denom().BitLen())
	n, d := new(big.Int).Set(x.Num()), new(big.Int).Set(x.Denom())
	if shift >= 0 {
		n.Lsh(n, uint(shift))
	} else {
		d.Lsh(d, uint(-shift))
	}
	q, m := new(big.Int).DivMod(n, d, new(big.Int)) // Euclidean: floor
	if up && m.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return mul(new(big.Rat).SetInt(q), pow2(-shift))
}

// logReal is the real number log α, α > 0.
func logReal(alpha *big.Rat) interval.Real {
	return func(p interval.Prec) interval.Interval { return p.Log(p.Rat(alpha)) }
}

// TestModelExp: the slow exponential agrees with digits from outside.
func TestModelExp(t *testing.T) {
	for _, c := range []struct{ x, digits string }{ // 60 digits, truncated
		{"1", "2.71828182845904523536028747135266249775724709369995957496696"},
		{"-1", "0.367879441171442321595523770161460867445811131031767834507836"},
		{"1/2", "1.64872127070012814684865078781416357165377610071014801157507"},
		{"10", "22026.4657948067165169579006452842443663535126185567810742354"},
		{"-40", "0.0000000000000000042483542552915889953292347828586580178795655541664462880508189"},
	} {
		lo, hi := expRat(rat(c.x))
		d := rat(c.digits)
		if hi.Cmp(d) < 0 || lo.Cmp(mul(d, rat("1.0000000000000000000000000000000000000000000000000000000001"))) > 0 {
			t.Errorf("e^%s: [%s, %s] misses %s", c.x, lo.FloatString(70), hi.FloatString(70), c.digits)
		}
		if width := quo(sub(hi, lo), lo); lo.Cmp(hi) > 0 || width.Cmp(pow2(-modelBits+20)) > 0 {
			t.Errorf("e^%s: relative width %s", c.x, width.FloatString(120))
		}
	}
}
