// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Coverage measures which statements of exact/ the tests reach, and demands that each
// block that none reaches is listed with its reason in docs/coverage.md.
//
//	go run ./tools/coverage [-profile FILE] [-update]
//
// Without a profile, it runs the tests of exact/... and of the packages that are there to
// test it, which takes minutes. It ends with status 1 if less than 92 % of the statements
// are covered, if a block is neither covered nor listed, or is both: then the list is out
// of date. -update strikes from the list what is covered, and adds what is not under a
// heading of its own, from which it has to be moved to a reason, or be tested.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"dpverify/internal/atomicfile"
)

// least is the share of statements that has to be covered.
const least = 0.92

// tested are the packages whose tests count.
var tested = []string{"./exact/...", "./props", "./certify", "./crosscheck", "./ask/audit"}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("coverage", flag.ExitOnError)
	profile := flags.String("profile", "", "read `FILE`, written by go test -coverprofile, and run no tests")
	update := flags.Bool("update", false, "rewrite docs/coverage.md")
	_ = flags.Parse(args) // it ends the program where it fails
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if *profile == "" {
		dir, err := os.MkdirTemp("", "coverage")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		*profile = filepath.Join(dir, "profile")
		if err := test(*profile, stderr); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(*profile)
	if err != nil {
		return err
	}
	blocks, err := parseProfile(string(data))
	if err != nil {
		return fmt.Errorf("%s: %w", *profile, err)
	}
	share, statements := covered(blocks)
	missing, err := uncovered(".", blocks)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%.1f %% of %d statements are covered; %d blocks are not\n", 100*share, statements, total(missing))
	const path = "docs/coverage.md"
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	l, err := parseList(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if *update {
		l.update(missing)
		if err := atomicfile.Write(path, []byte(l.String())); err != nil {
			return err
		}
	}
	faults := l.compare(missing)
	if share < least {
		faults = append(faults, fmt.Sprintf("%.2f %% are covered, want at least %.0f %%", 100*share, 100*least))
	}
	if len(faults) > 0 {
		return errors.New(strings.Join(faults, "\n"))
	}
	return nil
}

// test runs the tests and writes a profile.
func test(profile string, stderr io.Writer) error {
	cmd := exec.Command("go", append([]string{"test", "-timeout", "60m", "-coverpkg=./exact/...",
		"-coverprofile=" + profile}, tested...)...)
	cmd.Stdout, cmd.Stderr = stderr, stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", cmd, err)
	}
	return nil
}
