// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/ask/report"
	"dpverify/ask/reproduce"
	"dpverify/internal/atomicfile"
	"dpverify/internal/cli"
	"dpverify/internal/terminal"
)

func newReproduce() *cobra.Command {
	var dir string
	var list, statements bool
	c := command("reproduce", nil, func(c *cobra.Command, ids []string) error {
		entries, err := reproduce.Choose(ids)
		if err != nil {
			return err
		}
		if list {
			for _, e := range entries {
				fmt.Fprintf(c.OutOrStdout(), "%-20s %s. %s\n", e.ID, e.Paper, e.Title)
			}
			return nil
		}
		if statements {
			for i := range entries {
				entries[i].Figures = nil
			}
		}
		return runReproduce(c, entries, dir)
	})
	c.ValidArgsFunction = func(_ *cobra.Command, chosen []string, begun string) ([]string, cobra.ShellCompDirective) {
		var ids []string
		for _, e := range reproduce.Entries() {
			if strings.HasPrefix(e.ID, begun) && !slices.Contains(chosen, e.ID) {
				ids = append(ids, e.ID+"\t"+e.Title)
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	c.Flags().StringVar(&dir, "out", "", "directory for index.html; it is made if it is not there")
	c.Flags().BoolVar(&statements, "statements", false, "only what is stated, without graphs: half of the time")
	c.Flags().BoolVar(&list, "list", false, "list the entries instead of computing them")
	return c
}

// runReproduce computes entries, as many at once as there are processors, and prints them in their
// order.
func runReproduce(c *cobra.Command, entries []reproduce.Entry, dir string) error {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	outcomes, err := computeEntries(c, entries)
	if err != nil {
		return err
	}
	fmt.Fprint(c.OutOrStdout(), reproduce.Totals(outcomes))
	if dir == "" {
		return nil
	}
	for _, o := range outcomes {
		if o.Table != nil {
			if err := atomicfile.Write(filepath.Join(dir, o.ID+".csv"), o.Table); err != nil {
				return err
			}
		}
	}
	page, err := report.Reproduced(version().Version, outcomes)
	if err != nil {
		return errors.Join(errors.New("the page"), err)
	}
	return atomicfile.Write(filepath.Join(dir, "index.html"), page)
}

func computeEntries(c *cobra.Command, entries []reproduce.Entry) ([]reproduce.Outcome, error) {
	p := terminal.NewProgress(c.ErrOrStderr(), len(entries))
	defer p.Close()
	outcomes, err := reproduce.RunAll(c.Context(), entries, p.Describe, func(o reproduce.Outcome) error {
		defer p.Step()
		return p.Aside(func() error { return cli.WriteOutput(c.OutOrStdout(), "", []byte(o.Text())) })
	})
	return outcomes, cmp.Or(cli.Interrupted(c), err)
}
