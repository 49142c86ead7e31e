// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package efforts

import (
	"fmt"
	"strings"

	"dpverify/exact"
)

// A MemoryError says that methods were left out for the memory that they need, and that
// those which are left are not enough.
type MemoryError struct {
	Effort  exact.Effort
	Refused []exact.Refusal
}

func (e *MemoryError) Error() string {
	needs := make([]string, len(e.Refused))
	for i, r := range e.Refused {
		needs[i] = r.String()
	}
	return fmt.Sprintf("more memory than allowed would be needed at effort %d: %s", e.Effort, strings.Join(needs, ", "))
}
