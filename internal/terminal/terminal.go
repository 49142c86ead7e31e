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

// A Style says how text is set on a terminal; the zero Style sets it plainly.
type Style struct{ color bool }

// NewStyle returns the style for w: colours on a terminal, unless the
// environment asks for none (no-color.org).
func NewStyle(w io.Writer) Style {
	return Style{Is(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// A Code is how terminals call a colour or a weight.
type Code string

const (
	Bold   Code = "1"
	Red    Code = "31"
	Green  Code = "32"
	Yellow Code = "33"
	Blue   Code = "34"
	Purple Code = "35"
)

// Set sets a text.
func (s Style) Set(c Code, text string) string {
	if !s.color {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}
