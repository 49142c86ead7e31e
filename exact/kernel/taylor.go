// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package kernel

import (
	"math/big"
	"math/bits"
)

// Arguments of e^x and e^{ix} are reduced by two digits of tableBits bits, the first ones behind the point.
const (
	tableBits   = 7
	tableLevels = 2
	tableGuard  = 8 // bits of the scale below those of the argument
)

// expSeries returns sum and e with sum ≤ e^u·2^v < sum + e for u = U·2^−v ≤ 2^−14. Terms above the given degree are
// left out, or those that are less than a unit together for degree < 0.
//
// Requires: v ≥ 14, and degree < 0 or v < 56.
func expSeries(U *big.Int, v, degree int) (sum *big.Int, e uint64) {
	sums, e := expSums(U, v, degree, 1)
	return sums[0], e
}

// expSums divides the sum of expSeries by k mod classes: 2^v·Σ u^k/k! over those terms and what is left out of all
// lie between sums[k] and sums[k] + e.
//
// Claim. With powers P_i = ⌊P_{i−1}·U/2^v⌋, P_0 = 2^v, i ≤ m, Horner's rule in blocks of m terms, for k = n−1 … 0
//
//	sum ← sum + c·P_{k mod m},  then  sum ← ⌊sum·P_m/2^v⌋ if m divides k > 0,
//
// is low by less than 8 units, where c = b!/k! for the last b at which sum was divided by c, and c set to 1.
//
// Proof. Let ε be the error of sum in units of c, which stand for 2^−v/k!; it is not negative, as all is rounded down.
// P_i is low by less than 1/(1 − u) < 2, and exact for i < 2, so adding a term adds less than 2 to ε. A product with
// P_m, m ≥ 2, makes of it less than ε·u² + 2·1.001 + 1 < ε/2^28 + 3.01: the terms from k on are less than 1.001/k!. A
// division adds less than 1. Going from k to k − 1 divides ε by k. So ε < 6.1 once the term k ≥ 1 is added, by
// induction: (6.1 + 1)/2 + 2 < 6.1. At k = 1 there is neither a product nor a division, the term at k = 0 is exact, and
// the last division adds less than 1: 6.1 + 1 < 8. ∎
//
// Sums of classes have fewer terms, and the proof holds for each.
func expSums(U *big.Int, v, degree, classes int) (sums []*big.Int, e uint64) {
	n, e := termsOf(v, degree)
	m := powersOf(n, classes)
	power := make([]big.Int, m+1)
	power[0].Lsh(oneInt, uint(v))
	power[1].Set(U)
	t, d := new(big.Int), new(big.Int)
	for i := 2; i <= m; i++ {
		power[i].Rsh(t.Mul(&power[i-1], U), uint(v))
	}
	sums = make([]*big.Int, classes)
	for r := range sums {
		sums[r] = new(big.Int)
	}
	c := uint64(1)
	for k := n - 1; ; k-- {
		sum := sums[k%classes]
		sum.Add(sum, t.Mul(&power[k%m], d.SetUint64(c)))
		if k == 0 {
			break
		}
		if k%m == 0 {
			for _, sum := range sums {
				sum.Rsh(t.Mul(sum, &power[m]), uint(v))
			}
		}
		over, next := bits.Mul64(c, uint64(k))
		if over == 0 {
			c = next
			continue
		}
		for _, sum := range sums {
			sum.Quo(sum, d)
		}
		c = uint64(k)
	}
	for _, sum := range sums {
		sum.Quo(sum, d.SetUint64(c))
	}
	return sums, e
}

// termsOf returns the number of terms of expSeries in scale v, and 8 and a bound of the terms left out, in units.
//
// Those left out, from u^n/n! on, add up to less than 2·u^n/n! ≤ 2^(1−14n−l), where l ≤ log2 n!.
func termsOf(v, degree int) (n int, e uint64) {
	l := 0
	for n = 1; n <= degree || degree < 0 && v+1 > 2*tableBits*n+l; {
		n++
		l += bits.Len(uint(n)) - 1
	}
	return n, 8 + 1<<max(0, v+1-2*tableBits*n-l)
}

// powersOf balances the number of powers against the number of products of so many sums with the last one.
func powersOf(terms, classes int) int {
	m := 2
	for m*m < classes*terms {
		m++
	}
	return m
}
