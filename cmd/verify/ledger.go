// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/ask/calibrate"
	"dpverify/ask/ledger"
	"dpverify/certify"
	"dpverify/exact/renyi"
	"dpverify/internal/cli"
	"dpverify/internal/number"
	"dpverify/internal/source"
)

// ledgerFlags are the flags of ledger.
type ledgerFlags struct {
	cli.AskFlags
	epsilon, delta           cli.Number
	order                    *renyi.Order // nil for the usual one
	next                     string
	json, adaptive, gaussian bool
	by                       ledger.Key
	add                      string
}

func newLedger() *cobra.Command {
	var f ledgerFlags
	c := command("ledger", cli.Exactly(1, "one FILE"),
		func(c *cobra.Command, args []string) error { return f.run(c, args[0]) })
	fs := c.Flags()
	f.epsilon.Register(fs, "epsilon", number.NonNegative, "", "ε in nats")
	f.delta.Register(fs, "delta", number.NonNegative, "", "δ")
	fs.BoolVar(&f.adaptive, "adaptive", false, "keep the budget of --epsilon and --delta by a privacy filter")
	cli.Choice(fs, &f.gaussian, "filter", "renyi", "the filter of --adaptive: renyi or gaussian", "renyi or gaussian",
		false, true)
	cli.Parsed(fs, &f.order, "order", "string", "",
		"the Rényi order of the filter, above 1, or inf (default: one for Gaussian noise)", cli.ParseOrder)
	fs.StringVar(&f.next, "next", "", "an EVENT: how many copies of it still fit the budget, or the value of its \"?\"")
	cli.Choice(fs, &f.by, "by", "", "an account for each data or team of the lines", "data or team", ledger.Data,
		ledger.Team)
	fs.StringVar(&f.add, "add", "", "append a line to FILE if it keeps the budget, while FILE.lock keeps others out")
	f.Neighbours.Register(c)
	cli.RegisterNumberFormat(c, &f.Binary64, &f.epsilon, &f.delta)
	cli.Integer(fs, &f.Digits, "digits", 6, 1, ask.MaxDigits, "significant digits to aim at")
	cli.Duration(fs, &f.Timeout, "timeout", ask.DefaultBudget, ask.MaxBudget,
		"for each line: answer with what was reached after this time")
	cli.RegisterMemory(c, &f.Memory)
	cli.RegisterFormat(c, &f.json)
	return c
}

// parse reads the ledger and the next event, and what one flag cannot know of itself.
func (f *ledgerFlags) parse(c *cobra.Command, file string) (a ledger.Account, next *calibrate.Template, added []byte,
	err error) {
	a.Epsilon, a.Delta = f.epsilon.X, f.delta.X
	if err := f.check(c, a.Epsilon != nil && a.Delta != nil, file); err != nil {
		return a, nil, nil, err
	}
	r := f.Request()
	a.Question = ledger.Question{Relation: r.Relation, Direction: r.Direction, MaxMemory: r.Question.MaxMemory,
		Digits: r.Digits, Budget: r.Budget}
	if f.adaptive {
		if a.Filter, err = f.filter(c.Context(), a); err != nil {
			return a, nil, nil, err
		}
	}
	ctx, cancel := r.Limit(c.Context())
	defer cancel()
	if f.next != "" {
		src, err := source.Argument(ctx, f.next, c.InOrStdin())
		if err != nil {
			return a, nil, nil, err
		}
		if next, err = calibrate.ParseOrCopies(src.Label(), src.Data, src.DecoderIn(ctx, f.Binary64)); err != nil {
			return a, nil, nil, err
		}
	}
	src, err := source.File(ctx, file, c.InOrStdin())
	if err != nil {
		return a, nil, nil, err
	}
	d := src.DecoderIn(ctx, f.Binary64)
	if a.Lines, err = ledger.Parse(src.Name, src.Data, d); err == nil && f.add != "" {
		var l ledger.Line
		l, added, err = ledger.ParseNew(f.add, a.Lines, d)
		a.Lines = append(a.Lines, l)
	}
	return a, next, added, err
}

// check refuses flags that do not belong together.
func (f *ledgerFlags) check(c *cobra.Command, budget bool, file string) error {
	switch {
	case f.epsilon.X == nil && f.delta.X == nil:
		return errors.New("--delta is missing, want a number >= 0; or --epsilon, or both for a budget")
	case f.adaptive && !budget:
		return errors.New("--adaptive is for a budget, want both --epsilon and --delta")
	case f.adaptive && f.next != "":
		return errors.New("--next is for events that are fixed beforehand; with --adaptive, append the event and see " +
			"whether it is accepted")
	case f.next != "" && !budget:
		return errors.New("--next is for a budget, want both --epsilon and --delta")
	case f.add != "" && (!budget || file == "-" || f.next != ""):
		return errors.New("--add is for a budget and a FILE, want both --epsilon and --delta, and no --next")
	case f.next == "-" && file == "-":
		return errors.New("--next = -, want another source than FILE")
	case f.order != nil && !f.adaptive:
		return errors.New("--order is for --adaptive")
	case c.Flags().Changed("filter") && !f.adaptive:
		return errors.New("--filter is for --adaptive")
	case f.adaptive && f.delta.X.Cmp(big.NewRat(1, 1)) >= 0:
		return fmt.Errorf("--delta = %s, want a number in [0, 1) with --adaptive", f.delta.Text)
	case f.order != nil && f.gaussian:
		return errors.New("--order is for --filter renyi")
	}
	return nil
}

// filter returns the filter of a budget.
func (f *ledgerFlags) filter(ctx context.Context, a ledger.Account) (*ledger.Filter, error) {
	if f.gaussian {
		return ledger.NewGaussianFilter(ctx, a.Question, a.Epsilon, a.Delta)
	}
	order := ledger.DefaultOrder(a.Epsilon, a.Delta)
	if f.order != nil {
		order = *f.order
	}
	filter, err := ledger.NewFilter(a.Epsilon, a.Delta, order)
	return filter, cli.Fault("order", err)
}

func (f *ledgerFlags) run(c *cobra.Command, file string) error {
	if f.add == "" {
		return f.answer(c, file)
	}
	return ledger.Locked(c.Context(), file, f.Timeout, func() error { return f.answer(c, file) })
}

func (f *ledgerFlags) answer(c *cobra.Command, file string) error {
	a, next, added, err := f.parse(c, file)
	if err != nil {
		return err
	}
	accounts, err := a.Split(f.by, file)
	if err != nil {
		return err
	}
	if added != nil {
		accounts = ledger.OfLast(accounts)
	}
	verdict, err := cli.Watched(c, func(show func(string)) (certify.Verdict, error) {
		return ledger.AnswerAll(c.Context(), accounts, next, show)
	})
	if err != nil && cli.Interrupted(c) == nil {
		return err
	}
	if added != nil && accounts[0].Takes() {
		if err := ledger.Append(file, added); err != nil {
			return err
		}
	}
	if err := cli.Write(c, f.json, ledger.NewReports(f.by, accounts), ledger.Texts(accounts)); err != nil {
		return err
	}
	return cmp.Or(cli.Interrupted(c), cli.Ended(cli.VerdictStatus(verdict, verdict == certify.Verified)))
}
