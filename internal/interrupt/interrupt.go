// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package interrupt ends a program by signals as shells expect it.
package interrupt

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// A signalError is the cause for which a context was cancelled.
type signalError struct{ os.Signal }

func (e signalError) Error() string { return e.String() }

// UntilSignal returns a context that the first SIGINT or SIGTERM cancels. The second one
// kills the process, in case the first is answered late.
func UntilSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-signals
		signal.Stop(signals)
		cancel(signalError{s})
	}()
	return ctx
}

// Status is the exit status of an interrupted command: 128 and the number of
// the signal, as shells have it.
func Status(ctx context.Context) int {
	number := syscall.SIGINT
	var cause signalError
	if errors.As(context.Cause(ctx), &cause) && cause.Signal == syscall.SIGTERM {
		number = syscall.SIGTERM
	}
	return 128 + int(number)
}
