// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math"
	"math/big"
	"testing"

	_ "dpverify/internal/testkit" // less garbage collection
)

// TestQuotientsOfUnboundedSets: the quotient of two sets, either of them unbounded,
// contains the quotients of their points.
func TestQuotientsOfUnboundedSets(t *testing.T) {
	inf := Entire().Hi()
	one, two := big.NewFloat(1), big.NewFloat(2)
	neg := func(f *big.Float) *big.Float { return new(big.Float).Neg(f) }
	sets := []Interval{
		Bounds(one, inf), Bounds(neg(inf), neg(one)), Bounds(two, inf), Entire(), Bounds(new(big.Float), inf),
		Bounds(one, two), Bounds(neg(two), neg(one)), Bounds(neg(one), two), Bounds(neg(inf), one),
	}
	points := []*big.Rat{big.NewRat(1, 1), big.NewRat(2, 1), big.NewRat(1<<60, 1), big.NewRat(3, 2), big.NewRat(0, 1), big.NewRat(1, 1<<40)}
	for _, p := range points[:len(points):len(points)] {
		points = append(points, new(big.Rat).Neg(p))
	}
	for _, prec := range []Prec{2, 8, 64} {
		for _, x := range sets {
			for _, y := range sets {
				q := prec.Div(x, y)
				for _, a := range points {
					for _, b := range points {
						if b.Sign() == 0 || !x.ContainsRat(a) || !y.ContainsRat(b) {
							continue
						}
						if z := new(big.Rat).Quo(a, b); !q.ContainsRat(z) {
							t.Errorf("%d bits: [%v, %v]/[%v, %v] = [%v, %v] lacks %s/%s", prec, x.Lo(), x.Hi(), y.Lo(), y.Hi(), q.Lo(), q.Hi(), a.RatString(), b.RatString())
						}
					}
				}
			}
		}
		if r := prec.Sqrt(Bounds(big.NewFloat(4), inf)); !r.ContainsRat(big.NewRat(2, 1)) || !r.ContainsRat(big.NewRat(1<<62, 1)) || r.LessRat(big.NewRat(1, 1)) != False {
			t.Errorf("%d bits: √[4, ∞) = [%v, %v]", prec, r.Lo(), r.Hi())
		}
		if r := prec.Sqrt(Bounds(inf, inf)); !r.Hi().IsInf() {
			t.Errorf("%d bits: √[∞, ∞] = [%v, %v]", prec, r.Lo(), r.Hi())
		}
	}
}

// TestBinary64Refuses: what is no number has no enclosure.
func TestBinary64Refuses(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if x, err := binary64(f); err == nil {
			t.Errorf("%v becomes [%v, %v]", f, x.Lo(), x.Hi())
		}
	}
}

// TestRationalsOfHugeNumbers: an end whose rational has millions of digits is not written
// out.
func TestRationalsOfHugeNumbers(t *testing.T) {
	for _, e := range []int{1 << 21, -1 << 21} {
		f := new(big.Float).SetMantExp(big.NewFloat(1), e)
		if _, _, ok := Bounds(f, f).Rationals(); ok {
			t.Errorf("2^%d was written out", e)
		}
	}
}

// TestQuotientsAtInfinity: an infinite operand stands for every number from some size on. Of
// two, the quotient is any number of its sign; below a finite number, it is one that is
// arbitrarily small.
func TestQuotientsAtInfinity(t *testing.T) {
	for _, prec := range []Prec{2, 64} {
		for _, x := range []float64{math.Inf(-1), -1, 0, 1, math.Inf(1)} {
			for _, y := range []float64{math.Inf(-1), math.Inf(1)} {
				fx, fy := big.NewFloat(x), big.NewFloat(y)
				lo, hi := prec.quo(down, fx, fy), prec.quo(up, fx, fy)
				sign := fx.Sign() * fy.Sign()
				if lo.Sign() != min(sign, 0) || hi.Sign() != max(sign, 0) {
					t.Errorf("%d bits: %v/%v has ends of sign %d and %d", prec, x, y, lo.Sign(), hi.Sign())
				}
				if infinite := fx.IsInf() && fy.IsInf(); lo.IsInf() != (infinite && sign < 0) || hi.IsInf() != (infinite && sign > 0) {
					t.Errorf("%d bits: %v/%v has infinite ends: %t, %t", prec, x, y, lo.IsInf(), hi.IsInf())
				}
			}
		}
	}
}

// TestImpossibleStatesPanic: what only a bug can ask for, or what an enclosure that is wrong
// would lead to, is no interval.
func TestImpossibleStatesPanic(t *testing.T) {
	one, two := big.NewFloat(1), big.NewFloat(2)
	for name, f := range map[string]func(){
		"ends in the wrong order":     func() { Bounds(two, one) },
		"no bits":                     func() { Prec(MinPrec-1).Add(Int(1), Int(1)) },
		"too many bits":               func() { Prec(MaxPrec + 1).Exp(Int(1)) },
		"a power of a complex number": func() { Prec(64).PowIntC(Complex{Re: Int(1), Im: Int(1)}, -1) },
		"a probability above 1":       func() { Clamp(Int(2), 0, 1) },
		"a probability below 0":       func() { Clamp(Bounds(big.NewFloat(-2), big.NewFloat(-1)), 0, 1) },
		"a negative length":           func() { Int(-1).AtLeastZero() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// TestNames: answers and intervals as people read them.
func TestNames(t *testing.T) {
	for x, want := range map[Truth]string{True: "true", False: "false", Unknown: "unknown", True.Not(): "false", Unknown.Not(): "unknown"} {
		if got := x.String(); got != want {
			t.Errorf("%d is %q, want %q", x, got, want)
		}
	}
	if got := Union(Int(1), Int(3)).String(); got != "[1, 3]" {
		t.Errorf("[1, 3] is %q", got)
	}
}
