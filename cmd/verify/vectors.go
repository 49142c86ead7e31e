// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"dpverify/internal/cli"
	"dpverify/internal/terminal"
	"dpverify/vectors"
	"dpverify/vectors/generate"
)

func newVectors() *cobra.Command {
	c := command("vectors", cli.NoSuchCommand, failedHelp)
	c.AddCommand(newVectorsGenerate(), newVectorsCheck(), newVectorsLint())
	return c
}

// vectorsIn are the files of a folder, or those that this program carries.
func vectorsIn(args []string) (fs.FS, error) {
	if len(args) == 0 {
		return vectors.V1(), nil
	}
	if i, err := os.Stat(args[0]); err != nil {
		return nil, err
	} else if !i.IsDir() {
		return nil, fmt.Errorf("%s is a file, want a directory", args[0])
	}
	return os.DirFS(args[0]), nil
}

func newVectorsGenerate() *cobra.Command {
	var all bool
	c := command("vectors-generate", cli.FolderArgument(1), func(c *cobra.Command, args []string) error {
		dir := args[0]
		shown := terminal.NewCounter(c.ErrOrStderr(), "answers")
		defer shown.Close()
		n, err := generate.WriteDir(c.Context(), dir, all, shown.Step)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %d files\n", dir, n)
		return err
	})
	c.Flags().BoolVar(&all, "all", false, "compute the enclosures that the directory has already, too")
	return c
}

func newVectorsCheck() *cobra.Command {
	var s generate.Selection
	c := command("vectors-check", cli.FolderArgument(0), func(c *cobra.Command, args []string) error {
		folder, err := vectorsIn(args)
		if err != nil {
			return err
		}
		shown := terminal.NewCounter(c.ErrOrStderr(), "answers")
		defer shown.Close()
		s.Progress = shown.Step
		r, err := generate.Check(c.Context(), folder, s)
		if err != nil {
			return err
		}
		shown.Close()
		fmt.Fprint(c.OutOrStdout(), r.Text())
		return cmp.Or(cli.EndedIf(len(r.Wrong) > 0, cli.StatusWrong), cli.EndedIf(len(r.Wider) > 0, cli.StatusUndecided))
	})
	c.Flags().StringArrayVar(&s.Files, "file", nil,
		"check the files whose names match this pattern only; may be given several times")
	cli.Integer(c.Flags(), &s.Of, "one-in", 1, 1, cli.MaxInt, "check one test in this many, always the same ones")
	cli.Integer(c.Flags(), &s.Digits, "digits", 0, 0, cli.MaxInt,
		"compute this many digits (default: as many as the file has)")
	return c
}

func newVectorsLint() *cobra.Command {
	return command("vectors-lint", cli.FolderArgument(0), func(c *cobra.Command, args []string) error {
		folder, err := vectorsIn(args)
		if err != nil {
			return err
		}
		faults, err := generate.Lint(folder)
		if err != nil {
			return err
		}
		for _, fault := range faults {
			fmt.Fprintln(c.OutOrStdout(), fault)
		}
		return cli.EndedIf(len(faults) > 0, cli.StatusWrong)
	})
}
