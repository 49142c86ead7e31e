// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/certify"
	"dpverify/certify/shard"
	"dpverify/internal/atomicfile"
	"dpverify/internal/cli"
)

func newMerge() *cobra.Command {
	var output string
	var files []string
	c := command("merge", cli.SomeArguments("no RESULT, want at least one file"),
		func(c *cobra.Command, results []string) error {
			if err := atomicfile.Check(output, append(results, files...)...); err != nil {
				return err
			}
			var claims []*certify.Claim
			if len(files) > 0 {
				var status int
				var err error
				if claims, status, err = readClaims(c, files); err != nil || status != cli.StatusOK {
					return cmp.Or(err, error(cli.StatusError(status)))
				}
			}
			var parts []shard.Part
			for _, name := range results {
				part, err := shard.ReadPart(c.Context(), name)
				if err != nil {
					return err
				}
				parts = append(parts, part)
			}
			merged, err := shard.Merge(parts, claims)
			if err != nil {
				return err
			}
			data, err := merged.JSON()
			if err != nil {
				return err
			}
			if err := cli.WriteOutput(c.OutOrStdout(), output, data); err != nil {
				return err
			}
			if output != "" {
				fmt.Fprintf(c.OutOrStdout(), "%d claims: %s\n", len(merged.Claims), certify.Tally(merged.Tally()))
			}
			status := cli.StatusOK
			for _, r := range merged.Claims {
				status = cli.Worse(status, cli.ReportStatus(r.Verdict, r.AsExpected, r.Fits()))
			}
			return cli.Ended(status)
		})
	c.Flags().StringVarP(&output, "output", "o", "", "write to this file instead of standard output")
	c.Flags().StringArrayVar(&files, "claims", nil,
		"a file of the claims that there have to be results of; may be given several times")
	return c
}
