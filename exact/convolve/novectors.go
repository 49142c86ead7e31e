// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !amd64 || purego

package convolve

import (
	"context"
	"math/big"
)

// hasIFMA tells whether there are vectors.
var hasIFMA = false

// A job52 is a product in vectors, which this build does not have.
type job52 struct{ *job }

func (j *job) vectors(*big.Int) *job52 {
	if hasIFMA {
		panic("convolve: internal error: this build has no vectors")
	}
	return nil
}

func (j *job52) run(ctx context.Context) (Vector, error) { return j.job.run(ctx) }
