// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"github.com/spf13/cobra"

	"dpverify/internal/size"
	"dpverify/query"
)

func newQuery() *cobra.Command {
	var memory size.Bytes
	c := &cobra.Command{
		Use:   "query",
		Short: "Answer questions in JSON Lines, from standard input to standard output",
		Long: `Answer questions, one JSON object a line:

  {"id": …, "event": {…}, "quantity": "delta" | "epsilon" | "renyi" | "tradeoff" | "tv" | "gdp", "at": "1.0",
   "relation": …, "direction": …, "number_format": …, "digits": 12, "timeout": 60}

Questions are answered in parallel and in order, each as soon as it and its
predecessors are done. A line that cannot be answered yields an error object, and
the exit status is 2 in the end. docs/format.md describes the fields.`,
		Example: `  echo '{"id":1,"event":{"class_name":"GaussianDpEvent","noise_multiplier":1},"quantity":"delta","at":1}' | verify query`,
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			bug := func(err error) { printError(c.ErrOrStderr(), err) }
			failed, err := query.Serve(c.Context(), c.InOrStdin(), c.OutOrStdout(), query.Options{MaxMemory: int64(memory), Bug: bug})
			if err == nil && failed > 0 {
				err = statusError(statusFailed)
			}
			return err
		},
	}
	registerMemory(c, &memory)
	return c
}
