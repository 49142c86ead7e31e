// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"testing"

	"dpverify/exact/interval"
)

// TestUnionKeepsExactEnds: an end is exact where the enclosure that has it is, and only there.
func TestUnionKeepsExactEnds(t *testing.T) {
	value := func(s string) Enclosure { return Enclosure{Interval: interval.Prec(64).Rat(rat(s)), Value: rat(s)} }
	tenth, third := value("1/10"), value("1/3")
	for _, u := range []Enclosure{tenth.Union(third), third.Union(tenth)} {
		for r, want := range map[string]interval.Truth{"1/3": interval.True, "1/10": interval.Unknown, "333/1000": interval.Unknown, "99/1000": interval.False} {
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
	if u := third.Union(wide); u.Lower != nil || u.Upper != nil || u.LessEqRat(rat("1/3")) != interval.Unknown {
		t.Errorf("[1/4, 1/2] has the exact ends %v and %v", u.Lower, u.Upper)
	}
}

// TestKnownBounds: what a quantity is known not to exceed is an exact end.
func TestKnownBounds(t *testing.T) {
	wide := Enclosure{Interval: span("0", "1")}
	y, ok := wide.AtMost(rat("1/3"), 64)
	if !ok || y.LessEqRat(rat("1/3")) != interval.True || y.LessEqRat(rat("333/1000")) != interval.Unknown {
		t.Errorf("at most 1/3: %v, %v", y, ok)
	}
	if y, ok = y.AtLeast(rat("1/10"), 64); !ok || y.LessRat(rat("1/10")) != interval.False || y.LessEqRat(rat("1/3")) != interval.True {
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
