// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"context"
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/efforts"
	"dpverify/mechanism"
)

const (
	// lastEffort ends a climb that does not decide.
	lastEffort = exact.Effort(4)
	// enoughBits is the relative accuracy of an answer that decides nothing.
	enoughBits = 13
)

// enclose encloses δ(eps) of an event, until it is known whether it is at most delta or, where
// that is nil, to four digits.
func enclose(ctx context.Context, e mechanism.Event, eps, delta, scale *big.Rat) (exact.Result, error) {
	var last exact.Result
	err := efforts.Ladder{First: 1, Last: lastEffort}.Climb(ctx, func(effort exact.Effort) (done bool, err error) {
		if last, err = exact.Delta(ctx, exact.Question{Event: e, Scale: scale}, eps, effort); err != nil {
			return false, err
		}
		return delta != nil && last.LessEqRat(delta) != interval.Unknown || delta == nil &&
			last.RelativeBits(enoughBits) >= enoughBits, nil
	})
	return last, err
}
