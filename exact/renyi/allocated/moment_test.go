// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocated

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestBoundsOfSecondMoments: bounds in closed form hold the second moment of Gaussian noise, which is a finite sum.
func TestBoundsOfSecondMoments(t *testing.T) {
	g := pair.Gaussian{Mu2: testkit.Rat("1/4")}
	base := func(p interval.Prec, alpha *big.Rat) interval.Interval {
		e := new(big.Rat).Mul(alpha, minusOne(alpha))
		return p.Rat(e.Mul(e, testkit.Rat("1/8")))
	}
	a := &Moment{X: pair.Allocation{Base: g, Selected: 10, Steps: 100}, Base: base, Back: base, Finite: testkit.Rat("1")}
	rough, exact := a.roughly(64, testkit.Rat("2")), a.second(64)
	if !rough.Contains(exact.Lo()) || !rough.Contains(exact.Hi()) || exact.Positive() != interval.True {
		t.Errorf("log E S² = %s, and by bounds %s", exact, rough)
	}
}

// TestSeriesPower: both ways to raise a series agree with multiplying out.
func TestSeriesPower(t *testing.T) {
	const w = interval.Prec(64)
	g := []interval.Interval{interval.Int(1), interval.Int(2), interval.Int(3), interval.Int(5), interval.Int(7)}
	f := g
	for n := int64(2); n < 8; n++ {
		f = seriesProduct(w, f, g)
		y := seriesPower(w, g, n)
		if _, ok := interval.Intersect(y, f[4]); !ok || w.Sub(y, f[4]).Abs().LessRat(interval.Pow2(-30)) != interval.True {
			t.Errorf("[z^4] g^%d = %s, want %s", n, y, f[4])
		}
	}
}
