// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"io"
	"sync"
)

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
