// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"dpverify/internal/atomicfile"
	"dpverify/internal/show"
	"dpverify/vectors"
)

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
	for _, path := range old {
		if files[filepath.Base(path)] == nil {
			if err := os.Remove(path); err != nil {
				return 0, err
			}
		}
	}
	return len(files), nil
}
