// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"dpverify/internal/table"
)

// MaxHistogramBytes is how long a histogram file may be. It may have MaxListLen bins.
const MaxHistogramBytes = table.MaxBytes

// numbers says how numbers in files are read.
func (s *decoding) numbers() table.Numbers {
	return table.Numbers{Parse: s.parse, Binary64: s.Binary64}
}

// open opens the file that a field names.
func (r *reader) open(field, path string) io.ReadCloser {
	if r.Err != nil {
		return nil
	}
	if r.s.Open == nil {
		r.Err = r.Invalid(field, r.Node.Get(field), "no file: this input cannot name files")
		return nil
	}
	file, err := r.s.Open(path)
	if err != nil {
		r.Err = r.inFile(field, path, 0, err)
		return nil
	}
	return file
}

// table reads the CSV file that a field names, sorted by its first column, and returns its SHA-256, too.
func (r *reader) table(field, path string, t table.Format) (rows []table.Row, sum string) {
	file := r.open(field, path)
	if r.Err != nil {
		return nil, ""
	}
	defer file.Close()
	hash := sha256.New()
	rows, line, err := t.Read(io.TeeReader(file, hash), r.s.numbers()) // to its end
	if err != nil {
		r.Err = r.inFile(field, path, line, err)
		return nil, ""
	}
	return rows, hex.EncodeToString(hash.Sum(nil))
}

// inFile is an error about a line of a file, 0 if it is not on one line.
func (r *reader) inFile(field, path string, line int, err error) error {
	return &FileError{Path: r.path, Class: r.class, Field: field, Line: r.Node.Get(field).Line, File: path, FileLine: line, Err: err}
}

// A contents is the path of a file that is read for a T.
type contents[T any] struct{ path string }

// once reads a T from a file, or returns what was read before: one pass over a document sees one state of every file.
func once[T any](r *reader, path string, read func() T) T {
	if x, ok := r.s.files[contents[T]{path}]; ok {
		return x.(T)
	}
	x := read()
	if r.Err == nil {
		r.s.files[contents[T]{path}] = x
	}
	return x
}
