// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"github.com/spf13/cobra"

	"dpverify/internal/catalogue"
	"dpverify/internal/cli"
	"dpverify/internal/shorthand"
)

func newMechanisms() *cobra.Command {
	var asJSON bool
	c := command("mechanisms", cli.NoArguments, func(c *cobra.Command, _ []string) error {
		return cli.Write(c, asJSON, catalogue.NewReport(), catalogue.Text()+shorthand.Help())
	})
	cli.RegisterFormat(c, &asJSON)
	return c
}
