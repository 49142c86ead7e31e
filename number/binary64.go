package number

import (
	"math"
	"math/big"
)

// Binary64 returns the exact value of the float64 that is nearest to r, ties to
// even: the number that a library working in float64 had when it was given r.
// A value that rounds to infinity is a *Error.
func Binary64(r *big.Rat) (*big.Rat, error) {
	if r == nil {
		return nil, &Error{Format(r), noNumber}
	}
	f, _ := r.Float64()
	if math.IsInf(f, 0) {
		return nil, &Error{Abbreviate(Format(r)), "a number in the range of binary64"}
	}
	return new(big.Rat).SetFloat64(f), nil
}
