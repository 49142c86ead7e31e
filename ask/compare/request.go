// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package compare

import (
	"context"
	"math/big"

	"dpverify/ask"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/mechanism"
)

// A Side of a privacy profile is ε or δ.
type Side struct{ Name, Symbol, Unit string }

// The sides.
var (
	EpsilonSide = Side{"epsilon", "ε", " (nats)"}
	DeltaSide   = Side{"delta", "δ", ""}
)

// A Measure is what is compared: one side of a profile, at a value of the other.
type Measure struct {
	Of, Over Side
	quantity func(at *big.Rat) ask.Quantity
	derive   func(m derive.Method, ctx context.Context, q derive.Question, at *big.Rat) (derive.Result, error)
}

// A Request asks for a comparison.
type Request struct {
	exact.Question
	Events mechanism.Range // the least private one is the event of the question
	ask.Goal
	Measure
	At   *big.Rat
	Text string            // At, as it was written
	Step func(what string) // called with what is being done, if it is not nil
}
