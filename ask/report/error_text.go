// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"errors"
	"fmt"

	"dpverify/exact"
	"dpverify/internal/guard"
)

// Error writes an error for people, and a bug of the engine with all that a report of it needs.
func Error(err error) string {
	var bug *exact.InconsistencyError
	var crash *guard.PanicError
	switch {
	case errors.As(err, &bug):
		return fmt.Sprintf(`verify: INTERNAL ERROR: %v

Two methods contradict each other, so one of them is wrong: nothing that this
version says about this mechanism can be relied on. Please report it with this
command, which shows it again:

  %s
`, err, bug.Reproduce)
	case errors.As(err, &crash):
		return fmt.Sprintf("verify: INTERNAL ERROR: %v\nPlease report it, with the input that it is about.\n", err)
	}
	return fmt.Sprintf("verify: %v\n", err)
}
