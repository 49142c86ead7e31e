// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package buckets

import (
	"math/big"
	"strings"

	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// FreeBits returns the greatest m with 2^−m at least x; false where x is not in [2^−(bits − 8), 1/2].
func FreeBits(x *big.Rat, bits int) (m int, ok bool) {
	half := big.NewRat(1, 2)
	if x.Cmp(interval.Pow2(8-bits)) < 0 || x.Cmp(half) > 0 {
		return 0, false
	}
	m = 1
	for y := big.NewRat(1, 4); y.Cmp(x) >= 0; y.Mul(y, half) {
		m++
	}
	return m, true
}

// ParseFactor reads a bucket factor, a number or e^X, and returns its logarithm. Of a number, the
// logarithm is rounded to 96 digits after the binary point; the factor is then e to that. Factors are
// from 1 + 10^−20 to 10^6, and X from 10^−20 to 1000.
func ParseFactor(s string) (eta *big.Rat, ok bool) {
	const bits, p = 96, interval.Prec(192)
	least := big.NewRat(1, 1)
	least.Quo(least, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(20), nil)))
	text, power := strings.CutPrefix(s, "e^")
	x, err := number.Parse(text)
	switch {
	case err != nil:
		return nil, false
	case power:
		return x, x.Cmp(least) >= 0 && x.Cmp(big.NewRat(1000, 1)) <= 0
	case new(big.Rat).Sub(x, big.NewRat(1, 1)).Cmp(least) < 0 || x.Cmp(big.NewRat(1_000_000, 1)) > 0:
		return nil, false
	}
	z := interval.FloorScaled(p.Log(p.Rat(x)), bits)
	return new(big.Rat).SetFrac(z, new(big.Int).Lsh(big.NewInt(1), bits)), true
}
