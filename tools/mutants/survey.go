// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"
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
	untried     fate = "untried" // its killer is skipped on this machine
)

type result struct {
	Mutant
	fate   fate
	output string // of a compiler or test, where it explains the fate
}

// A workshop is a copy of a module, and a place for mutated files and test binaries, in a folder of its own.
type workshop struct {
	dir, module, scratch string
	progress             *log.Logger
}

// newWorkshop makes a workshop for a module. Its folder is the caller's to remove.
func newWorkshop(root string, progress io.Writer) (*workshop, error) {
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	s := &workshop{dir, filepath.Join(dir, "module"), filepath.Join(dir, "scratch"), log.New(progress, "", 0)}
	if err = os.Mkdir(s.scratch, 0o755); err == nil {
		err = os.CopyFS(s.module, workTree{os.DirFS(root)})
	}
	if err != nil {
		_ = os.RemoveAll(dir)
	}
	return s, err
}

// survey runs the mutants, one after the other, until all have been tried or the budget is over, if
// one is given: the results are of the first ones. The error is about the list, the unmutated code or
// ctx, not about the fate of a mutant.
//
// A killer is seen to pass on the unmutated code before its first mutant is tried.
func survey(ctx context.Context, root string, ms []Mutant, budget time.Duration, progress io.Writer) ([]result, error) {
	began := time.Now()
	if len(ms) == 0 {
		return nil, nil
	}
	s, err := newWorkshop(root, progress)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(s.dir)
	// All of the list is looked at before anything runs.
	var bad []error
	for _, m := range ms {
		bad = append(bad, s.mutate(m))
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	runs := s.unmutated(ctx, ms)
	results := make([]result, len(ms))
	var mu sync.Mutex
	done := 0
	tried, err := parallel(ctx, len(ms), began, budget, func(i int) error {
		err := runs[ms[i].killer()]()
		skipped := ms[i].Skips && errors.Is(err, errSkipped)
		if err != nil && !skipped {
			return err
		}
		started := time.Now()
		r := result{Mutant: ms[i], fate: untried}
		if !skipped {
			if r, err = s.try(ctx, ms[i]); err != nil {
				return err
			}
		}
		results[i] = r
		mu.Lock()
		defer mu.Unlock()
		done++
		s.progress.Printf("%3d/%d  %-9s %s (%.1f s)", done, len(ms), r.fate, r.Name, time.Since(started).Seconds())
		return nil
	})
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("interrupted after %d of %d mutants", done, len(ms))
	}
	return results[:tried], err
}

// A workTree is a folder without its history, and without what is neither a file nor a folder.
type workTree struct{ fs.FS }

// ReadDir leaves out what is not of the tree.
func (w workTree) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(w.FS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool {
		return e.Name() == ".git" || !e.IsDir() && !e.Type().IsRegular()
	}), err
}

func (s *workshop) mutant(m Mutant) string  { return filepath.Join(s.scratch, m.Name+path.Ext(m.File)) }
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
	replace := map[string]string{original: s.mutant(m)}
	if err := os.WriteFile(s.mutant(m), src, 0o644); err != nil {
		return err
	}
	if path.Ext(m.File) == ".h" {
		if err := s.include(m, original, src, replace); err != nil {
			return err
		}
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(s.overlay(m), overlay, 0o644)
}

