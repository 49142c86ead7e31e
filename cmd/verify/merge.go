// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/certify"
	"dpverify/certify/shard"
	"dpverify/internal/atomicfile"
)

func newMerge() *cobra.Command {
	var output string
	var files []string
	c := &cobra.Command{
		Use:   "merge RESULT…",
		Short: "Put the results of shards together",
		Long: `Put together what runs of "verify certify --shard k/n --format json" wrote. With --claims
the result is, byte for byte, the result of one run about these files: a claim without a result
is an error, and so is a result about another claim. A claim that several results have, as
where a worker was started again, counts once; if they differ, that is an error.

Baselines are such results, and merge alike.

The exit status is the one of "verify certify" for all claims together.`,
		Example: `  verify certify --shard 1/2 --format json -o 1.json claims.yaml
  verify certify --shard 2/2 --format json -o 2.json claims.yaml
  verify merge --claims claims.yaml -o all.json 1.json 2.json`,
		Args: someArguments("no RESULT, want at least one file"),
		RunE: func(c *cobra.Command, results []string) error {
			if err := atomicfile.Check(output); err != nil {
				return err
			}
			var claims []*certify.Claim
			if len(files) > 0 {
				var status int
				if claims, status = readClaims(files, c.InOrStdin(), c.ErrOrStderr()); status != statusOK {
					return statusError(status)
				}
			}
			var parts []shard.Part
			for _, name := range results {
				part, err := shard.ReadPart(name)
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
			if err := writeOutput(c.OutOrStdout(), output, data); err != nil {
				return err
			}
			if output != "" {
				if _, err := fmt.Fprintf(c.OutOrStdout(), "%d claims: %s\n", len(merged.Claims), certify.Tally(merged.Tally())); err != nil {
					return err
				}
			}
			status := statusOK
			for _, r := range merged.Claims {
				status = worse(status, verdictStatus(r.Verdict, r.AsExpected))
			}
			return ended(status)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write to this file instead of standard output")
	c.Flags().StringArrayVar(&files, "claims", nil, "a file of the claims that there have to be results of; may be given several times")
	return c
}
