package renyi

import (
	"math/big"

	"dpverify/mechanism"
)

// An Order is a Rényi order α ∈ (0, ∞].
type Order struct{ rat *big.Rat } // nil: ∞

// Infinity is the order ∞.
var Infinity = Order{}

// At returns the order alpha > 0; nil is ∞.
func At(alpha *big.Rat) Order {
	if alpha != nil && alpha.Sign() <= 0 {
		panic("renyi: internal error: an order that is not positive")
	}
	return Order{alpha}
}

// Rat returns the order as a rational; false for ∞.
func (a Order) Rat() (*big.Rat, bool) { return a.rat, a.rat != nil }

func (a Order) String() string {
	if a.rat == nil {
		return "inf"
	}
	return mechanism.FormatNumber(a.rat)
}
