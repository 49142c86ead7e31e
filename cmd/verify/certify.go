// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask/report"
	"dpverify/certify"
	"dpverify/certify/shard"
	"dpverify/internal/atomicfile"
	"dpverify/internal/cli"
	"dpverify/internal/ordered"
	"dpverify/internal/show"
	"dpverify/internal/size"
	"dpverify/internal/terminal"
)

// manyClaims is from how many claims on verified ones are not compared with slow derivations, and progress is printed.
const manyClaims = 20

// defaultBudget is the time that one claim may take.
const defaultBudget = 60 * time.Second

func newCertify() *cobra.Command {
	var r certifyRun
	var memory size.Bytes
	var share shard.Shard
	var single cli.SingleClaim
	files := func(c *cobra.Command, args []string) error {
		if single.Given() {
			return oneEvent(c, args)
		}
		if len(args) == 0 {
			return errors.New("no FILE, want at least one claims file or - for standard input")
		}
		if i := slices.Index(args, "-"); i >= 0 && slices.Contains(args[i+1:], "-") {
			return errors.New("- is given twice, but standard input can be read only once")
		}
		return nil
	}
	c := command("certify", files, func(c *cobra.Command, files []string) error {
		if err := prepareOutcomes(c.Context(), &r.output, files...); err != nil {
			return err
		}
		r.options.MaxMemory = int64(memory)
		if r.output.Format == report.JSONLines {
			debug.SetGCPercent(30) // for runs of many claims, of which little is to be remembered
		}
		if single.Given() {
			claim, err := single.Claim(c, files[0])
			if err != nil {
				return err
			}
			return r.run(c, []*certify.Claim{claim}, cli.StatusOK)
		}
		if err := single.OnlyWithNumbers(c); err != nil {
			return err
		}
		claims, status, err := readClaims(c, files)
		if err != nil {
			return err
		}
		if c.Flags().Changed("shard") {
			all := len(claims)
			if claims = share.Select(claims); len(claims) == 0 {
				fmt.Fprintf(c.ErrOrStderr(), "verify: note: shard %d/%d has none of %d claims\n", share.K, share.Of, all)
			}
		}
		return r.run(c, claims, status)
	})
	registerOutcomes(c, &r.output)
	cli.RegisterEffort(c, &r.options.Fixed)
	cli.Duration(c.Flags(), &r.options.Budget, "budget", defaultBudget, 0,
		"time for one claim; what is not decided by then is UNDECIDED")
	cli.RegisterMemory(c, &memory)
	cli.Parsed(c.Flags(), &share, "shard", "string", "", "decide the claims of one share of n only, as k/n, such as "+
		"2/8: by their ids. 0/8 is 8/8, for jobs that count from 0. verify merge puts the results together",
		func(s string) (shard.Shard, error) {
			x, err := shard.Parse(s)
			if err != nil {
				err = cli.Want(err.Error())
			}
			return x, err
		})
	single.Register(c)
	return c
}

// A certifyRun is one run of the command certify.
type certifyRun struct {
	options certify.Options
	output  report.Output
}

// run decides claims; status is what reading them came to.
func (r *certifyRun) run(c *cobra.Command, claims []*certify.Claim, status int) error {
	if err := r.output.Check(claims); err != nil {
		return err
	}
	if r.output.Format == report.JSONLines && r.output.File != "" {
		var ended cli.StatusError // which does not make the file a wrong one
		err := atomicfile.WriteBy(r.output.File, func(w io.Writer) error {
			if err := r.decide(c, w, claims, status); !errors.As(err, &ended) {
				return err
			}
			return nil
		})
		return cmp.Or(err, cli.Ended(int(ended)))
	}
	return r.decide(c, c.OutOrStdout(), claims, status)
}

