// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"context"
	"errors"
	"maps"
	"math/big"
	"slices"

	"dpverify/exact"
)

// A Summary counts what a self-test checked.
type Summary struct {
	Seed int64
	// Rounds is how many rounds were begun: each draws one case.
	Rounds int
	Counts
}

// Counts are what a self-test found, also in JSON.
type Counts struct {
	// Classes says how the engines agree about each class of events.
	Classes map[string]Verdict `json:"classes"`
	// Elementary and Skipped are what Elementary compared, and what it left out.
	Elementary map[string]int `json:"elementary"`
	Skipped    map[string]int `json:"skipped"`
	// Functions counts the arguments at which functions of package math were
	// measured, by function.
	Functions map[string]int `json:"functions"`
	// Engines counts comparisons of both engines, by family of compositions.
	Engines map[string]map[Verdict]int `json:"engines"`
	// FastMethods counts comparisons of single methods of the fast path with the exact
	// engine, by method.
	FastMethods map[string]map[Verdict]int `json:"fast_methods"`
	// Divergences counts comparisons of Rényi divergences by both engines.
	Divergences map[Verdict]int `json:"divergences"`
	// Uncovered counts cases that the fast path does not cover.
	Uncovered int `json:"uncovered"`
	// Pairs counts comparisons of two methods of the exact engine.
	Pairs map[string]int `json:"methods"`
}

// Total returns the number of comparisons of all kinds.
func (s *Summary) Total() int {
	n := len(s.Classes) + total(s.Elementary, s.Functions, s.Pairs) + total(s.Divergences)
	for _, of := range []map[string]map[Verdict]int{s.Engines, s.FastMethods} {
		n += total(slices.Collect(maps.Values(of))...)
	}
	return n
}

// The share of each kind in a round.
const (
	elementaryPerRound = 4
	functionsPerRound  = 20
	methodCost         = 1.0 // seconds
)

// SelfTest runs rounds of comparisons until ctx ends, or a number of rounds if that is positive: first one event of
// each class, then elementary functions against bigfloat, functions of package math against the exact engine, one
// random composition through both engines, by every method of the fast path, and its Rényi divergence, and all methods
// of the exact engine for it with each other. step, if not nil, is called before each round.
//
// The error is the violation that ended the test, or about the engine; the end of ctx
// is none. Equal seeds make equal rounds.
func SelfTest(ctx context.Context, seed int64, rounds int, step func(Summary)) (Summary, error) {
	s := Summary{Seed: seed, Counts: Counts{
		Classes: map[string]Verdict{}, Elementary: map[string]int{}, Skipped: map[string]int{},
		Functions: map[string]int{}, Pairs: map[string]int{},
		Engines: map[string]map[Verdict]int{}, FastMethods: map[string]map[Verdict]int{},
		Divergences: map[Verdict]int{},
	}}
	for i := int64(0); ctx.Err() == nil && (rounds <= 0 || s.Rounds < rounds); i++ {
		if step != nil {
			step(s)
		}
		s.Rounds++
		var err error
		if i == 0 {
			s.Classes, err = Classes(ctx)
		}
		if err == nil {
			err = s.round(ctx, seed+i<<20)
		}
		if err != nil {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				break
			}
			return s, err
		}
	}
	return s, nil
}

// round runs one round.
func (s *Summary) round(ctx context.Context, seed int64) error {
	rep, err := Elementary(ctx, seed, elementaryPerRound)
	merge(s.Elementary, rep.Checked)
	merge(s.Skipped, rep.Skipped)
	if err != nil {
		return err
	}
	checked, err := Functions(ctx, seed, functionsPerRound)
	merge(s.Functions, checked)
	if err != nil {
		return err
	}
	c, err := Draw(ctx, seed)
	if uncovered(err) {
		s.Uncovered++
	} else if err != nil {
		return err
	}
	if err == nil {
		both, err := c.Compare(ctx, 1)
		if err != nil {
			return err
		}
		tally(s.Engines, c.Family, both.Verdict)
		fast, err := CompareMethods(ctx, both)
		for m, v := range fast {
			tally(s.FastMethods, m, v)
		}
		if err != nil {
			return err
		}
		v, err := CompareDivergence(c.Question, big.NewRat(2+seed&7, 1))
		if err == nil {
			s.Divergences[v]++
		} else if !uncovered(err) {
			return err
		}
	}
	pairs, err := Methods(ctx, c.Question, []*big.Rat{c.Eps, new(big.Rat)}, exact.Effort(0), methodCost)
	merge(s.Pairs, pairs)
	return err
}

// tally counts a verdict about something.
func tally(into map[string]map[Verdict]int, of string, v Verdict) {
	if into[of] == nil {
		into[of] = map[Verdict]int{}
	}
	into[of][v]++
}

func merge(into, from map[string]int) {
	for k, n := range from {
		into[k] += n
	}
}

// A Check is all comparisons of one event.
type Check struct {
	At          []string       // the ε, as they were written
	Comparisons []Comparison   // of both engines at each of them
	Pairs       map[string]int // how many values two methods of the exact engine agree on
	Err         error          // the disagreement that ended it
}

const (
	checkEffort     = 2    // up to which both engines are compared
	checkMethodCost = 10.0 // seconds
)

// CheckEvent compares both engines, and the methods of the exact one with each other. The error is of the
// question, or of the engine; a disagreement is in the check.
func CheckEvent(ctx context.Context, q exact.Question, at []*big.Rat, written []string) (Check, error) {
	c := Check{At: written}
	c.Comparisons, c.Err = Compare(ctx, q, at, checkEffort)
	if c.Err == nil {
		c.Pairs, c.Err = Methods(ctx, q, at, 0, checkMethodCost)
	}
	if c.Err != nil && !IsDisagreement(c.Err) {
		return c, c.Err
	}
	return c, nil
}

// IsDisagreement reports whether an error says that two computations contradict each other.
func IsDisagreement(err error) bool {
	return is[*Violation](err) || is[*FunctionViolation](err) || is[*ProfileViolation](err) || is[*MethodViolation](err) ||
		is[*DivergenceViolation](err) || is[*ClassViolation](err) || is[*exact.InconsistencyError](err)
}
