// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask/report"
	"dpverify/certify"
	"dpverify/internal/atomicfile"
	"dpverify/internal/cli"
	"dpverify/internal/ordered"
	"dpverify/internal/show"
	"dpverify/internal/terminal"
)

// defaultDetails is how many claims a page shows in detail, unless it is told.
const defaultDetails = 50

// reportFlags are the flags of verify report.
type reportFlags struct {
	output, title, by, date string
	budget                  time.Duration
	details                 int
	brief                   bool
}

func newReport() *cobra.Command {
	var f reportFlags
	c := command("report", cli.SomeArguments("no FILE, want at least one claims file or - for standard input"),
		func(c *cobra.Command, files []string) error {
			if f.output == "" {
				return errors.New("--output is missing, want the path of the page")
			}
			if err := atomicfile.Check(f.output, files...); err != nil {
				return err
			}
			return f.write(c, files)
		})
	c.Flags().StringVarP(&f.output, "output", "o", "", "path of the page")
	c.Flags().StringVar(&f.title, "title", "Privacy claims", "title of the page")
	c.Flags().StringVar(&f.by, "by", "", "who writes the page; it is shown")
	c.Flags().StringVar(&f.date, "date", report.Today(), "the date that the page shows; empty for none")
	c.Flags().Lookup("date").DefValue = "" // the help is the same every day
	cli.Integer(c.Flags(), &f.details, "details", defaultDetails, 0, cli.MaxInt,
		"how many claims have a graph and comparisons")
	c.Flags().BoolVar(&f.brief, "brief", false, "one printed page a claim, and the rest in an annex")
	cli.Duration(c.Flags(), &f.budget, "budget", defaultBudget, 0,
		"time for deciding one claim, and as much for its plot and comparison")
	return c
}

// about says how the page comes about.
func (f *reportFlags) about(files []string) report.About {
	words := []string{"verify", "report"}
	for _, x := range []struct{ flag, value, usual string }{{"--by", f.by, ""}, {"--title", f.title, "Privacy claims"},
		{"--details", strconv.Itoa(f.details), strconv.Itoa(defaultDetails)},
		{"--budget", f.budget.String(), defaultBudget.String()}} {
		if x.value != x.usual {
			words = append(words, x.flag, show.Shell(x.value))
		}
	}
	if f.brief {
		words = append(words, "--brief")
	}
	for _, file := range files {
		words = append(words, show.Shell(file))
	}
	b := version()
	built := b.Go + " for " + b.Platform
	if b.Revision != "" {
		built = "revision " + b.Revision + "; " + built
	}
	return report.About{Program: b.Version, Built: built, By: f.by, Date: f.date, Brief: f.brief,
		Command: strings.Join(append(words, "-o", show.Shell(f.output)), " ")}
}

func (f *reportFlags) write(c *cobra.Command, files []string) error {
	claims, status, err := readClaims(c, files)
	if err != nil {
		return err
	}
	p := terminal.NewSteps(c.ErrOrStderr(), len(claims), 0)
	p.Describe("deciding claims")
	decide := func(claim *certify.Claim) report.Decision {
		defer p.Step()
		return report.Decide(c.Context(), claim, certify.Options{Budget: f.budget}, true)
	}
	var outcomes []*certify.Outcome
	var failures []error
	for d := range ordered.Map(slices.Values(claims), decide) {
		if d.Err != nil {
			failures = append(failures, d.Err)
		}
		outcomes = append(outcomes, d.Outcome)
		status = cli.Worse(status, cli.ClaimStatus(d.Outcome))
	}
	p.Close()
	drawn := terminal.NewCounter(c.ErrOrStderr(), "drawing graphs")
	details, faults := report.ExamineChosen(c.Context(), outcomes, f.details, f.budget, drawn.Step)
	drawn.Close()
	for _, err := range append(failures, faults...) {
		cli.PrintError(c.ErrOrStderr(), err)
		status = cli.StatusFailed
	}
	if c.Context().Err() != nil {
		return cli.ErrInterrupted
	}
	data, err := report.Claims(f.about(files), f.title, report.Findings(outcomes, nil), details)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(f.output, data); err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", f.output, report.Summary(outcomes))
	return cli.Ended(status)
}
