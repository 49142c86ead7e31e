// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package field

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"dpverify/internal/table"
)

// Numbers says how numbers in files are read.
func (p *Pass) Numbers() table.Numbers {
	return table.Numbers{Parse: p.Number, Binary64: p.Binary64}
}

// Open opens the file that a field names.
func (r *Reader) Open(field, path string) io.ReadCloser {
	if r.Err != nil {
		return nil
	}
	if r.Pass.Open == nil {
		r.Err = r.Invalid(field, r.Node.Get(field), "no file: this input cannot name files")
		return nil
	}
	file, err := r.Pass.Open(path)
	if err != nil {
		r.Err = r.InFile(field, path, 0, err)
		return nil
	}
	return file
}

// Table reads the CSV file that a field names, sorted by its first column, and returns its SHA-256, too.
func (r *Reader) Table(field, path string, t table.Format) (rows []table.Row, sum string) {
	file := r.Open(field, path)
	if r.Err != nil {
		return nil, ""
	}
	defer file.Close()
	hash := sha256.New()
	rows, line, err := t.Read(io.TeeReader(file, hash), r.Pass.Numbers()) // to its end
	if err != nil {
		r.Err = r.InFile(field, path, line, err)
		return nil, ""
	}
	return rows, hex.EncodeToString(hash.Sum(nil))
}

// A contents is the path of a file that is read for a T.
type contents[T any] struct{ path string }

// Once reads a T from a file, or returns what was read before: one pass over a document sees one state of every file.
func Once[T any](r *Reader, path string, read func() T) T {
	if x, ok := r.Pass.files[contents[T]{path}]; ok {
		return x.(T)
	}
	x := read()
	if r.Err == nil {
		r.Pass.files[contents[T]{path}] = x
	}
	return x
}
