// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/field"
	"dpverify/internal/rounded"
	"dpverify/internal/shorthand"
	"dpverify/internal/suggest"
)

// A Decoder turns documents into events. The zero value reads every number as
// exactly what is written and opens no files.
type Decoder struct {
	// Binary64 rounds every real parameter to the nearest float64 first, as the
	// library under audit did. Integers such as counts are not rounded.
	Binary64 bool
	// Open opens the CSV file that an event names; the caller resolves
	// relative paths. If it is nil, such events are an error.
	Open func(path string) (io.ReadCloser, error)
}

// DecodeEvent reads an event from JSON with the zero Decoder, as the path
// "event".
func DecodeEvent(data []byte) (Event, error) {
	n, err := document.ParseJSON(data)
	if err != nil {
		return nil, err
	}
	return Decoder{}.Event(n, "event")
}

// Event reads the event that n describes. path is where n stands in its source,
// for example "event"; errors about nested events extend it, errors about the
// event itself leave it out. An interval is an error.
func (d Decoder) Event(n *document.Node, path string) (Event, error) {
	return d.newDecoding(path, rounded.None).event(n, path, 1)
}

// A Range is what a document may stand for: every event that it may mean has a privacy
// profile between the profiles of MorePrivate and LessPrivate. The two are equal
// where it means one event.
type Range struct {
	MorePrivate, LessPrivate Event
	// Rounded names the lists of probabilities whose sum is 1 only up to their rounding to
	// binary64, by their paths. The range covers all distributions that they may be the
	// rounded values of; a 0 is 0.
	Rounded []string
	// Reason says what leaves open which event is meant where that is not rounding; empty
	// otherwise.
	Reason string
	// Written is the short form that was read; empty if the event was written out.
	Written string
	// Recounted is what the short form means with ⌈n/batch⌉ steps an epoch in the trainings that do not say how steps
	// are counted; nil if that changes nothing.
	Recounted *Range
}

// IsOne reports that the range is one event.
func (r Range) IsOne() bool { return len(r.Rounded) == 0 && r.Reason == "" }

// Notes returns what an answer that covers the range has to say about it.
func (r Range) Notes() []string {
	switch {
	case r.Reason != "":
		return []string{r.Reason}
	case len(r.Rounded) == 0:
		return nil
	}
	const most = 3
	lists := strings.Join(r.Rounded[:min(most, len(r.Rounded))], ", ")
	if n := len(r.Rounded); n > most {
		lists += fmt.Sprintf(", … (%d lists)", n)
	}
	return []string{"the probabilities of " + lists + " sum to 1 up to rounding only: " +
		"the answer covers all that do within half a unit in the last place in binary64"}
}

// EventRange is like Event but lets a published, rounded parameter be an
// interval {lo: …, hi: …} where privacy is provably monotone in it, and the sum of a list of
// probabilities in binary64 miss 1 by rounding.
func (d Decoder) EventRange(n *document.Node, path string) (Range, error) {
	return d.eventRange(n, path, true)
}

// RoundedEvent is like EventRange, but an interval is an error.
func (d Decoder) RoundedEvent(n *document.Node, path string) (Range, error) {
	return d.eventRange(n, path, false)
}

func (d Decoder) eventRange(n *document.Node, path string, admitsIntervals bool) (Range, error) {
	s := d.newDecoding(path, rounded.Private)
	s.AdmitsIntervals = admitsIntervals
	morePrivate, err := s.event(n, path, 1)
	if err != nil {
		return Range{}, err
	}
	out := Range{MorePrivate: morePrivate, LessPrivate: morePrivate, Rounded: s.Rounded}
	if s.Intervals || len(s.Rounded) > 0 {
		s.Again(rounded.Exposed)
		out.LessPrivate, err = s.event(n, path, 1)
	}
	if err != nil {
		return Range{}, err
	}
	return out, d.asWritten(n, path, admitsIntervals, &out)
}

// asWritten adds to what was read what the text of a short form says about itself.
func (d Decoder) asWritten(n *document.Node, path string, admitsIntervals bool, r *Range) error {
	if n.Kind != document.String {
		return nil
	}
	r.Written = n.Text
	more, unsaid, err := shorthand.Counting(n.Text, shorthand.Ceil)
	if err != nil || unsaid == 0 {
		return err
	}
	long, err := document.ParseJSON(more, document.FirstLine(n.Line))
	if err != nil {
		return err
	}
	other, err := d.eventRange(long, path, admitsIntervals)
	if err == nil && !Equal(other.LessPrivate, r.LessPrivate) {
		r.Recounted = &other
	}
	return err
}

// decoding is the state of reading one document.
type decoding struct {
	*field.Pass
	root string
}

