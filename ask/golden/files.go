// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package golden

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"dpverify/internal/show"
)

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
