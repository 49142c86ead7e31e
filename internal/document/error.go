// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"errors"
	"fmt"

	"dpverify/internal/show"
	"dpverify/internal/suggest"
)

// A SyntaxError says where a document stops being well formed.
type SyntaxError struct {
	// Line and Column count from 1; Column counts characters.
	Line, Column int
	Msg          string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// ErrorLine is the line, for LineOf.
func (e *SyntaxError) ErrorLine() int { return e.Line }

// A Problem says what is wrong with a field.
type Problem int

const (
	Invalid   Problem = iota // the value is of the wrong kind or outside the domain
	Missing                  // a required field is not there
	Unknown                  // there is no such field
	Duplicate                // the field is given more than once
)

// A FieldError says which field of a mapping is wrong, and what was wanted.
type FieldError struct {
	Problem Problem
	Field   string // with an index for an element of a list: p[3]
	Value   string // the value found, as Shown shows it; empty for Missing
	Want    string
	Line    int // line of the value, or of the mapping if there is no value; 0 if unknown
}

func (e *FieldError) Error() string {
	switch e.Problem {
	case Missing:
		return e.Field + " is missing, want " + e.Want
	case Unknown:
		return "unknown field " + show.Quote(e.Field) + ", want " + e.Want
	case Duplicate:
		return e.Field + " is given more than once"
	default:
		return e.Field + " = " + e.Value + ", want " + e.Want + suggest.Among(e.Value, e.Want)
	}
}

// ErrorLine is the line, for LineOf.
func (e *FieldError) ErrorLine() int { return e.Line }

// Locate says where in a source an error is: the name, and the line if it is known.
func Locate(name string, err error) error {
	name = show.Name(name)
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		return fmt.Errorf("%s:%d: column %d: %s", name, syntax.Line, syntax.Column, syntax.Msg)
	}
	if line := LineOf(err); line > 0 {
		return fmt.Errorf("%s:%d: %w", name, line, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// LineOf returns the line of a document that an error is about, 0 if it names none: of the
// first error in its chain that has a method ErrorLine() int.
func LineOf(err error) int {
	var at interface{ ErrorLine() int }
	if errors.As(err, &at) {
		return at.ErrorLine()
	}
	return 0
}
