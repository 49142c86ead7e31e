// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/show"
)

// A ParamError says which parameter of which event is wrong, and what was
// wanted:
//
//	mechanism: event.events[3].event: PoissonSampledDpEvent: sampling_probability = 1.2, want in [0, 1]
type ParamError struct {
	Problem document.Problem
	Path    string // the event's place in the source, empty for the root event
	Class   string // class_name, empty if it is not known
	Field   string // with an index for an element of a list: p[3]
	Value   string // the value found, abbreviated if long; empty for Missing
	Want    string
	Line    int // line of the value, or of the event if there is no value; 0 if unknown
}

func (e *ParamError) Error() string {
	field := document.FieldError{Problem: e.Problem, Field: e.Field, Value: e.Value, Want: e.Want}
	return place(e.Path, e.Class) + field.Error()
}

// An UnsupportedError names a class of dp_accounting that is recognised and
// cannot be accounted for.
type UnsupportedError struct {
	Path  string // as in ParamError
	Class string
	Line  int
}

func (e *UnsupportedError) Error() string {
	return place(e.Path, e.Class) + "this class is not supported"
}

// A FileError is a fault in a file that an event names.
type FileError struct {
	Path  string // as in ParamError
	Class string
	Field string // the field that names the file
	Line  int    // line of that field in the source of the event

	File     string // as it is named there
	FileLine int    // 0 if the fault is the file as a whole
	Err      error
}

func (e *FileError) Error() string {
	file := show.Name(show.Cut(e.File))
	s := place(e.Path, e.Class) + e.Field + ": " + file
	if e.FileLine > 0 {
		s += fmt.Sprintf(":%d", e.FileLine)
	}
	// A PathError would name the file a second time.
	var pathError *fs.PathError
	if errors.As(e.Err, &pathError) {
		return s + ": " + pathError.Err.Error()
	}
	return s + ": " + e.Err.Error()
}

func (e *FileError) Unwrap() error { return e.Err }

// place is the beginning of an error text.
func place(path, class string) string {
	parts := []string{"mechanism"}
	for _, s := range []string{path, class} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ": ") + ": "
}

// ErrorLine is the line in the source of the event, 0 if it is unknown.
func (e *ParamError) ErrorLine() int { return e.Line }

// ErrorLine is the line in the source of the event, 0 if it is unknown.
func (e *UnsupportedError) ErrorLine() int { return e.Line }

// ErrorLine is the line of the field that names the file, 0 if it is unknown.
func (e *FileError) ErrorLine() int { return e.Line }