// decide decides claims and writes about each, or about all at the end. As JSON Lines, nothing of a claim is kept
// that was written.
func (r *certifyRun) decide(c *cobra.Command, out io.Writer, claims []*certify.Claim, status int) error {
	stderr, total := c.ErrOrStderr(), len(claims)
	p := terminal.NewSteps(stderr, total, manyClaims)
	p.Describe("deciding claims")
	decide := func(claim *certify.Claim) report.Decision {
		defer p.Step()
		d := report.Decide(c.Context(), claim, r.options, c.Flags().Changed("max-memory"))
		if r.output.Format == report.Text && d.Reached {
			d.Unasked = report.Unasked(c.Context(), claim, d.Outcome.Verdict, r.options.Budget, total > manyClaims)
		}
		return d
	}
	outcomes := report.NewOutcomes(&r.output, out, p.Aside)
	left := 0
	var failed error // of writing
	for d := range ordered.Map(ordered.Released(claims), decide) {
		if d.Err != nil {
			_ = p.Aside(func() error { cli.PrintError(stderr, d.Err); return nil })
			status = cli.StatusFailed
		}
		if !d.Reached {
			left++
		}
		if !r.output.Known().Has(d.Outcome) {
			status = cli.Worse(status, cli.ClaimStatus(d.Outcome))
		}
		if failed = outcomes.Add(c.Context(), d); failed != nil {
			break
		}
	}
	p.Close()
	if failed == nil {
		failed = outcomes.Finish(c.Context(), left > 0)
	}
	switch {
	case failed != nil:
		return failed
	case left > 0:
		return fmt.Errorf("%w: %d of %d claims were not decided", cli.ErrInterrupted, left, total)
	}
	return cli.Ended(status)
}

// readClaims reads all files. A file that cannot be read is reported and left out; what an interruption has left unread
// is an error.
func readClaims(c *cobra.Command, files []string) (claims []*certify.Claim, status int, err error) {
	ended := func(failed error) bool { return c.Context().Err() != nil && errors.Is(failed, c.Context().Err()) }
	claims = certify.ReadFiles(c.Context(), files, c.InOrStdin(), func(failed error) {
		if ended(failed) {
			err = cli.ErrInterrupted
			return
		}
		cli.PrintError(c.ErrOrStderr(), failed)
		status = cli.StatusFailed
	})
	if slices.ContainsFunc(claims, func(claim *certify.Claim) bool { return ended(claim.Err) }) {
		err = cli.ErrInterrupted
	}
	return claims, status, err
}

// registerOutcomes registers the flags of how outcomes are kept.
func registerOutcomes(c *cobra.Command, o *report.Output) {
	o.Program = version().Version
	fs := c.Flags()
	cli.Choice(fs, &o.Format, "format", report.Text, report.Formats, report.Formats, cli.Names(report.Formats)...)
	fs.StringVarP(&o.File, "output", "o", "", "write to this file instead of standard output")
	fs.StringVar(&o.Baseline, "baseline", "", "JSON output of an earlier run: failures that it has do not count")
	fs.StringVar(&o.Certificates, "certificate", "",
		"write a certificate of every claim that an enclosure decides into this directory; verify check reads them")
	fs.BoolVar(&o.Evidence, "evidence", false,
		"with --certificate: write evidence beside the certificates, which the small program in checker/ checks by itself")
	fs.StringVar(&o.Witness, "witness", "", "write a witness of every refuted claim (ε, δ) into this directory: two "+
		"data sets and a set of outputs; see verify witness")
	fs.StringVar(&o.Coq, "coq", "", "write a file with definitions, statement and proof into this directory for every "+
		"decided claim with a closed form; coqc accepts or rejects it")
}

// prepareOutcomes checks the flags.
func prepareOutcomes(ctx context.Context, o *report.Output, read ...string) error {
	switch {
	case o.Format == report.Text && o.File != "":
		return fmt.Errorf("--output = %s, want a --format other than text", show.Value(o.File))
	case o.Evidence && o.Certificates == "":
		return errors.New("--evidence needs --certificate, the directory to write to")
	}
	if err := atomicfile.Check(o.File, read...); err != nil {
		return err
	}
	return o.Prepare(ctx)
}
