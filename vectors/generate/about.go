// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"context"

	"dpverify/mechanism"
	"dpverify/vectors"
)

// Notes says in which known ways accountants fail at a question like that of t: flags in alphabetical order, and what
// each means. Of t it reads the question and the answer. The error says that the event of t cannot be read.
func Notes(ctx context.Context, t vectors.Test) (flags []string, meanings map[string]vectors.Note, err error) {
	e, err := mechanism.DecodeEvent(t.Event)
	if err != nil {
		return nil, nil, err
	}
	a := asked{Quantity: t.Quantity, Relation: t.Relation, Direction: t.Direction}
	q := question{family{Format: t.NumberFormat}, a, string(t.Event), t.At}
	if flags, err = flagsOf(ctx, q, t, e); err != nil {
		return nil, nil, err
	}
	meanings = make(map[string]vectors.Note, len(flags))
	for _, f := range flags {
		meanings[f] = notes()[f]
	}
	return flags, meanings, nil
}
