package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"dpverify/certify"
)

// A checkedWriter keeps the first error of writing to it: help is printed by cobra, which
// does not look.
type checkedWriter struct {
	io.Writer

	mu  sync.Mutex
	err error
}

func (w *checkedWriter) Write(data []byte) (int, error) {
	n, err := w.Writer.Write(data)
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.err == nil {
			w.err = err
		}
	}
	return n, err
}

// failed returns the first error.
func (w *checkedWriter) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// outputTarget returns where what is written to path goes: symbolic links stay, and a
// device or a pipe is no regular file, which could be replaced.
func outputTarget(path string) (target string, regular bool, err error) {
	target = path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target, true, nil
	case err != nil:
		return "", false, err
	case info.IsDir():
		return "", false, fmt.Errorf("%s is a directory, want a file to write", certify.Printable(path))
	}
	return target, info.Mode().IsRegular(), nil
}

// createTemp creates a file beside target, which is what path says.
func createTemp(path, target string) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*")
	var p *fs.PathError
	if errors.As(err, &p) {
		return nil, &fs.PathError{Op: "write", Path: path, Err: p.Err}
	}
	return f, err
}

// checkOutput fails if path cannot be written: long work should not end at that. An empty
// path is standard output.
func checkOutput(path string) error {
	if path == "" {
		return nil
	}
	target, regular, err := outputTarget(path)
	if err != nil || !regular {
		return err
	}
	f, err := createTemp(path, target)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// writeFile writes a file under a temporary name and renames it, so that nobody ever
// sees half of it and a run that is killed leaves the previous one as it is.
func writeFile(path string, data []byte) (err error) {
	target, regular, err := outputTarget(path)
	if err != nil {
		return err
	}
	if !regular {
		return os.WriteFile(target, data, 0)
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
	}()
	mode := fs.FileMode(0o644)
	if old, err := os.Stat(target); err == nil {
		mode = old.Mode().Perm()
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if _, err = f.Write(data); err != nil {
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

// writeOutput writes to a file, or to w if no path is given.
func writeOutput(w io.Writer, path string, data []byte) error {
	if path != "" {
		return writeFile(path, data)
	}
	_, err := w.Write(data)
	return err
}
