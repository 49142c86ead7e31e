package certify

import (
	"fmt"
	"strconv"

	"dpverify/document"
)

// A ClaimError says what is wrong with a claim or a claims file: where, which
// field, the value found and what was wanted.
type ClaimError struct {
	File  string
	Line  int
	Claim string // id, if known
	Field string // the field, or empty if Err says it all
	Value string
	Want  string
	Err   error // of a nested parser, instead of Field, Value and Want
}

func (e *ClaimError) Error() string {
	s := ""
	if e.File != "" {
		s = Printable(e.File) + ":"
		if e.Line > 0 {
			s += fmt.Sprintf("%d:", e.Line)
		}
		s += " "
	}
	if e.Claim != "" {
		s += "claim " + Printable(abbreviate(e.Claim)) + ": "
	}
	if e.Err != nil {
		return s + e.Err.Error()
	}
	s += e.Field
	if e.Value != "" {
		s += " = " + e.Value
	}
	return s + ", want " + e.Want
}

// Unwrap returns the nested error.
func (e *ClaimError) Unwrap() error { return e.Err }

// describe renders a value for an error message.
func describe(n *document.Node) string {
	switch n.Kind {
	case document.Sequence:
		return fmt.Sprintf("a list of %d", len(n.Items))
	case document.Mapping:
		return n.Kind.String()
	case document.String:
		return strconv.Quote(abbreviate(n.Text))
	}
	return Printable(abbreviate(n.Text))
}

// abbreviate shortens text for an error message.
func abbreviate(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Printable returns s itself if all of it can be printed, and s quoted if not: a
// control character of a file must not reach a terminal.
func Printable(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	return s
}
