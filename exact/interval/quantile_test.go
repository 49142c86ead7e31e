// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"testing"
)

// TestNormalQuantileInverts: Φ of the enclosure contains the argument, it is narrow, and it is odd about 1/2.
func TestNormalQuantileInverts(t *testing.T) {
	for _, p := range []Prec{3, 8, 24, 53, 64, 128, 200} {
		for _, s := range []string{"1/2", "1/3", "0.4999999", "0.5000001", "0.9", "1e-3", "1e-12", "0.999999999999", "1e-300", "1e-2000", "1/1024"} {
			r, _ := new(big.Rat).SetString(s)
			x := p.Rat(r)
			q := p.NormalQuantile(x)
			w := 2*p + 64
			if lo, hi := w.NormalCDF(q.Lower()), w.NormalCDF(q.Upper()); x.Lower().Less(lo) == True || hi.Less(x.Upper()) == True {
				t.Errorf("%d bits: Φ⁻¹(%s) = %s", p, s, q)
			}
			if point := p.NormalQuantile(x.Lower()); p >= 24 && p.Sub(point.Upper(), point.Lower()).LessEq(p.Scale(Max(Int(1), point.Abs()), 10-int(p))) != True {
				t.Errorf("%d bits: Φ⁻¹(%s) = %s is wide", p, s, point)
			}
			if y := p.NormalQuantile(p.Sub(Int(1), x)).Neg(); y.Less(q) == True || q.Less(y) == True {
				t.Errorf("%d bits: Φ⁻¹(%s) = %s, and %s from the other side", p, s, q, y)
			}
		}
	}
	for _, test := range []struct {
		x    Interval
		want Interval
	}{{Int(0), NegInf()}, {Int(1), PosInf()}, {Int(2), Entire()}, {Int(-1), Entire()}} {
		if got := Prec(64).NormalQuantile(test.x); got.String() != test.want.String() {
			t.Errorf("Φ⁻¹(%s) = %s, want %s", test.x, got, test.want)
		}
	}
}

// TestNormalQuantileGolden: 1.959963984540054235524594430520551527955550... at 0.975.
func TestNormalQuantileGolden(t *testing.T) {
	r, _ := new(big.Rat).SetString("0.975")
	want, _ := new(big.Rat).SetString("1.959963984540054235524594430520551527955550")
	p := Prec(120)
	q := p.NormalQuantile(p.Rat(r))
	if d := p.Sub(q, p.Rat(want)).Abs(); d.LessEq(p.Scale(Int(1), -100)) != True {
		t.Errorf("Φ⁻¹(0.975) = %s", q)
	}
}
