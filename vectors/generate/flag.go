// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

// A Flag names a way in which accountants have failed.
type Flag string

// The flags.
const (
	CountIgnored     Flag = "COUNT_IGNORED"
	ReplaceOne2C     Flag = "REPLACE_ONE_2C"
	FFTNoise         Flag = "FFT_NOISE"
	TailTruncation   Flag = "TAIL_TRUNCATION"
	WrapAround       Flag = "WRAP_AROUND"
	TinyDelta        Flag = "TINY_DELTA"
	HugeEpsilon      Flag = "HUGE_EPSILON"
	NegativeEpsilon  Flag = "NEGATIVE_EPSILON"
	CLTIsNoBound     Flag = "CLT_IS_NO_BOUND"
	FractionalOrder  Flag = "FRACTIONAL_ORDER"
	UnknownDimension Flag = "UNKNOWN_DIMENSION"
	BoundedRange     Flag = "BOUNDED_RANGE"
	OneDirection     Flag = "ONE_DIRECTION"
	RoundedParameter Flag = "ROUNDED_PARAMETER"
	InfiniteMass     Flag = "INFINITE_MASS"
	SampledDiscrete  Flag = "SAMPLED_DISCRETE"
	NoAmplification  Flag = "NO_AMPLIFICATION"
	ClassicalFormula Flag = "CLASSICAL_FORMULA"
)
