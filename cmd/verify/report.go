// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/certify"
	"dpverify/internal/atomicfile"
	"dpverify/internal/ordered"
	"dpverify/internal/terminal"
	"dpverify/report"
)

func newReport() *cobra.Command {
	var output, title string
	var budget time.Duration
	c := &cobra.Command{
		Use:   "report FILE… -o PAGE",
		Short: "Decide claims and show them on a page in HTML",
		Long: `Decide the claims of YAML or JSON files and write one self-contained page: verdicts,
enclosures, what each method alone says, a plot of δ over ε, and what was assumed.
It needs neither scripts nor the network, and prints well. Its numbers are those of
"verify certify --format json".

The exit status is as for verify certify.`,
		Example: `  verify report examples/claims.yaml -o report.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no FILE, want at least one claims file or - for standard input")
			}
			return nil
		},
		RunE: func(c *cobra.Command, files []string) error {
			switch {
			case output == "":
				return errors.New("--output is missing, want the path of the page")
			case budget <= 0:
				return fmt.Errorf("--budget = %v, want more than 0", budget)
			}
			if err := atomicfile.Check(output); err != nil {
				return err
			}
			return writeReport(c, files, output, title, budget)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "path of the page")
	c.Flags().StringVar(&title, "title", "Privacy claims", "title of the page")
	c.Flags().DurationVar(&budget, "budget", defaultBudget, "time for deciding one claim, and as much for its plot and comparison")
	return c
}

// examined is a decision with what the page shows beyond it.
type examined struct {
	report.Decision
	detail report.Detail
}

func writeReport(c *cobra.Command, files []string, output, title string, budget time.Duration) error {
	claims, status := readClaims(files, c.InOrStdin(), c.ErrOrStderr())
	p := terminal.NewProgress(c.ErrOrStderr(), len(claims))
	p.Describe("deciding claims")
	run := certifyRun{options: certify.Options{Budget: budget}}
	examine := func(claim *certify.Claim) examined {
		defer p.Step()
		x := examined{Decision: run.decide(c.Context(), claim)}
		if x.Err == nil {
			ctx, cancel := context.WithTimeout(c.Context(), budget)
			defer cancel()
			x.Err = ask.Guard(func() error { x.detail = report.Examine(ctx, x.Outcome); return nil })
		}
		return x
	}
	var outcomes []*certify.Outcome
	var details []report.Detail
	for x := range ordered.Map(slices.Values(claims), examine) {
		if x.Err != nil {
			_ = p.Aside(func() error { printError(c.ErrOrStderr(), x.Err); return nil })
			status = statusFailed
		}
		outcomes, details = append(outcomes, x.Outcome), append(details, x.detail)
		status = worse(status, claimStatus(x.Outcome))
	}
	p.Close()
	if c.Context().Err() != nil {
		return errInterrupted
	}
	data, err := report.Claims(version().Version, title, report.Findings(outcomes, nil), details)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(output, data); err != nil {
		return err
	}
	if status != statusOK {
		return statusError(status)
	}
	return nil
}
