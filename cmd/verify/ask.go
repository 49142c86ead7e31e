// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/ask/estimate"
	"dpverify/internal/cli"
	"dpverify/internal/shown"
)

// quantityCommands are the commands that ask for one quantity of an event.
var quantityCommands = []askCommand{
	{"delta", ask.KindDelta, "epsilon", "ε in nats", nil},
	{"epsilon", ask.KindEpsilon, "delta", "δ", nil},
	{"gdp", ask.KindGaussianDP, "alpha-min", "the least type I error", []string{"1e-12"}},
	{"renyi", ask.KindRenyi, "order", "α > 0, or inf", nil},
	{"tradeoff", ask.KindTradeOff, "alpha", "the type I error", nil},
}

// An askCommand is a command that asks for one quantity of an event, at the values of a
// flag.
type askCommand struct {
	name        string
	kind        ask.Kind
	flag, usage string   // where it is asked for
	otherwise   []string // what is asked where nothing is said
}

// command returns the command.
func (a askCommand) command() *cobra.Command {
	var f cli.AskFlags
	var asJSON bool
	var at []string
	c := command(a.name, oneEvent, func(c *cobra.Command, args []string) error {
		if len(at) == 0 {
			return fmt.Errorf("--%s is missing, want %s; it may be given more than once", a.flag, a.kind.Want())
		}
		r, err := f.Parse(c, args[0])
		if err != nil {
			return err
		}
		q, err := a.question(at, r)
		if err != nil {
			return err
		}
		return askAll(c, r, q, asJSON)
	})
	c.Flags().StringArrayVar(&at, a.flag, a.otherwise, a.usage+"; may be given more than once")
	cli.RegisterFormat(c, &asJSON)
	f.Register(c, ask.DefaultDigits)
	f.RegisterEngine(c, slices.Contains(estimate.Kinds, a.name))
	return c
}

// question returns the question for values of the flag.
func (a askCommand) question(at []string, r cli.Request) (question, error) {
	qs, err := a.kind.ParseAll(at, r.Binary64)
	return question{name: a.name, symbol: a.kind.Symbol, at: at, qs: qs}, cli.Fault(a.flag, err)
}

// A question is a list of values of one quantity.
type question struct {
	name   string // of the command
	symbol string // δ, ε, …
	at     []string
	qs     []ask.Quantity
	// sharpen, if not nil, narrows the answer to a question further.
	sharpen func(ctx context.Context, i int, a ask.Answer) (ask.Answer, error)
}

// askAll answers a question of the command line.
func askAll(c *cobra.Command, r cli.Request, q question, asJSON bool) error {
	if r.Estimates {
		out, err := estimate.All(c.Context(), r.Question, r.Events, r.Goal, q.name, q.at, q.qs)
		if err != nil {
			return err
		}
		return cli.Write(c, asJSON, out, out.Text(q.symbol)+out.Below())
	}
	answers, err := cli.Watched(c, func(show func(string)) ([]ask.Answer, error) {
		cli.Climb(&r.Goal, show, q.symbol, q.at)
		answers, err := ask.Range(c.Context(), r.Question, r.Events, r.Goal, q.qs...)
		if err == nil && q.sharpen != nil {
			err = ask.Sharpen(c.Context(), r.Goal, answers, q.sharpen)
		}
		return answers, err
	})
	if answers == nil || err != nil && c.Context().Err() == nil {
		return err
	}
	out := shown.NewReports(q.name, q.at, answers, r.Digits).With(shown.NewTraining(r.Events,
		ask.Otherwise(c.Context(), r.Question, r.Events, r.Goal, q.name, q.at, q.qs, answers)))
	if err := cli.Write(c, asJSON, out, shown.Text(q.symbol, q.at, answers, r.Digits)+out.Below()); err != nil {
		return err
	}
	if err != nil {
		return cli.ErrInterrupted
	}
	return cli.EndedIf(slices.ContainsFunc(answers, func(a ask.Answer) bool { return !a.Found }), cli.StatusUndecided)
}
