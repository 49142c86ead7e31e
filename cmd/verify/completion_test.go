// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"strings"
	"testing"

	"dpverify/internal/cli"
)

// completions returns what a shell is told to offer; it filters by what is typed.
func completions(t *testing.T, args ...string) []string {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(t.Context(), append([]string{"__complete"}, args...), strings.NewReader(""), &out, &errs); status != cli.StatusOK {
		t.Fatalf("%v: exit status %d, %s", args, status, errs.String())
	}
	var values []string
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, ":") {
			value, _, _ := strings.Cut(line, "\t")
			values = append(values, value)
		}
	}
	return values
}

func TestCompletion(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"cur", "curve"},
		{"delta --relation ", "ADD_OR_REMOVE_ONE REPLACE_ONE REPLACE_SPECIAL"},
		{"delta --direction ", "both remove add"},
		{"delta --number-format ", "decimal binary64"},
		{"delta --format ", "text json"},
		{"curve --format ", "csv json"},
		{"certify --format ", "text json jsonl junit sarif github"},
		{"epsilon --effort ", "0 1 2 3 4 5 6 7 8"},
		{"help for", "formats"},
		{"help vectors ", "check generate lint"},
		{"reproduce 1-fig12", "1-fig12-laplace 1-fig12-gauss 1-fig12-coverup 1-fig12-sgd"},
	} {
		if got := strings.Join(completions(t, strings.Split(c.args, " ")...), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}
