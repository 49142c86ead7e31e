// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	_ "embed"
	"strings"
)

// A question is a command line without the program, with a name.
type question struct{ name, line string }

// written has the questions: a name, a tab and a command line. Most were drawn from wide ranges of parameters,
// and the others are cliffs that were found.
//
//go:embed questions.txt
var written string

// questions are those of the file, in their order.
func questions() (out []question) {
	for line := range strings.Lines(written) {
		name, line, _ := strings.Cut(strings.TrimSpace(line), "\t")
		out = append(out, question{name, line})
	}
	return out
}

// args are the arguments: words, and what stands between single quotes.
func (q question) args() (out []string) {
	for i, part := range strings.Split(q.line, "'") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}
