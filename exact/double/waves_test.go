// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package double

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// TestRises: e^{−iθ} − 1 of both ends of a turn, of any size, is within what is said.
func TestRises(t *testing.T) {
	const fine = interval.Prec(1200)
	r := rand.New(rand.NewSource(7))
	for i := range testkit.Draws(1500, 6000, 6000) {
		a := hard(r)
		if i%3 == 0 {
			a = math.Ldexp(r.Float64()-0.5, -r.Intn(300))
		}
		theta := Interval{a, a + float64(i%2)*math.Abs(a)*math.Ldexp(r.Float64(), -r.Intn(60))}
		x, y, rho := Rise(theta)
		if math.IsInf(rho, 1) {
			if math.Abs(theta.Mid())/2 <= 0x1p18 {
				t.Fatalf("nothing is known of %v", theta)
			}
			continue
		}
		for _, end := range []float64{theta.Lo, theta.Hi} {
			want := fine.ExpI(exact(end).Neg())
			d := fine.AbsC(fine.SubC(want, interval.Complex{Re: fine.Add(exact(1), exact(x)), Im: exact(y)}))
			if d.Lo().Cmp(big.NewFloat(rho)) > 0 {
				t.Fatalf("%x of %v: off by %v > %v", end, theta, d, rho)
			}
		}
	}
}
