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
