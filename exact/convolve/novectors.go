// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !amd64 || purego

package convolve

import (
	"context"
	"math/big"
)

// A unit is a part of the processor that computes with vectors, of which this build has none.
type unit struct{ name string }

func units() []*unit { return nil }

// vectorUnit is what computes with vectors.
var vectorUnit *unit

// A job52 is a product in vectors, which this build does not have.
type job52 struct{ *job }

func (j *job) vectors(*big.Int) *job52 {
	if vectorUnit != nil {
		panic("convolve: internal error: this build has no vectors")
	}
	return nil
}

func (j *job52) run(ctx context.Context) (Vector, error) { return j.job.run(ctx) }
