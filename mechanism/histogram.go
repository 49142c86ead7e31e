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

// readHistogram reads and normalises the CSV file at path. line is where the
// error is, 0 if it is not on one line.
func (s *decoding) readHistogram(path string) (h *histogram, line int, err error) {
	f, err := s.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	limited := &io.LimitedReader{R: f, N: MaxHistogramBytes + 1}
	rows, line, err := s.readRows(limited)
	if limited.N == 0 {
		return nil, 0, fmt.Errorf("longer than %d bytes", MaxHistogramBytes)
	}
	if err != nil {
		return nil, line, err
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.bin, b.bin), cmp.Compare(a.line, b.line)) })
	for i := 1; i < len(rows); i++ {
		if rows[i].bin == rows[i-1].bin {
			return nil, rows[i].line, fmt.Errorf("bin %d is given twice, first on line %d", rows[i].bin, rows[i-1].line)
		}
	}
	h, err = normalise(rows)
	return h, 0, err
}

// readRows reads the header and all lines of a histogram file.
func (s *decoding) readRows(file io.Reader) (rows []row, line int, err error) {
	r := csv.NewReader(file)
	r.FieldsPerRecord = 2
	r.ReuseRecord = true
	header, err := r.Read()
	if err == nil {
		header[0] = strings.TrimPrefix(header[0], "\ufeff") // as spreadsheets write it
	}
	if err != nil || header[0] != "bin" || header[1] != "count" && header[1] != "probability" {
		if line, err := csvError(err); err != nil && !errors.Is(err, csv.ErrFieldCount) {
			return nil, line, err
		}
		return nil, 1, errors.New("want the header bin,count or bin,probability")
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
			return nil, next.line, fmt.Errorf("more than %d bins", MaxListLen)
		}
		if next.bin, err = s.readBin(record[0]); err != nil {
			return nil, next.line, err
		}
		if next.mass, err = s.readMass(column, record[1]); err != nil {
			return nil, next.line, err
		}
		rows = append(rows, next)
	}
}

func (s *decoding) readBin(text string) (int64, error) {
	want := fmt.Sprintf("an integer in [0, %d]", MaxCount)
	x, err := s.readCell("bin", text, want)
	if err != nil {
		return 0, err
	}
	bin, ok := integer(x, 0, MaxCount)
	if !ok {
		return 0, cellError("bin", text, want)
	}
	return bin, nil
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
	return fmt.Errorf("%s = %s, want %s", column, number.Quote(text), want)
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
