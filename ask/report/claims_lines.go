// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"io"

	"dpverify/certify"
	"dpverify/internal/document"
)

// ClaimLines writes outcomes as JSON Lines: each claim as certify.Report has it, then one line with a summary. It keeps
// nothing of a claim but its verdict.
type ClaimLines struct {
	W io.Writer

	summary struct {
		Claims     int `json:"claims"`
		Verified   int `json:"verified"`
		Refuted    int `json:"refuted"`
		Undecided  int `json:"undecided"`
		Malformed  int `json:"malformed"`
		Stated     int `json:"stated"`
		AsExpected int `json:"as_expected"`
	}
}

// Claim writes the line of one outcome.
func (l *ClaimLines) Claim(o *certify.Outcome) error {
	s := &l.summary
	s.Claims++
	switch o.Verdict {
	case certify.Verified:
		s.Verified++
	case certify.Refuted:
		s.Refuted++
	case certify.Undecided:
		s.Undecided++
	case certify.Malformed:
		s.Malformed++
	case certify.Stated:
		s.Stated++
	}
	if o.AsExpected() {
		s.AsExpected++
	}
	return l.write(certify.NewReport([]*certify.Outcome{o}).Claims[0])
}

// Summary writes the last line.
func (l *ClaimLines) Summary() error {
	return l.write(map[string]any{"summary": l.summary})
}

func (l *ClaimLines) write(v any) error {
	line, err := document.Line(v)
	if err != nil {
		return err
	}
	_, err = l.W.Write(line)
	return err
}
