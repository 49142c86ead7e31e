// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package efforts

import (
	"math/big"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/number"
)

func TestAccurate(t *testing.T) {
	const p = interval.Prec(100)
	enclosure := func(lo, hi string) exact.Enclosure {
		l, err1 := number.Parse(lo)
		h, err2 := number.Parse(hi)
		if err1 != nil || err2 != nil {
			t.Fatal(lo, hi)
		}
		return exact.Enclosure{Interval: interval.Union(p.Rat(l), p.Rat(h))}
	}
	inf := func(negative bool) interval.Interval {
		f := new(big.Float).SetInf(negative)
		return interval.Bounds(f, f)
	}
	tests := []struct {
		name          string
		e             exact.Enclosure
		digits, floor int
		want          bool
	}{
		{"wide", enclosure("0.1", "0.2"), 1, 0, false},
		{"one digit", enclosure("0.19", "0.2"), 1, 0, true},
		{"two digits of one", enclosure("0.19", "0.2"), 2, 0, false},
		{"tiny", enclosure("1e-300", "1.0001e-300"), 3, 0, true},
		{"negative", enclosure("-1.0001", "-1"), 3, 0, true},
		{"around 0", enclosure("-1e-20", "1e-20"), 3, 0, false},
		{"around 0, with a floor", enclosure("-1e-20", "1e-20"), 3, 6, true},
		{"around 0, above the floor", enclosure("-1e-5", "1e-5"), 3, 6, false},
		{"0", enclosure("0", "0"), 100, 0, true},
		{"known", exact.Enclosure{Interval: enclosure("0", "1").Interval, Value: big.NewRat(1, 3)}, 100, 0, true},
		{"infinite", exact.Enclosure{Interval: inf(false)}, 100, 0, true},
		{"minus infinite", exact.Enclosure{Interval: inf(true)}, 100, 0, true},
		{"entire", exact.Enclosure{Interval: interval.Entire()}, 1, 5, false},
		{"half infinite", exact.Enclosure{Interval: interval.Union(interval.Int(1), inf(false))}, 1, 5, false},
	}
	for _, test := range tests {
		if got := Accurate(test.e, test.digits, test.floor); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
