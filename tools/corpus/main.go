// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Corpus asks the built command 500 questions of all classes and extremes, and compares what they cost and how wide the
// answers are with a table kept beside this file.
//
//	go run ./tools/corpus [-run REGEXP] [-verify PROGRAM] [-update]
//	go run ./tools/corpus -cliffs [-run REGEXP] [-stride N]
//
// It prints what became slower or wider than 1.5 times the table, what is no longer complete, and the slowest ten; it
// ends with status 1 where two answers to one question are disjoint. -update writes the table. -cliffs walks
// parameters in steps of 3 %, and prints jumps of the time above a factor of 5. Times are of the CPU, user and
// system, of the whole process.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("corpus", flag.ExitOnError)
	only := flags.String("run", ".", "questions or walks whose names match")
	program := flags.String("verify", "", "the built command (default: it is built)")
	file := flags.String("table", "tools/corpus/table.txt", "the table")
	limit := flags.Duration("limit", 2*time.Second, "interrupt a question after this time of the CPU")
	update := flags.Bool("update", false, "write what was found into the table")
	cliffs := flags.Bool("cliffs", false, "walk parameters in steps of 3 %")
	stride := flags.Int("stride", 1, "walk so many steps at once where the ends cost about the same")
	_ = flags.Parse(args) // it ends the program where it fails
	names, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	if flags.NArg() > 0 || *stride < 1 {
		return errors.New("want flags only, and -stride at least 1")
	}
	if *program == "" {
		dir, err := os.MkdirTemp("", "corpus")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		*program = filepath.Join(dir, "verify")
		build := exec.CommandContext(ctx, "go", "build", "-o", *program, "./cmd/verify")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("go build: %w", err)
		}
	}
	ask := asker{*program, *limit}
	if *cliffs {
		return findCliffs(ctx, ask, names, *stride, out)
	}
	before, err := readTable(*file)
	if err != nil && !(*update && errors.Is(err, os.ErrNotExist)) {
		return err
	}
	after, err := compare(ctx, ask, names, before, out)
	if *update && ctx.Err() == nil && after != nil {
		err = errors.Join(err, writeTable(*file, after))
	}
	return err
}
