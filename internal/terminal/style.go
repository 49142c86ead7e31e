// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package terminal

import (
	"io"
	"os"
)

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
