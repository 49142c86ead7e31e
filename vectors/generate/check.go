// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"dpverify/internal/atomicfile"
	"dpverify/internal/prose"
	"dpverify/internal/show"
	"dpverify/vectors"
)

// A Selection says which tests are checked. The zero Selection is all of them.
type Selection struct {
	// Files are patterns of names of files, as of path.Match; none means all.
	Files []string
	// Of, if it is above 1, checks one test in so many: those whose tcId is the least of its
	// share. It depends on the tcIds only.
	Of int
	// Digits, if it is above 0, is how many digits are computed instead of those that the
	// catalogue has. A test of more digits is confirmed by these.
	Digits int
	// Skip, if not nil, leaves tests out.
	Skip func(vectors.Test) bool
	// Progress, if not nil, is called with how many of how many are done.
	Progress func(done, all int)
}

// A CheckResult is what a check found.
type CheckResult struct {
	// the enclosure computed now lies in the enclosure of the file, or it meets it and has the digits asked for
	Confirmed int
	Wider     []string // it only meets the enclosure of the file: a line for each test
	Wrong     []string // the two exclude each other, or there is no answer: a line for each test
}

// Check computes tests of files anew, and compares.
func Check(ctx context.Context, folder fs.FS, s Selection) (CheckResult, error) {
	var result CheckResult
	names, files, err := vectors.Read(folder)
	if err != nil {
		return result, err
	}
	wanted := make(map[string]goal)
	for _, q := range questions() {
		wanted[q.test().TcID] = q.wanted()
	}
	var chosen []vectors.Test
	var goals []goal
	included, err := s.included(names)
	if err != nil {
		return result, err
	}
	for i, name := range names {
		if !included[name] {
			continue
		}
		for t := range tests(files[i : i+1]) {
			if s.Skip == nil || !s.Skip(t) {
				chosen = append(chosen, t)
			}
		}
	}
	slices.SortStableFunc(chosen, func(a, b vectors.Test) int { return cmp.Compare(a.TcID, b.TcID) })
	if s.Of > 1 {
		chosen = chosen[:(len(chosen)+s.Of-1)/s.Of]
	}
	for _, t := range chosen {
		g, ok := wanted[t.TcID]
		if !ok {
			g.digits = digits
		}
		if s.Digits > 0 {
			g.digits = s.Digits
		}
		goals = append(goals, g)
	}
	done := 0
	for r := range answers(ctx, chosen, goals) {
		result.add(chosen[done], r, s.Digits > 0)
		if done++; s.Progress != nil {
			s.Progress(done, len(chosen))
		}
	}
	return result, ctx.Err()
}

// included says which files are checked. It fails if a pattern is the name of none: checking nothing confirms nothing.
func (s Selection) included(names []string) (map[string]bool, error) {
	patterns := s.Files
	if len(patterns) == 0 {
		patterns = []string{"*"}
	}
	out := make(map[string]bool)
	for _, pattern := range patterns {
		found := false
		for _, name := range names {
			in, err := path.Match(pattern, name)
			if err != nil {
				return nil, fmt.Errorf("the pattern %q: %w", pattern, err)
			}
			found, out[name] = found || in, out[name] || in
		}
		if !found {
			return nil, fmt.Errorf("--file = %s, want a pattern of names of files, such as %s", show.Value(pattern), names[0])
		}
	}
	return out, nil
}

// add compares an answer with a test. An answer to as many digits as were asked for, instead of those of
// the file, need not lie in the enclosure of the file.
func (c *CheckResult) add(t vectors.Test, r reply, asked bool) {
	line := fmt.Sprintf("%s: %s of %s at %s", t.TcID, t.Quantity, t.Comment, t.At)
	if r.err != nil {
		c.Wrong = append(c.Wrong, line+": "+r.err.Error())
		return
	}
	switch {
	case below(r.hi, t.Lo) || below(t.Hi, r.lo):
		c.Wrong = append(c.Wrong, fmt.Sprintf("%s = [%s, %s], computed [%s, %s]", line, t.Lo, t.Hi, r.lo, r.hi))
	case (below(r.lo, t.Lo) || below(t.Hi, r.hi)) && !(asked && r.settled):
		c.Wider = append(c.Wider, fmt.Sprintf("%s = [%s, %s], computed [%s, %s]", line, t.Lo, t.Hi, r.lo, r.hi))
	default:
		c.Confirmed++
	}
}

// Text writes for people what a check found.
func (r CheckResult) Text() string {
	var b strings.Builder
	for _, line := range r.Wrong {
		fmt.Fprintln(&b, "WRONG", line)
	}
	for _, line := range r.Wider {
		fmt.Fprintln(&b, "WIDER", line)
	}
	fmt.Fprintf(&b, "%s confirmed, %d computed wider, %d wrong\n", prose.Many(r.Confirmed, "test", "tests"),
		len(r.Wider), len(r.Wrong))
	return b.String()
}

// onlyVectors fails if a directory has a file *.json that holds no vectors: it would be removed.
func onlyVectors(dir string) error {
	names, files, err := vectors.Read(os.DirFS(dir))
	for i, f := range files {
		if f.Schema != vectors.SchemaName {
			err = cmp.Or(err, fmt.Errorf("%s: schema = %s, want %s", names[i], show.Value(f.Schema), vectors.SchemaName))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: want a directory whose *.json are vectors, since others are removed: %w", show.Name(dir), err)
	}
	return nil
}

// WriteDir writes all vectors into a directory, which is made if it is not there, removes files of
// other names, and returns how many files there are. Enclosures that the directory has are kept, unless
// all are to be computed.
func WriteDir(ctx context.Context, dir string, all bool, progress func(done, all int)) (int, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	if err := atomicfile.Check(filepath.Join(dir, "vectors.json")); err != nil {
		return 0, err // before minutes of computing
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return 0, err
	}
	o := Options{Progress: progress}
	if len(old) > 0 {
		if err := onlyVectors(dir); err != nil {
			return 0, err
		}
		if !all {
			o.Known = os.DirFS(dir)
		}
	}
	files, err := Generate(ctx, o)
	if err != nil {
		return 0, err
	}
	for name, data := range files {
		if err := atomicfile.Write(filepath.Join(dir, name), data); err != nil {
			return 0, err
		}
	}
	for _, file := range old {
		if files[filepath.Base(file)] == nil {
			if err := os.Remove(file); err != nil {
				return 0, err
			}
		}
	}
	return len(files), nil
}
