// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/ask/report"
	"dpverify/internal/atomicfile"
	"dpverify/internal/cli"
	"dpverify/internal/show"
)

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
