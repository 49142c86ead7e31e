// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package prose

import (
	"strings"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/number"
)

func TestReadable(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"0", "0"},
		{"1", "1"},
		{"0.5", "0.5"},
		{"0.001", "0.001"},
		{"0.0012", "0.0012"},
		{"0.00012", "1.2e-4"},
		{"0.0001", "1e-4"},
		{"-0.0000015", "-1.5e-6"},
		{"1.5e-20", "1.5e-20"},
		{"123.0001", "123.0001"},
		{"inf", "inf"},
		{"-inf", "-inf"},
	} {
		if got := Readable(test.in); got != test.want {
			t.Errorf("Readable(%s) = %s, want %s", test.in, got, test.want)
		}
		if test.in == "inf" || test.in == "-inf" {
			continue
		}
		a, err1 := number.Parse(test.in)
		b, err2 := number.Parse(Readable(test.in))
		if err1 != nil || err2 != nil || a.Cmp(b) != 0 {
			t.Errorf("Readable(%s) is another number", test.in)
		}
	}
}

func TestAbout(t *testing.T) {
	const p = interval.Prec(64)
	number := func(s string) interval.Interval {
		r, err := number.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return p.Rat(r)
	}
	for _, test := range []struct{ lo, hi, want string }{
		{"0.25", "0.25", "0.25"},
		{"0.12344", "0.12345", "≈ 0.123"},
		{"0.12366", "0.12367", "≈ 0.124"},
		{"0.125", "0.25", "0.125 to 0.25"},
		{"0", "0.5", "at most 0.5"},
		{"1e-9", "1.0001e-9", "≈ 1.00e-9"},
	} {
		x := interval.Union(number(test.lo), number(test.hi))
		if got := About(x); !strings.HasPrefix(got, test.want) {
			t.Errorf("about [%s, %s]: %s, want %s", test.lo, test.hi, got, test.want)
		}
	}
}