func (d Decoder) newDecoding(root string, c rounded.Corner) decoding {
	s := decoding{field.NewPass(c), root}
	s.Binary64, s.Open = d.Binary64, d.Open
	s.Nested = func(n *document.Node, path string, depth int) (any, error) { return s.event(n, path, depth) }
	return s
}

// A reader reads one event. It knows what errors about it are about.
type reader struct {
	field.Reader
	path  string // for errors: empty at the root
	class string
}

func (s decoding) newReader(n *document.Node, path string, depth int) *reader {
	r := &reader{Reader: field.Reader{Pass: s.Pass, Path: path, Depth: depth}}
	if path != s.root {
		r.path = path
	}
	about := func(e *document.FieldError) error {
		return &ParamError{e.Problem, r.path, r.class, e.Field, e.Value, e.Want, e.Line}
	}
	r.Reader.Reader = document.Reader{Node: n, About: about, Parse: s.Number, Binary64: s.Binary64}
	r.InFile = func(name, file string, line int, err error) error {
		return &FileError{r.path, r.class, name, r.Node.Get(name).Line, file, line, err}
	}
	return r
}

// event reads the event n, which stands at path and is nested depth deep.
func (s decoding) event(n *document.Node, path string, depth int) (Event, error) {
	r := s.newReader(n, path, depth)
	if n != nil && n.Kind == document.String && shorthand.Looks(n.Text) {
		long, err := shorthand.Expand(n)
		if err != nil {
			return nil, r.Invalid("event", n, "a short form: "+err.Error())
		}
		return s.event(long, path, depth)
	}
	if n == nil || n.Kind != document.Mapping {
		want := "a mapping with a class_name"
		if n != nil && n.Kind == document.String {
			want += " or a short form such as gaussian(1)"
		}
		return nil, r.Invalid("event", n, want)
	}
	if depth > MaxNesting {
		return nil, &ParamError{Path: r.path, Field: "event", Value: fmt.Sprintf("nested %d deep", depth),
			Want: fmt.Sprintf("at most %d", MaxNesting), Line: n.Line}
	}
	c, err := r.readClass()
	if err != nil {
		return nil, err
	}
	if err := r.checkFields(c); err != nil {
		return nil, err
	}
	field.Read(&r.Reader, c.fields)
	if r.Err != nil {
		return nil, r.Err
	}
	return c.event(), nil
}

// readClass finds the class of the event and sets it for errors to come.
func (r *reader) readClass() (description, error) {
	n := r.Node.Get("class_name")
	switch {
	case n == nil:
		want := "the name of an event class"
		if slices.ContainsFunc(r.Node.Entries, func(e document.Entry) bool { return e.Key == "class" }) {
			want += "; perhaps in the place of class"
		}
		return description{}, r.Missing("class_name", want)
	case n.Kind != document.String:
		return description{}, r.Invalid("class_name", n, "the name of an event class")
	}
	if slices.Contains(unsupportedClasses, n.Text) {
		return description{}, &UnsupportedError{Path: r.path, Class: n.Text, Line: n.Line}
	}
	c, ok := byName[n.Text]
	if !ok {
		want := "a known event class"
		if name := suggest.Class(n.Text, slices.Concat(ClassNames(), unsupportedClasses)); name != "" {
			want += ", perhaps " + name
		}
		return description{}, r.Invalid("class_name", n, want)
	}
	r.class = n.Text
	return c.describe(), nil
}

// checkFields reports fields that the class does not have and repeated ones. It
// comes before any field is read: a misspelt field is then not called missing.
func (r *reader) checkFields(c description) error {
	// Which module a class comes from does not matter: the name is unique.
	if module := r.Node.Get("module_name"); module != nil && module.Kind != document.String {
		return r.Invalid("module_name", module, "a string")
	}
	want, fields := "no fields", field.Names(c.fields)
	if len(fields) > 0 {
		want = strings.Join(fields, ", ")
	}
	r.Known(slices.Concat(fields, []string{"class_name", "module_name"}), want)
	return r.Err
}

// Validate reports whether e could have been decoded. It is meant for events
// that were built in Go: those that come from a Decoder are valid. The error,
// if any, is the decoder's.
//
// Every question asks for it, so a valid event is recognised by its fields. What these do not accept is written and
// read back: the decoder has the last word, and the error.
func Validate(e Event) error {
	if isValid(&field.Validation{Digits: field.MaxDigits}, e) {
		return nil
	}
	_, err := DecodeEvent(EncodeContents(e))
	return err
}

// CheckParameters is Validate for what the fields of e hold themselves, and not the events inside of it: what else
// would make no sense in a composition, such as a count below 1. What is no event of this package passes.
func CheckParameters(e Event) error {
	if !isValue(e) || field.Valid(&field.Validation{Digits: field.MaxDigits, Shallow: true}, e.describe().fields) {
		return nil
	}
	return Validate(e)
}
