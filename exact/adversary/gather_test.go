// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// end is the profile of an end of records on a line, in closed form: with A = (α − 1 + q)/q and z where the density of
// N(μ, 1) is A times that of N(0, 1), P(Z > z) of both; the reverse has α·H(1/α) + 1 − α.
func (x *Records) end(second bool) *Pair {
	return &Pair{Profile: func(_ context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
		w += 40
		q, mu, l := w.Rat(x.Rate), w.Sqrt(w.Rat(x.Mu2)), eps(w)
		e := l
		if second {
			e = l.Neg()
		}
		less := w.Expm1(e)
		h := less.Neg()
		if a := w.Div(w.Add(less, q), q); a.Positive() == interval.True {
			z := w.Add(w.Div(w.Log(a), mu), w.Scale(mu, -1))
			h = w.Sub(w.Mul(q, w.NormalSF(w.Sub(z, mu))), w.Mul(w.Add(q, less), w.NormalSF(z)))
		}
		if second {
			h = w.Sub(w.Mul(w.Exp(l), h), w.Expm1(l))
		}
		return interval.Clamp(h, 0, 1), nil
	}}
}

// TestGatheredIsBelow: what is gathered at the points of a grid has nowhere more than the pair that it stands for, its
// masses are at most 1 together, and on a fine grid it has nearly as much.
func TestGatheredIsBelow(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const w = interval.Prec(128)
	for range testkit.Draws(2, 5, 5) {
		x := &Records{big.NewRat(1, int64(2+r.Intn(200))), big.NewRat(int64(1+r.Intn(40)), 10)}
		delta := double.Exp64(-1 - 4*r.Float64())
		for _, second := range []bool{false, true} {
			table := x.gathered(delta, 20+r.Intn(30), second)
			sum := new(big.Float).SetPrec(300)
			for _, m := range table.mass {
				sum.Add(sum, exactly(m))
			}
			if sum.Cmp(big.NewFloat(1)) > 0 {
				t.Errorf("%v, %v: the masses are %v", x, delta, sum)
			}
			for range 8 {
				l := new(big.Rat).SetFloat64(6*r.Float64() - 3)
				if r.Intn(2) == 0 { // where the law has its end
					l.Quo(l, big.NewRat(100, 1))
				}
				h, _ := x.end(second).Profile(context.Background(), w, interval.RealRat(l))
				_, alpha, _ := w.Exp(w.Rat(l)).Rationals()
				got, _ := profileAt(table, delta, alpha).Rat(nil)
				if got.Sub(got, interval.Pow2(-100)); w.Rat(got).LessEq(h) == interval.False {
					t.Errorf("%v, Δ = %v, second %v: at %v the table has %v, the pair %v", x, delta, second,
						l.FloatString(9), got.FloatString(20), h)
				}
			}
		}
	}
	x := &Records{big.NewRat(1, 100), big.NewRat(4, 1)}
	for _, second := range []bool{false, true} {
		h, _ := x.end(second).Profile(context.Background(), w, interval.RealRat(big.NewRat(1, 200)))
		got, _ := profileAt(x.gathered(0x1p-10, 24, second), 0x1p-10, new(big.Rat).SetFloat64(double.Exp64(0.005))).Rat(nil)
		if got.Mul(got, big.NewRat(11, 10)); w.Rat(got).Less(h) == interval.True {
			t.Errorf("second %v: %v is far below %v", second, got.FloatString(12), h)
		}
	}
}

// TestPairsWithAnEdge: where most of the mass is beside the least or the greatest loss, there is a table below, and its
// masses are nowhere above the pair.
func TestPairsWithAnEdge(t *testing.T) {
	const w = interval.Prec(128)
	x := &Records{big.NewRat(1, 100), big.NewRat(4, 1)}
	for _, delta := range []string{"1/270", "1/60"} {
		step, _ := new(big.Rat).SetString(delta)
		size := double.Of(w.Rat(step)).Mid()
		for _, second := range []bool{false, true} {
			lo, hi := -8, int(1/size)
			if second {
				lo, hi = -hi, -lo
			}
			v, err := newValues(context.Background(), x.end(second).Profile, step, lo, hi, 112)
			if err != nil {
				t.Fatal(err)
			}
			table, ok := v.below(new(big.Rat), 40)
			if !ok {
				if size < 0.007 {
					t.Errorf("Δ = %s, second %v: no table", delta, second)
				}
				continue
			}
			for k := -6; k <= 6; k++ {
				l := new(big.Rat).Mul(step, big.NewRat(int64(k), 2))
				h, _ := x.end(second).Profile(context.Background(), w, interval.RealRat(l))
				_, alpha, _ := w.Exp(w.Rat(l)).Rationals()
				got, _ := profileAt(table, size, alpha).Rat(nil)
				if got.Sub(got, interval.Pow2(-50)); w.Rat(got).LessEq(h) == interval.False {
					t.Errorf("Δ = %s, second %v: at %d/2 the table has %v, the pair %v", delta, second, k,
						got.FloatString(20), h)
				}
			}
		}
	}
}

// TestGatheredByAnyPoints: whatever cuts the line, in whatever order, no mass counts twice.
func TestGatheredByAnyPoints(t *testing.T) {
	x := &Records{Rate: big.NewRat(1, 2), Mu2: big.NewRat(1, 1)}
	nan, inf := math.NaN(), math.Inf(1)
	for _, points := range [][]float64{nil, {5, -3, 4, -2, 3, -1, 2}, {nan, 0, nan, -1, 0, 1}, {inf, 0, 1}, {-inf, 0, 0, -inf, 1}} {
		for _, second := range []bool{false, true} {
			sum := 0.0
			for _, m := range x.gatheredAt(points, 0x1p-8, 24, second).mass {
				sum = double.Point(sum).Add(double.Point(m)).Lo
			}
			if !(sum <= 1) {
				t.Errorf("%v, %v: %v", points, second, sum)
			}
		}
	}
}
