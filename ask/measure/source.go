// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package measure

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"dpverify/internal/number"
	"dpverify/internal/show"
)

// Open is where confidences and powers are.
var Open = number.Domain{Want: "in (0, 1)", Contains: func(r *big.Rat) bool {
	return r.Sign() > 0 && r.Cmp(big.NewRat(1, 1)) < 0
}}

// A Source says where an attack is written: in one of three ways.
type Source struct {
	Counts  string // "TP,FP,POS,NEG"
	Scores  string // the path of a CSV file
	Guesses string // "M,GUESSED,CORRECT"
	Design  Design // of scores
}

// Given reports that some attack is named.
func (s Source) Given() bool { return s.Counts != "" || s.Scores != "" || s.Guesses != "" }

// Open reads the attack. Files are read by read.
func (s Source) Open(read func(path string) ([]byte, error)) (Attack, error) {
	n := 0
	for _, text := range []string{s.Counts, s.Scores, s.Guesses} {
		if text != "" {
			n++
		}
	}
	if n != 1 {
		return nil, errors.New("want one of counts, scores and guesses")
	}
	if s.Scores == "" && s.Design != AllThresholds {
		return nil, errors.New("a design is one of scores")
	}
	switch {
	case s.Counts != "":
		v, err := integers(s.Counts, "counts", 4, "TP,FP,POS,NEG")
		if err != nil {
			return nil, err
		}
		c, err := NewCounts(v[0], v[1], v[2], v[3])
		return c, located("counts", err)
	case s.Guesses != "":
		v, err := integers(s.Guesses, "guesses", 3, "M,GUESSED,CORRECT")
		if err != nil {
			return nil, err
		}
		g, err := NewGuesses(v[0], v[1], v[2])
		return g, located("guesses", err)
	}
	data, err := read(s.Scores)
	if err != nil {
		return nil, err
	}
	a, err := ReadScores(bytes.NewReader(data), s.Design)
	return a, located(show.Name(s.Scores), err)
}

func located(where string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", where, err)
	}
	return err
}

// integers reads n integers with commas between them.
func integers(text, name string, n int, want string) ([]int64, error) {
	fields := strings.Split(text, ",")
	out := make([]int64, len(fields))
	for i, f := range fields {
		var err error
		if out[i], err = strconv.ParseInt(strings.TrimSpace(f), 10, 64); err != nil {
			return nil, fmt.Errorf("%s: %s, want an integer, of %s", name, show.Value(f), want)
		}
	}
	if len(out) != n {
		return nil, fmt.Errorf("%s: %d numbers, want %d: %s", name, len(out), n, want)
	}
	return out, nil
}

// ParseDesign reads the name of a design.
func ParseDesign(s string) (Design, error) {
	if i := slices.Index(Designs, s); i >= 0 {
		return Design(i), nil
	}
	return 0, &number.Error{Value: s, Want: "all, split or one-run"}
}
