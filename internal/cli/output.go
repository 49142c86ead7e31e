// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"

	"dpverify/ask/report"
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
