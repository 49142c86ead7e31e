// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"github.com/spf13/cobra"

	"dpverify/catalogue"
	"dpverify/shorthand"
)

func newMechanisms() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "mechanisms",
		Short: "List the mechanisms: their fields, relations, and how they are bounded",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return write(c, asJSON, catalogue.NewReport(), catalogue.Text()+shorthand.Help())
		},
	}
	registerFormat(c, &asJSON)
	return c
}
