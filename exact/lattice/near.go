// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// near is a number near r.
func near(r *big.Rat) float64 { return double.Of(interval.Prec(64).Rat(r)).Mid() }
