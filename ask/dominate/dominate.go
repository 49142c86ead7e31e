// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package dominate decides whether the privacy profile of one event is at least the profile of another at
// every ε, and says where it is not. A pair that dominates the first, in the direction or in both that are asked
// about, then dominates the second and bounds it in compositions and samples [Zhu, Dong & Wang 2022, Definition 7
// and Theorem 10]. The first event itself does not: of both directions the greater δ is compared, which two events may
// owe to different ones, and a profile may be attained by different pairs at different ε.
//
// Theorems come first: parameters in which privacy is monotone, and what package pair knows of
// products. Pairs of finitely many outcomes are compared in rationals, and a discrete one of which few
// outcomes are listed at its kinks. All others are enclosed between points by hulls, which are
// refined where they say least.
package dominate

import (
	"context"
	"fmt"
	"slices"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/efforts"
	"dpverify/internal/guard"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// Decide decides a request. The error is about an event, or the end of ctx; when the time of the
// goal is over, the answer is what was reached.
func Decide(ctx context.Context, r Request) (*Answer, error) {
	a, err := newSide(r, r.Above)
	if err != nil {
		return nil, fmt.Errorf("the first event: %w", err)
	}
	b, err := newSide(r, r.Below)
	if err != nil {
		return nil, fmt.Errorf("the second event: %w", err)
	}
	out := &Answer{}
	for _, n := range slices.Concat(a.problem.Notes, b.problem.Notes) {
		if !slices.Contains(out.Notes, n) {
			out.Notes = append(out.Notes, n)
		}
	}
	defer func() {
		if out.Verdict == Proved {
			out.Simulation = simulation(a, b)
		}
	}()
	if by := theorem(a, b); by != "" {
		out.Verdict, out.By = Proved, by
		return out, nil
	}
	if finite(a, b, out) {
		return out, nil
	}
	limited, cancel := r.Limit(ctx)
	defer cancel()
	err = efforts.UpTo(exact.MaxEffort).Or(r.Fixed).Climb(limited, func(e exact.Effort) (bool, error) {
		if r.Progress != nil {
			r.Progress(e, 1)
		}
		next, err := guard.Within(limited, func(ctx context.Context) (*Answer, error) { return rung(ctx, a, b, e) })
		if next == nil {
			return true, err
		}
		next.Effort, next.Notes, next.Points = e, out.Notes, next.Points+out.Points
		*out = *next
		return !out.more, err
	})
	if efforts.OutOfTime(ctx, err) {
		err = nil
	}
	if out.Verdict == Undecided && out.By == "" {
		out.By = "the time was over before a first answer"
	}
	return out, err
}

// rung decides at one effort.
func rung(ctx context.Context, a, b side, e exact.Effort) (*Answer, error) {
	as, bs, err := a.orientations(ctx, b, e)
	if err != nil {
		return nil, err
	}
	var all *Answer
	for i := range as {
		one, err := kinks(ctx, as[i], bs[i])
		if one == nil && err == nil {
			one, err = hulls(ctx, as[i], bs[i])
		}
		if err != nil {
			return all, err
		}
		all = all.and(one, i > 0)
	}
	return all, nil
}

// maxShown bounds the outcomes of a pair whose simulation is shown.
const maxShown = 64

// simulation returns how the randomized response of a guarantee gives the pair that it dominates, with a rational
// number just below e^ε in place of it; nil if the first event is no guarantee (ε, δ), the second no finite pair, or
// the margin is less than the rounding.
func simulation(a, b side) *pair.Simulation {
	g, ok := a.event.(mechanism.EpsilonDelta)
	if !ok || len(b.bounds.Upper) == 0 {
		return nil
	}
	f, ok := b.bounds.Upper[0].Expand(maxShown)
	if !ok {
		return nil
	}
	const w = interval.Prec(64)
	growth, _, ok := w.Exp(w.Rat(g.Epsilon)).Lower().Rationals()
	if !ok {
		return nil
	}
	s, ok := f.Simulate(growth, g.Delta)
	if !ok {
		return nil
	}
	return &s
}

// theorem returns the theorem by which a dominates b; empty if none of those known here does.
func theorem(a, b side) string {
	if mechanism.Equal(a.event, b.event) {
		return "the two events are the same"
	}
	if composition.Corners(b.event, a.event) == nil {
		return "the events differ in parameters in which privacy is monotone"
	}
	attained := a.attained()
	for _, q := range b.bounds.Upper {
		if !slices.ContainsFunc(attained, func(p pair.Product) bool { return p.Covers(q) }) {
			return ""
		}
	}
	return "each factor is dominated by factors of its own"
}
