// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"math/big"
	"time"

	"dpverify/certify"
	"dpverify/mechanism"
)

// A Question asks for the value of the unknown of a template.
type Question struct {
	*Template
	Epsilon, Delta *big.Rat // ε in nats; both at least 0
	Relation       mechanism.Relation
	Direction      mechanism.Direction
	Digits         int               // significant digits of the value, 1 to MaxDigits
	Budget         time.Duration     // to certify one value
	Progress       func(what string) // called before every value, if it is not nil
}

// The accuracies of a value.
const (
	DefaultDigits = 4
	MaxDigits     = 12
)

// DefaultBudget is the time for one value where none is named.
const DefaultBudget = 5 * time.Minute

// A Candidate is a value with what was decided about the claim that it meets (ε, δ).
type Candidate struct {
	Text    string // the value with all its digits
	Value   *big.Rat
	Outcome *certify.Outcome
}

func (c *Candidate) verified() bool { return c.Outcome.Verdict == certify.Verified }

// A Finding is the result of a search.
type Finding struct {
	Best  *Candidate // VERIFIED; nil if no value was
	Next  *Candidate // the next less private value, which is not VERIFIED; nil where there is none
	Ended string     // why there is no next value
	Note  string     // what is not proved about values that were not tried
}
