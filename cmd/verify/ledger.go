// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/calibrate"
	"dpverify/exact/renyi"
	"dpverify/internal/source"
	"dpverify/internal/terminal"
	"dpverify/ledger"
	"dpverify/number"
)

const defaultLedgerDigits = 6

// ledgerFlags are the flags of ledger.
type ledgerFlags struct {
	askFlags
	format, epsilon, delta, order, kind, next string
	adaptive                                  bool
}

func newLedger() *cobra.Command {
	var f ledgerFlags
	c := &cobra.Command{
		Use:   "ledger {--delta D | --epsilon E} FILE",
		Short: "Account for events that are appended to a file: totals, a budget, a privacy filter",
		Long: `Account for the events of FILE, JSON Lines (- is standard input): each line is an event, or
{"id": …, "event": …}. After each line is said

  --delta D                the least ε at D of all lines so far, composed; with --epsilon E, δ(E)
  --epsilon E --delta D    whether they keep this budget: VERIFIED, REFUTED or UNDECIDED, and δ(E)

for events with parameters that were fixed beforehand: a total proves nothing about events that
were chosen, or a ledger that was ended, in view of outputs. With a budget, --next EVENT says what
still fits after the ledger: how many copies of EVENT, or the value of the field that is "?" in it,
as "verify calibrate" finds it, so the value is certified and the next one seen not to do.

With --adaptive, the budget is kept by a Rényi filter (` + ledger.FilterTheorem + `), which is
sound for events that are chosen in view of all earlier outputs. Each event counts as its Rényi
divergence of one order, an upper bound of it, and is REFUSED where the sum would exceed what
gives (E, D) at that order; it must then not run, and does not count. Ask before an event runs.
Budget and order must be fixed before the first event, and stay: the order follows from the
budget unless --order names it. docs/theorems.md has the proof, and why choosing the order
afterwards has none. --filter gaussian is for Gaussian noise without sampling, and spends nothing
on the way: Σ 1/σ² is compared with that of one Gaussian of the budget
(` + ledger.GaussianTheorem + `).

Exit status: 0 it is answered, and the budget is kept, 1 it is exceeded or an event was refused,
2 it could not be asked, 3 it is undecided, 130 it was interrupted.

` + eventHelp,
		Example: `  cat ledger.jsonl
  {"class_name": "GaussianDpEvent", "noise_multiplier": 10}
  {"id": "june", "event": {"class_name": "LaplaceDpEvent", "noise_multiplier": 20}}

  verify ledger --delta 1e-6 ledger.jsonl
  verify ledger --epsilon 1 --delta 1e-6 --next 'gaussian(10)' ledger.jsonl
  verify ledger --epsilon 1 --delta 1e-6 --next '{class_name: GaussianDpEvent, noise_multiplier: "?"}' ledger.jsonl
  verify ledger --epsilon 1 --delta 1e-6 --adaptive ledger.jsonl`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%s, want one FILE", arguments(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	fs := c.Flags()
	fs.StringVar(&f.epsilon, "epsilon", "", "ε in nats")
	fs.StringVar(&f.delta, "delta", "", "δ")
	fs.BoolVar(&f.adaptive, "adaptive", false, "keep the budget of --epsilon and --delta by a privacy filter")
	fs.StringVar(&f.kind, "filter", "renyi", "the filter of --adaptive: renyi or gaussian")
	fs.StringVar(&f.order, "order", "", "the Rényi order of the filter, above 1, or inf (default: one for Gaussian noise)")
	fs.StringVar(&f.next, "next", "", "an EVENT: how many copies of it still fit the budget, or the value of its \"?\"")
	f.neighbours.register(c)
	fs.StringVar(&f.numberFormat, "number-format", "decimal", "decimal takes numbers as written, binary64 rounds them to the nearest float64 first")
	fs.IntVar(&f.digits, "digits", defaultLedgerDigits, "significant digits to aim at")
	fs.DurationVar(&f.timeout, "timeout", ask.DefaultBudget, "for each line: answer with what was reached after this time")
	registerMemory(c, &f.memory)
	registerFormat(c, &f.format)
	return c
}

// A ledgerRequest is what the flags ask for.
type ledgerRequest struct {
	ledger.Account
	next *calibrate.Template
	json bool
}

// parse reads the flags, the ledger and the next event.
func (f *ledgerFlags) parse(c *cobra.Command, file string) (q ledgerRequest, err error) {
	if q.json, err = parseFormat(f.format); err != nil {
		return q, err
	}
	r, err := f.parseFlags()
	if err != nil {
		return q, err
	}
	for _, x := range []struct {
		name, text string
		into       **big.Rat
	}{{"epsilon", f.epsilon, &q.Epsilon}, {"delta", f.delta, &q.Delta}} {
		if x.text == "" {
			continue
		}
		if *x.into, err = parseDelta(x.name, x.text, r.binary64); err != nil {
			return q, err
		}
	}
	both := q.Epsilon != nil && q.Delta != nil
	switch {
	case q.Epsilon == nil && q.Delta == nil:
		return q, errors.New("--delta is missing, want a number >= 0; or --epsilon, or both for a budget")
	case f.adaptive && !both:
		return q, errors.New("--adaptive is for a budget, want both --epsilon and --delta")
	case f.adaptive && f.next != "":
		return q, errors.New("--next is for events that are fixed beforehand; with --adaptive, append the event and see whether it is accepted")
	case f.next != "" && !both:
		return q, errors.New("--next is for a budget, want both --epsilon and --delta")
	case f.next == "-" && file == "-":
		return q, errors.New("--next = -, want another source than FILE")
	case f.order != "" && !f.adaptive:
		return q, errors.New("--order is for --adaptive")
	case c.Flags().Changed("filter") && !f.adaptive:
		return q, errors.New("--filter is for --adaptive")
	}
	q.Question = ledger.Question{Relation: r.Relation, Direction: r.Direction, MaxMemory: r.Question.MaxMemory, Digits: r.Digits, Budget: r.Budget}
	if f.adaptive {
		if q.Filter, err = f.filter(c.Context(), &q.Account, r.binary64); err != nil {
			return q, err
		}
	}
	if f.next != "" {
		src, err := source.Argument(f.next, c.InOrStdin())
		if err != nil {
			return q, err
		}
		d := src.Decoder()
		d.Binary64 = r.binary64
		if q.next, err = calibrate.ParseOrCopies(src.Label(), src.Data, d); err != nil {
			return q, err
		}
	}
	src, err := source.File(file, c.InOrStdin())
	if err != nil {
		return q, err
	}
	d := src.Decoder()
	d.Binary64 = r.binary64
	q.Lines, err = ledger.Parse(src.Name, src.Data, d)
	return q, err
}

// filter returns the filter of a budget.
func (f *ledgerFlags) filter(ctx context.Context, a *ledger.Account, binary64 bool) (*ledger.Filter, error) {
	eps, delta := a.Epsilon, a.Delta
	gaussian, err := oneOf("filter", f.kind, "renyi or gaussian", false, true)
	if err != nil {
		return nil, err
	}
	if delta.Cmp(big.NewRat(1, 1)) >= 0 {
		return nil, fmt.Errorf("--delta = %s, want a number in [0, 1) with --adaptive", number.Format(delta))
	}
	if gaussian {
		if f.order != "" {
			return nil, errors.New("--order is for --filter renyi")
		}
		return ledger.NewGaussianFilter(ctx, a.Question, eps, delta)
	}
	order := renyi.Infinity
	switch f.order {
	case "":
		order = ledger.DefaultOrder(eps, delta)
	case "inf":
	default:
		x, err := parseIn("order", f.order, number.AboveOne, binary64)
		if err != nil {
			return nil, err
		}
		order = renyi.At(x)
	}
	filter, err := ledger.NewFilter(eps, delta, order)
	if err != nil {
		return nil, flagError("order", err)
	}
	return filter, nil
}

func (f *ledgerFlags) run(c *cobra.Command, file string) error {
	q, err := f.parse(c, file)
	if err != nil {
		return err
	}
	p := terminal.NewProgress(c.ErrOrStderr(), -1)
	q.Progress = p.Describe
	err = ask.Guard(func() error { return q.Answer(c.Context(), q.next) })
	p.Close()
	interrupted := c.Context().Err() != nil
	if err != nil && !interrupted {
		return err
	}
	if err := write(c, q.json, ledger.NewReport(&q.Account), q.Text()); err != nil {
		return err
	}
	if interrupted {
		return errInterrupted
	}
	return ended(q.status())
}

// status returns the exit status of an account.
func (q *ledgerRequest) status() int {
	status := statusOK
	for _, o := range q.Outcomes {
		status = worse(status, claimStatus(o))
	}
	for _, s := range q.Steps {
		if !s.Accepted {
			status = worse(status, statusWrong)
		}
	}
	for _, t := range q.Totals {
		if !t.Found {
			status = worse(status, statusUndecided)
		}
	}
	return status
}