// include puts a header with a mistake into the assembly that includes it: go build takes headers from their folder,
// whatever the overlay.
func (s *workshop) include(m Mutant, header string, text []byte, replace map[string]string) error {
	files, err := filepath.Glob(filepath.Join(filepath.Dir(header), "*.s"))
	if err != nil {
		return err
	}
	line := fmt.Appendf(nil, "#include %q\n", filepath.Base(header))
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		replace[f] = filepath.Join(s.scratch, m.Name+"-"+filepath.Base(f))
		if err := os.WriteFile(replace[f], bytes.Replace(src, line, text, 1), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// errSkipped says that a killer is skipped.
var errSkipped = errors.New("it is skipped")

// A killer is a test of a package, with a flag or "".
type killer struct{ pkg, test, with string }

func (m Mutant) killer() killer { return killer{m.Package, m.Test, m.With} }

// arguments are the name of the test for -test.run, and its flag.
func (k killer) arguments() []string {
	args := []string{"-test.run=^" + k.test + "$"}
	if strings.HasPrefix(k.with, "-") {
		args = append(args, k.with)
	}
	return args
}

// suite says whether the test is run as one of the long suite.
func (k killer) suite() string {
	if k.with == longSuite {
		return longSuite
	}
	return "DPVERIFY_LONG="
}

// unmutated returns what verifies, once for each, that killers run, and pass on the unmutated code.
func (s *workshop) unmutated(ctx context.Context, ms []Mutant) map[killer]func() error {
	builds, runs := make(map[string]func() error), make(map[killer]func() error)
	for _, m := range ms {
		k := m.killer()
		binary := filepath.Join(s.scratch, "unmutated-"+strings.ReplaceAll(k.pkg, "/", "-")+".test")
		if builds[k.pkg] == nil {
			builds[k.pkg] = sync.OnceValue(func() error {
				if out, err := s.build(ctx, binary, k.pkg, ""); err != nil {
					return fmt.Errorf("%s does not compile without a mistake:\n%s", k.pkg, out)
				}
				return nil
			})
		}
		if runs[k] == nil {
			runs[k] = sync.OnceValue(func() error {
				if err := builds[k.pkg](); err != nil {
					return err
				}
				return s.passes(ctx, binary, k)
			})
		}
	}
	return runs
}

// passes runs a killer on the unmutated code.
func (s *workshop) passes(ctx context.Context, binary string, k killer) error {
	started := time.Now()
	out, err := s.test(ctx, binary, k)
	s.progress.Printf("unmutated  %s of %s (%.1f s)", k.test, k.pkg, time.Since(started).Seconds())
	if regexp.MustCompile(`(?m)^--- SKIP: ` + k.test + ` `).MatchString(out) {
		return fmt.Errorf("%s of %s does not pass without a mistake: %w", k.test, k.pkg, errSkipped)
	}
	if !regexp.MustCompile(`(?m)^--- PASS: ` + k.test + ` `).MatchString(out) {
		return fmt.Errorf("%s of %s does not pass without a mistake (%v):\n%s", k.test, k.pkg, err, tail(out))
	}
	return nil
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
	out, err = s.test(ctx, binary, m.killer())
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

// trimmed says that paths are trimmed. The small module of the tests has the standard library as `go test` compiles it.
var trimmed = true

// build compiles the tests of a package. Paths are trimmed so that the build cache
// serves every copy of the module.
func (s *workshop) build(ctx context.Context, binary, pkg, overlay string) (string, error) {
	args := []string{"test", "-c", "-buildvcs=false", "-ldflags=-w", "-o", binary}
	if trimmed {
		args = append(args, "-trimpath")
	}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	return s.command(ctx, s.module, "go", append(args, "./"+pkg)...)
}

// test runs a killer in the directory of its package, as go test does.
func (s *workshop) test(ctx context.Context, binary string, k killer) (string, error) {
	args := append([]string{"-test.v", "-test.paniconexit0", "-test.timeout=" + timeLimit.String()}, k.arguments()...)
	return s.inSuite(ctx, k.suite(), filepath.Join(s.module, filepath.FromSlash(k.pkg)), binary, args...)
}

// command runs a program and returns all that it prints. Its temporary files are in the
// workshop, for a go command that is interrupted leaves them behind.
func (s *workshop) command(ctx context.Context, dir, name string, args ...string) (string, error) {
	return s.inSuite(ctx, killer{}.suite(), dir, name, args...)
}

// inSuite is command where the environment says which suite it is. Killers try as many cases as mutants need.
func (s *workshop) inSuite(ctx context.Context, suite, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "TMPDIR="+s.scratch, "GOTMPDIR="+s.scratch, "DPVERIFY_THOROUGH=1", suite)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// parallel calls f(0) … f(n−1), several at a time and begun in this order, until one returns an error or the budget is
// over, if there is one. It returns how many were begun.
func parallel(ctx context.Context, n int, since time.Time, budget time.Duration, f func(int) error) (begun int,
	err error) {
	all, limited := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for ; begun < n && (budget <= 0 || time.Since(since) < budget) && limited.Err() == nil; begun++ {
		i := begun
		all.Go(func() error { return f(i) })
	}
	return begun, cmp.Or(all.Wait(), ctx.Err())
}

// report writes a summary, and returns an error unless all mutants were killed.
func report(w io.Writer, results []result) error {
	bad, skipped := 0, 0
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range results {
		if r.fate == untried {
			skipped++
		}
		if r.fate == killed || r.fate == untried {
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
	fmt.Fprintf(w, "%d mutants, %d killed\n", len(results), len(results)-bad-skipped)
	if skipped > 0 {
		fmt.Fprintf(w, "%d not tried: their tests are skipped on this machine\n", skipped)
	}
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
