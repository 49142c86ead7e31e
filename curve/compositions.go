// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/mechanism"
)

// overCompositions returns an empty curve over the number of compositions, and its first
// points.
func (r Request) overCompositions() (v *Curve, at []*big.Rat) {
	ks := counts(r.Compositions, r.Points)
	if r.Drawn {
		ks = geometric(r.Compositions, min(r.Points, firstDrawn))
	}
	for _, k := range ks {
		at = append(at, new(big.Rat).SetInt64(k))
	}
	return &Curve{Request: r, Over: "compositions", Of: "epsilon"}, at
}

// extendCounts is extend over numbers of compositions: each is a question of its own.
func (v *Curve) extendCounts(ctx context.Context, at []*big.Rat) error {
	for i, k := range at {
		question := v.Question
		events := v.events()
		events.MorePrivate = mechanism.SelfComposed{Event: events.MorePrivate, Count: k.Num().Int64()}
		events.LessPrivate = mechanism.SelfComposed{Event: events.LessPrivate, Count: k.Num().Int64()}
		question.Scale = v.Delta
		g := v.Goal
		g.Progress = func(e exact.Effort, _ int) {
			v.step(fmt.Sprintf("%s compositions at effort %d, %d of %d points are left", k.Num(), e, len(at)-i, len(at)))
		}
		answers, err := ask.Range(ctx, question, events, g, ask.Epsilon(v.Delta))
		if answers != nil {
			v.insert(k, answers[0])
		}
		if err != nil {
			return err
		}
	}
	return nil
}
