// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	templates "dpverify/examples"
	"dpverify/internal/cli"
	"dpverify/internal/prose"
	"dpverify/internal/show"
	"dpverify/internal/suggest"
)

func newInit() *cobra.Command {
	var dir string
	names, _ := templates.List()
	want := prose.Joined(names, "or")
	c := command("init", cli.Exactly(1, "one of "+want), func(c *cobra.Command, args []string) error {
		t, ok := templates.Named(args[0])
		if !ok {
			return fmt.Errorf("TEMPLATE = %s, want %s%s", show.Value(args[0]), want, suggest.Perhaps(args[0], names))
		}
		paths, err := t.Write(dir)
		for _, path := range paths {
			fmt.Fprintln(c.OutOrStdout(), path)
		}
		if err == nil {
			fmt.Fprintf(c.OutOrStdout(), "Next: %s\n", t.Next)
		}
		return err
	})
	c.ValidArgs = names
	c.Flags().StringVar(&dir, "dir", ".", "the directory to write into; it is made if it is not there")
	return c
}
