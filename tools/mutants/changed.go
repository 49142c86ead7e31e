// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// changeBase returns the commit that changes are counted from: the given one; the
// merge base with origin/main, unless that is HEAD itself; or HEAD's parent. It
// reports false if there is none of them.
func changeBase(ctx context.Context, root, given string) (string, bool, error) {
	commit := func(rev string) string {
		out, err := git(ctx, root, "rev-parse", "--quiet", "--verify", rev+"^{commit}")
		if err != nil {
			return ""
		}
		return out
	}
	if given != "" {
		if c := commit(given); c != "" {
			return c, true, nil
		}
		return "", false, fmt.Errorf("DPVERIFY_BASE = %q, want a commit", given)
	}
	head := commit("HEAD")
	if head == "" {
		return "", false, errors.New("-changed: not in a git repository with a commit")
	}
	if base, err := git(ctx, root, "merge-base", "origin/main", "HEAD"); err == nil && base != head {
		return base, true, nil
	}
	parent := commit("HEAD~1")
	return parent, parent != "", nil
}

// changedSince returns the files that differ from a commit or are new, relative to
// root.
func changedSince(ctx context.Context, root, base string) ([]string, error) {
	changed, err := git(ctx, root, "diff", "--name-only", "--relative", "-z", base)
	if err != nil {
		return nil, err
	}
	fresh, err := git(ctx, root, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(changed+"\x00"+fresh, func(r rune) bool { return r == 0 }), nil
}

// touched returns the mutants in whose package, or in whose killer's package, a file
// is among paths, and the mutants of a list that is.
func touched(ms []Mutant, paths []string) []Mutant {
	files, dirs := make(map[string]bool), make(map[string]bool)
	for _, p := range paths {
		files[p] = true
		dirs[path.Dir(p)] = true
	}
	var out []Mutant
	for _, m := range ms {
		if files[m.List] || dirs[path.Dir(m.File)] || dirs[m.Package] {
			out = append(out, m)
		}
	}
	return out
}

// inTurn puts mutants in the order in which they are tried, so that the first ones are worth most where
// time is short: first the mutants of files among paths, then the others; and among both in the order of a hash
// of their names and a seed. Another commit begins with other ones.
func inTurn(ms []Mutant, paths []string, seed string) []Mutant {
	hash := func(m Mutant) string {
		h := sha256.Sum256([]byte(seed + " " + m.Name))
		return string(h[:])
	}
	later := func(m Mutant) int {
		if slices.Contains(paths, m.File) {
			return 0
		}
		return 1
	}
	out := slices.Clone(ms)
	slices.SortFunc(out, func(a, b Mutant) int {
		return cmp.Or(cmp.Compare(later(a), later(b)), cmp.Compare(hash(a), hash(b)))
	})
	return out
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}
