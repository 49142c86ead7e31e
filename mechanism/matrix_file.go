// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"

	"dpverify/number"
)

// maxMatrixBytes bounds the file of a matrix: 10^4 steps are 10^8 numbers, most of them 0.
const maxMatrixBytes = 1 << 29

// readMatrix reads rows of numbers. In an error steps is the line.
func (s *decoding) readMatrix(file io.Reader) (entries []Entry, steps int64, err error) {
	limited := &io.LimitedReader{R: file, N: maxMatrixBytes + 1}
	in := bufio.NewScanner(limited)
	in.Buffer(make([]byte, 1<<16), maxMatrixBytes)
	zero := new(big.Rat)
	for in.Scan() {
		row := steps
		if steps++; steps > MaxSteps {
			return nil, steps, fmt.Errorf("more than %d rows", MaxSteps)
		}
		line := strings.TrimSuffix(in.Text(), "\r")
		if row == 0 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		for column := int64(0); ; column++ {
			text, rest, more := strings.Cut(line, ",")
			line = rest
			if text != "0" {
				x, err := s.matrixNumber(strings.TrimSpace(text))
				switch {
				case err != nil:
					return nil, steps, fmt.Errorf("%s, want %s", cellOf(column, text), number.Wanted(err, "a number"))
				case x.Cmp(zero) == 0:
				case column > row:
					return nil, steps, fmt.Errorf("%s, want 0: the matrix is lower triangular", cellOf(column, text))
				case len(entries) == MaxListLen:
					return nil, steps, fmt.Errorf("more than %d numbers that are not 0", MaxListLen)
				default:
					entries = append(entries, Entry{row, column, x})
				}
			}
			if !more {
				break
			}
		}
	}
	switch {
	case limited.N == 0:
		return nil, 0, fmt.Errorf("longer than %d bytes", maxMatrixBytes)
	case in.Err() != nil:
		return nil, steps + 1, in.Err()
	case steps == 0:
		return nil, 0, errors.New("empty, want a row of numbers for each step")
	}
	return entries, steps, nil
}

func (s *decoding) matrixNumber(text string) (*big.Rat, error) {
	x, err := s.parse(text)
	if err != nil || !s.Binary64 {
		return x, err
	}
	return number.Binary64(x)
}
