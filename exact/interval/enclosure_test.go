// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"testing"
)

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("no rational: " + s)
	}
	return r
}

func span(lo, hi string) Interval {
	const p = Prec(64)
	return Union(p.Rat(rat(lo)), p.Rat(rat(hi)))
}

// TestUnionKeepsExactEnds: an end is exact where the enclosure that has it is, and only there.
func TestUnionKeepsExactEnds(t *testing.T) {
	value := func(s string) Enclosure { return Enclosure{Interval: Prec(64).Rat(rat(s)), Value: rat(s)} }
	tenth, third := value("1/10"), value("1/3")
	for _, u := range []Enclosure{tenth.Union(third), third.Union(tenth)} {
		for r, want := range map[string]Truth{"1/3": True, "1/10": Unknown, "333/1000": Unknown, "99/1000": False} {
			if got := u.LessEqRat(rat(r)); got != want {
				t.Errorf("[1/10, 1/3] ≤ %s: %s, want %s", r, got, want)
			}
		}
		if lo, hi := u.Decimal(3); lo != "0.1" || hi != "0.334" {
			t.Errorf("[1/10, 1/3] is printed as [%s, %s]", lo, hi)
		}
	}
	wide := Enclosure{Interval: span("1/4", "1/2")}
	for _, u := range []Enclosure{tenth.Union(wide), wide.Union(tenth)} {
		if u.Lower == nil || u.Lower.Cmp(rat("1/10")) != 0 || u.Upper != nil {
			t.Errorf("[1/10, 1/2] has the exact ends %v and %v", u.Lower, u.Upper)
		}
	}
	if u := third.Union(wide); u.Lower != nil || u.Upper != nil || u.LessEqRat(rat("1/3")) != Unknown {
		t.Errorf("[1/4, 1/2] has the exact ends %v and %v", u.Lower, u.Upper)
	}
}

// TestKnownBounds: what a quantity is known not to exceed is an exact end.
func TestKnownBounds(t *testing.T) {
	wide := Enclosure{Interval: span("0", "1")}
	y, ok := wide.AtMost(rat("1/3"), 64)
	if !ok || y.LessEqRat(rat("1/3")) != True || y.LessEqRat(rat("333/1000")) != Unknown {
		t.Errorf("at most 1/3: %v, %v", y, ok)
	}
	if y, ok = y.AtLeast(rat("1/10"), 64); !ok || y.LessRat(rat("1/10")) != False || y.LessEqRat(rat("1/3")) != True {
		t.Errorf("at least 1/10: %v, %v", y, ok)
	}
	if _, ok := y.AtLeast(rat("1/2"), 64); ok {
		t.Error("[1/10, 1/3] is at least 1/2")
	}
	if _, ok := y.AtMost(rat("1/20"), 64); ok {
		t.Error("[1/10, 1/3] is at most 1/20")
	}
	if z := (Enclosure{Interval: span("-1", "1/2"), Lower: rat("-1")}).OrZero(); z.Lower.Sign() != 0 || z.Lo().Sign() != 0 {
		t.Errorf("max(0, ·): %v", z)
	}
}

// TestEqualityIsAValue: where δ is known to be rational, a comparison with it is decided.
func TestEqualityIsAValue(t *testing.T) {
	e := Enclosure{Interval: span("1/4", "1/2"), Value: rat("1/3")}
	for r, want := range map[string]Truth{"1/3": True, "1/4": False, "333/1000": False, "1/2": True} {
		if got := e.LessEqRat(rat(r)); got != want {
			t.Errorf("1/3 ≤ %s: %s", r, got)
		}
	}
	if u := e.Union(Enclosure{Interval: span("3/4", "4/5"), Value: rat("3/4")}); u.Value != nil || !u.ContainsRat(rat("1/3")) || !u.ContainsRat(rat("3/4")) {
		t.Errorf("the union is %v, value %v", u.Interval, u.Value)
	}
}
