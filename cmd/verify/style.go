// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"io"
	"os"
	"strings"

	"dpverify/certify"
)

// A style says how text is set on the terminal; the zero style sets it plainly.
type style struct{ color bool }

// newStyle returns the style for w: colours on a terminal, unless the
// environment asks for none (no-color.org).
func newStyle(w io.Writer) style {
	return style{isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// The colours, as terminals know them.
const (
	green  = "32"
	red    = "31"
	yellow = "33"
	purple = "35"
	blue   = "34"
	bold   = "1"
)

func (s style) set(code, text string) string {
	if !s.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// verdict returns a verdict as it stands in text, padded to equal length.
func (s style) verdict(v certify.Verdict) string {
	code := map[certify.Verdict]string{
		certify.Verified:  green,
		certify.Refuted:   red,
		certify.Undecided: yellow,
		certify.Malformed: purple,
		certify.Stated:    blue,
	}[v]
	text := strings.ToUpper(string(v))
	return s.set(code, text) + strings.Repeat(" ", len("UNDECIDED")-len(text))
}
