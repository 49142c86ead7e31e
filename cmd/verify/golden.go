// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/golden"
	"dpverify/internal/cli"
)

// goldenDigits is how many digits of a value are compared by default.
const goldenDigits = 100

func newGolden() *cobra.Command {
	var o golden.Options
	var binary string
	c := &cobra.Command{
		Use:   "golden DIR",
		Short: "Run a directory of golden cases against this program or another build",
		Long: `Run golden cases against this program, or against the build that --binary names:

  oracle/**/*.jsonl   values from outside: questions of "verify query" with a value
  published/*.yaml    claims whose verdict is known
  snapshot/NAME.json  the output of "verify certify --format json" for published/NAME.yaml

An answer must meet the value from outside, a verdict must be the expected one or
UNDECIDED, and a snapshot must be the output, byte for byte. --update rewrites
snapshots, and nothing else ever.

A value is compared to all of its digits, up to --digits. How many were compared to fewer
is said, because they have more or because the time ended, and so is how many lines, such
as headers, ask nothing.

The exit status is 1 if a case fails, 2 if the cases cannot be run or there are
none, and 0 otherwise.`,
		Example: `  verify golden testdata/golden
  verify golden --binary ./verify-1.0 testdata/golden`,
		Args: folderArgument(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
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
			if _, err := io.WriteString(c.OutOrStdout(), r.Text()); err != nil {
				return err
			}
			if len(r.Failures) > 0 {
				return statusError(statusWrong)
			}
			return nil
		},
	}
	fs := c.Flags()
	fs.StringVar(&binary, "binary", "", "the build to run (default: this program)")
	fs.BoolVar(&o.Update, "update", false, "rewrite snapshots that differ")
	cli.Integer(fs, &o.Digits, "digits", goldenDigits, 1, ask.MaxDigits, "most digits of a value that are compared")
	cli.Duration(fs, &o.Timeout, "timeout", 30*time.Second, 0, "time for one question")
	cli.Duration(fs, &o.Budget, "budget", defaultBudget, 0, "time for one claim")
	return c
}
