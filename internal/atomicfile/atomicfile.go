// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package atomicfile writes files of which nobody ever sees half.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"dpverify/internal/show"
)

// resolve returns where what is written to path goes: symbolic links stay, also to what is not there yet, and a
// device or a pipe is no regular file, which could be replaced.
func resolve(path string) (target string, regular bool, err error) {
	target = path
	const most = 40 // as the system has it
	for range most {
		link, err := os.Readlink(target)
		if err != nil {
			break // no link
		}
		dir, err := filepath.EvalSymlinks(filepath.Dir(target))
		if err != nil {
			return "", false, err
		}
		if target = link; !filepath.IsAbs(link) {
			target = filepath.Join(dir, link)
		}
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target, true, nil
	case err != nil:
		return "", false, err
	case info.IsDir():
		return "", false, fmt.Errorf("%s is a directory, want a file to write", show.Name(path))
	}
	return target, info.Mode().IsRegular(), nil
}

// createTemp creates a file beside target, to which path leads.
func createTemp(path, target string) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*")
	return f, naming(path, err)
}

// naming is an error about path, not about the temporary file.
func naming(path string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "write", Path: path, Err: p.Err}
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: "write", Path: path, Err: l.Err}
	}
	return err
}

// Check fails if path cannot be written, since long work should not end at that, and if it is one of
// the files that are read, since what people have written is not for replacing. An empty path is standard output.
func Check(path string, read ...string) error {
	if path == "" {
		return nil
	}
	target, regular, err := resolve(path)
	if err != nil || !regular {
		return err
	}
	for _, name := range read {
		in, err := os.Stat(name)
		if out, failed := os.Stat(target); err == nil && failed == nil && os.SameFile(in, out) {
			return fmt.Errorf("%s is read, want another file to write", show.Name(path))
		}
	}
	f, err := createTemp(path, target)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Write writes a file under a temporary name and renames it, so that nobody ever
// sees half of it and a run that is killed leaves the previous one as it is.
func Write(path string, data []byte) error {
	return WriteBy(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteBy does the same with all that write writes; where that fails, the previous file stays as it is.
func WriteBy(path string, write func(io.Writer) error) (err error) {
	target, regular, err := resolve(path)
	if err != nil {
		return err
	}
	if !regular {
		f, err := os.OpenFile(target, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := createTemp(path, target)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
		if p, ok := errors.AsType[*fs.PathError](err); !ok || p.Path == f.Name() { // what write says of other files stays
			err = naming(path, err)
		}
	}()
	mode := fs.FileMode(0o644)
	if old, err := os.Stat(target); err == nil {
		mode = old.Mode().Perm()
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = write(f); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), target)
}
