// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/internal/prose"
)

// Exactly demands a number of arguments.
func Exactly(n int, want string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("%s, want %s", arguments(args), want)
		}
		return nil
	}
}

// NoArguments refuses arguments.
func NoArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s, want none", c.Name(), arguments(args))
}

// SomeArguments refuses that there are none.
func SomeArguments(missing string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.New(missing)
		}
		return nil
	}
}

// FolderArgument demands at most, or Exactly, one folder.
func FolderArgument(least int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > 1 {
			return fmt.Errorf("%d directories, want one DIR", len(args))
		}
		return nil
	}
}

// arguments counts them.
func arguments(args []string) string { return prose.Many(len(args), "argument", "arguments") }

// NoSuchCommand refuses what is no command of a group.
func NoSuchCommand(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return UnknownCommand(c, args[0])
	}
	return nil
}

// Misspelt refuses arguments that begin with what is no command, before flags are read, which would be called unknown,
// or show the help of root.
func Misspelt(root *cobra.Command, args []string) error {
	root.InitDefaultHelpCmd()
	if len(args) == 0 || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	c, rest, err := root.Find(args)
	if err != nil || !c.HasSubCommands() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
		return nil
	}
	return UnknownCommand(c, rest[0])
}
