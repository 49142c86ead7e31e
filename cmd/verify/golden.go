// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/ask/golden"
	"dpverify/internal/cli"
)

// goldenDigits is how many digits of a value are compared by default.
const goldenDigits = 100

func newGolden() *cobra.Command {
	var o golden.Options
	var binary string
	c := command("golden", cli.FolderArgument(1), func(c *cobra.Command, args []string) (err error) {
		if binary == "" {
			if binary, err = os.Executable(); err != nil {
				return err
			}
		}
		if o.Program, err = golden.Binary(binary); err != nil {
			return fmt.Errorf("--binary: %w, want a program", err)
		}
		r, err := golden.Run(c.Context(), args[0], o)
		if err != nil {
			return err
		}
		fmt.Fprint(c.OutOrStdout(), r.Text())
		return cli.EndedIf(len(r.Failures) > 0, cli.StatusWrong)
	})
	fs := c.Flags()
	fs.StringVar(&binary, "binary", "", "the build to run (default: this program)")
	fs.BoolVar(&o.Update, "update", false, "rewrite snapshots that differ")
	cli.Integer(fs, &o.Digits, "digits", goldenDigits, 1, ask.MaxDigits, "most digits of a value that are compared")
	cli.Duration(fs, &o.Timeout, "timeout", 30*time.Second, 0, "time for one question")
	cli.Duration(fs, &o.Budget, "budget", defaultBudget, 0, "time for one claim")
	return c
}
