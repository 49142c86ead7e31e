package certify

import (
	"fmt"

	"dpverify/internal/show"
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
		s = show.Name(e.File) + ":"
		if e.Line > 0 {
			s += fmt.Sprintf("%d:", e.Line)
		}
		s += " "
	}
	if e.Claim != "" {
		s += "claim " + show.Name(show.Cut(e.Claim)) + ": "
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

// ErrorLine is the line of the claim or of its field, 0 if it is unknown.
func (e *ClaimError) ErrorLine() int { return e.Line }
