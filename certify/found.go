// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"math/big"

	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// A Derivation says what the stated derivation of a claim gives at the claimed δ.
// It never changes the verdict: a true claim may have a derivation that does not
// yield it, and a false one a derivation that does.
type Derivation struct {
	Name string
	// Claimed is the claimed ε.
	Claimed *big.Rat
	// NotModelled says why nothing is known about the derivation; everything below
	// is then empty.
	NotModelled string
	// Epsilon encloses the derived ε, max(0, ·), but the least ε as it is where the claim is
	// below 0; over interval parameters, all of its values.
	Epsilon *exact.Enclosure
	// Implies answers derived ε ≤ claimed ε.
	Implies interval.Truth
	// Reproduces answers whether the claimed ε is the derived one, rounded to the
	// digits of the claim, and Rounding says how: see Rounding.
	Reproduces interval.Truth
	Rounding   derive.Rounding
	// Digits is how many leading digits of the claim agree with the derived value.
	Digits int
	// Note is for people.
	Note string
}

// A DivergenceBound is a claimed bound of a Rényi divergence with an enclosure of it,
// over all interval parameters.
type DivergenceBound struct {
	mechanism.RenyiPoint
	Divergence exact.Enclosure
}
