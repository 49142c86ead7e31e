// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"dpverify/ask/report"
	"dpverify/certify"
	"dpverify/internal/atomicfile"
	"dpverify/internal/document"
)

// WriteOutput writes to a file, or to w if no path is given.
func WriteOutput(w io.Writer, path string, data []byte) error {
	if path != "" {
		return atomicfile.Write(path, data)
	}
	_, err := w.Write(data)
	return err
}

// Write writes what a command has found, as indented JSON or as text.
func Write(c *cobra.Command, asJSON bool, report any, text string) error {
	if asJSON {
		return WriteJSON(c.OutOrStdout(), report)
	}
	fmt.Fprint(c.OutOrStdout(), text)
	return nil
}

// WriteJSON writes v as indented JSON.
func WriteJSON(w io.Writer, v any) error {
	data, err := document.Indented(v)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// PrintError prints an error, and a bug of the engine with all that a report needs.
func PrintError(w io.Writer, err error) { fmt.Fprint(w, report.Error(err)) }

// A CheckedWriter keeps the first error of writing to it: help is printed by cobra, which
// does not look.
type CheckedWriter struct {
	io.Writer

	mu  sync.Mutex
	err error
}

func (w *CheckedWriter) Write(data []byte) (int, error) {
	n, err := w.Writer.Write(data)
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.err == nil {
			w.err = err
		}
	}
	return n, err
}

// Unwrap returns what is written to, which may be a terminal.
func (w *CheckedWriter) Unwrap() io.Writer { return w.Writer }

// Failed returns the first error.
func (w *CheckedWriter) Failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// The exit statuses.
const (
	StatusOK        = 0
	StatusWrong     = 1 // a decided verdict that differs from the expected one, or REFUTED where nothing is expected
	StatusFailed    = 2 // MALFORMED where it is not expected, or verify could not run
	StatusUndecided = 3 // UNDECIDED where it is not expected, or an answer that says nothing
)

// A StatusError ends a command with an exit status after it has said why.
type StatusError int

func (s StatusError) Error() string { return "exit status " + strconv.Itoa(int(s)) }

// Ended returns the error that ends a command with a status; nil for statusOK.
func Ended(status int) error {
	return EndedIf(status != StatusOK, status)
}

// EndedIf is ended where something is so; nil otherwise.
func EndedIf(so bool, status int) error {
	if !so {
		return nil
	}
	return StatusError(status)
}

// ErrInterrupted ends a command whose context was cancelled.
var ErrInterrupted = errors.New("interrupted")

// ClaimStatus returns the exit status of one outcome.
func ClaimStatus(o *certify.Outcome) int {
	return ReportStatus(o.Verdict, o.AsExpected(), o.Fits())
}

// ReportStatus is VerdictStatus, or worse where a measurement does not fit.
func ReportStatus(v certify.Verdict, asExpected, fits bool) int {
	status := VerdictStatus(v, asExpected)
	if !fits {
		status = Worse(status, StatusWrong)
	}
	return status
}

// VerdictStatus returns the exit status of a verdict.
func VerdictStatus(v certify.Verdict, asExpected bool) int {
	switch {
	case asExpected || v == certify.Stated: // of which nothing was decided
		return StatusOK
	case v == certify.Malformed:
		return StatusFailed
	case v == certify.Undecided:
		return StatusUndecided
	}
	return StatusWrong
}

// Worse returns the status that counts of two.
func Worse(a, b int) int {
	for _, s := range []int{StatusFailed, StatusWrong, StatusUndecided} {
		if a == s || b == s {
			return s
		}
	}
	return StatusOK
}
