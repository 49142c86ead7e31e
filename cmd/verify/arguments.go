// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/internal/cli"
	"dpverify/internal/prose"
)

// oneEvent demands one event.
var oneEvent = exactly(1, "one EVENT (quote it, for the shell)")

// exactly demands a number of arguments.
func exactly(n int, want string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("%s, want %s", arguments(args), want)
		}
		return nil
	}
}

// noArguments refuses arguments.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s, want none", c.Name(), arguments(args))
}

// someArguments refuses that there are none.
func someArguments(missing string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.New(missing)
		}
		return nil
	}
}

// folderArgument demands at most, or exactly, one folder.
func folderArgument(least int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > 1 {
			return fmt.Errorf("%d directories, want one DIR", len(args))
		}
		return nil
	}
}

// arguments counts them.
func arguments(args []string) string { return prose.Many(len(args), "argument", "arguments") }

// noSuchCommand refuses what is no command of a group.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return cli.UnknownCommand(c, args[0])
	}
	return nil
}

// failedHelp prints the help of a group of commands and fails: a script that lost its arguments must not succeed.
func failedHelp(c *cobra.Command, _ []string) error {
	c.SetOut(c.ErrOrStderr())
	if err := c.Help(); err != nil {
		return err
	}
	return statusError(statusFailed)
}
