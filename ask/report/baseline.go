// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"context"

	"dpverify/certify"
	"dpverify/internal/document"
)

// A Baseline is the failures of an earlier run. A nil Baseline has none.
type Baseline map[failure]bool

// A failure is a verdict that is not as expected, and on what.
type failure struct {
	file, id    string
	verdict     certify.Verdict
	fingerprint string
}

func failureOf(c certify.ClaimReport) failure {
	return failure{c.File, c.ID, c.Verdict, c.Fingerprint}
}

// ReadBaseline reads the JSON output of an earlier run.
func ReadBaseline(ctx context.Context, path string) (Baseline, error) {
	const most = 256 << 20
	data, err := document.FileContents(ctx, path, most)
	if err != nil {
		return nil, err
	}
	r, err := certify.ReadReport(path, data)
	if err != nil {
		return nil, err
	}
	known := make(Baseline)
	for _, c := range r.Claims {
		if c.AsExpected {
			continue
		}
		known[failureOf(c)] = true
	}
	return known, nil
}

// has reports that the baseline has the same failure: the same verdict on a claim of the same
// file and id that says the same.
func (b Baseline) has(c certify.ClaimReport) bool { return b[failureOf(c)] }

// Has is has for an outcome.
func (b Baseline) Has(o *certify.Outcome) bool {
	return b != nil && b.has(certify.NewReport([]*certify.Outcome{o}).Claims[0])
}
