// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask/report"
	"dpverify/certify/certificate"
	"dpverify/internal/cli"
	"dpverify/internal/document"
	"dpverify/internal/guard"
	"dpverify/internal/show"
	"dpverify/internal/terminal"
)

func newCheck() *cobra.Command {
	var budget time.Duration
	c := command("check", cli.SomeArguments("no CERTIFICATE, want at least one file or directory"),
		func(c *cobra.Command, args []string) error {
			status := cli.StatusOK
			files, err := certificate.Files(args)
			if err != nil {
				return err
			}
			if len(files) == 0 {
				fmt.Fprintln(c.OutOrStdout(), "0 certificates")
			}
			for _, file := range files {
				s, err := checkFile(c, file, budget, len(files) > manyClaims)
				if err != nil {
					if c.Context().Err() != nil {
						return cli.ErrInterrupted
					}
					cli.PrintError(c.ErrOrStderr(), err)
					s = cli.StatusFailed
				}
				status = cli.Worse(status, s)
			}
			return cli.Ended(status)
		})
	cli.Duration(c.Flags(), &budget, "budget", defaultBudget, 0, "time for one certificate")
	return c
}

// checkFile checks one certificate and returns its status.
func checkFile(c *cobra.Command, file string, budget time.Duration, many bool) (int, error) {
	data, err := document.FileContents(c.Context(), file, certificate.MaxBytes)
	if err != nil {
		return cli.StatusFailed, err
	}
	cert, claim, err := certificate.Read(file, data)
	if err != nil {
		return cli.StatusFailed, err
	}
	k, err := guard.Value(func() (certificate.Check,
		error) {
		return certificate.Verify(c.Context(), cert, claim, budget)
	})
	if err != nil {
		return cli.StatusFailed, fmt.Errorf("%s: %w", show.Name(file), err)
	}
	out := c.OutOrStdout()
	unasked := report.Unasked(c.Context(), claim, cert.Verdict, budget, many)
	fmt.Fprintf(out, "%s", report.CheckText(terminal.NewStyle(out), cert, claim, k, unasked))
	return checkStatus[k.Verdict], nil
}

// checkStatus is the exit status of a check.
var checkStatus = map[certificate.CheckVerdict]int{certificate.Confirmed: cli.StatusOK,
	certificate.Contradicted: cli.StatusWrong, certificate.Unconfirmed: cli.StatusUndecided}
