// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"context"
	"errors"
	"slices"

	"dpverify/exact"
	"dpverify/internal/guard"
	"dpverify/mechanism"
)

// Range is For for a range of events, of which it answers for all: the enclosures are the
// hulls of what holds for its two ends, between which all quantities are monotone. The
// event of q is not used.
func Range(ctx context.Context, q exact.Question, r mechanism.Range, g Goal, qs ...Quantity) ([]Answer, error) {
	q.Event = r.LessPrivate
	if r.IsOne() {
		return For(ctx, q, g, qs...)
	}
	g.Known = nil // of one end only
	more, quiet := q, g
	more.Event = r.MorePrivate
	quiet.Progress, quiet.Profiles = nil, nil
	var others []Answer
	var otherErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		otherErr = guard.Run(func() (err error) {
			others, err = For(ctx, more, quiet, qs...)
			return err
		})
	}()
	answers, err := For(ctx, q, g, qs...)
	<-done
	switch {
	case answers == nil:
		return nil, err
	case others == nil:
		return nil, otherErr
	case err == nil:
		err = otherErr
	}
	for i := range answers {
		answers[i] = answers[i].hull(others[i], g.digits(), qs[i])
		if r.Reason != "" && errors.Is(answers[i].Lacking, errRounded) {
			answers[i].Lacking = errApart
		}
		answers[i].Notes = slices.Concat(answers[i].Notes, r.Notes())
	}
	return answers, err
}
