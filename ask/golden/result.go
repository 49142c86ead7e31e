// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package golden

import (
	"fmt"
	"time"
)

// Options say what is run and how.
type Options struct {
	Program Program
	Update  bool          // rewrite snapshots that differ
	Digits  int           // most significant digits of a value that are compared
	Timeout time.Duration // for one question
	Budget  time.Duration // for one claim
}

// A Result counts what was run.
type Result struct {
	Cases, Undecided int
	Silent           int      // lines that ask nothing
	Coarse           int      // values that were compared to fewer digits than they have
	Failures         []string // what is wrong, and where
	Updated          []string // the snapshots that were rewritten
}

// fail adds a failure.
func (r *Result) fail(format string, args ...any) {
	r.Failures = append(r.Failures, fmt.Sprintf(format, args...))
}
