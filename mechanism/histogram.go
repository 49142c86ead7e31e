// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"dpverify/internal/show"
	"dpverify/number"
)

const (
	// MaxHistogramBytes is how long a histogram file may be. It may have
	// MaxListLen bins.
	MaxHistogramBytes = 64 << 20
	// Every normalised mass is about as long as the sum of all. So both that sum
	// and its length times the number of bins are bounded, in bits.
	maxTotalBits           = 1 << 14
	maxHistogramBits int64 = 1 << 31
)

// A histogram is a probability distribution on numbered bins.
type histogram struct {
	bins   []int64    // increasing
	masses []*big.Rat // ≥ 0, as many, with sum exactly 1
}

// A row is one line of a histogram file.
type row struct {
	bin  int64
	mass *big.Rat // not normalised
	line int
}

// A table is the format of a CSV file of two columns: integers in [least, most], each at
// most once, and probabilities or counts.
type table struct {
	key         string
	least, most int64
	columns     []string // what the second one may be: "count" or "probability"
}

var histogramFile = table{key: "bin", most: MaxCount, columns: []string{"count", "probability"}}

// table reads the CSV file that field names, sorted by its first column.
func (r *reader) table(field, path string, t table) []row {
	if r.Err != nil {
		return nil
	}
	if r.s.Open == nil {
		r.Err = r.Invalid(field, r.Node.Get(field), "no file: this input cannot name files")
		return nil
	}
	rows, line, err := r.s.readTable(path, t)
	if err != nil {
		r.Err = r.inFile(field, path, line, err)
		return nil
	}
	return rows
}

// inFile is an error about a line of a file, 0 if it is not on one line.
func (r *reader) inFile(field, path string, line int, err error) error {
	return &FileError{Path: r.path, Class: r.class, Field: field, Line: r.Node.Get(field).Line, File: path, FileLine: line, Err: err}
}

// readTable reads and sorts the CSV file at path. line is where the error is, 0 if it is
// not on one line.
func (s *decoding) readTable(path string, t table) (rows []row, line int, err error) {
	f, err := s.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	limited := &io.LimitedReader{R: f, N: MaxHistogramBytes + 1}
	rows, line, err = s.readRows(limited, t)
	if limited.N == 0 {
		return nil, 0, fmt.Errorf("longer than %d bytes", MaxHistogramBytes)
	}
	if err != nil {
		return nil, line, err
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.bin, b.bin), cmp.Compare(a.line, b.line)) })
	for i := 1; i < len(rows); i++ {
		if rows[i].bin == rows[i-1].bin {
			return nil, rows[i].line, fmt.Errorf("%s %d is given twice, first on line %d", t.key, rows[i].bin, rows[i-1].line)
		}
	}
	return rows, 0, nil
}

// header says what the first line may be.
func (t table) header() string {
	var forms []string
	for _, c := range t.columns {
		forms = append(forms, t.key+","+c)
	}
	return strings.Join(forms, " or ")
}

// readRows reads the header and all lines of a table.
func (s *decoding) readRows(file io.Reader, t table) (rows []row, line int, err error) {
	r := csv.NewReader(file)
	r.FieldsPerRecord = 2
	r.ReuseRecord = true
	header, err := r.Read()
	if err == nil {
		header[0] = strings.TrimPrefix(header[0], "\ufeff") // as spreadsheets write it
	}
	if err != nil || header[0] != t.key || !slices.Contains(t.columns, header[1]) {
		if line, err := csvError(err); err != nil && !errors.Is(err, csv.ErrFieldCount) {
			return nil, line, err
		}
		return nil, 1, errors.New("want the header " + t.header())
	}
	column := header[1]
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, 0, nil
		}
		if err != nil {
			line, err := csvError(err)
			return nil, line, err
		}
		next := row{}
		next.line, _ = r.FieldPos(0)
		if len(rows) == MaxListLen {
			return nil, next.line, fmt.Errorf("more than %d %ss", MaxListLen, t.key)
		}
		if next.bin, err = s.readKey(record[0], t); err != nil {
			return nil, next.line, err
		}
		if next.mass, err = s.readMass(column, record[1]); err != nil {
			return nil, next.line, err
		}
		rows = append(rows, next)
	}
}

func (s *decoding) readKey(text string, t table) (int64, error) {
	want := fmt.Sprintf("an integer in [%d, %d]", t.least, t.most)
	x, err := s.readCell(t.key, text, want)
	if err != nil {
		return 0, err
	}
	key, ok := number.Integer(x, t.least, t.most)
	if !ok {
		return 0, cellError(t.key, text, want)
	}
	return key, nil
}

func (s *decoding) readMass(column, text string) (*big.Rat, error) {
	counts := column == "count"
	want := "a number >= 0"
	if counts {
		want = "an integer >= 0"
	}
	x, err := s.readCell(column, text, want)
	if err != nil {
		return nil, err
	}
	if x.Sign() < 0 || counts && !x.IsInt() {
		return nil, cellError(column, text, want)
	}
	if s.Binary64 && !counts {
		rounded, err := number.Binary64(x)
		if err != nil {
			return nil, cellError(column, text, number.Wanted(err, ""))
		}
		return rounded, nil
	}
	return x, nil
}

func (s *decoding) readCell(column, text, want string) (*big.Rat, error) {
	x, err := s.parse(text)
	if err != nil {
		return nil, cellError(column, text, number.Wanted(err, want))
	}
	return x, nil
}

func cellError(column, text, want string) error {
	return fmt.Errorf("%s = %s, want %s", column, show.Value(text), want)
}

// csvError takes apart an error of the csv package.
func csvError(err error) (line int, cause error) {
	var e *csv.ParseError
	switch {
	case errors.Is(err, io.EOF): // an empty file
		return 0, nil
	case errors.Is(err, csv.ErrFieldCount) && errors.As(err, &e):
		return e.Line, fmt.Errorf("%w, want two", e.Err)
	case errors.As(err, &e):
		return e.Line, e.Err
	}
	return 0, err
}

// normalise divides the masses of sorted rows by their sum.
func normalise(rows []row) (*histogram, error) {
	h := &histogram{bins: make([]int64, len(rows)), masses: make([]*big.Rat, len(rows))}
	for i, row := range rows {
		h.bins[i], h.masses[i] = row.bin, row.mass
	}
	total, err := number.Sum(h.masses)
	if err != nil {
		return nil, errors.New("want " + number.Wanted(err, ""))
	}
	if total.Num().Sign() == 0 {
		return nil, errors.New("all bins are 0, want a positive sum")
	}
	den := total.Denom()
	bits := max(total.Num().BitLen(), den.BitLen())
	if bits > maxTotalBits || int64(bits)*int64(len(rows)) > maxHistogramBits {
		return nil, fmt.Errorf("the sum of all bins takes %d bits, want at most %d, and times the number of bins at most %d", bits, maxTotalBits, maxHistogramBits)
	}
	if total.IsOne() {
		return h, nil
	}
	scale := new(big.Rat).SetFrac(den, total.Num())
	for i, mass := range h.masses {
		h.masses[i] = new(big.Rat).Mul(mass, scale)
	}
	return h, nil
}
