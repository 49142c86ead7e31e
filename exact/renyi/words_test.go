// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"testing"

	"dpverify/exact/interval"
)

// TestWordValues: values in words meet those by exact/interval, are as good as the working precision, and are not asked
// for where that is too high.
func TestWordValues(t *testing.T) {
	for _, fs := range [][]power{
		{{twoMeans(rat("1/100"), rat("1/16")), rat("7/2")}},
		{{twoMeans(rat("1/3"), rat("9")), rat("-40")}},
		{{twoMeans(rat("1/5"), rat("2")), rat("5")}, {twoMeansBelow(rat("1/5"), rat("2")), rat("-4")}},
	} {
		tr := newTrapezoid(64, fs)
		if tr == nil || tr.words == nil {
			t.Fatal("no words")
		}
		good := 0
		for j := tr.first; j <= tr.last; j++ {
			y, want := tr.words.value(j, tr.h), tr.longValue(j)
			if _, ok := interval.Intersect(y.Interval(), want); !ok {
				t.Fatalf("f(%dh) = %v, want %v", j, y.Interval(), want)
			}
			if y.Good(uint(tr.w)) {
				good++
			}
			if z := tr.value(j); z.RelativeBits(int(tr.w)) < int(tr.w)-12 {
				t.Fatalf("f(%dh) = %v with %d bits", j, z, tr.w)
			}
		}
		if n := int(tr.last - tr.first + 1); good < n {
			t.Errorf("%d of %d values are good to %d bits", good, n, tr.w)
		}
		if long := newTrapezoid(150, fs); long == nil || long.words != nil {
			t.Error("words of 166 bits and more")
		}
	}
}
