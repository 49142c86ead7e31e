// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/convert"
	"dpverify/document"
	"dpverify/internal/show"
	"dpverify/internal/source"
	"dpverify/mechanism"
)

func newConvert() *cobra.Command {
	var f askFlags
	var format, to string
	var at []string
	const wantTo = "delta, epsilon, renyi, tradeoff, phi or loss"
	c := &cobra.Command{
		Use:   "convert --to QUANTITY --at X [--at X2 …] TABLE",
		Short: "Convert between Rényi divergences, trade-off functions, (ε, δ), zCDP and transforms",
		Long: `Enclose what a table of points says about another quantity. TABLE is a CSV file, a point a
line, and its first line names the columns:

  order,renyi      Rényi divergences of these orders are at most these, in both orientations
  epsilon,delta    δ(ε) is at most this at these ε, in both orientations
  alpha,tradeoff   the trade-off function T[P, Q], linear between the points, from 0 to where it is 0

The first two are guarantees: the answer is about the worst mechanism that satisfies them,
so its upper end is what they imply (the lower end, of a trade-off function), and the other
end what no conversion can beat. TABLE can be an EVENT, too, such as a ZCDpEvent.

--to says what is wanted, and --at where: delta at an ε, epsilon at a δ, renyi at an order,
tradeoff at a type I error; and, of the pair that an event or a trade-off function stands for,
phi, the characteristic functions φ and φ′ of the privacy loss of (P, Q) and of (Q, P), at a real or complex
number, renyi at a complex order such as 2+1i, or one below 0, and loss, P(L > x), at an x.

` + askHelp,
		Example: `  verify convert --to epsilon --at 1e-5 orders.csv
  verify convert --to tradeoff --at 0.01 --at 0.1 orders.csv
  verify convert --to renyi --at 2 --at 8 --direction remove tradeoff.csv
  verify convert --to phi --at 0.5 --at 1-2i 'gaussian(1) * 3'
  verify convert --to delta --at 1 '{class_name: ZCDpEvent, rho: 0.1}'`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			isTransform := to == "phi" || to == "loss" || to == "renyi" && slices.ContainsFunc(at, func(s string) bool { return strings.Contains(s, "i") && s != "inf" || strings.HasPrefix(s, "-") })
			commands := map[string]askCommand{"delta": deltaCommand(), "epsilon": epsilonCommand(), "renyi": renyiCommand(), "tradeoff": tradeoffCommand()}
			a, ok := commands[to]
			switch {
			case to == "":
				return errors.New("--to is missing, want " + wantTo)
			case !ok && !isTransform:
				return fmt.Errorf("--to = %s, want %s", show.Value(to), wantTo)
			case len(at) == 0:
				want := "a number"
				if ok {
					want = a.kind.Want()
				}
				return fmt.Errorf("--at is missing, want %s; it may be given more than once", want)
			}
			asJSON, err := parseFormat(format)
			if err != nil {
				return err
			}
			r, err := f.parseFlags()
			if err != nil {
				return err
			}
			var q question
			if !isTransform {
				a.flag = "at"
				if q, err = a.question(to, at, r); err != nil {
					return err
				}
			}
			var events mechanism.Range
			if strings.EqualFold(filepath.Ext(args[0]), ".csv") {
				var t convert.Table
				if t, events, err = readTable(args[0]); err == nil && !isTransform {
					q.sharpen, err = sharpener(t, to, at, r.binary64)
				}
			} else {
				events, err = decodeRange(args[0], c.InOrStdin(), r.binary64)
			}
			if err != nil {
				return err
			}
			if isTransform {
				t := convert.Transform{Question: r.Question, Goal: r.Goal, Of: to, At: at}
				if t.Event = events.LessPrivate; len(events.Rounded) > 0 {
					return errors.New("want probabilities that sum to exactly 1: a transform is of one pair")
				}
				answers, err := t.Compute(c.Context())
				if err != nil {
					return err
				}
				return write(c, asJSON, t.Report(answers), t.Text(answers))
			}
			return askAll(c, r, events, q, asJSON)
		},
	}
	fs := c.Flags()
	fs.StringVar(&to, "to", "", wantTo)
	fs.StringArrayVar(&at, "at", nil, "where it is wanted; may be given more than once")
	registerFormat(c, &format)
	f.register(c, ask.DefaultDigits)
	return c
}

// readTable reads a table and the event that it stands for.
func readTable(path string) (t convert.Table, events mechanism.Range, err error) {
	data, err := document.FileContents(path, source.MaxBytes)
	if err != nil {
		return t, events, err
	}
	if t, err = convert.Read(show.Name(path), data); err != nil {
		return t, events, err
	}
	e, err := t.Event()
	if err != nil {
		return t, events, fmt.Errorf("%s: %w", show.Name(path), err)
	}
	return t, mechanism.Range{MorePrivate: e, LessPrivate: e}, nil
}

// sharpener returns what narrows the answers of a question; nil if nothing does.
func sharpener(t convert.Table, to string, at []string, binary64 bool) (func(context.Context, int, ask.Answer) (ask.Answer, error), error) {
	by := map[string]func(context.Context, ask.Answer, *big.Rat) (ask.Answer, error){"tradeoff": t.SharpenTradeOff}[to]
	if by == nil {
		return nil, nil
	}
	xs, err := parseNumbers("at", at, binary64)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, i int, a ask.Answer) (ask.Answer, error) { return by(ctx, a, xs[i]) }, nil
}
