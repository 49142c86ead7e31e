// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package table reads CSV files of numbers: two columns, as histograms and noise are written, and
// matrices. An error comes with its line, 0 if it is not on one line.
package table

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"dpverify/internal/number"
	"dpverify/internal/show"
)

const (
	// MaxRows is how many rows a table may have, and how many numbers but 0 a matrix.
	MaxRows = 1 << 22
	// MaxBytes is how long the file of a table may be.
	MaxBytes = 64 << 20
	// maxTotalBits: every normalised mass is about as long as the sum of all. So both that sum
	// and its length times the number of bins are bounded, in bits.
	maxTotalBits           = 1 << 14
	maxHistogramBits int64 = 1 << 31
)

// Numbers says how the numbers of a file are read.
type Numbers struct {
	Parse    func(text string) (*big.Rat, error)
	Binary64 bool // reals are rounded to the nearest float64 first; counts are not
}

// A Histogram is a probability distribution on numbered bins.
type Histogram struct {
	bins   []int64    // increasing
	masses []*big.Rat // ≥ 0, as many, with sum exactly 1
}

// A Row is one line of a file.
type Row struct {
	Bin  int64
	Mass *big.Rat // ≥ 0, not normalised
	Line int
}

// A Format is the format of a CSV file of two columns: integers in [Least, Most], each at
// most once, and probabilities or counts.
type Format struct {
	Key         string
	Least, Most int64
	Columns     []string // what the second one may be: "count" or "probability"
}

// Read reads a file, sorted by its first column.
func (t Format) Read(file io.Reader, n Numbers) (rows []Row, line int, err error) {
	limited := &io.LimitedReader{R: file, N: MaxBytes + 1}
	rows, line, err = t.rows(limited, n)
	if limited.N == 0 {
		return nil, 0, fmt.Errorf("longer than %d bytes", MaxBytes)
	}
	if err != nil {
		return nil, line, err
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Or(cmp.Compare(a.Bin, b.Bin), cmp.Compare(a.Line, b.Line)) })
	for i := 1; i < len(rows); i++ {
		if rows[i].Bin == rows[i-1].Bin {
			return nil, rows[i].Line, fmt.Errorf("%s %d is given twice, first on line %d", t.Key, rows[i].Bin, rows[i-1].Line)
		}
	}
	return rows, 0, nil
}

// header says what the first line may be.
func (t Format) header() string {
	var forms []string
	for _, c := range t.Columns {
		forms = append(forms, t.Key+","+c)
	}
	return strings.Join(forms, " or ")
}

// rows reads the header and all lines of a table.
func (t Format) rows(file io.Reader, n Numbers) (rows []Row, line int, err error) {
	r := csv.NewReader(file)
	r.FieldsPerRecord = 2
	r.ReuseRecord = true
	header, err := r.Read()
	if err == nil {
		header[0] = strings.TrimPrefix(header[0], "\ufeff") // as spreadsheets write it
	}
	if err != nil || header[0] != t.Key || !slices.Contains(t.Columns, header[1]) {
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
		next := Row{}
		next.Line, _ = r.FieldPos(0)
		if len(rows) == MaxRows {
			return nil, next.Line, fmt.Errorf("more than %d %ss", MaxRows, t.Key)
		}
		if next.Bin, err = t.readKey(record[0], n); err != nil {
			return nil, next.Line, err
		}
		if next.Mass, err = n.readMass(column, record[1]); err != nil {
			return nil, next.Line, err
		}
		rows = append(rows, next)
	}
}

func (t Format) readKey(text string, n Numbers) (int64, error) {
	want := fmt.Sprintf("an integer in [%d, %d]", t.Least, t.Most)
	x, err := n.readCell(t.Key, text, want)
	if err != nil {
		return 0, err
	}
	key, ok := number.Integer(x, t.Least, t.Most)
	if !ok {
		return 0, cellError(t.Key, text, want)
	}
	return key, nil
}

