// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package number

const (
	// MaxLen is the number of characters that a number may have.
	MaxLen = 10_000
	// MaxExponent bounds the absolute value of a decimal exponent.
	MaxExponent = 100_000
)
