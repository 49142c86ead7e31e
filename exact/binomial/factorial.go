// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package binomial

import (
	"math/big"
	"math/bits"
	"sync"

	"dpverify/exact/interval"
)

// stirlingFrom is where Stirling's series begins to be used, with stirlingTerms terms.
const (
	stirlingFrom  = 512
	stirlingTerms = 16
	// stirlingBits is the relative precision that it is good for there.
	stirlingBits = 256
)

// stirlingGood is the relative precision, in bits, that the series is good for at n ≥ stirlingFrom: the term that is
// left out falls with n^(2·stirlingTerms+1).
func stirlingGood(n int64) int {
	return stirlingBits + (2*stirlingTerms+1)*bits.Len64(uint64(n/stirlingFrom)/2)
}

// bernoulli are B_2, B_4, …, one more than there are terms: Σ_{j ≤ m} C(m+1, j)·B_j = 0.
var bernoulli = sync.OnceValue(func() []*big.Rat {
	b := []*big.Rat{big.NewRat(1, 1)}
	var even []*big.Rat
	for m := int64(1); len(even) <= stirlingTerms; m++ {
		sum := new(big.Rat)
		for j, x := range b {
			sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetInt(new(big.Int).Binomial(m+1, int64(j))), x))
		}
		b = append(b, sum.Quo(sum.Neg(sum), new(big.Rat).SetInt64(m+1)))
		if m%2 == 0 {
			even = append(even, b[m])
		}
	}
	return even
})

// logFactorial encloses log n! for n ≥ stirlingFrom:
//
//	n·log n − n + log(2πn)/2 + Σ_j B_2j/(2j·(2j − 1)·n^(2j−1)),
//
// whose remainder is between 0 and the first term that is left out [Whittaker & Watson, A Course of Modern Analysis,
// §12.33].
func logFactorial(w interval.Prec, n int64) interval.Interval {
	x := interval.Int(n)
	log := w.Log(x)
	sum := w.Sub(w.Mul(x, log), x)
	sum = w.Add(sum, w.Scale(w.Add(w.Log(w.Scale(w.Pi(), 1)), log), -1))
	power, square := x, w.Sqr(x)
	for i, b := range bernoulli() {
		j := int64(2 * (i + 1))
		term := w.Div(w.Rat(new(big.Rat).Quo(b, new(big.Rat).SetInt64(j*(j-1)))), power)
		if i == stirlingTerms {
			term = interval.Union(interval.Int(0), term)
		}
		sum = w.Add(sum, term)
		power = w.Mul(power, square)
	}
	return sum
}
