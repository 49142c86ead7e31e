// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Lines counts the Go of this repository, without tests, at a commit and at another one, at equal function:
//
//	go run ./tools/lines [FROM [TO]]
//
// FROM is the commit with which the third reading of the house began, unless another one is given, and TO is HEAD. It
// prints lines as they are, lines with code on them, and tokens, which do not change where a line is broken or a
// comment is written. Packages of which FROM had nothing, listed in functions.txt with what they do, are counted apart.
// What was added to packages that FROM had is not taken out: nobody can say which of their lines it is. So the
// difference at equal function is at least as favourable as it says.
//
// That is all that the narrower and faster answers since then take, too. What was done to the form alone is the last
// row: the sum over the commits of form.txt, by their subjects, after each of which the program did what it did before.
// They move, rename, divide, merge and delete, break lines at 120 columns, and write comments anew.
package main

import (
	"archive/tar"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

const thirdReading = "99cad69"

var (
	//go:embed functions.txt
	functions string
	//go:embed form.txt
	form string
)

// A count is the size of some Go.
type count struct{ files, lines, code, tokens int }

func (c count) plus(d count) count {
	return count{c.files + d.files, c.lines + d.lines, c.code + d.code, c.tokens + d.tokens}
}

// counted counts a file. Two lines are two although a token may be on both.
func counted(text []byte) count {
	c := count{files: 1, lines: bytes.Count(text, []byte("\n"))}
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	last := 0
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return c
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue
		}
		c.tokens++
		first := file.Line(pos)
		end := first + strings.Count(literal, "\n")
		c.code += end - max(first, last+1) + 1
		last = max(last, end)
	}
}

// added are the packages that are listed as new functions.
func added() map[string]bool {
	found := make(map[string]bool)
	for line := range strings.Lines(functions) {
		if name, _, ok := strings.Cut(line, ":"); ok {
			found[name] = true
		}
	}
	return found
}

// at counts the packages of a commit: those that are listed, and the others.
func at(commit string) (old, listed count, err error) {
	out, err := exec.Command("git", "archive", commit).Output()
	if err != nil {
		return old, listed, fmt.Errorf("lines: git archive %s: %w", commit, err)
	}
	apart := added()
	for r := tar.NewReader(bytes.NewReader(out)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return old, listed, nil
		} else if err != nil {
			return old, listed, err
		}
		if !strings.HasSuffix(h.Name, ".go") || strings.HasSuffix(h.Name, "_test.go") {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return old, listed, err
		}
		if apart[path.Dir(h.Name)] {
			listed = listed.plus(counted(text))
		} else {
			old = old.plus(counted(text))
		}
	}
}

// byForm sums over the commits of form.txt that are in to and not in from: how many there are, and how many lines more
// there are after them.
func byForm(from, to string) (commits, lines int, err error) {
	out, err := exec.Command("git", "log", "-M", "--numstat", "--format=%x00%s", from+".."+to, "--", "*.go",
		":!*_test.go").Output()
	if err != nil {
		return 0, 0, fmt.Errorf("lines: git log %s..%s: %w", from, to, err)
	}
	subjects := strings.Split(form, "\n")
	for commit := range strings.SplitSeq(string(out), "\x00") {
		subject, files, _ := strings.Cut(commit, "\n")
		if subject == "" || !slices.Contains(subjects, subject) {
			continue
		}
		commits++
		for file := range strings.Lines(files) {
			var more, less int
			if n, _ := fmt.Sscan(file, &more, &less); n == 2 {
				lines += more - less
			}
		}
	}
	return commits, lines, nil
}

func run(args []string, w io.Writer) error {
	commits := []string{thirdReading, "HEAD"}
	if len(args) > len(commits) {
		return errors.New("lines: want at most two commits")
	}
	copy(commits, args)
	var found [2]count
	fmt.Fprintf(w, "%-34s %6s %8s %8s %9s\n", "", "files", "lines", "code", "tokens")
	row := func(name string, c count) {
		fmt.Fprintf(w, "%-34s %6d %8d %8d %9d\n", name, c.files, c.lines, c.code, c.tokens)
	}
	for i, commit := range commits {
		old, listed, err := at(commit)
		if err != nil {
			return err
		}
		found[i] = old
		row(commit, old.plus(listed))
		row("  of these, in functions.txt", listed)
	}
	a, b := found[0], found[1]
	row("more at equal function", count{b.files - a.files, b.lines - a.lines, b.code - a.code, b.tokens - a.tokens})
	n, more, err := byForm(commits[0], commits[1])
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%-34s %15d\n", fmt.Sprintf("more by %d commits of form.txt", n), more)
	return nil
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
