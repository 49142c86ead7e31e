// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package golden runs directories of golden cases against a build of the command:
//
//	oracle/**/*.jsonl   values from outside: questions of "verify query" with a value
//	published/*.yaml    claims whose verdict is known
//	snapshot/NAME.json  the output of "verify certify --format json" for published/NAME.yaml
//
// An answer must meet the value from outside, a verdict must be the expected one or
// UNDECIDED, and a snapshot must be the output, byte for byte. Snapshots are rewritten
// if [Options] ask for it, and nothing else ever.
package golden

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"dpverify/internal/show"
)

// Run runs all cases of a directory. The error is non-nil if they could not be run, if there are
// none, or if ctx has ended; that a case fails is no error.
func Run(ctx context.Context, dir string, o Options) (Result, error) {
	var r Result
	if info, err := os.Stat(dir); err != nil {
		return r, err
	} else if !info.IsDir() {
		return r, fmt.Errorf("%s is not a directory, want one of golden cases", show.Name(dir))
	}
	if err := r.oracle(ctx, filepath.Join(dir, "oracle"), o); err != nil {
		return r, err
	}
	if err := r.published(ctx, dir, o); err != nil {
		return r, err
	}
	if r.Cases == 0 {
		return r, fmt.Errorf("%s: no golden cases, want oracle/**/*.jsonl or published/*.yaml", show.Name(dir))
	}
	return r, nil
}
