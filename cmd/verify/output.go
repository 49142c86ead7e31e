package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
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

// writeFile writes a file under a temporary name and renames it, so that nobody ever
// sees half of it and a run that is killed leaves the previous one as it is.
func writeFile(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			return &fs.PathError{Op: "write", Path: path, Err: p.Err}
		}
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	mode := fs.FileMode(0o644)
	if old, err := os.Stat(path); err == nil {
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
	return os.Rename(f.Name(), path)
}

// writeOutput writes to a file, or to w if no path is given.
func writeOutput(w io.Writer, path string, data []byte) error {
	if path != "" {
		return writeFile(path, data)
	}
	_, err := w.Write(data)
	return err
}
