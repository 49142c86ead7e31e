// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"dpverify/exact/interval"
	"dpverify/mechanism/argument"
)

// An Effort is a rung of the fixed ladder of refinements: every step doubles the
// working precision and raises the limits on sizes. An answer depends on the
// question and the effort only, never on the clock or the machine.
type Effort int

// MaxEffort is the top of the ladder.
const MaxEffort Effort = 8

// Bits is the working precision, from 64 bits at effort 0 to 16384.
func (e Effort) Bits() interval.Prec { return 64 << e }

// Check returns a *mechanism.ParamError for what is no rung.
func (e Effort) Check() error { return argument.Integer("effort", int64(e), 0, int64(MaxEffort)) }

// valid bounds an effort that a caller chose.
func (e Effort) valid() Effort { return min(max(e, 0), MaxEffort) }

// linePrec rounds a precision up to one of a few, so that a search with rising precision
// makes few lines.
func linePrec(p, bits interval.Prec) interval.Prec {
	const step = 4
	return min((p+step-1)/step*step, bits)
}
