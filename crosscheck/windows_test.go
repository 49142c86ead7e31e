// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/ALTree/bigfloat"

	"dpverify/exact/interval"
)

// The tests of this file fail when bigfloat is no longer wrong where windows.go says
// it is: then the windows can be closed.

// relativeError encloses |z/y − 1| for bigfloat's value z and our enclosure y.
func relativeError(z *big.Float, y interval.Interval) interval.Interval {
	const w = interval.Prec(2000)
	return w.Sub(w.Div(interval.Point(z), y), interval.Int(1)).Abs()
}

func atLeast(t *testing.T, what string, err interval.Interval, exponent int) {
	t.Helper()
	if limit := interval.Prec(64).Scale(interval.Int(1), exponent); limit.LessEq(err) != interval.True {
		t.Errorf("%s: the relative error of bigfloat is %s only, less than 2^%d: the window in windows.go can be closed", what, err, exponent)
	}
}

// Exp in the window of subnormal starts, and where halving brings arguments into it.
func TestWindowExpSubnormal(t *testing.T) {
	at := func(p uint, x float64) interval.Interval {
		f := new(big.Float).SetPrec(p).SetFloat64(x)
		return relativeError(bigfloat.Exp(f), interval.Prec(p+64).Exp(interval.Point(f)))
	}
	inWindow := func(p uint, x float64) bool { return expWindow(new(big.Float).SetPrec(p).SetFloat64(x)) }
	for _, c := range []struct {
		p        uint
		x        float64
		exponent int
	}{
		{64, -744.9, -10}, {128, -744.9, -20}, {256, -744.9, -30}, {512, -744.9, -60}, // far from P bits
		{128, -740, -100}, {192, -731, -188}, {209, -728.6, -202},
		{128, -744.9 * 2, -60}, {128, -744.9 * 8, -100},
	} {
		if !inWindow(c.p, c.x) {
			t.Errorf("%v is outside the window", c.x)
		}
		atLeast(t, fmt.Sprintf("exp(%v) at %d bits", c.x, c.p), at(c.p, c.x), c.exponent)
	}
	// Just outside, either end is fine at every precision.
	for p := uint(64); p < 600; p += 7 {
		for _, x := range []float64{-726.9, -720, -746, -1453.8, 709, 1500} {
			if inWindow(p, x) {
				t.Errorf("%v is in the window", x)
			}
			if e := at(p, x); e.Less(interval.Prec(64).Scale(interval.Int(1), 4-int(p))) != interval.True {
				t.Errorf("exp(%v) of bigfloat at %d bits has the relative error %s: the window is too small", x, p, e)
			}
		}
	}
}

// Log at 1 + m·2^−k loses about k − 64 bits, for the worst of a few m.
func TestWindowLogNearOne(t *testing.T) {
	for _, p := range []uint{128, 256, 512} {
		for _, k := range []int{80, 90, 100} {
			worst := interval.Int(0)
			for _, m := range []float64{1, -1, 1.7, -1.3, 1.234567} {
				x := new(big.Float).SetPrec(p).Add(new(big.Float).SetMantExp(big.NewFloat(m), -k), big.NewFloat(1))
				if !logWindow(x) {
					t.Errorf("1 + %v·2^−%d is outside the window", m, k)
				}
				worst = interval.Max(worst, relativeError(bigfloat.Log(x), interval.Prec(p+200).Log(interval.Point(x))))
			}
			atLeast(t, fmt.Sprintf("log of 1 ± 2^−%d at %d bits", k, p), worst, -int(p)+k-64-6)
		}
	}
}

// e^0 is 1, unless the zero has no precision.
func TestWindowExpOfZeroPrecision(t *testing.T) {
	if z := bigfloat.Exp(new(big.Float)); z.Sign() != 0 {
		t.Errorf("exp of a zero of precision 0 is %v: the window can be closed", z)
	}
	if !expWindow(new(big.Float)) {
		t.Error("it is outside the window")
	}
}

// Log of the smallest power of two.
func TestWindowLogOfSmallest(t *testing.T) {
	x := new(big.Float).SetPrec(64).SetMantExp(big.NewFloat(0.5), big.MinExp)
	if !logWindow(x) {
		t.Error("it is outside the window")
	}
	want := float64(big.MinExp-1) * math.Ln2
	got, _ := bigfloat.Log(x).Float64()
	if !(math.Abs(got/want-1) > 1e-3) {
		t.Errorf("log(2^MinExp) = %v, about %v: the window can be closed", got, want)
	}
}

// Pow inherits both.
func TestWindowPow(t *testing.T) {
	z := new(big.Float).SetPrec(128).SetFloat64(2)
	w := big.NewFloat(1073.9) // 2^1073.9 = e^744.4
	if !powWindow(new(big.Float).SetPrec(128).SetFloat64(0.5), w) {
		t.Error("(1/2)^1073.9 is outside the window")
	}
	const q = interval.Prec(256)
	half := new(big.Float).SetPrec(128).SetFloat64(0.5)
	truth := q.Exp(q.Mul(interval.Point(w), q.Log(interval.Point(half))))
	atLeast(t, "(1/2)^1073.9", relativeError(bigfloat.Pow(half, w), truth), -60)
	if powWindow(z, big.NewFloat(3)) {
		t.Error("2³ is in the window")
	}
}
