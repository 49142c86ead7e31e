// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package terminal shows people how far work is, and sets text for them: bars and colours where
// there is a terminal, and lines or nothing elsewhere.
package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Is reports whether w is a terminal. A writer that wraps another one says so by a method Unwrap.
func Is(w io.Writer) bool {
	if x, ok := w.(interface{ Unwrap() io.Writer }); ok {
		w = x.Unwrap()
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
