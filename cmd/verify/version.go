// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/internal/build"
	"dpverify/internal/cli"
)

// released is the version of a released program, which the linker sets.
var released string

// version describes this binary.
func version() build.Info { return build.Describe(released) }

func newVersion() *cobra.Command {
	return command("version", cli.NoArguments, func(c *cobra.Command, _ []string) error {
		fmt.Fprintln(c.OutOrStdout(), version())
		return nil
	})
}
