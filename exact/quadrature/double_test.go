// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"math/big"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// TestSweepOfWideNumbers: the error grows with the widths of weights and losses, and with the
// number of steps; where nothing is left, there are no values.
func TestSweepOfWideNumbers(t *testing.T) {
	third := double.Int(1).Div(double.Int(3))
	for _, width := range []float64{0, 0x1p-40, 0x1p-20, 0x1p-8} {
		for _, of := range []struct{ weight, loss float64 }{{width, 0}, {0, width}, {width, width}} {
			about := func(x double.Interval, r float64) double.Interval { return x.Add(double.Interval{Lo: -r, Hi: r}) }
			q := DoubleRule{Weights: []double.Interval{about(third, of.weight), double.Int(2)}, Losses: []double.Interval{about(third, of.loss), double.Int(-5)}, Unit: interval.Int(1)}
			for _, n := range []int{1, 10, 40} {
				values, off := q.Sweep(double.Int(1), n)
				if values == nil {
					if float64(n)*4*width < 0.25 {
						t.Errorf("width %v: no values", width)
					}
					continue
				}
				for _, sign := range []float64{1, -1} { // the ends of weights and losses
					for j, z := range values {
						term := func(w, l double.Interval) interval.Complex {
							return fine.ScaleC(w.Exact(), fine.ExpI(fine.Mul(interval.Int(int64(-j)), l.Exact())))
						}
						end := term(third.Add(double.Point(sign*of.weight)), third.Add(double.Point(sign*of.loss)))
						want := fine.AddC(end, term(double.Int(2), double.Int(-5)))
						d := fine.SubC(want, interval.Complex{Re: double.Point(real(z)).Exact(), Im: double.Point(imag(z)).Exact()})
						bound := q.At(off, j).Hi
						if fine.AbsC(d).Lo().Cmp(big.NewFloat(bound)) > 0 {
							t.Fatalf("widths %v: value %d of %d is off by %v > %v", of, j, n, fine.AbsC(d), bound)
						}
					}
				}
			}
		}
	}
}
