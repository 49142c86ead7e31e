// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"dpverify/internal/show"
)

// FileContents reads a file of at most limit bytes.
func FileContents(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Contents(path, f, limit)
}

// Contents reads at most limit bytes, and fails if there are more. name is what errors
// call the source.
func Contents(name string, r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	var p *fs.PathError
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, fmt.Errorf("%s is a directory, want a file", show.Name(name))
	case errors.As(err, &p):
		return nil, fmt.Errorf("%s: %w", show.Name(name), p.Err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", show.Name(name), err)
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("%s is too long, want at most %d bytes", show.Name(name), limit)
	}
	return data, nil
}

// OpenIn returns a function that opens files relative to dir.
func OpenIn(dir string) func(path string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return os.Open(path)
	}
}
