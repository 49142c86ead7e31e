// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package kernel has the series of e^x, e^{ix}, log x, π and log 2 in fixed point: integers that enclose a value times
// 2^w. Every floor is counted, and what a series leaves out is bounded; the proofs stand above the loops. Nothing here
// knows of intervals: exact/interval rounds to them.
package kernel

import "math/big"

var oneInt = big.NewInt(1)
