// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Verify certifies differential-privacy accounting: it answers claims "(ε, δ)"
// with VERIFIED, REFUTED or UNDECIDED, and questions with intervals that provably
// contain the truth.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"

	"dpverify/internal/cli"
	"dpverify/internal/interrupt"
)

func main() {
	// Little stays of what the engine allocates: a heap of 4 MB would be collected every few milliseconds, a
	// fifth of the time. Never written to, this takes addresses and no memory.
	spare := make([]byte, 32<<20)
	status := run(interrupt.UntilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	runtime.KeepAlive(spare)
	os.Exit(status)
}

// run runs the command line and returns the exit status. An output that could not be
// written is a failure, whatever else there is to say.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &cli.CheckedWriter{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	cli.AddCompletion(root, failedHelp)
	err := root.ExecuteContext(ctx)
	interrupted := errors.Is(err, errInterrupted)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		interrupted, err = true, errInterrupted
	}
	status, said := errors.AsType[statusError](err)
	if failed := out.Failed(); failed != nil && (err == nil || said) {
		err, said = failed, false
	}
	if err == nil || said {
		return int(status)
	}
	printError(stderr, err)
	if interrupted {
		return interrupt.Status(ctx)
	}
	return statusFailed
}
