// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"dpverify/certify"
	"dpverify/certify/evidence"
	"dpverify/internal/atomicfile"
	"dpverify/internal/show"
	"dpverify/report"
)

// certifyFormats are the values of --format.
const certifyFormats = "text, json, junit, sarif or github"

// A certifyOutput says how outcomes are shown and kept.
type certifyOutput struct {
	format       string
	output       string // path; empty for standard output
	baseline     string // path; empty for none
	certificates string // directory; empty for none
	evidence     bool   // beside the certificates
	coq          string // directory; empty for none

	known report.Baseline
}

func (o *certifyOutput) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&o.format, "format", "text", certifyFormats)
	fs.StringVarP(&o.output, "output", "o", "", "write to this file instead of standard output")
	fs.StringVar(&o.baseline, "baseline", "", "JSON output of an earlier run: failures that it has do not count")
	fs.StringVar(&o.certificates, "certificate", "", "write a certificate of every claim that an enclosure decides into this directory; verify check reads them")
	fs.BoolVar(&o.evidence, "evidence", false, "with --certificate: write evidence beside the certificates, which the small program in checker/ checks by itself")
	fs.StringVar(&o.coq, "coq", "", "write a file with definitions, statement and proof into this directory for every decided claim with a closed form; coqc accepts or rejects it")
}

// prepare checks the flags and reads the baseline.
func (o *certifyOutput) prepare() error {
	switch o.format {
	case "text", "json", "junit", "sarif", "github":
	default:
		return fmt.Errorf("--format = %s, want %s", show.Value(o.format), certifyFormats)
	}
	if o.isText() && o.output != "" {
		return fmt.Errorf("--output = %s, want a --format other than text", show.Value(o.output))
	}
	if err := atomicfile.Check(o.output); err != nil {
		return err
	}
	if o.evidence && o.certificates == "" {
		return errors.New("--evidence needs --certificate, the directory to write to")
	}
	for _, dir := range [][2]string{{"--certificate", o.certificates}, {"--coq", o.coq}} {
		if dir[1] == "" {
			continue
		}
		if err := os.MkdirAll(dir[1], 0o777); err != nil {
			return fmt.Errorf("%s: %w", dir[0], err)
		}
		if err := atomicfile.Check(filepath.Join(dir[1], "certificate.json")); err != nil {
			return fmt.Errorf("%s: %w", dir[0], err)
		}
	}
	if o.baseline == "" {
		return nil
	}
	baseline, err := report.ReadBaseline(o.baseline)
	if err != nil {
		return fmt.Errorf("--baseline: %w", err)
	}
	o.known = baseline
	return nil
}

func (o *certifyOutput) isText() bool { return o.format == "text" }

// status is claimStatus, without the failures of the baseline.
func (o *certifyOutput) status(out *certify.Outcome) int {
	if o.known.Has(out) {
		return statusOK
	}
	return claimStatus(out)
}

// finish writes everything but text, and the certificates. An interrupted run leaves the
// file of an earlier one as it is: it may be the next baseline.
func (o *certifyOutput) finish(ctx context.Context, stdout io.Writer, outcomes []*certify.Outcome, interrupted bool) error {
	if err := errors.Join(report.WriteCertificates(o.certificates, outcomes), o.writeEvidence(ctx, outcomes)); err != nil || o.isText() || interrupted && o.output != "" {
		return err
	}
	data, err := o.render(outcomes)
	if err != nil {
		return err
	}
	return writeOutput(stdout, o.output, data)
}

func (o *certifyOutput) render(outcomes []*certify.Outcome) ([]byte, error) {
	if o.format == "json" {
		return certify.NewReport(outcomes).JSON()
	}
	fs := report.Findings(outcomes, o.known)
	switch o.format {
	case "junit":
		return report.JUnit(fs)
	case "sarif":
		return report.SARIF(version().Version, fs, o.baseline != "")
	}
	return report.GitHub(fs), nil
}

// writeEvidence writes evidence beside the certificates, and files for Coq, if they are asked for.
func (o *certifyOutput) writeEvidence(ctx context.Context, outcomes []*certify.Outcome) error {
	if o.evidence {
		if err := evidence.WriteFiles(ctx, o.certificates, outcomes); err != nil {
			return err
		}
	}
	if o.coq == "" {
		return nil
	}
	return evidence.WriteCoq(ctx, o.coq, outcomes)
}
