// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"dpverify/ask/witness"
	"dpverify/certify"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/figure"
	"dpverify/internal/guard"
	"dpverify/internal/ordered"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// A Detail is what a page shows of a claim beyond its outcome.
type Detail struct {
	Examined    bool
	Methods     []MethodBound
	Graph       *figure.Graph // of δ over ε
	Derivations []Derived
	Why         []witness.Line // of a claim that is false
}

// A MethodBound is the bound of one method alone on δ at the claimed ε, as decimals.
type MethodBound struct{ Method, Lo, Hi string }

// MethodCost bounds the seconds that a method may take to prepare for a comparison, by
// its own estimate, and LittleCost does so where there are many claims.
const (
	MethodCost = 1.0
	LittleCost = 0.25
)

// Examine computes the detail of an outcome, at the effort that it was reached with. It
// returns what there is when ctx ends, and nothing where the claim has no (ε, δ). cost is as MethodCost.
func Examine(ctx context.Context, o *certify.Outcome, cost float64) Detail {
	d := Detail{Examined: true}
	s, ok := o.Claim.Statement.(certify.Point)
	if o.Delta == nil || !ok {
		return d
	}
	q := exact.Question{Event: o.Claim.LessPrivate, Relation: o.Claim.Relation, Direction: o.Claim.Direction}
	d.Graph = graph(ctx, q, o)
	d.Methods = methods(ctx, q, o.Effort, s.Epsilon, cost)
	d.Derivations = derivations(ctx, o.Claim, s, func(derive.Method) bool { return true })
	if r, ok := witness.Of(o); ok {
		if w, err := witness.Find(ctx, r); err == nil {
			d.Why = w.Lines()
		}
	}
	return d
}

// Chosen says which outcomes a page shows in detail where it cannot show all of them: first those
// that are not as expected, then all that are not VERIFIED or only STATED, then the others, as many as most.
func Chosen(outcomes []*certify.Outcome, most int) []bool {
	chosen := make([]bool, len(outcomes))
	for _, wanted := range []func(o *certify.Outcome) bool{
		func(o *certify.Outcome) bool { return !o.AsExpected() },
		func(o *certify.Outcome) bool { return o.Verdict == certify.Refuted || o.Verdict == certify.Undecided },
		func(o *certify.Outcome) bool { return true },
	} {
		for i, o := range outcomes {
			if most > 0 && !chosen[i] && o.Delta != nil && wanted(o) {
				chosen[i] = true
				most--
			}
		}
	}
	return chosen
}

// methods encloses δ by every method alone that bounds all orientations, whose maximum it
// is.
func methods(ctx context.Context, q exact.Question, e exact.Effort, eps *big.Rat, cost float64) []MethodBound {
	all, err := guard.Within(ctx, func(ctx context.Context) ([]exact.Single, error) {
		return exact.Each(ctx, q, e, cost)
	})
	if err != nil {
		return nil
	}
	products, _, err := exact.Orientations(q)
	if err != nil {
		return nil
	}
	var names []string
	bounds := make(map[string][]interval.Interval)
	for _, s := range all {
		y, err := guard.Within(ctx, func(ctx context.Context) (interval.Interval, error) { return s.Delta(ctx, eps) })
		if err != nil {
			continue
		}
		if bounds[s.Method] == nil {
			names = append(names, s.Method)
		}
		bounds[s.Method] = append(bounds[s.Method], y)
	}
	var out []MethodBound
	for _, n := range names {
		ys := bounds[n]
		if len(ys) < len(products) {
			continue
		}
		worst := ys[0]
		for _, y := range ys[1:] {
			worst = interval.Max(worst, y)
		}
		lo, hi := worst.Decimal(12)
		out = append(out, MethodBound{n, lo, hi})
	}
	return out
}

