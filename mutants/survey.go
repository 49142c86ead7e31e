// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// timeLimit is what a killer may take, with or without a mistake. Killers take a
// fraction of a second.
var timeLimit = 2 * time.Minute

// A fate is what became of a mutant.
type fate string

const (
	killed      fate = "killed"
	survived    fate = "SURVIVED"
	uncompiled  fate = "DOES NOT COMPILE"
	timedOut    fate = "TIMED OUT"
	ended       fate = "ENDED" // where the list says that the test hangs
	unexplained fate = "ENDED WITHOUT A FAILURE"
)

type result struct {
	Mutant
	fate   fate
	output string // of a compiler or test, where it explains the fate
}

// A workshop is a copy of a module, and a place for mutated files and test binaries.
type workshop struct {
	module, scratch string
	progress        io.Writer
}

// survey runs the mutants. The error is about the list, the unmutated code or ctx,
// not about the fate of a mutant.
func survey(ctx context.Context, root string, ms []Mutant, progress io.Writer) ([]result, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s := &workshop{filepath.Join(dir, "module"), filepath.Join(dir, "scratch"), progress}
	if err := os.Mkdir(s.scratch, 0o755); err != nil {
		return nil, err
	}
	if err := copyModule(s.module, root); err != nil {
		return nil, err
	}
	// All of the list is looked at before anything runs.
	var bad []error
	for _, m := range ms {
		bad = append(bad, s.mutate(m))
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	if err := s.checkKillers(ctx, ms); err != nil {
		return nil, err
	}
	results := make([]result, len(ms))
	var mu sync.Mutex
	done := 0
	err = parallel(ctx, len(ms), func(i int) error {
		started := time.Now()
		r, err := s.try(ctx, ms[i])
		if err != nil {
			return err
		}
		results[i] = r
		mu.Lock()
		defer mu.Unlock()
		done++
		fmt.Fprintf(progress, "%3d/%d  %-9s %s (%.1f s)\n", done, len(ms), r.fate, r.Name, time.Since(started).Seconds())
		return nil
	})
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("interrupted after %d of %d mutants", done, len(ms))
	}
	return results, err
}

// copyModule copies everything but the history.
func copyModule(to, from string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case e.IsDir():
			return os.Mkdir(target, 0o755)
		case !e.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
}

func (s *workshop) mutant(m Mutant) string  { return filepath.Join(s.scratch, m.Name+".go") }
func (s *workshop) overlay(m Mutant) string { return filepath.Join(s.scratch, m.Name+".json") }

// mutate writes the file with the mistake and the overlay that puts it in place.
func (s *workshop) mutate(m Mutant) error {
	original := filepath.Join(s.module, filepath.FromSlash(m.File))
	src, err := os.ReadFile(original)
	if err != nil {
		return fmt.Errorf("%s:%d: %s: there is no file %s", m.List, m.Line, m.Name, m.File)
	}
	if src, err = m.apply(src); err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {original: s.mutant(m)}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.mutant(m), src, 0o644); err != nil {
		return err
	}
	return os.WriteFile(s.overlay(m), overlay, 0o644)
}

// checkKillers verifies that every killer runs, and passes on the unmutated code.
func (s *workshop) checkKillers(ctx context.Context, ms []Mutant) error {
	killers := make(map[string][]string)
	for _, m := range ms {
		if !slices.Contains(killers[m.Package], m.Test) {
			killers[m.Package] = append(killers[m.Package], m.Test)
		}
	}
	var pkgs []string
	for p := range killers {
		pkgs = append(pkgs, p)
	}
	slices.Sort(pkgs)
	errs := make([]error, len(pkgs))
	err := parallel(ctx, len(pkgs), func(i int) error {
		p := pkgs[i]
		binary := filepath.Join(s.scratch, fmt.Sprintf("unmutated-%d.test", i))
		if out, err := s.build(ctx, binary, p, ""); err != nil {
			errs[i] = fmt.Errorf("%s does not compile without a mistake:\n%s", p, out)
			return ctx.Err()
		}
		started := time.Now()
		out, err := s.test(ctx, binary, p, killers[p]...)
		fmt.Fprintf(s.progress, "unmutated  %s: %d killers (%.1f s)\n", p, len(killers[p]), time.Since(started).Seconds())
		for _, t := range killers[p] {
			if !regexp.MustCompile(`(?m)^--- PASS: ` + t + ` `).MatchString(out) {
				errs[i] = fmt.Errorf("%s of %s does not pass without a mistake (%v):\n%s", t, p, err, tail(out))
				return ctx.Err()
			}
		}
		return ctx.Err()
	})
	if ctx.Err() != nil {
		return errors.New("interrupted before the first mutant")
	}
	return errors.Join(append(errs, err)...)
}

