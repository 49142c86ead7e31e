// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"github.com/spf13/cobra"

	"dpverify/internal/cli"
)

// oneEvent demands one event.
var oneEvent = cli.Exactly(1, "one EVENT (quote it, for the shell)")

// failedHelp prints the help of a group of commands and fails: a script that lost its arguments must not succeed.
func failedHelp(c *cobra.Command, _ []string) error {
	c.SetOut(c.ErrOrStderr())
	if err := c.Help(); err != nil {
		return err
	}
	return cli.StatusError(cli.StatusFailed)
}
