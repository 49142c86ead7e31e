// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"dpverify/exact/interval"
)

// A printed number: an endpoint 2^Exp·(1 + Bits·2^−53) and a number of digits.
type printed struct {
	Exp, Digits int
	Bits        int64
	Negative    bool
}

var printeds = generator[printed]{
	draw: func(r *rand.Rand) printed {
		c := printed{Exp: r.Intn(2*interval.MaxExp-1) - interval.MaxExp, Digits: 1 + r.Intn(40), Bits: r.Int63n(1 << 53), Negative: r.Intn(2) == 0}
		switch r.Intn(4) {
		case 0: // both ends of the range of exponents
			c.Exp = []int{-interval.MaxExp - 1, -interval.MaxExp, interval.MaxExp - 2, interval.MaxExp - 1}[r.Intn(4)]
		case 1: // where the digits of an integer division give way to an enclosure's
			c.Exp = (1<<15 + r.Intn(9) - 4) * (2*r.Intn(2) - 1)
		}
		if r.Intn(4) == 0 {
			c.Bits = 0
		}
		return c
	},
	shrink: func(c printed) []printed {
		d, e := c, c
		d.Bits, d.Negative, e.Digits = 0, false, 1
		if d == c && e == c {
			return nil
		}
		return []printed{d, e}
	},
}

// Numbers of any exponent are printed outward, and less than a unit of the last
// digit away: by their logarithms, since 10^(10^8) is out of reach.
func TestDecimalAtEveryExponent(t *testing.T) {
	forAll(t, 1500, printeds, func(c printed) error {
		const p = interval.Prec(300)
		f := new(big.Float).SetMantExp(new(big.Float).SetInt64(1<<53+c.Bits), c.Exp-53)
		log := p.Add(p.Log(interval.Point(new(big.Float).SetInt64(1<<53+c.Bits))), p.Mul(interval.Int(int64(c.Exp-53)), p.Ln2()))
		x := interval.Point(f)
		if c.Negative {
			x = x.Neg()
		}
		lo, hi := x.Decimal(c.Digits)
		if c.Negative {
			if !strings.HasPrefix(lo, "-") || !strings.HasPrefix(hi, "-") {
				return fmt.Errorf("a negative number is printed as [%s, %s]", lo, hi)
			}
			lo, hi = hi[1:], lo[1:]
		}
		below, err := logOfDecimal(p, lo, c.Digits)
		if err != nil {
			return err
		}
		above, err := logOfDecimal(p, hi, c.Digits)
		if err != nil {
			return err
		}
		unit := p.PowInt(interval.Int(10), int64(1-c.Digits))
		switch {
		case log.Less(below) == interval.True || above.Less(log) == interval.True:
			return fmt.Errorf("printed as [%s, %s]: misses the number", lo, hi)
		case p.Sub(log, below).Less(p.Log1p(unit)) == interval.False || p.Sub(above, log).Less(p.Log1p(unit)) == interval.False:
			return fmt.Errorf("printed as [%s, %s]: a unit of the last digit away", lo, hi)
		}
		return nil
	})
}

// logOfDecimal is log of a printed positive number.
func logOfDecimal(p interval.Prec, s string, digits int) (interval.Interval, error) {
	mantissa, exp, _ := strings.Cut(s, "e")
	m, ok := new(big.Rat).SetString(mantissa)
	e, ok2 := new(big.Int).SetString("0"+strings.TrimPrefix(exp, "-"), 10)
	if !ok || !ok2 || m.Sign() <= 0 || len(mantissa) > digits+30 {
		return interval.Interval{}, fmt.Errorf("printed as %s", s)
	}
	if strings.HasPrefix(exp, "-") {
		e.Neg(e)
	}
	return p.Add(p.Log(p.Rat(m)), p.Mul(interval.Int(e.Int64()), p.Log(interval.Int(10)))), nil
}

// An upper end rounded up from below the range of exponents, and a lower one rounded
// down from above it, are printed like any other number.
func TestDecimalAtTheEndsOfTheRange(t *testing.T) {
	const p = interval.Prec(64)
	tiny := p.Exp(p.Rat(rat("-1e12"))) // [0, smallest]
	huge := p.Exp(p.Rat(rat("1e12")))  // [largest, ∞]
	for _, c := range []struct {
		x      interval.Interval
		lo, hi string
	}{
		{tiny, "0", "2.5e-161614249"}, {tiny.Neg(), "-2.5e-161614249", "0"},
		{huge, "1.0e161614248", "inf"}, {huge.Neg(), "-inf", "-1.0e161614248"},
	} {
		if lo, hi := c.x.Decimal(2); lo != c.lo || hi != c.hi {
			t.Errorf("Decimal(2) = %s, %s, want %s, %s", lo, hi, c.lo, c.hi)
		}
	}
}

// Numbers next to a power of ten, nearer than any enclosure that printing uses: just
// above it they are not printed as at most it, just below it not as at least it.
func TestDecimalNextToPowersOfTen(t *testing.T) {
	for _, e := range []int64{-161_000_000, -100_000, -20_000, 20_000, 100_000, 161_000_000} {
		x := interval.Prec(400).PowInt(interval.Int(10), e) // 5^|e| has more bits
		if x.IsPoint() {
			t.Fatalf("10^%d in 400 bits", e)
		}
		_, above := interval.Point(x.Hi()).Decimal(3)
		below, _ := interval.Point(x.Lo()).Decimal(3)
		if want := fmt.Sprintf("1.01e%d", e); above != want {
			t.Errorf("just above 10^%d: printed as at most %s, want %s", e, above, want)
		}
		if want := fmt.Sprintf("9.99e%d", e-1); below != want {
			t.Errorf("just below 10^%d: printed as at least %s, want %s", e, below, want)
		}
	}
}
