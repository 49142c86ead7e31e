// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package field

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/table"
)

// noiseFile is the format of a file of probabilities of consecutive cells.
var noiseFile = table.Format{Key: "cell", Least: -MaxCount, Most: MaxCount, Columns: []string{"probability"}}

// A noiseTable is what a file of probabilities has, and its SHA-256.
type noiseTable struct {
	masses []*big.Rat
	sum    string
}

// ReadNoise reads probabilities with sum exactly 1, a list or the path of a file with the header
// cell,probability, which is read once in a pass over a document; and its SHA-256, where the field sha256 demands one.
func ReadNoise(r *Reader, name string) (path, sum string, ps []*big.Rat) {
	const (
		want    = "a list of numbers >= 0, or the path of a CSV file"
		wantSum = "the SHA-256 of the file of probabilities, 64 hexadecimal digits"
	)
	n := r.Required(name, want)
	list := n != nil && n.Kind == document.Sequence
	r.Word("sha256", wantSum, func(s string) error {
		digits, err := hex.DecodeString(s)
		if list || err != nil || len(digits) != sha256.Size {
			return errors.New(wantSum)
		}
		sum = strings.ToLower(s)
		return nil
	})
	switch {
	case r.Err != nil:
		return "", "", nil
	case list:
		ps = r.Reals(name, number.NonNegative, Unproved)
		r.SumsToOne(name, ps)
		return "", "", ps
	}
	path = r.Text(name, want)
	t := readNoiseTable(r, name, path)
	if r.Err == nil && sum != "" && t.sum != sum {
		r.Err = r.InFile("sha256", path, 0, fmt.Errorf("the SHA-256 of its contents is %s, want %s: "+
			"it is not the file that the event was written with", t.sum, sum))
	}
	return path, sum, t.masses
}

// readNoiseTable reads a file of probabilities.
func readNoiseTable(r *Reader, name, path string) noiseTable {
	if r.Err != nil {
		return noiseTable{}
	}
	return Once(r, path, func() noiseTable {
		rows, sum := r.Table(name, path, noiseFile)
		var ps []*big.Rat
		for i, row := range rows {
			if i > 0 && row.Bin != rows[i-1].Bin+1 {
				r.Err = r.InFile(name, path, row.Line,
					fmt.Errorf("cell = %d, want the next one after %d: consecutive integers", row.Bin, rows[i-1].Bin))
				return noiseTable{}
			}
			ps = append(ps, row.Mass)
		}
		if r.Err == nil && len(ps) == 0 {
			r.Err = r.InFile(name, path, 0, fmt.Errorf("no cells"))
		}
		r.SumsToOne(name, ps)
		return noiseTable{ps, sum}
	})
}

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
