// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/exact"
	"dpverify/internal/guard"
	"dpverify/internal/terminal"
)

// Watched runs f while standard error shows the steps that f tells of. A crash becomes an error. Where the
// run is interrupted, f may have failed or not.
func Watched[T any](c *cobra.Command, f func(show func(what string)) (T, error)) (T, error) {
	p := terminal.NewProgress(c.ErrOrStderr(), -1)
	defer p.Close()
	return guard.Value(func() (T, error) { return f(p.Describe) })
}

// Completed is watched for what an interruption leaves nothing of.
func Completed[T any](c *cobra.Command, f func(show func(what string)) (T, error)) (T, error) {
	x, err := Watched(c, f)
	return x, cmp.Or(Interrupted(c), err)
}

// Interrupted is errInterrupted if the command is; nil otherwise.
func Interrupted(c *cobra.Command) error {
	if c.Context().Err() != nil {
		return ErrInterrupted
	}
	return nil
}

// Efforts is the progress of a climb.
func Efforts(show func(what string)) func(exact.Effort, int) {
	return func(e exact.Effort, _ int) { show(fmt.Sprintf("effort %d", e)) }
}
