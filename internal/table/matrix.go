// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package table

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"

	"dpverify/internal/number"
	"dpverify/internal/show"
)

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
