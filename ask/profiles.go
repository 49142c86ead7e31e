// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"context"
	"math/big"

	"dpverify/exact"
	"dpverify/internal/guard"
	"dpverify/mechanism"
)

// Profiles keeps the profiles of one question: climbs that share it, one after the other,
// prepare an effort once. A climb of another question replaces them.
type Profiles struct {
	question exact.Question
	prepared map[exact.Effort]*exact.Profile
}

// prepare returns the profile of a question at an effort. A nil p keeps nothing.
func (p *Profiles) prepare(ctx context.Context, q exact.Question, e exact.Effort) (*exact.Profile, error) {
	if p == nil {
		p = new(Profiles)
	}
	if p.prepared == nil || !same(p.question, q) {
		*p = Profiles{q, make(map[exact.Effort]*exact.Profile)}
	}
	if kept := p.prepared[e]; kept != nil {
		return kept, nil
	}
	x, err := guard.Within(ctx, func(ctx context.Context) (*exact.Profile, error) { return exact.Prepare(ctx, q, e) })
	if err == nil {
		p.prepared[e] = x
	}
	return x, err
}

// same reports that two questions are one.
func same(a, b exact.Question) bool {
	scale := func(x *big.Rat) *big.Rat {
		if x == nil {
			return new(big.Rat)
		}
		return x
	}
	return a.Event != nil && b.Event != nil && mechanism.Equal(a.Event, b.Event) && a.Relation == b.Relation &&
		a.Direction == b.Direction && scale(a.Scale).Cmp(scale(b.Scale)) == 0 && a.MaxMemory == b.MaxMemory
}
