// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package number

import "math/big"

// PowerOfTen returns 10^n.
func PowerOfTen(n int) *big.Rat {
	p := pow(10, max(n, -n))
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// pow returns base^exp for exp ≥ 0.
func pow(base int64, exp int) *big.Int {
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(exp)), nil)
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}
