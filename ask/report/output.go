// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"dpverify/ask/witness"
	"dpverify/certify"
	"dpverify/certify/certificate"
	"dpverify/certify/evidence"
	"dpverify/internal/atomicfile"
	"dpverify/internal/document"
	"dpverify/internal/terminal"
)

// Text is the format that is printed claim by claim, by ClaimsText.
const Text = "text"

// JSONLines is the format that is written claim by claim, by ClaimLines, and keeps none.
const JSONLines = "jsonl"

// Formats are the formats that an Output may have, for people.
const Formats = "text, json, jsonl, junit, sarif or github"

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

// Keep writes certificates, evidence, files for Coq and witnesses.
func (o *Output) Keep(ctx context.Context, outcomes []*certify.Outcome) error {
	err := WriteCertificates(o.Certificates, outcomes)
	if o.Evidence {
		err = errors.Join(err, evidence.WriteEach(ctx, o.Certificates, outcomes, evidence.FileName, evidence.New))
	}
	if o.Coq != "" {
		err = errors.Join(err, evidence.WriteEach(ctx, o.Coq, outcomes, evidence.CoqName, evidence.Coq))
	}
	if o.Witness != "" {
		err = errors.Join(err, witness.WriteFiles(ctx, o.Witness, outcomes))
	}
	return err
}

// Outcomes writes what is decided: as text and as JSON Lines each outcome when it comes, in the other formats all of
// them at the end.
type Outcomes struct {
	o     *Output
	w     io.Writer
	aside func(write func() error) error
	text  ClaimsText
	lines ClaimLines
	all   []*certify.Outcome
}

// NewOutcomes returns what writes outcomes to w. aside calls its function where nothing else is written.
func NewOutcomes(o *Output, w io.Writer, aside func(write func() error) error) *Outcomes {
	text := ClaimsText{W: w, Style: terminal.NewStyle(w), Known: o.Known()}
	return &Outcomes{o: o, w: w, aside: aside, text: text, lines: ClaimLines{W: w}}
}

// Add takes one decision. As JSON Lines its files are written as well, and nothing of it is kept.
func (s *Outcomes) Add(ctx context.Context, d Decision) error {
	if s.o.Format != JSONLines {
		s.all = append(s.all, d.Outcome)
	}
	switch {
	case !d.Reached:
	case s.o.Format == Text:
		return s.aside(func() error { return s.text.Claim(d.Outcome, d.Unasked) })
	case s.o.Format == JSONLines:
		return cmp.Or(s.o.Keep(ctx, []*certify.Outcome{d.Outcome}), s.lines.Claim(d.Outcome))
	}
	return nil
}

// Finish writes what stands at the end, and the files about outcomes: nothing into a file of outcomes if the run was
// interrupted, as the file of an earlier run may be the next baseline.
func (s *Outcomes) Finish(ctx context.Context, interrupted bool) error {
	var err error
	switch s.o.Format {
	case JSONLines:
		return s.lines.Summary()
	case Text:
		err = s.text.Summary()
	}
	if err = cmp.Or(err, s.o.Keep(ctx, s.all)); err != nil || s.o.Format == Text || interrupted && s.o.File != "" {
		return err
	}
	data, err := s.o.document(s.all)
	switch {
	case err != nil:
		return err
	case s.o.File != "":
		return atomicfile.Write(s.o.File, data)
	}
	_, err = s.w.Write(data)
	return err
}

// document is one document about outcomes.
func (o *Output) document(outcomes []*certify.Outcome) ([]byte, error) {
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

// WriteCertificates writes into a directory a file for every outcome that has a certificate. Without
// a directory it writes nothing.
func WriteCertificates(dir string, outcomes []*certify.Outcome) error {
	if dir == "" {
		return nil
	}
	for _, out := range outcomes {
		cert, ok := certificate.New(out)
		if !ok {
			continue
		}
		data, err := cert.JSON()
		if err != nil {
			return err
		}
		if err := atomicfile.Write(filepath.Join(dir, cert.FileName()), data); err != nil {
			return err
		}
	}
	return nil
}

// ClaimLines writes outcomes as JSON Lines: each claim as certify.Report has it, then one line with a summary. It keeps
// nothing of a claim but its verdict.
type ClaimLines struct {
	W io.Writer

	counts             map[certify.Verdict]int
	claims, asExpected int
}

// Claim writes the line of one outcome.
func (l *ClaimLines) Claim(o *certify.Outcome) error {
	if l.counts == nil {
		l.counts = make(map[certify.Verdict]int)
	}
	l.claims++
	l.counts[o.Verdict]++
	if o.AsExpected() {
		l.asExpected++
	}
	return l.write(certify.NewReport([]*certify.Outcome{o}).Claims[0])
}

// Summary writes the last line.
func (l *ClaimLines) Summary() error {
	n := l.counts
	return l.write(map[string]any{"summary": struct {
		Claims     int `json:"claims"`
		Verified   int `json:"verified"`
		Refuted    int `json:"refuted"`
		Undecided  int `json:"undecided"`
		Malformed  int `json:"malformed"`
		Stated     int `json:"stated"`
		AsExpected int `json:"as_expected"`
	}{l.claims, n[certify.Verified], n[certify.Refuted], n[certify.Undecided], n[certify.Malformed], n[certify.Stated],
		l.asExpected}})
}

func (l *ClaimLines) write(v any) error {
	line, err := document.Line(v)
	if err != nil {
		return err
	}
	_, err = l.W.Write(line)
	return err
}