// try builds the killer of a mutant with the mistake and runs it. The error is ctx's.
func (s *workshop) try(ctx context.Context, m Mutant) (result, error) {
	r := result{Mutant: m}
	binary := filepath.Join(s.scratch, m.Name+".test")
	defer os.Remove(binary)
	out, err := s.build(ctx, binary, m.Package, s.overlay(m))
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if err != nil {
		r.fate, r.output = uncompiled, out
		return r, nil
	}
	out, err = s.test(ctx, binary, m.Package, m.Test)
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	hung := strings.Contains(out, "panic: test timed out after ")
	switch failure := regexp.MustCompile(`(?m)^(--- FAIL: ` + m.Test + ` |panic: |fatal error: )`); {
	case m.Hangs && !hung:
		r.fate = ended
	case hung && !m.Hangs:
		r.fate = timedOut
	case err == nil:
		r.fate = survived
	case failure.MatchString(out):
		r.fate = killed
	default:
		r.fate, r.output = unexplained, fmt.Sprintf("%v\n%s", err, out)
	}
	return r, nil
}

// build compiles the tests of a package. Paths are trimmed so that the build cache
// serves every copy of the module.
func (s *workshop) build(ctx context.Context, binary, pkg, overlay string) (string, error) {
	args := []string{"test", "-c", "-trimpath", "-buildvcs=false", "-ldflags=-w", "-o", binary}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	return s.command(ctx, s.module, "go", append(args, "./"+pkg)...)
}

// test runs some tests of a package in its directory, as go test does.
func (s *workshop) test(ctx context.Context, binary, pkg string, tests ...string) (string, error) {
	return s.command(ctx, filepath.Join(s.module, filepath.FromSlash(pkg)), binary,
		"-test.v", "-test.paniconexit0", "-test.timeout="+timeLimit.String(), "-test.run=^("+strings.Join(tests, "|")+")$")
}

// command runs a program and returns all that it prints. Its temporary files are in the
// workshop, for a go command that is interrupted leaves them behind.
func (s *workshop) command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "TMPDIR="+s.scratch, "GOTMPDIR="+s.scratch, "DPVERIFY_LONG=")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// parallel calls f(0) … f(n−1), several at a time, until one returns an error.
func parallel(ctx context.Context, n int, f func(int) error) error {
	next := make(chan int)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				if err := f(i); err != nil {
					stop(err)
				}
			}
		})
	}
feed:
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}

// report writes a summary, and returns an error unless all mutants were killed.
func report(w io.Writer, results []result) error {
	bad := 0
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range results {
		if r.fate == killed {
			continue
		}
		if bad++; bad == 1 {
			fmt.Fprintln(t, "FATE\tMUTANT\tFILE\tKILLER\tWHAT WOULD BE WRONG")
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s of %s\t%s\n", r.fate, r.Name, r.File, r.Test, r.Package, r.Why)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range results {
		if r.output != "" {
			fmt.Fprintf(w, "\n%s:\n%s\n", r.Name, tail(r.output))
		}
	}
	fmt.Fprintf(w, "%d mutants, %d killed\n", len(results), len(results)-bad)
	if bad > 0 {
		return fmt.Errorf("%d of %d mutants were not killed", bad, len(results))
	}
	return nil
}

// tail returns the last lines of an output.
func tail(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
