// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"dpverify/ask"
	"dpverify/certify"
)

// A Decision is the outcome of a claim, or the bug that prevented one.
type Decision struct {
	Outcome *certify.Outcome
	Err     error
	Reached bool // false if the run was interrupted before there was an outcome
}

// Decide decides one of many claims: a bug, or a panic, is about this claim and ends no other.
func Decide(ctx context.Context, claim *certify.Claim, o certify.Options) Decision {
	var out *certify.Outcome
	err := ask.Guard(func() (err error) {
		out, err = certify.Decide(ctx, claim, o)
		return err
	})
	switch {
	case err == nil:
		return Decision{Outcome: out, Reached: true}
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return Decision{Outcome: out, Reached: out.Verdict != certify.Undecided}
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	failed := &certify.Outcome{Claim: claim, Verdict: certify.Undecided, Reason: "internal error: " + first}
	return Decision{Outcome: failed, Err: fmt.Errorf("%s: %w", ClaimName(claim), err), Reached: true}
}
