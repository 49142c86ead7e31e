// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package measure

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"dpverify/internal/document"
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

// A Stated attack stands in a document, beside the event that it was made on.
type Stated struct {
	Attack     Attack
	Confidence *big.Rat
}

var statedFields = []string{"counts", "scores", "guesses", "design", "confidence"}

// wantStated is how an attack is stated.
const wantStated = "{counts: [TP, FP, POS, NEG]}, {scores: FILE} or {guesses: [M, GUESSED, CORRECT]}"

// ReadStated reads the value n of the field measured. Files are opened by open, which may be nil: then none is. About
// says whose field an error is about, as that of a document.Reader does.
func ReadStated(n *document.Node, open func(string) (io.ReadCloser, error),
	about func(*document.FieldError) error) (*Stated, error) {
	const field = "measured"
	r := document.Reader{Node: n, About: func(e *document.FieldError) error {
		if e.Field != field {
			e.Field = field + "." + e.Field
		}
		return about(e)
	}}
	if n.Kind != document.Mapping {
		return nil, r.Invalid(field, n, wantStated)
	}
	r.Known(statedFields, "one of "+strings.Join(statedFields, ", "))
	s := &Stated{Confidence: DefaultConfidence}
	var from Source
	from.Counts = integersOf(&r, "counts")
	from.Guesses = integersOf(&r, "guesses")
	r.Word("scores", "the path of a CSV file", func(text string) error { from.Scores = text; return nil })
	document.Parsed(&r, "design", "all, split or one-run", &from.Design, ParseDesign)
	if v := n.Get("confidence"); v != nil {
		s.Confidence = r.Number("confidence", v, Open)
	}
	if r.Err != nil {
		return nil, r.Err
	}
	var err error
	if s.Attack, err = from.Open(func(path string) ([]byte, error) {
		if open == nil {
			return nil, errors.New(show.Value(path) + " cannot be opened here, want counts or guesses")
		}
		f, err := open(path)
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(f)
		return data, errors.Join(err, f.Close())
	}); err != nil {
		return nil, about(&document.FieldError{Field: field, Line: n.Line, Value: document.Shown(n),
			Want: wantStated + ": " + err.Error()})
	}
	return s, nil
}

// integersOf reads a list of integers, or a text with commas between them, as such a text.
func integersOf(r *document.Reader, field string) string {
	n := r.Node.Get(field)
	if n == nil || r.Err != nil {
		return ""
	}
	if n.Kind == document.String {
		return n.Text
	}
	var parts []string
	for _, item := range n.Items {
		if item.Kind == document.Number {
			parts = append(parts, item.Text)
		}
	}
	if len(parts) == 0 || len(parts) < len(n.Items) {
		r.Fail(r.Invalid(field, n, "a list of integers"))
	}
	return strings.Join(parts, ",")
}