// assumptions says in words what a claim was decided under.
func assumptions(c *certify.Claim) []string {
	out := []string{
		"Neighbouring relation: " + c.Relation.String() + relationText[c.Relation],
		"Direction: " + c.Direction.String(),
	}
	var sampled, noise bool
	factors, err := composition.Factors(c.LessPrivate)
	if err != nil {
		return out
	}
	for _, f := range factors {
		var inner mechanism.Event
		for e := f.Event; e != nil; e = inner {
			says := ""
			inner = nil
			switch x := e.(type) {
			case mechanism.PoissonSampled:
				sampled, inner = true, x.Event
			case mechanism.SampledWithoutReplacement:
				says, inner = "Samples are uniform subsets of a fixed size, without replacement", x.Event
			case mechanism.SampledWithReplacement:
				says, inner = "Samples are drawn with replacement, a fixed number of times", x.Event
			case mechanism.RepeatAndSelect:
				says, inner = "Repeated selection: the number of runs is random and the order of the outputs fixed, both "+
					"independently of the data", x.Event
			case mechanism.RandomAllocation:
				says, inner = "Random allocation: a record takes part in a uniformly random set of steps and is absent "+
					"from all others", x.Event
			case mechanism.ShuffledBatches:
				says, inner = "Shuffled batches: each epoch draws an order of all records, uniformly, and batches have "+
					"one size", x.Event
			case mechanism.LastIterate:
				says = "Last iterate: only the last point is released, every step contracts distances by the stated factor with " +
					"any data, clipping included, a record is in one batch, and noise multipliers are relative to what it moves " +
					"a step by"
			case mechanism.Gaussian, mechanism.Laplace:
				noise = true
			}
			if says != "" {
				out = append(out, says)
			}
		}
	}
	if sampled {
		out = append(out, "Samples are Poisson: every record is in a sample independently with the stated probability")
	}
	if noise {
		out = append(out, "Noise multipliers are relative to the bound C of one record's value")
	}
	if composition.IsGuarantee(c.LessPrivate) {
		out = append(out, "Guarantees stand for the worst mechanism that satisfies them")
	}
	return slices.Compact(out)
}

var relationText = map[mechanism.Relation]string{
	mechanism.AddOrRemoveOne: " (one record more or less; sensitivity C)",
	mechanism.ReplaceOne:     " (one record replaced by another; sensitivity 2C)",
	mechanism.ReplaceSpecial: " (one record replaced by a null record; sensitivity C)",
}

// A Decision is the outcome of a claim, or the bug that prevented one.
type Decision struct {
	Outcome *certify.Outcome
	Err     error
	Unasked string // the text of Unasked
	Reached bool   // false if the run was interrupted before there was an outcome
}

// Decide decides one of many claims: a bug, or a panic, is about this claim and ends no other. A limit of memory that
// is this machine's, and was not stated, is not the outcome's: certificates are the same on all machines.
func Decide(ctx context.Context, claim *certify.Claim, o certify.Options, stated bool) Decision {
	out, err := guard.Value(func() (*certify.Outcome, error) { return certify.Decide(ctx, claim, o) })
	if out != nil && !stated {
		out.MaxMemory = 0
	}
	switch {
	case err == nil:
		return Decision{Outcome: out, Reached: true}
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return Decision{Outcome: out, Reached: out.Verdict != certify.Undecided}
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	failed := &certify.Outcome{Claim: claim, Verdict: certify.Undecided, Reason: "internal error: " + first}
	return Decision{Outcome: failed, Err: fmt.Errorf("%s: %w", ClaimName(claim), err), Reached: true}
}

// ExamineChosen examines the outcomes that Chosen chooses, several at a time and each for at most a budget of
// time. The details of the others are empty; the errors are bugs. step is told after each one how
// many there are.
func ExamineChosen(ctx context.Context, outcomes []*certify.Outcome, most int, budget time.Duration,
	step func(done, all int)) ([]Detail, []error) {
	details := make([]Detail, len(outcomes))
	var chosen []int
	for i, yes := range Chosen(outcomes, most) {
		if yes {
			chosen = append(chosen, i)
		}
	}
	cost := MethodCost
	if len(chosen) < len(outcomes) && len(chosen) == most {
		cost = LittleCost
	}
	type examined struct {
		detail Detail
		err    error
	}
	examine := func(i int) (x examined) {
		ctx, cancel := context.WithTimeout(ctx, budget)
		defer cancel()
		x.err = guard.Run(func() error { x.detail = Examine(ctx, outcomes[i], cost); return nil })
		return x
	}
	var failures []error
	n := 0
	for x := range ordered.Map(slices.Values(chosen), examine) {
		if x.err != nil {
			failures = append(failures, x.err)
		}
		details[chosen[n]] = x.detail
		n++
		step(n, len(chosen))
	}
	return details, failures
}
