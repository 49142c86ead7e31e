// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/internal/suggest"
)

// A Reader reads the fields of a mapping. Its first error stays: after it every method
// returns a zero value, so that fields can be named one after the other without handling
// errors between them.
type Reader struct {
	Node *Node
	// About makes an error say whose field it is about; nil leaves it as it is.
	About func(*FieldError) error
	// Parse reads a number; nil is number.Parse.
	Parse func(string) (*big.Rat, error)
	// Binary64 rounds every number to the nearest float64.
	Binary64 bool

	Err error
}

// Fail keeps the first error.
func (r *Reader) Fail(err error) {
	if r.Err == nil {
		r.Err = err
	}
}

func (r *Reader) about(e *FieldError) error {
	if r.About == nil {
		return e
	}
	return r.About(e)
}

// Invalid returns the error that field has the value n where want was wanted.
func (r *Reader) Invalid(field string, n *Node, want string) error {
	return r.InvalidText(field, n, Shown(n), want)
}

// InvalidText is Invalid for a value that is described in other words.
func (r *Reader) InvalidText(field string, n *Node, value, want string) error {
	e := &FieldError{Field: field, Value: value, Want: want}
	if r.Node != nil {
		e.Line = r.Node.Line
	}
	if n != nil && n.Line > 0 {
		e.Line = n.Line
	}
	return r.about(e)
}

// Missing returns the error that a field is not there.
func (r *Reader) Missing(field, want string) error {
	e := &FieldError{Problem: Missing, Field: field, Want: want}
	if r.Node != nil {
		e.Line = r.Node.Line
	}
	return r.about(e)
}

// Known demands that all fields are of a list, and each is given once. want names them.
func (r *Reader) Known(fields []string, want string) {
	if r.Err != nil || r.Node == nil {
		return
	}
	seen := make(map[string]bool)
	for _, e := range r.Node.Entries {
		problem := Duplicate
		switch {
		case !slices.Contains(fields, e.Key):
			problem = Unknown
			if perhaps := suggest.Field(e.Key, fields); perhaps != "" {
				want += "; " + perhaps
			}
		case !seen[e.Key]:
			seen[e.Key] = true
			continue
		}
		r.Err = r.about(&FieldError{Problem: problem, Field: e.Key, Value: Shown(e.Value), Want: want, Line: e.Line})
		return
	}
}

// Required returns the value of a field, nil if an error has occurred.
func (r *Reader) Required(field, want string) *Node {
	if r.Err != nil {
		return nil
	}
	n := r.Node.Get(field)
	if n == nil {
		r.Err = r.Missing(field, want)
	}
	return n
}

// isText: a bare number is text where text is wanted: YAML needs no quotes.
func isText(n *Node) bool { return n.Kind == String || n.Kind == Number }

// Text reads a string that is not empty.
func (r *Reader) Text(field, want string) string {
	n := r.Required(field, want)
	if r.Err != nil {
		return ""
	}
	if !isText(n) || strings.TrimSpace(n.Text) == "" {
		r.Err = r.Invalid(field, n, want)
		return ""
	}
	return n.Text
}

// Word reads a string that parse understands, if the field is there.
func (r *Reader) Word(field, want string, parse func(string) error) {
	n := r.Node.Get(field)
	if r.Err != nil || n == nil {
		return
	}
	if !isText(n) || parse(n.Text) != nil {
		r.Fail(r.Invalid(field, n, want)) // parse may have failed in its own words
	}
}

// Parsed reads a string as what parse makes of it, if the field is there.
func Parsed[T any](r *Reader, field, want string, into *T, parse func(string) (T, error)) {
	r.Word(field, want, func(s string) (err error) {
		*into, err = parse(s)
		return err
	})
}

// octal is what is a number to one version of YAML and another number to the other: 012 is 12, or 10 in YAML 1.1. JSON
// has no such numbers.
var octal = regexp.MustCompile(`^[-+]?0[0-7]+$`)

// Literal reads a number exactly as it is written.
func (r *Reader) Literal(field string, n *Node, want string) *big.Rat {
	if r.Err != nil {
		return nil
	}
	if n == nil || n.Kind != Number && n.Kind != String {
		r.Err = r.Invalid(field, n, want)
		return nil
	}
	if n.Kind == Number && octal.MatchString(n.Text) {
		r.Err = r.Invalid(field, n, "a number without zeros before it, which some readers of YAML take for octal, or quotes")
		return nil
	}
	parse := r.Parse
	if parse == nil {
		parse = number.Parse
	}
	x, err := parse(n.Text)
	if err != nil {
		r.Err = r.Invalid(field, n, number.Wanted(err, want))
		return nil
	}
	return x
}

// Number reads a number of a domain.
func (r *Reader) Number(field string, n *Node, in number.Domain) *big.Rat {
	x := r.Literal(field, n, in.String())
	if r.Err != nil {
		return nil
	}
	want := in.Want
	if r.Binary64 {
		rounded, err := number.Binary64(x)
		if err != nil {
			r.Err = r.Invalid(field, n, number.Wanted(err, ""))
			return nil
		}
		if in.Contains(x) {
			want += " after rounding to binary64"
		}
		x = rounded
	}
	if !in.Contains(x) {
		r.Err = r.Invalid(field, n, want)
		return nil
	}
	return x
}

// Integer reads an integer of [lo, hi]. 100, "100", 1e2 and 100.0 are the same integer;
// binary64 does not round it.
func (r *Reader) Integer(field string, lo, hi int64) int64 {
	return r.IntegerOf(field, r.Required(field, integerIn(lo, hi)), lo, hi)
}

func integerIn(lo, hi int64) string { return fmt.Sprintf("an integer in [%d, %d]", lo, hi) }

// IntegerOf is Integer for a value that is no field of the mapping.
func (r *Reader) IntegerOf(field string, n *Node, lo, hi int64) int64 {
	want := integerIn(lo, hi)
	x := r.Literal(field, n, want)
	if r.Err != nil {
		return 0
	}
	i, ok := number.Integer(x, lo, hi)
	if !ok {
		r.Err = r.Invalid(field, n, want)
	}
	return i
}

// List reads a list of at least one element and at most most.
func (r *Reader) List(field, of string, most int) []*Node {
	want := "a list of " + of
	n := r.Required(field, want)
	if r.Err != nil {
		return nil
	}
	switch {
	case n.Kind != Sequence || len(n.Items) == 0:
		r.Err = r.Invalid(field, n, want)
		return nil
	case len(n.Items) > most:
		r.Err = r.Invalid(field, n, fmt.Sprintf("at most %d elements", most))
		return nil
	}
	return n.Items
}

// Shown is a value as an error shows it.
func Shown(n *Node) string {
	if n == nil {
		return "nothing"
	}
	switch n.Kind {
	case Number, String:
		return show.Value(n.Text)
	case Bool:
		return show.Cut(n.Text)
	case Sequence:
		return fmt.Sprintf("a list of %d", len(n.Items))
	case Mapping:
		lo, hi := n.Get("lo"), n.Get("hi")
		if lo != nil && hi != nil && lo.Kind != Mapping && hi.Kind != Mapping {
			return fmt.Sprintf("{lo: %s, hi: %s}", Shown(lo), Shown(hi))
		}
	}
	return n.Kind.String()
}
