// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// TestTheLargestRatio bounds what the transform of the sum says, at few bits as at many, and with little noise to many
// digits.
func TestTheLargestRatio(t *testing.T) {
	const fine = interval.Prec(60)
	for _, c := range testkit.Few(3, []struct {
		mu2   string
		steps int64
		eps   string
		bits  int // of the direction remove, at least
	}{
		{"1", 2, "1/2", -999}, {"1", 3, "-1/2", -999}, {"2", 20, "5", -999}, {"9", 5, "14", 4}, {"1/10", 100, "1/20", -999},
	}) {
		l, m := NewLargest(rat(c.mu2), c.steps, closed.GaussianDelta(rat(c.mu2))), NewMean(rat(c.mu2), c.steps)
		for j, reversed := range []bool{false, true} {
			want, err := m.ProfileFrom(40, reversed)(t.Context(), 12, interval.RealRat(rat(c.eps)))
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range []string{"-20", "-1", "1"} { // any y will do
				if above := l.above(fine, interval.RealRat(rat(c.eps)), rat(u)); !reversed && above.Hi().Cmp(want.Lo()) < 0 {
					t.Errorf("1 of %d, μ² = %s: δ(%s) is at most %v, want %v", c.steps, c.mu2, c.eps, above, want)
				}
			}
			for _, p := range testkit.InTurn(int(c.steps)+j, []interval.Prec{2, fine, 8}) {
				got, err := l.Profile(reversed)(t.Context(), p, interval.RealRat(rat(c.eps)))
				_, meet := interval.Intersect(got, want)
				if err != nil || !meet || got.Lo().Cmp(want.Hi()) > 0 || got.Hi().Cmp(want.Lo()) < 0 {
					t.Errorf("1 of %d, μ² = %s, reversed %v: δ(%s) in %v at %d bits, want %v: %v", c.steps, c.mu2, reversed, c.eps, got, p, want, err)
				}
				if p == fine && !reversed && got.RelativeBits(64) < c.bits {
					t.Errorf("1 of %d, μ² = %s: δ(%s) in %v is wide", c.steps, c.mu2, c.eps, got)
				}
			}
		}
	}
}

// TestNearIsNear: searches start within a tenth of what they find.
func TestNearIsNear(t *testing.T) {
	for _, c := range []struct {
		mu2          string
		steps, times int64
		lo           string
		hi           string
	}{{"4", 20, 1, "7.2", "8.8"}, {"1", 1000, 1, "0.1", "0.2"}, {"400", 20, 1, "290", "294"}, {"1", 3, 1, "2.9", "3.9"}, {"100/9", 100, 2, "15.9", "19.5"}} {
		x, ok := Near(rat(c.mu2), c.steps, c.times, rat("1/1000000"))
		if !ok || x.Cmp(rat(c.lo)) < 0 || x.Cmp(rat(c.hi)) > 0 {
			t.Errorf("1 of %d, μ² = %s: near %v (%v), want from %s to %s", c.steps, c.mu2, x, ok, c.lo, c.hi)
		}
	}
}
