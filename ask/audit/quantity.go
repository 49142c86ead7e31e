// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"fmt"
	"math/big"

	"dpverify/internal/number"
	"dpverify/internal/show"
)

// A Quantity is what a case asks for.
type Quantity string

const (
	Delta    Quantity = "delta"    // δ(At), for At in nats
	Epsilon  Quantity = "epsilon"  // the least ε at δ = At, in nats
	Renyi    Quantity = "renyi"    // the Rényi divergence of order At, in nats
	TradeOff Quantity = "tradeoff" // the least type II error of a test of type I error at most At
)

// A Side says which bound a number is.
type Side string

const (
	Lower Side = "lower"
	Upper Side = "upper"
)

// traits are what tells quantities apart.
type traits struct {
	symbol string
	flag   string // of the command that prints the truth
	wanted string // of At, for an error
	within func(at *big.Rat) bool
	// promise is the side that a guarantee states, and so what a bare value is.
	promise Side
}

var one = big.NewRat(1, 1)

var quantities = map[Quantity]traits{
	Delta:   {"δ", "epsilon", "an ε", func(*big.Rat) bool { return true }, Upper},
	Epsilon: {"ε", "delta", "a δ in [0, 1)", func(x *big.Rat) bool { return x.Sign() >= 0 && x.Cmp(one) < 0 }, Upper},
	Renyi:   {"R", "order", "an order > 0", func(x *big.Rat) bool { return x.Sign() > 0 }, Upper},
	TradeOff: {"f", "alpha", "a type I error in [0, 1]", func(x *big.Rat) bool {
		return x.Sign() >= 0 && x.Cmp(one) <= 0
	}, Lower},
}

const wantQuantity = "delta, epsilon, renyi or tradeoff"

// Symbol returns the letter that the quantity has in formulas.
func (q Quantity) Symbol() string { return quantities[q].symbol }

// check says what is wrong with a quantity or with where it is asked for.
func (q Quantity) check(at *big.Rat) error {
	t, ok := quantities[q]
	switch {
	case !ok:
		return fmt.Errorf("quantity = %s, want %s", show.Value(string(q)), wantQuantity)
	case at == nil:
		return fmt.Errorf("at is missing, want %s", t.wanted)
	case !t.within(at):
		return fmt.Errorf("at = %s, want %s", number.Format(at), t.wanted)
	}
	return nil
}
