// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask/audit"
	"dpverify/ask/report"
	"dpverify/exact"
	"dpverify/internal/atomicfile"
	"dpverify/internal/cli"
	"dpverify/internal/cost"
	"dpverify/internal/guard"
	"dpverify/internal/terminal"
	"dpverify/vectors"
	"dpverify/vectors/generate"
)

// auditFlags are the flags of the command audit.
type auditFlags struct {
	audit.Options
	seed                  uint64
	cases                 int
	suite, format, output string
	binary64              bool
	memory                int64
}

func newAudit() *cobra.Command {
	var f auditFlags
	c := command("audit", cli.SomeArguments("no COMMAND, want the accountant after --"),
		func(c *cobra.Command, command []string) error { return f.run(c, command) })
	c.Flags().SetInterspersed(false)
	fs := c.Flags()
	fs.Uint64Var(&f.seed, "seed", 1, "of the random cases")
	cli.Integer(fs, &f.cases, "cases", 100, 0, 1_000_000, "number of random cases")
	fs.StringVar(&f.suite, "suite", "", "ask the cases of this file, one question a line, instead of the published ones")
	cli.Choice(fs, &f.binary64, "number-format", "decimal", "binary64 judges at the float64 nearest to each number of "+
		"the question, decimal at the number itself", "binary64 or decimal", true, false)
	fs.BoolVar(&f.Estimates, "estimates", false, "a bare value is an estimate, not an upper bound")
	cli.Choice(fs, &f.format, "format", "text", "text, json, html or markdown", "text, json, html or markdown", "text",
		"json", "html", "markdown")
	fs.StringVarP(&f.output, "output", "o", "", "write to this file instead of standard output")
	cli.Duration(fs, &f.Timeout, "timeout", 60*time.Second, 0, "time for one answer")
	cli.DurationOrZero(fs, &f.Startup, "startup", 60*time.Second, "more time for the first answer of every process")
	cli.Integer(fs, &f.memory, "memory", 4096, 0, 1<<30, "MiB that the accountant may use, 0 for no limit (on Linux)")
	cli.Integer(fs, &f.Processes, "processes", 2, 0, cli.MaxInt,
		"how many processes of the accountant are asked at once, each a question of its own")
	cli.Integer(fs, &f.Patience, "patience", 5, 0, cli.MaxInt,
		"failures in a row after which no more is asked, 0 for no limit")
	cli.Integer(fs, &f.Effort, "effort", 5, 0, exact.MaxEffort,
		fmt.Sprintf("the last rung of the ladder on which an answer is judged, 0 to %d", exact.MaxEffort))
	cli.Duration(fs, &f.Budget, "budget", 60*time.Second, 0, "time for judging one answer")
	cli.DurationOrZero(fs, &f.ShrinkTime, "shrink-time", 30*time.Second, "time for shrinking one unsound answer")
	cli.Integer(fs, &f.ShrinkQuestions, "shrink-questions", 300, 0, cli.MaxInt,
		"questions for shrinking one unsound answer")
	return c
}

// options checks the flags.
func (f *auditFlags) options(ctx context.Context, command []string) (audit.Options, error) {
	o := f.Options
	o.Command, o.Memory = command, f.memory<<20
	if err := atomicfile.Check(f.output, append(command, f.suite)...); err != nil {
		return o, err
	}
	o.Cases = audit.Suite()
	if f.suite != "" {
		var err error
		if o.Cases, err = audit.ReadFile(ctx, f.suite); err != nil {
			return o, fmt.Errorf("--suite: %w", err)
		}
	}
	o.Cases = append(o.Cases, audit.Random(f.seed, f.cases)...)
	for i := range o.Cases {
		o.Cases[i].Binary64 = f.binary64
	}
	return o, nil
}

func (f *auditFlags) run(c *cobra.Command, command []string) error {
	o, err := f.options(c.Context(), command)
	if err != nil {
		return err
	}
	p := terminal.NewSteps(c.ErrOrStderr(), len(o.Cases), 0)
	p.Describe("asking")
	o.Progress = p.Step
	o.Shrinking = func(id string) { p.Describe("shrinking " + id) }
	var spent atomic.Int64
	o.Spent = func(cpu time.Duration) { spent.Add(int64(cpu)) }
	own := cost.CPU()
	results, err := guard.Value(func() ([]audit.Result, error) { return audit.Run(c.Context(), o) })
	p.Close()
	if err != nil && (results == nil || !errors.Is(err, context.Canceled)) {
		return err
	}
	seed := &f.seed
	if f.cases == 0 {
		seed = nil
	}
	r := audit.NewReport(version().Version, o, seed, results)
	r.Summary.CPU = &audit.CPUReport{Accountant: time.Duration(spent.Load()).Seconds(),
		Verify: (cost.CPU() - own).Seconds()}
	var data []byte
	var failed error
	switch f.format {
	case "json":
		data, failed = r.JSON()
	case "html":
		data, failed = report.Audit(r)
	case "markdown":
		data, failed = report.AuditMarkdown(r, results, func(t vectors.Test) ([]string, map[string]vectors.Note, error) {
			return generate.Notes(c.Context(), t)
		})
	default:
		data = report.AuditText(r, results)
	}
	if failed == nil {
		failed = cli.WriteOutput(c.OutOrStdout(), f.output, data)
	}
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return cli.ErrInterrupted
	}
	return cmp.Or(r.Summary.Fault(), cli.EndedIf(r.Summary.Unsound > 0, cli.StatusWrong),
		cli.EndedIf(r.Summary.Sound == 0, cli.StatusUndecided))
}
