// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package examples

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dpverify/internal/atomicfile"
	"dpverify/internal/show"
)

// Write writes the files of a template into a directory, which is made if it is not there, and returns
// their paths. No file is overwritten: where one is there already, nothing is written.
func (t Template) Write(dir string) (written []string, err error) {
	var paths []string
	for _, f := range t.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("%s is there already, and nothing was written", show.Name(path))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		paths = append(paths, path)
	}
	for i, f := range t.Files {
		if err := os.MkdirAll(filepath.Dir(paths[i]), 0o777); err != nil {
			return written, err
		}
		if err := atomicfile.Write(paths[i], f.Contents()); err != nil {
			return written, err
		}
		written = append(written, paths[i])
	}
	return written, nil
}
