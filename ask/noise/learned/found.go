// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"math/big"
	"time"

	"dpverify/exact"
	"dpverify/internal/shown"
	"dpverify/mechanism"
)

// A Found is noise that was learned. All of it but Baselines and Gradients is certified.
type Found struct {
	Noise         mechanism.AdditiveNoise
	Event         mechanism.Event // the composition
	Delta         exact.Result    // of the composition, at Epsilon
	First, Second *big.Rat        // E|X| and E X²
	Optimum       *Optimum        // nil where nothing is proved
	Baselines     []Baseline
	Gradients     int
	Interrupted   bool
	Took          time.Duration
}

// A NoneError says why there is no noise.
type NoneError struct{ Reason string }

func (e *NoneError) Error() string { return "no noise was found: " + e.Reason }

// L1 encloses E|X|.
func (f Found) L1() shown.Bounds { return ends(precision.Rat(f.First)) }

// L2 encloses (E X²)^½.
func (f Found) L2() shown.Bounds { return ends(precision.Sqrt(precision.Rat(f.Second))) }
