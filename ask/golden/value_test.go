// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package golden

import "testing"

// A decimal stands for itself and all that is cut off after its last digit, away from 0; an
// exact one, and an infinite one, for itself.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		v      value
		lo, hi string
	}{
		{value{Text: "0.30"}, "0.3", "0.31"},
		{value{Text: "0.30", Exact: true}, "0.3", "0.3"},
		{value{Text: "-0.30"}, "-0.31", "-0.3"},
		{value{Text: "1.25e-3"}, "0.00125", "0.00126"},
		{value{Text: "9"}, "9", "10"},
		{value{Text: "1/3", Exact: true}, "1/3", "1/3"},
		{value{Text: "0", Exact: true}, "0", "0"},
		{value{Text: "-inf"}, "-inf", "-inf"},
	} {
		if lo, hi, err := c.v.ends(); lo != c.lo || hi != c.hi || err != nil {
			t.Errorf("%+v: [%s, %s], %v, want [%s, %s]", c.v, lo, hi, err, c.lo, c.hi)
		}
	}
	for _, v := range []value{{Text: "1/3"}, {Text: ""}, {Text: "one"}, {Text: "e5"}, {Text: "0"}, {Text: "-0.000"}, {Text: "0e-9"}} {
		if lo, hi, err := v.ends(); err == nil {
			t.Errorf("%+v: [%s, %s], want an error", v, lo, hi)
		}
	}
}

// An enclosure meets a value if they have a number in common, be it an end.
func TestMeets(t *testing.T) {
	for _, c := range []struct {
		v      value
		lo, hi string
		want   bool
	}{
		{value{Text: "0.3"}, "0.25", "0.3", true},
		{value{Text: "0.3"}, "0.4", "0.5", true},
		{value{Text: "0.3"}, "0.41", "0.5", false},
		{value{Text: "0.3"}, "0.1", "0.29", false},
		{value{Text: "0.3", Exact: true}, "0.30001", "0.4", false},
		{value{Text: "0.3"}, "-inf", "inf", true},
		{value{Text: "inf"}, "5", "inf", true},
		{value{Text: "inf"}, "5", "6", false},
		{value{Text: "0.3"}, "?", "1", false},
	} {
		if got := c.v.meets(c.lo, c.hi); got != c.want {
			t.Errorf("%+v meets [%s, %s]: %v, want %v", c.v, c.lo, c.hi, got, c.want)
		}
	}
}

// One digit more than the value has is asked for, and two where it is exact.
func TestDigits(t *testing.T) {
	for _, c := range []struct {
		v    value
		want int
	}{
		{value{Text: "0.5"}, leastDigits},
		{value{Text: "0.00123456789012345e-7"}, 16},
		{value{Text: "0.00123456789012345e-7", Exact: true}, 17},
		{value{Text: "1/3", Exact: true}, leastDigits},
		{value{Text: "inf", Exact: true}, leastDigits},
	} {
		if got := c.v.digits(); got != c.want {
			t.Errorf("%+v: %d digits, want %d", c.v, got, c.want)
		}
	}
}
