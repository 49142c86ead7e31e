// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package coq

import (
	"fmt"
	"math"
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

var three fixed.Three

// maxTail is in standard deviations: the series of the normal distribution has some z² terms.
const maxTail = 20

// Quotient is a number as Coq reads it in Q.
func Quotient(r *big.Rat) string { return fmt.Sprintf("(%d # %d)", r.Num(), r.Denom()) }

// Largest is a number whose square is not below a square, and very near.
func Largest(square *big.Rat, bits int) *big.Rat {
	n, d := new(big.Int).Sqrt(square.Num()), new(big.Int).Sqrt(square.Denom())
	if r := new(big.Rat).SetFrac(n, d); new(big.Rat).Mul(r, r).Cmp(square) == 0 {
		return r
	}
	scale := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	x := new(big.Int).Mul(square.Num(), new(big.Int).Mul(scale, scale))
	x.Sqrt(x.Quo(x, square.Denom()))
	return new(big.Rat).SetFrac(x.Add(x, big.NewInt(1)), scale)
}

// Inside is a number whose square is not above a square, and very near.
func Inside(square *big.Rat, bits int) *big.Rat {
	x := Largest(square, bits)
	if new(big.Rat).Mul(x, x).Cmp(square) > 0 {
		x.Sub(x, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(bits))))
	}
	return x
}

// Terms is how many terms of the series of the normal distribution leave out less than 2^−bits at z; false if these
// are too many.
func Terms(z float64, bits int) (n int, ok bool) {
	for r := 3 * math.Log2(z); r > -float64(bits) && z <= maxTail; n++ {
		r += math.Log2(z * z / float64(2*n+3))
	}
	return n, z <= maxTail
}

// Threshold is a point a little below the one where the likelihood ratio of a Gaussian, or its sample with the rate of
// (nil for none), is e^x, and how many terms of the series of the normal distribution leave out less than 2^−bits;
// false if these are too many.
func Threshold(d mechanism.Direction, of, x, largest *big.Rat, prec, bits int) (at *big.Rat, terms int, ok bool) {
	zero := new(big.Rat)
	alpha, rate, one := three.Exp(three.Rat(x)), fixed.Int(1), fixed.Int(1)
	if of != nil {
		rate = three.Rat(of)
	}
	rest := three.Sub(one, rate)
	a, b := rate, three.Sub(alpha, rest)
	if d == mechanism.Add {
		a, b = three.Sub(one, three.Mul(alpha, rest)), three.Mul(alpha, rate)
	}
	m := three.Rat(largest)
	exact := three.Add(three.Div(three.Sub(three.Log(b), three.Log(a)), m), three.Scale(m, -1))
	if !exact.Known() {
		return zero, 0, true
	}
	// A point above the exact one is not accepted; what one below it costs is of the first order. The theory knows
	// exponentials to some 90 bits.
	at, _ = exact.Interval().Lo().Rat(nil)
	scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(min(prec-22, 78))))
	at.Mul(at, scale)
	n := new(big.Int).Div(at.Num(), at.Denom())
	at.Quo(at.SetInt(n.Sub(n, big.NewInt(1))), scale)
	t := number.Float64(at)
	terms, ok = Terms(math.Max(math.Abs(t), math.Abs(t-number.Float64(largest))), bits)
	return at, terms, ok
}
