// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"dpverify/internal/cli"
	"dpverify/internal/terminal"
	"dpverify/vectors"
	"dpverify/vectors/generate"
)

func newVectors() *cobra.Command {
	c := &cobra.Command{
		Use:   "vectors",
		Short: "Write, check and lint test vectors for privacy accounting",
		Long: `Test vectors are questions about mechanisms with enclosures of the answers, as JSON files
that the tests of an accountant read without this program. This program carries them;
docs/vectors.md describes them.`,
		Example: `  verify vectors generate vectors/v1
  verify vectors check --one-in 50
  verify vectors lint vectors/v1`,
		Args: noSuchCommand,
		RunE: failedHelp,
	}
	c.AddCommand(newVectorsGenerate(), newVectorsCheck(), newVectorsLint())
	return c
}

// folderArgument demands at most, or exactly, one folder.
func folderArgument(least int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > 1 {
			return fmt.Errorf("%d directories, want one DIR", len(args))
		}
		return nil
	}
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
	c := &cobra.Command{
		Use:   "generate DIR",
		Short: "Write all vectors into a directory",
		Long: `Write all vectors into a directory. Enclosures that its files have are kept, so that only new
questions are computed; --all computes all anew, which takes minutes.`,
		Example: `  verify vectors generate vectors/v1
  verify vectors generate --all new`,
		Args: folderArgument(1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := args[0]
			shown := terminal.NewCounter(c.ErrOrStderr(), "answers")
			defer shown.Close()
			n, err := generate.WriteDir(c.Context(), dir, all, shown.Step)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %d files\n", dir, n)
			return err
		},
	}
	c.Flags().BoolVar(&all, "all", false, "compute the enclosures that the directory has already, too")
	return c
}

func newVectorsCheck() *cobra.Command {
	var s generate.Selection
	c := &cobra.Command{
		Use:   "check [DIR]",
		Short: "Compute vectors anew and compare",
		Long: `Compute vectors anew, of a directory or of this program itself, and compare.
A test is confirmed if what is computed lies in the enclosure of the file, and wrong if the
two exclude each other.

The exit status is 1 if a test is wrong, 3 if some are not confirmed, and 0 otherwise.`,
		Example: `  verify vectors check
  verify vectors check --one-in 20 vectors/v1
  verify vectors check --file 'gaussian_*.json' --digits 12`,
		Args: folderArgument(0),
		RunE: func(c *cobra.Command, args []string) error {
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
			if _, err := io.WriteString(c.OutOrStdout(), r.Text()); err != nil {
				return err
			}
			return checkedVectors(r)
		},
	}
	c.Flags().StringArrayVar(&s.Files, "file", nil, "check the files whose names match this pattern only; may be given several times")
	cli.Integer(c.Flags(), &s.Of, "one-in", 1, 1, cli.MaxInt, "check one test in so many, always the same ones")
	cli.Integer(c.Flags(), &s.Digits, "digits", 0, 0, cli.MaxInt, "compute so many digits (default: as many as the file has)")
	return c
}

// checkedVectors is the error that a check ends with.
func checkedVectors(r generate.CheckResult) error {
	switch {
	case len(r.Wrong) > 0:
		return statusError(statusWrong)
	case len(r.Wider) > 0:
		return statusError(statusUndecided)
	}
	return nil
}

func newVectorsLint() *cobra.Command {
	return &cobra.Command{
		Use:   "lint [DIR]",
		Short: "Check the form of vectors",
		Long: `Check the form of vectors, of a directory or of this program itself: fields,
tcIds, flags and their notes, events, numbers. Nothing is computed.

The exit status is 1 if something is wrong, and 0 otherwise.`,
		Example: `  verify vectors lint vectors/v1`,
		Args:    folderArgument(0),
		RunE: func(c *cobra.Command, args []string) error {
			folder, err := vectorsIn(args)
			if err != nil {
				return err
			}
			faults, err := generate.Lint(folder)
			if err != nil {
				return err
			}
			for _, fault := range faults {
				if _, err := fmt.Fprintln(c.OutOrStdout(), fault); err != nil {
					return err
				}
			}
			if len(faults) > 0 {
				return statusError(statusWrong)
			}
			return nil
		},
	}
}
