// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/internal/terminal"
)

// watched runs f while standard error shows the steps that f tells of. A crash becomes an error. Where the
// run is interrupted, f may have failed or not.
func watched[T any](c *cobra.Command, f func(show func(what string)) (T, error)) (T, error) {
	p := terminal.NewProgress(c.ErrOrStderr(), -1)
	defer p.Close()
	return ask.Guarded(func() (T, error) { return f(p.Describe) })
}

// completed is watched for what an interruption leaves nothing of.
func completed[T any](c *cobra.Command, f func(show func(what string)) (T, error)) (T, error) {
	x, err := watched(c, f)
	return x, cmp.Or(interrupted(c), err)
}

// interrupted is errInterrupted if the command is; nil otherwise.
func interrupted(c *cobra.Command) error {
	if c.Context().Err() != nil {
		return errInterrupted
	}
	return nil
}

// efforts is the progress of a climb.
func efforts(show func(what string)) func(exact.Effort, int) {
	return func(e exact.Effort, _ int) { show(fmt.Sprintf("effort %d", e)) }
}
