// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Mutants shows that the tests bite: it makes one-line mistakes in exact/ and
// certify/, one at a time, each of which could make a bound wrong, and demands that
// the test which the list names for it fails.
//
//	go run ./tools/mutants [-changed] [-budget DURATION] [-run REGEXP] [-list | -evidence]
//
// It runs in the folder of the module.
//
// The mistakes are listed in mutants/list, see there. It ends with status 1 if one
// survives, does not compile, or hangs; each of them means that a test is missing or
// that the list is out of date.
//
// With -evidence, tests do not matter: the program with each mistake writes evidence for its verdicts, and the
// separate checker must not accept any that is wrong.
//
// The working tree is not touched, nor are edits that happen meanwhile seen: tests
// run in one copy of the module, where `go build -overlay` puts a copy of one file, with
// the mistake, in the place of the original.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ExitOnError)
	onlyChanged := flags.Bool("changed", false,
		"only mutants of packages that changed since $DPVERIFY_BASE, or since the\nmerge base with origin/main, or in the "+
			"last commit")
	pattern := flags.String("run", "", "only mutants whose name matches `REGEXP`")
	budget := flags.Duration("budget", 0,
		"begin with no mutant after `DURATION`, and say which are left; with -changed, mutants of changed\nfiles come "+
			"first, the others in an order of the commit's own; 0 is no limit")
	list := flags.Bool("list", false, "print the mutants instead of running them")
	evidence := flags.Bool("evidence", false,
		"have the program with each mistake decide the claims of the checker's tests, and its evidence checked")
	_ = flags.Parse(args) // it ends the program where it fails
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	wanted, err := regexp.Compile(*pattern)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	ms, err := listed()
	if err != nil {
		return err
	}
	ms = slices.DeleteFunc(ms, func(m Mutant) bool { return !wanted.MatchString(m.Name) })
	if *onlyChanged {
		base, ok, err := changeBase(ctx, root, os.Getenv("DPVERIFY_BASE"))
		switch {
		case err != nil:
			return err
		case !ok:
			fmt.Fprintln(stderr, "there is no earlier commit to compare with: all packages count as changed")
		default:
			paths, err := changedSince(ctx, root, base)
			if err != nil {
				return err
			}
			ms = touched(ms, paths)
			if *budget > 0 {
				head, err := git(ctx, root, "rev-parse", "HEAD")
				if err != nil {
					return err
				}
				ms = inTurn(ms, paths, head)
			}
		}
	}
	if *list {
		for _, m := range ms {
			fmt.Fprintf(stdout, "%v\n\n", m)
		}
		return nil
	}
	if len(ms) == 0 && !*onlyChanged {
		return fmt.Errorf("no mutant matches %q", *pattern)
	}
	started := time.Now()
	defer func() { fmt.Fprintf(stderr, "%s\n", time.Since(started).Round(time.Second)) }()
	if *evidence {
		return deceive(ctx, root, ms, *budget, stdout, stderr)
	}
	results, err := survey(ctx, root, ms, *budget, stderr)
	if err != nil {
		return err
	}
	if left := ms[len(results):]; len(left) > 0 {
		fmt.Fprintf(stdout, "%d of %d mutants are left to make mutants: the time of %v was over\n", len(left),
			len(ms), *budget)
	}
	return report(stdout, results)
}
