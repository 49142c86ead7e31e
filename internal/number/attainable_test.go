// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package number

import (
	"math/big"
	"testing"
)

// rat reads a number of a test.
func ratOf(t *testing.T, s string) *big.Rat {
	t.Helper()
	r, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAttainableIsAtLeastTheFloor: a point is attainable if and only if δ ≥ 1 − e^ε. The
// decimals of 1 − e^ε, cut after their last digit and one unit of it above, are from
// mpmath.
func TestAttainableIsAtLeastTheFloor(t *testing.T) {
	for _, c := range []struct{ eps, below, above string }{
		{"-1", "0.63212055882855767840447622983853913255418886896823", "0.63212055882855767840447622983853913255418886896824"},
		{"-0.1", "0.0951625819640404268357", "0.0951625819640404268358"},
		{"-1e-30", "9.999999999999999999999999999995e-31", "1e-30"},
		{"-20", "0.99999999793884637756", "0.99999999793884637757"},
		{"-1e90000", "0.99999", "1"},
		{"-1e-90000", "0", "1e-90000"},
	} {
		eps := ratOf(t, c.eps)
		if Attainable(eps, ratOf(t, c.below)) {
			t.Errorf("[%s, %s] is called attainable", c.eps, c.below)
		}
		if !Attainable(eps, ratOf(t, c.above)) {
			t.Errorf("[%s, %s] is called unattainable", c.eps, c.above)
		}
	}
	for _, p := range [][2]string{{"0", "0"}, {"3", "0"}, {"-5", "1"}} {
		if !Attainable(ratOf(t, p[0]), ratOf(t, p[1])) {
			t.Errorf("%v is called unattainable", p)
		}
	}
}

// TestExpBoundsEnclose: the bounds of e^x enclose the bounds of four times the precision, at any
// precision.
func TestExpBoundsEnclose(t *testing.T) {
	for _, s := range []string{"1/3", "1", "1e-21", "0.1", "7", "709", "745.5", "1e-300"} {
		x := ratOf(t, s)
		for _, prec := range []uint{2, 3, 8, 24, 53, 65, 256} {
			lo, hi := expBound(x, prec, big.ToNegativeInf), expBound(x, prec, big.ToPositiveInf)
			if lo.Cmp(expBound(x, 4*prec+64, big.ToPositiveInf)) > 0 || hi.Cmp(expBound(x, 4*prec+64, big.ToNegativeInf)) < 0 {
				t.Errorf("e^%s with %d bits: [%v, %v]", s, prec, lo, hi)
			}
		}
	}
}
