// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package witness

import (
	"context"
	"errors"
	"time"

	"dpverify/certify"
	"dpverify/certify/evidence"
	"dpverify/definition"
	"dpverify/internal/document"
)

// Budget is the time for the witness of one claim.
const Budget = time.Minute

// Of returns the request for a claim "(ε, δ)" that is REFUTED; false for others. Of parameters that are intervals it is
// about the most private ones: no mechanism between is as good as is claimed.
func Of(o *certify.Outcome) (Request, bool) {
	p, ok := o.Claim.Point()
	if !ok || o.Verdict != certify.Refuted {
		return Request{}, false
	}
	q := definition.Question{Event: o.Claim.MorePrivate, Relation: o.Claim.Relation, Direction: o.Claim.Direction}
	return Request{Question: q, Epsilon: p.Epsilon, Delta: p.Delta}, true
}

// FileName is the name of the file with the witness for a claim, by its id.
func FileName(id string) string { return evidence.Escaped(id) + ".witness.json" }

// WriteFiles writes into a directory a file for every REFUTED claim of which a witness is found, and removes what an
// earlier run wrote for the others.
func WriteFiles(ctx context.Context, dir string, outcomes []*certify.Outcome) error {
	return evidence.WriteEach(ctx, dir, outcomes, FileName, func(ctx context.Context,
		o *certify.Outcome) ([]byte, error) {
		r, ok := Of(o)
		if !ok {
			return nil, evidence.ErrNone
		}
		ctx, cancel := context.WithTimeout(ctx, Budget)
		defer cancel()
		w, err := Find(ctx, r)
		if errors.Is(err, ErrNone) || errors.Is(err, context.DeadlineExceeded) {
			return nil, evidence.ErrNone
		} else if err != nil {
			return nil, err
		}
		return document.Indented(w.Report(r))
	})
}
