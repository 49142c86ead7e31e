// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"errors"
	"fmt"

	"dpverify/internal/show"
)

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
