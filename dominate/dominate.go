// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package dominate decides whether the privacy profile of one event is at least the profile of another at
// every ε, and says where it is not. A pair that dominates the first, in the direction or in both that are asked
// about, then dominates the second and bounds it in compositions and samples [Zhu, Dong & Wang 2022, Definition 7
// and Theorem 10]. The first event itself does not: of both directions the greater δ is compared, which two events may owe
// to different ones, and a profile may be attained by different pairs at different ε.
//
// Theorems come first: parameters in which privacy is monotone, and what package pair knows of
// products. Pairs of finitely many outcomes are compared in rationals, and a discrete one of which few
// outcomes are listed at its kinks. All others are enclosed between points by hulls, which are
// refined where they say least.
package dominate

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// A Request asks whether the profile of Above is at least the profile of Below.
type Request struct {
	Above, Below mechanism.Event
	Relation     mechanism.Relation
	Direction    mechanism.Direction
	ask.Goal
}

// A Verdict is what was decided.
type Verdict int

const (
	Undecided Verdict = iota
	Proved
	Refuted
)

func (v Verdict) String() string { return [...]string{"UNDECIDED", "PROVED", "REFUTED"}[v] }

// An Answer is what was found.
type Answer struct {
	Verdict Verdict
	By      string // what decided
	// At is where the profile of Below exceeds the profile of Above most of all ε that were looked at, if
	// Verdict is Refuted, or where it is not known which is greater. It is nil otherwise.
	At *Place
	// Gap encloses how much δ of Below exceeds δ of Above at most, over all ε; it is 0 if it nowhere does.
	Gap interval.Interval
	// UpTo is an ε until which domination is proved if Verdict is Undecided; nil if there is none.
	UpTo   *big.Rat
	Points int // at which the profiles were enclosed
	Effort exact.Effort
	Notes  []string
	// Simulation is how the first event, a guarantee (ε, δ), is processed to give the second, a finite pair,
	// if Verdict is Proved; nil for other events.
	Simulation *pair.Simulation

	more bool // more effort may help
}

// A Place is an ε with enclosures of both profiles.
type Place struct {
	Epsilon      interval.Interval
	Above, Below interval.Interval
}

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
	err = ask.UpTo(exact.MaxEffort).Or(r.Fixed).Climb(limited, func(e exact.Effort) (bool, error) {
		if r.Progress != nil {
			r.Progress(e, 1)
		}
		next, err := ask.Within(limited, func(ctx context.Context) (*Answer, error) { return rung(ctx, a, b, e) })
		if next == nil {
			return true, err
		}
		next.Effort, next.Notes, next.Points = e, out.Notes, next.Points+out.Points
		*out = *next
		return !out.more, err
	})
	if ask.OutOfTime(ctx, err) {
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

// and joins what was found for two orientations, the second one about ε < 0: there, δ(ε) is
// 1 − e^ε + e^ε·δ′(−ε) of the reverse profile δ′.
func (x *Answer) and(y *Answer, negative bool) *Answer {
	if negative {
		y.mirror()
	}
	if x == nil {
		return y
	}
	out := *x
	if y.Verdict == Refuted && (x.Verdict != Refuted || x.Gap.Lo().Cmp(y.Gap.Lo()) < 0) || x.Verdict == Proved {
		out = *y
	}
	out.Gap = interval.Max(x.Gap, y.Gap)
	out.more = out.Verdict == Undecided && (x.more || y.more)
	out.UpTo = nil
	out.Points = x.Points + y.Points
	return &out
}

// mirror makes what was found about a reverse profile an answer about ε < 0.
func (x *Answer) mirror() {
	if x.At == nil {
		return
	}
	const w = interval.Prec(128)
	scale := w.Exp(x.At.Epsilon.Neg())
	back := func(d interval.Interval) interval.Interval {
		return w.Add(w.Sub(interval.Int(1), scale), w.Mul(scale, d))
	}
	// A difference of δ′ at ε counts e^−ε ≤ 1 times at −ε.
	low := interval.Int(0)
	if x.Verdict == Refuted {
		low = interval.Max(low, w.Mul(scale, w.Sub(x.At.Below, x.At.Above)))
	}
	x.Gap = interval.Bounds(low.Lo(), interval.Max(low, x.Gap).Hi())
	x.At = &Place{x.At.Epsilon.Neg(), back(x.At.Above), back(x.At.Below)}
}

// A side is an event with what dominates it.
type side struct {
	event    mechanism.Event
	question exact.Question
	problem  pair.Problem
	bounds   pair.Bounds[pair.Product]
}

func newSide(r Request, e mechanism.Event) (side, error) {
	s := side{event: e, question: exact.Question{Event: e, Relation: r.Relation, Direction: r.Direction, MaxMemory: r.MaxMemory}}
	var err error
	if s.problem, err = pair.Resolve(e, r.Relation); err != nil {
		return s, err
	}
	s.bounds, err = s.problem.Profile(r.Direction)
	return s, err
}

// attained returns products whose greatest profile the event has, at least.
func (s side) attained() []pair.Product {
	if s.bounds.Attained {
		return s.bounds.Upper
	}
	return s.bounds.Lower
}

// A profile is one orientation of a side, prepared.
type profile struct {
	*exact.Profile
	bounds pair.Bounds[pair.Product]
	effort exact.Effort
}

// orientations prepares the directions to compare at ε ≥ 0, so that all real ε are: one where both
// directions are asked for, because the greatest of the two, at −ε, is given by its value at ε.
func (s side) orientations(ctx context.Context, t side, e exact.Effort) (a, b []profile, err error) {
	ds := []mechanism.Direction{s.question.Direction}
	switch ds[0] {
	case mechanism.Remove:
		ds = append(ds, mechanism.Add)
	case mechanism.Add:
		ds = append(ds, mechanism.Remove)
	}
	for _, d := range ds {
		for _, x := range []struct {
			side side
			out  *[]profile
		}{{s, &a}, {t, &b}} {
			q := x.side.question
			q.Direction = d
			p, err := exact.Prepare(ctx, q, e)
			if err != nil {
				return nil, nil, err
			}
			bounds, err := x.side.problem.Profile(d)
			if err != nil {
				return nil, nil, err
			}
			*x.out = append(*x.out, profile{p, bounds, e})
		}
	}
	return a, b, nil
}
