// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Verify certifies differential-privacy accounting: it answers claims "(ε, δ)"
// with VERIFIED, REFUTED or UNDECIDED, and questions with intervals that provably
// contain the truth.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/internal/interrupt"
)

func main() {
	os.Exit(run(interrupt.UntilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the command line and returns the exit status. An output that could not be
// written is a failure, whatever else there is to say.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &checkedWriter{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	interrupted := errors.Is(err, errInterrupted)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		interrupted, err = true, errInterrupted
	}
	var status statusError
	if failed := out.failed(); failed != nil && (err == nil || errors.As(err, &status)) {
		err = failed
	}
	switch {
	case err == nil:
		return statusOK
	case errors.As(err, &status):
		return int(status)
	}
	printError(stderr, err)
	if interrupted {
		return interrupt.Status(ctx)
	}
	return statusFailed
}

// printError prints an error, and a bug of the engine with all that a report
// needs.
func printError(w io.Writer, err error) {
	var bug *exact.InconsistencyError
	var crash *ask.PanicError
	switch {
	case errors.As(err, &bug):
		fmt.Fprintf(w, `verify: INTERNAL ERROR: %v

Two methods contradict each other, so one of them is wrong: nothing that this
version says about this mechanism can be relied on. Please report it with this
command, which shows it again:

  %s
`, err, bug.Reproduce)
	case errors.As(err, &crash):
		fmt.Fprintf(w, "verify: INTERNAL ERROR: %v\nPlease report it, with the input that it is about.\n", err)
	default:
		fmt.Fprintf(w, "verify: %v\n", err)
	}
}
