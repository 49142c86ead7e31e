// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dpverify/ask/report"
	"dpverify/internal/atomicfile"
	"dpverify/internal/document"
)

// writeOutput writes to a file, or to w if no path is given.
func writeOutput(w io.Writer, path string, data []byte) error {
	if path != "" {
		return atomicfile.Write(path, data)
	}
	_, err := w.Write(data)
	return err
}

// write writes what a command has found, as indented JSON or as text.
func write(c *cobra.Command, asJSON bool, report any, text string) error {
	if asJSON {
		return writeJSON(c.OutOrStdout(), report)
	}
	fmt.Fprint(c.OutOrStdout(), text)
	return nil
}

// writeJSON writes v as indented JSON.
func writeJSON(w io.Writer, v any) error {
	data, err := document.Indented(v)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// printError prints an error, and a bug of the engine with all that a report needs.
func printError(w io.Writer, err error) { fmt.Fprint(w, report.Error(err)) }
