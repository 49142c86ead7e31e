// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"dpverify/exact/interval"
	"dpverify/exact/method"
)

// Efforts, drafts and what is said of methods are those of package method.
type (
	Effort             = method.Effort
	Draft              = method.Draft
	Memo               = method.Memo
	Refusal            = method.Refusal
	InconsistencyError = method.InconsistencyError
)

// MaxEffort is the last rung of the ladder of efforts.
const MaxEffort = method.MaxEffort

// The drafts, in the order of what they cost.
const (
	Settled   = method.Settled
	Instant   = method.Instant
	ByMoments = method.ByMoments
	Coarse    = method.Coarse
)

// Drafts are all of them but Settled.
var Drafts = method.Drafts

// Contradiction reports two enclosures of one number that have nothing in common, as [method.Contradiction] does.
func Contradiction(first string, x interval.Interval, second string, y interval.Interval) *InconsistencyError {
	return method.Contradiction(first, x, second, y)
}
