// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dpverify/certify"
	"dpverify/internal/guard"
	"dpverify/internal/ordered"
)

// A Decision is the outcome of a claim, or the bug that prevented one.
type Decision struct {
	Outcome *certify.Outcome
	Err     error
	Unasked string // the text of Unasked
	Reached bool   // false if the run was interrupted before there was an outcome
}

// Decide decides one of many claims: a bug, or a panic, is about this claim and ends no other. A limit of memory that
// is this machine's, and was not stated, is not the outcome's: certificates are the same on all machines.
func Decide(ctx context.Context, claim *certify.Claim, o certify.Options, stated bool) Decision {
	out, err := guard.Value(func() (*certify.Outcome, error) { return certify.Decide(ctx, claim, o) })
	if out != nil && !stated {
		out.MaxMemory = 0
	}
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

// ExamineChosen examines the outcomes that Chosen chooses, several at a time and each for at most a budget of
// time. The details of the others are empty; the errors are bugs. step is told after each one how
// many there are.
func ExamineChosen(ctx context.Context, outcomes []*certify.Outcome, most int, budget time.Duration,
	step func(done, all int)) ([]Detail, []error) {
	details := make([]Detail, len(outcomes))
	var chosen []int
	for i, yes := range Chosen(outcomes, most) {
		if yes {
			chosen = append(chosen, i)
		}
	}
	cost := MethodCost
	if len(chosen) < len(outcomes) && len(chosen) == most {
		cost = LittleCost
	}
	type examined struct {
		detail Detail
		err    error
	}
	examine := func(i int) (x examined) {
		ctx, cancel := context.WithTimeout(ctx, budget)
		defer cancel()
		x.err = guard.Run(func() error { x.detail = Examine(ctx, outcomes[i], cost); return nil })
		return x
	}
	var failures []error
	n := 0
	for x := range ordered.Map(slices.Values(chosen), examine) {
		if x.err != nil {
			failures = append(failures, x.err)
		}
		details[chosen[n]] = x.detail
		n++
		step(n, len(chosen))
	}
	return details, failures
}
