// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Verify certifies differential-privacy accounting: it answers claims "(ε, δ)"
// with VERIFIED, REFUTED or UNDECIDED, and questions with intervals that provably
// contain the truth.
package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"dpverify/internal/cli"
	"dpverify/internal/interrupt"
)

func main() {
	collectSeldom()
	os.Exit(run(interrupt.UntilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// collectSeldom has the heap collected every 32 MB, unless GOGC is set: little stays of what the engine allocates, and
// a heap of 4 MB would be collected every few milliseconds, a fifth of the time. Most commands end before the first
// collection. After it, a slice that is never written to takes addresses and no memory, and counts as 32 MB in use.
func collectSeldom() {
	if os.Getenv("GOGC") != "" {
		return
	}
	const patient = 800 // percent of 4 MB
	usual := debug.SetGCPercent(patient)
	runtime.AddCleanup(new([64]byte), func(int) {
		b := make([]byte, 32<<20)
		spare.Store(&b)
		if now := debug.SetGCPercent(usual); now != patient {
			debug.SetGCPercent(now) // a command has set it
		}
	}, 0)
}

// spare counts as memory in use.
var spare atomic.Pointer[[]byte]

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
	err := cmp.Or(cli.CompleteFlags(root, args, flagValues), cli.Misspelt(root, args))
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	interrupted := errors.Is(err, cli.ErrInterrupted)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		interrupted, err = true, cli.ErrInterrupted
	}
	status, said := errors.AsType[cli.StatusError](err)
	if failed := out.Failed(); failed != nil && (err == nil || said) {
		err, said = failed, false
	}
	if err == nil || said {
		return int(status)
	}
	cli.PrintError(stderr, err)
	if interrupted {
		return interrupt.Status(ctx)
	}
	return cli.StatusFailed
}
