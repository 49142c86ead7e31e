// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"math/big"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
)

// TestRoundings: a claim is a derived value rounded to the digits of the claim.
func TestRoundings(t *testing.T) {
	for _, test := range []struct {
		derived, claimed string
		reproduces       interval.Truth
		rounding         Rounding
		digits           int
	}{
		{"7.10027", "7.10", 1, NearestDown, 3},
		{"7.0951", "7.10", 1, NearestUp, 3},
		{"7.0901", "7.10", 1, Upwards, 2},
		{"7.1099", "7.10", 1, Downwards, 2},
		{"7.1101", "7.10", -1, "", 2},
		{"7.1", "7.10", 1, NotRounded, 3},
		{"12345", "12e3", 1, NearestDown, 2},
		{"12700", "12e3", 1, Downwards, 1},
		{"0.00123", "1.2e-3", 1, NearestDown, 2},
		{"0.004", "1", -1, "", 0}, // up, but to nothing that tells it from 0.9
		{"1", "1e99999", -1, "", 0},
		{"0.6", "1", 1, NearestUp, 1},
		{"1/3", "1/3", 1, NotRounded, 0},
		{"1/3", "1/4", -1, "", 0},
	} {
		x, claimed := mustParse(t, test.derived), mustParse(t, test.claimed)
		e := exact.Enclosure{Interval: interval.Prec(128).Rat(x)}
		if test.rounding == NotRounded {
			e.Value = x
		}
		got, rounding := Reproduces(e, claimed, test.claimed)
		if got != test.reproduces || rounding != test.rounding {
			t.Errorf("%s as %s: %v (%s), want %v (%s)", test.derived, test.claimed, got, rounding, test.reproduces, test.rounding)
		}
		if n, most := AgreeingDigits(e.Interval, claimed, test.claimed); n != test.digits || most != n {
			t.Errorf("%s as %s: %d digits agree, want %d", test.derived, test.claimed, n, test.digits)
		}
	}
	// What is not settled is not answered.
	wide := exact.Enclosure{Interval: interval.Union(interval.Int(7), interval.Int(8))}
	if least, most := AgreeingDigits(wide.Interval, big.NewRat(7, 1), "7.0"); least != 0 || most != 2 {
		t.Errorf("[7, 8] as 7.0: between %d and %d digits", least, most)
	}
	if got, _ := Reproduces(wide, big.NewRat(7, 1), "7"); got != interval.Unknown {
		t.Errorf("[7, 8] as 7: %v", got)
	}
}
