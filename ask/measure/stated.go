// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package measure

import (
	"errors"
	"io"
	"math/big"
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/show"
)

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
