// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package golden

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dpverify/internal/show"
)

// Options say what is run and how.
type Options struct {
	Program Program
	Update  bool          // rewrite snapshots that differ
	Digits  int           // most significant digits of a value that are compared
	Timeout time.Duration // for one question
	Budget  time.Duration // for one claim
}

// A Result counts what was run.
type Result struct {
	Cases, Undecided int
	Silent           int      // lines that ask nothing
	Coarse           int      // values that were compared to fewer digits than they have
	Failures         []string // what is wrong, and where
	Updated          []string // the snapshots that were rewritten
}

// fail adds a failure.
func (r *Result) fail(format string, args ...any) {
	r.Failures = append(r.Failures, fmt.Sprintf(format, args...))
}

// Text writes a result for people.
func (r Result) Text() string {
	var b strings.Builder
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "FAIL  %s\n", f)
	}
	for _, u := range r.Updated {
		fmt.Fprintf(&b, "updated %s\n", u)
	}
	fmt.Fprintf(&b, "%d cases: %d failed, %d undecided\n", r.Cases, len(r.Failures), r.Undecided)
	if r.Coarse > 0 {
		fmt.Fprintf(&b, "%d compared to fewer digits than the value has\n", r.Coarse)
	}
	if r.Silent > 0 {
		fmt.Fprintf(&b, "%d left out: lines without a quantity\n", r.Silent)
	}
	return b.String()
}

// maxFile bounds a file of cases, and a snapshot.
const maxFile = 1 << 30

// leftOut fails for files of claims that are not read, and for snapshots of no claims.
func (r *Result) leftOut(dir string, files []string) error {
	for _, of := range []struct{ name, want string }{{"published", "published/*.yaml"},
		{"snapshot", "snapshot/NAME.json for a published/NAME.yaml"}} {
		err := filepath.WalkDir(filepath.Join(dir, of.name), func(path string, d fs.DirEntry, err error) error {
			claims := filepath.Join(dir, "published", strings.TrimSuffix(filepath.Base(path), ".json")+".yaml")
			known := slices.Contains(files, path) || filepath.Dir(path) == filepath.Join(dir, "snapshot") &&
				slices.Contains(files, claims)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err == nil && !known:
				r.left(path, d, of.want)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// left fails for a file that looks like cases and is none: a case that is not run must not look like one that holds.
func (r *Result) left(path string, d fs.DirEntry, want string) {
	looks := []string{".json", ".jsonl", ".ndjson", ".yaml", ".yml"}
	if d != nil && !d.IsDir() && slices.Contains(looks, strings.ToLower(filepath.Ext(path))) {
		r.fail("%s: not run, want %s", show.Name(path), want)
	}
}

// A Program is a build of the command.
type Program struct {
	Name string // for errors
	// Run runs it with arguments in a directory and returns what it has written to standard
	// output. Its exit status repeats what stands there and is no error.
	Run func(ctx context.Context, dir string, stdin io.Reader, args ...string) ([]byte, error)
}

// Binary returns the program that a path names.
func Binary(path string) (Program, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Program{}, err
	}
	if _, err := exec.LookPath(path); err != nil {
		return Program{}, err
	}
	return Program{path, func(ctx context.Context, dir string, stdin io.Reader, args ...string) ([]byte, error) {
		c := exec.CommandContext(ctx, path, args...)
		c.Dir, c.Stdin = dir, stdin
		var stderr bytes.Buffer
		c.Stderr = &stderr
		out, err := c.Output()
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && !errors.As(err, &exit):
			return nil, err
		case len(out) == 0:
			text := show.Name(show.Cut(stderr.String()))
			return nil, fmt.Errorf("%s %s: %v, no output; standard error: %s", path, args[0], err, text)
		}
		return out, nil
	}}, nil
}
