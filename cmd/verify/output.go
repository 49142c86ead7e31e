package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

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
