// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"fmt"

	"dpverify/internal/show"
)

// A ClaimError says what is wrong with a claim or a claims file.
type ClaimError struct {
	File  string
	Line  int
	Claim string // id, if known
	Err   error  // a *document.FieldError, or one of package mechanism
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
	return s + e.Err.Error()
}

// Unwrap returns the nested error.
func (e *ClaimError) Unwrap() error { return e.Err }

// ErrorLine is the line of the claim or of its field, 0 if it is unknown.
func (e *ClaimError) ErrorLine() int { return e.Line }
