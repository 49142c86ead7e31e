// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/mechanism"
)

// A Draft says how much of the work of effort 0 is done for a first answer. Its
// enclosures contain the truth like all others; they are wide. A draft needs a fraction of
// a second where a sharp method needs many.
type Draft int

// The drafts. Each has the methods of all before it.
const (
	// Settled is no draft: all methods that the effort calls for.
	Settled Draft = iota
	// Instant is closed forms, basic composition, and single factors.
	Instant
	// ByMoments adds Rényi divergences of a few orders.
	ByMoments
	// Coarse adds one grid, or what else bounds a product from both sides.
	Coarse

	never // for a method that no draft takes
)

// Drafts lists the drafts, the fastest one first.
var Drafts = []Draft{Instant, ByMoments, Coarse}

const (
	// instant is the cost in seconds up to which a method belongs to the first draft.
	instant = 0.01
	// draftBits is how many leading bits of ε a draft settles.
	draftBits = 10
)

// takes reports whether a draft takes a method.
func (d Draft) takes(p *plan) bool {
	if d == Settled {
		return true
	}
	first := p.Draft
	switch {
	case first == Settled && p.Cost <= instant:
		first = Instant
	case first == Settled:
		first = Coarse
	}
	return first <= d
}

// PrepareDraft is Prepare for a first answer.
func PrepareDraft(ctx context.Context, q Question, d Draft) (*Profile, error) {
	if err := mechanism.CheckInteger("draft", int64(d), int64(Instant), int64(Coarse)); err != nil {
		return nil, err
	}
	s := newSolver(0, q.Scale)
	s.draft, s.memo = d, q.Memo
	return prepare(ctx, q, s)
}

// boundedMethod: basic composition. Beyond the sum of the largest losses of all factors, δ
// is the mass of infinite loss. Only drafts need it: sharp methods include it.
type boundedMethod struct{}

func (boundedMethod) Name() string { return "largest-loss" }

func (boundedMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	if s == nil || s.draft == Settled {
		return nil
	}
	l, bounded := pair.LossBound(prod)
	m, ok := pair.InfMass(prod)
	if !bounded || !ok {
		return nil
	}
	return &plan{Cost: 1e-3, Prepare: ready(func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 32
		if l.Enclose(w).LessEq(eps(w)) == interval.True {
			return interval.Union(interval.Int(0), p.Rat(m)), nil
		}
		return profile.Unit(), nil
	})}
}
