// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"dpverify/ask/witness"
	"dpverify/certify"
	"dpverify/certify/evidence"
	"dpverify/internal/atomicfile"
)

// Text is the format that is printed claim by claim, by ClaimsText.
const Text = "text"

// Formats are the formats that an Output may have, for people.
const Formats = "text, json, junit, sarif or github"

// An Output says how outcomes are kept.
type Output struct {
	Program      string // its version
	Format       string // one of Formats
	File         string // path; empty for standard output
	Baseline     string // path of the JSON output of an earlier run; empty for none
	Certificates string // directory; empty for none
	Evidence     bool   // beside the certificates
	Coq          string // directory; empty for none
	Witness      string // directory; empty for none

	known Baseline
}

// Prepare makes the directories and reads the baseline, so that a run does not fail at its end.
func (o *Output) Prepare(ctx context.Context) (err error) {
	for _, dir := range []struct{ flag, path string }{{"--certificate", o.Certificates}, {"--coq", o.Coq},
		{"--witness", o.Witness}} {
		if dir.path == "" {
			continue
		}
		if err := os.MkdirAll(dir.path, 0o777); err != nil {
			return fmt.Errorf("%s: %w", dir.flag, err)
		}
		if err := atomicfile.Check(filepath.Join(dir.path, "certificate.json")); err != nil {
			return fmt.Errorf("%s: %w", dir.flag, err)
		}
	}
	if o.Baseline != "" {
		if o.known, err = ReadBaseline(ctx, o.Baseline); err != nil {
			return fmt.Errorf("--baseline: %w", err)
		}
	}
	return nil
}

// Check refuses claims of which two would be kept in one file.
func (o *Output) Check(claims []*certify.Claim) error {
	var err error
	if o.Evidence {
		err = evidence.Distinct(claims, evidence.FileName)
	}
	if o.Coq != "" {
		err = cmp.Or(err, evidence.Distinct(claims, evidence.CoqName))
	}
	if o.Witness != "" {
		err = cmp.Or(err, evidence.Distinct(claims, witness.FileName))
	}
	return err
}

// Known are the failures of the baseline.
func (o *Output) Known() Baseline { return o.known }

// Finish writes certificates, evidence, files for Coq and witnesses, and returns what belongs into the output: nothing
// for Text, and nothing for a file if the run was interrupted, as the file of an earlier run may be the next baseline.
func (o *Output) Finish(ctx context.Context, outcomes []*certify.Outcome, interrupted bool) ([]byte, error) {
	err := WriteCertificates(o.Certificates, outcomes)
	if o.Evidence {
		err = errors.Join(err, evidence.WriteFiles(ctx, o.Certificates, outcomes))
	}
	if o.Coq != "" {
		err = errors.Join(err, evidence.WriteCoq(ctx, o.Coq, outcomes))
	}
	if o.Witness != "" {
		err = errors.Join(err, witness.WriteFiles(ctx, o.Witness, outcomes))
	}
	if err != nil || o.Format == Text || interrupted && o.File != "" {
		return nil, err
	}
	if o.Format == "json" {
		return certify.NewReport(outcomes).JSON()
	}
	fs := Findings(outcomes, o.known)
	switch o.Format {
	case "junit":
		return JUnit(fs)
	case "sarif":
		return SARIF(o.Program, fs, o.Baseline != "")
	}
	return GitHub(fs), nil
}
