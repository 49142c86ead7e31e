// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestDecimalIsOutward: the printed lower end is ≤ and the printed upper end ≥
// the endpoint, exactly, and neither is more than one unit of its last digit
// away.
func TestDecimalIsOutward(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		p := testPrecs[r.IntN(len(testPrecs))]
		x := p.Rat(hardRat(r))
		if r.IntN(3) == 0 {
			x = p.Mul(x, p.Rat(big.NewRat(1, 3)))
		}
		n := 1 + r.IntN(40)
		lo, hi := x.Decimal(n)
		l, ok1 := new(big.Rat).SetString(lo)
		h, ok2 := new(big.Rat).SetString(hi)
		if !ok1 || !ok2 {
			t.Fatalf("%q, %q do not parse", lo, hi)
		}
		el, _ := x.l().Rat(nil)
		eh, _ := x.h().Rat(nil)
		if l.Cmp(el) > 0 || h.Cmp(eh) < 0 {
			t.Fatalf("Decimal(%d) of [%v, %v] = %s, %s", n, x.l(), x.h(), lo, hi)
		}
		// A unit of the last of d digits is at most 10^(1−d) of the number.
		unit, _ := new(big.Rat).SetString("1e-" + strconv.Itoa(x.digits(n)-1))
		for _, c := range []struct{ printed, exact *big.Rat }{{l, el}, {h, eh}} {
			d := new(big.Rat).Sub(c.printed, c.exact)
			if d.Abs(d).Cmp(new(big.Rat).Mul(unit, new(big.Rat).Abs(c.exact))) > 0 {
				t.Fatalf("Decimal(%d) of [%v, %v] = %s, %s: a whole unit off", n, x.l(), x.h(), lo, hi)
			}
		}
	}
}

func TestDecimalText(t *testing.T) {
	p := Prec(128)
	tests := []struct {
		x      Interval
		n      int
		lo, hi string
	}{
		{Int(0), 5, "0", "0"},
		{Int(1), 5, "1", "1"},
		{Int(-1), 5, "-1", "-1"},
		{Int(1200), 3, "1200", "1200"},
		{Int(123456), 3, "123000", "124000"},
		{p.Rat(big.NewRat(1, 2)), 9, "0.5", "0.5"},
		{p.Rat(big.NewRat(1, 3)), 4, "0.3333", "0.3334"},
		{p.Rat(big.NewRat(-1, 3)), 4, "-0.3334", "-0.3333"},
		{p.Rat(big.NewRat(999999, 1000000)), 3, "0.999", "1.00"},
		{p.Rat(big.NewRat(1, 3000000000)), 4, "3.333e-10", "3.334e-10"},
		{Entire(), 4, "-inf", "inf"},
		{Bounds(big.NewFloat(1), big.NewFloat(3)), 20, "1", "3"},
		{p.Exp(Int(-100000000)), 6, "6.45170e-43429449", "6.45171e-43429449"},
	}
	for _, c := range tests {
		if lo, hi := c.x.Decimal(c.n); lo != c.lo || hi != c.hi {
			t.Errorf("Decimal(%d) = %s, %s, want %s, %s", c.n, lo, hi, c.lo, c.hi)
		}
	}
	// A width of a tenth of a percent deserves few digits.
	x := Bounds(big.NewFloat(0.1234567), big.NewFloat(0.1239876))
	if lo, hi := x.Decimal(30); len(lo) > 9 || len(hi) > 9 {
		t.Errorf("Decimal(30) = %s, %s", lo, hi)
	}
}
