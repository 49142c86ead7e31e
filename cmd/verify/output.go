// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"io"
	"sync"

	"dpverify/internal/atomicfile"
)

// A checkedWriter keeps the first error of writing to it: help is printed by cobra, which
// does not look.
type checkedWriter struct {
	io.Writer

	mu  sync.Mutex
	err error
}

func (w *checkedWriter) Write(data []byte) (int, error) {
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
func (w *checkedWriter) Unwrap() io.Writer { return w.Writer }

// failed returns the first error.
func (w *checkedWriter) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// writeOutput writes to a file, or to w if no path is given.
func writeOutput(w io.Writer, path string, data []byte) error {
	if path != "" {
		return atomicfile.Write(path, data)
	}
	_, err := w.Write(data)
	return err
}
