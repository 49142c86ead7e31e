// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"errors"
	"math/big"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/ask/measure"
	"dpverify/exact"
	"dpverify/internal/cli"
	"dpverify/internal/number"
	"dpverify/internal/source"
	"dpverify/mechanism"
)

// measureFlags are the flags of measure.
type measureFlags struct {
	attack                           measure.Source
	event, truth                     string
	relation                         mechanism.Relation
	epsilon, delta, confidence, plan cli.Number
	goal                             ask.Goal
}

func newMeasure() *cobra.Command {
	var f measureFlags
	var asJSON bool
	c := command("measure", cli.NoArguments, func(c *cobra.Command, _ []string) error {
		if f.plan.X != nil {
			return f.runPlan(c, asJSON)
		}
		return f.run(c, asJSON)
	})
	fs := c.Flags()
	fs.StringVar(&f.attack.Counts, "counts", "",
		"of independent runs: true positives, false positives, positives and negatives, with commas between them")
	fs.StringVar(&f.attack.Scores, "scores", "", "a CSV file with the header score,member")
	fs.StringVar(&f.attack.Guesses, "guesses", "", "of one run: canaries, guessed and correct, with commas between them")
	cli.Parsed(fs, &f.attack.Design, "design", "string", "all",
		"of --scores: all thresholds of independent runs, a split of them, or one-run", measure.ParseDesign)
	fs.StringVar(&f.event, "event", "", "the EVENT that is said to have run")
	fs.StringVar(&f.truth, "truth", "", "of --plan: the EVENT that runs in truth (default: an attack makes no errors)")
	cli.Parsed(fs, &f.relation, "relation", "string", mechanism.AddOrRemoveOne.String(),
		"which datasets are neighbours: ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL", mechanism.ParseRelation)
	f.epsilon.Register(fs, "epsilon", number.NonNegative, "", "the ε of a claim, in nats")
	f.delta.Register(fs, "delta", number.Probability, "", "the δ of a claim, and at which ε is bounded (default 0)")
	f.confidence.Register(fs, "confidence", measure.Open, "999/1000", "the confidence of each bound and verdict")
	f.plan.Register(fs, "plan", measure.Open, "", "before a run: how many canaries contradict with this probability")
	cli.Duration(fs, &f.goal.Budget, "timeout", ask.DefaultBudget, ask.MaxBudget,
		"how long to spend on one question about an event")
	cli.RegisterFormat(c, &asJSON)
	return c
}

func (f *measureFlags) run(c *cobra.Command, asJSON bool) error {
	r := measure.Request{Confidence: f.confidence.X, Claim: f.claim(), Delta: f.delta.X, Goal: f.goal}
	var err error
	if r.Attack, err = f.attack.Open(func(path string) ([]byte, error) {
		s, err := source.File(c.Context(), path, c.InOrStdin())
		return s.Data, err
	}); err != nil {
		return err
	}
	if f.truth != "" {
		return errors.New("--truth goes with --plan")
	}
	if r.Event, err = f.question(c, f.event); err != nil {
		return err
	}
	a, err := cli.Watched(c, func(show func(string)) (*measure.Answer, error) {
		show("measuring")
		return measure.Compute(c.Context(), r)
	})
	if err != nil {
		return err
	}
	return cmp.Or(cli.Write(c, asJSON, a.Report(), a.Text()),
		cli.EndedIf(a.Verdict == measure.Contradicted, cli.StatusWrong))
}

func (f *measureFlags) runPlan(c *cobra.Command, asJSON bool) error {
	if f.attack.Given() {
		return errors.New("--plan is about runs that are to come, want no --counts, --scores or --guesses")
	}
	r := measure.PlanRequest{Power: f.plan.X, Confidence: f.confidence.X, Claim: f.claim(), Goal: f.goal}
	var err error
	if r.Event, err = f.question(c, f.event); err != nil {
		return err
	}
	if r.Truth, err = f.question(c, f.truth); err != nil {
		return err
	}
	p, err := cli.Watched(c, func(show func(string)) (*measure.Plan, error) {
		show("planning")
		return measure.NewPlan(c.Context(), r)
	})
	if err != nil {
		return err
	}
	return cli.Write(c, asJSON, p.Report(), p.Text())
}

// claim is the claim of the flags; nil without an ε.
func (f *measureFlags) claim() *measure.Claim {
	if f.epsilon.X == nil {
		return nil
	}
	return &measure.Claim{Epsilon: f.epsilon.X, Delta: cmp.Or(f.delta.X, new(big.Rat))}
}

// question is about an event; nil if it is not given.
func (f *measureFlags) question(c *cobra.Command, event string) (*exact.Question, error) {
	if event == "" {
		return nil, nil
	}
	e, err := source.Event(c.Context(), event, c.InOrStdin(), false)
	return &exact.Question{Event: e, Relation: f.relation}, err
}