func (n Numbers) readMass(column, text string) (*big.Rat, error) {
	counts := column == "count"
	want := "a number >= 0"
	if counts {
		want = "an integer >= 0"
	}
	x, err := n.readCell(column, text, want)
	if err != nil {
		return nil, err
	}
	if x.Sign() < 0 || counts && !x.IsInt() {
		return nil, cellError(column, text, want)
	}
	if n.Binary64 && !counts {
		rounded, err := number.Binary64(x)
		if err != nil {
			return nil, cellError(column, text, number.Wanted(err, ""))
		}
		return rounded, nil
	}
	return x, nil
}

func (n Numbers) readCell(column, text, want string) (*big.Rat, error) {
	x, err := n.Parse(text)
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

// Normalise divides the masses of sorted rows by their sum.
func Normalise(rows []Row) (*Histogram, error) {
	h := &Histogram{bins: make([]int64, len(rows)), masses: make([]*big.Rat, len(rows))}
	for i, row := range rows {
		h.bins[i], h.masses[i] = row.Bin, row.Mass
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
		return nil,
			fmt.Errorf("the sum of all bins takes %d bits, want at most %d, and times the number of bins at most %d",
				bits, maxTotalBits, maxHistogramBits)
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

// Align lists the masses of p and q over the bins of either.
func Align(p, q *Histogram) (ps, qs []*big.Rat) {
	zero := new(big.Rat)
	for i, j := 0, 0; i < len(p.bins) || j < len(q.bins); {
		a, b := zero, zero
		inP := j == len(q.bins) || i < len(p.bins) && p.bins[i] <= q.bins[j]
		inQ := i == len(p.bins) || j < len(q.bins) && q.bins[j] <= p.bins[i]
		if inP {
			a = p.masses[i]
			i++
		}
		if inQ {
			b = q.masses[j]
			j++
		}
		ps, qs = append(ps, a), append(qs, b)
	}
	return ps, qs
}

// maxMatrixBytes bounds the file of a matrix: 10^4 steps are 10^8 numbers, most of them 0.
const maxMatrixBytes = 1 << 29

// Triangle reads a lower-triangular matrix of at most so many rows: numbers separated by commas, those right of the
// diagonal 0 or left out, and no others, as a row of a band alone has them. It calls add for each number but 0, by
// rows, and returns how many rows there are; in an error that is the line.
func (n Numbers) Triangle(file io.Reader, most int64, add func(row, column int64,
	value *big.Rat)) (steps int64, err error) {
	limited := &io.LimitedReader{R: file, N: maxMatrixBytes + 1}
	in := bufio.NewScanner(limited)
	in.Buffer(make([]byte, 1<<16), maxMatrixBytes)
	entries := 0
	for in.Scan() {
		row := steps
		if steps++; steps > most {
			return steps, fmt.Errorf("more than %d rows", most)
		}
		line := strings.TrimSuffix(in.Text(), "\r")
		if row == 0 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		for column := int64(0); ; column++ {
			text, rest, more := strings.Cut(line, ",")
			line = rest
			if text != "0" {
				x, err := n.real(strings.TrimSpace(text))
				switch {
				case err != nil:
					return steps, fmt.Errorf("%s, want %s", cellOf(column, text), number.Wanted(err, "a number"))
				case x.Sign() == 0:
				case column > row:
					return steps, fmt.Errorf("%s, want 0: the matrix is lower triangular", cellOf(column, text))
				case entries == MaxRows:
					return steps, fmt.Errorf("more than %d numbers that are not 0", MaxRows)
				default:
					entries++
					add(row, column, x)
				}
			}
			if !more && column < row {
				return steps, fmt.Errorf("the last is %s, want a number up to column %d", cellOf(column, text), steps)
			}
			if !more {
				break
			}
		}
	}
	switch {
	case limited.N == 0:
		return 0, fmt.Errorf("longer than %d bytes", maxMatrixBytes)
	case in.Err() != nil:
		return steps + 1, in.Err()
	case steps == 0:
		return 0, errors.New("empty, want a row of numbers for each step")
	}
	return steps, nil
}

func (n Numbers) real(text string) (*big.Rat, error) {
	x, err := n.Parse(text)
	if err != nil || !n.Binary64 {
		return x, err
	}
	return number.Binary64(x)
}

// cellOf is a number of the matrix for people.
func cellOf(column int64, text string) string {
	return fmt.Sprintf("column %d = %s", column+1, show.Value(text))
}
