// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestLogistic: the closed form overlaps the tails of the loss, inside, at and beyond the ends;
// the tails are in the range of a choice, with odds of ratio e^x.
func TestLogistic(t *testing.T) {
	for _, p := range []interval.Prec{2, 3, 8, 24, 64, 128} {
		for _, x := range []string{"1", "1/10", "7", "1/1000000", "100"} {
			shift := rat(x)
			tails, ok := PairTails(pair.Logistic{Shift: shift})
			if !ok {
				t.Fatal("no tails")
			}
			for _, f := range []string{"-2", "-1", "-999/1000", "-1/2", "0", "1/3", "1/2", "999/1000", "1", "2"} {
				eps := new(big.Rat).Mul(shift, rat(f))
				a := Logistic(p, shift, interval.RealRat(eps))
				b := tails.Delta(p, interval.RealRat(eps))
				if _, ok := interval.Intersect(a, b); !ok {
					t.Errorf("p = %d: δ(%s) of Logistic(%s) = %s, by tails %s", p, eps.RatString(), x, a, b)
				}
				if p >= 64 && eps.Cmp(shift) < 0 && !narrow(a, int(p)-8) {
					t.Errorf("p = %d: δ(%s) of Logistic(%s) = %s", p, eps.RatString(), x, a)
				}
				const w = interval.Prec(128)
				up, down := tails(w, RatArg(w, eps))
				if new(big.Rat).Abs(eps).Cmp(shift) < 0 {
					odds := w.Div(w.Mul(up, w.Sub(one, down)), w.Mul(down, w.Sub(one, up)))
					if _, ok := interval.Intersect(odds, w.Exp(w.Rat(shift))); !ok {
						t.Errorf("ε = %s: odds %s", eps.RatString(), odds)
					}
				}
			}
		}
	}
	// mpmath: (1 − e^(−0.35))²/(1 − e^−1).
	if y := Logistic(128, rat("1"), interval.RealRat(rat("3/10"))); !holds(y, "0.137962803354471040") || !narrow(y, 100) {
		t.Errorf("δ(0.3) = %s", y)
	}
}
