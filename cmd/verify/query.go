// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"github.com/spf13/cobra"

	"dpverify/ask/query"
	"dpverify/internal/cli"
	"dpverify/internal/size"
)

func newQuery() *cobra.Command {
	var memory size.Bytes
	c := command("query", cli.NoArguments, func(c *cobra.Command, _ []string) error {
		bug := func(err error) { cli.PrintError(c.ErrOrStderr(), err) }
		failed, err := query.Serve(c.Context(), c.InOrStdin(), c.OutOrStdout(),
			query.Options{MaxMemory: int64(memory), Bug: bug})
		if err == nil && failed > 0 {
			err = cli.StatusError(cli.StatusFailed)
		}
		return err
	})
	cli.RegisterMemory(c, &memory)
	return c
}
