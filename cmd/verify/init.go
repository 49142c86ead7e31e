// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	templates "dpverify/examples"
	"dpverify/internal/show"
)

func newInit() *cobra.Command {
	var dir string
	names, about := templates.List()
	want := strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
	c := &cobra.Command{
		Use:   "init TEMPLATE",
		Short: "Write files to start from: claims, an adapter, a workflow",
		Long: `Write files to start from. No file is overwritten. The templates are

` + about,
		Example: `  verify init dpsgd
  verify init --dir project ci`,
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%s, want one of %s", arguments(args), want)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			t, ok := templates.Named(args[0])
			if !ok {
				return fmt.Errorf("TEMPLATE = %s, want %s", show.Value(args[0]), want)
			}
			paths, err := t.Write(dir)
			for _, path := range paths {
				if _, err := fmt.Fprintln(c.OutOrStdout(), path); err != nil {
					return err
				}
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "Next: %s\n", t.Next)
			return err
		},
	}
	c.Flags().StringVar(&dir, "dir", ".", "the directory to write into; it is made if it is not there")
	return c
}
