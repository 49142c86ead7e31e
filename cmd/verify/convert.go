// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/convert"
	"dpverify/internal/cli"
	"dpverify/mechanism"
)

func newConvert() *cobra.Command {
	var f askFlags
	var asJSON bool
	var to string
	var at []string
	c := &cobra.Command{
		Use:   "convert --to QUANTITY --at X [--at X2 …] TABLE",
		Short: "Convert between Rényi divergences, trade-off functions, (ε, δ), zCDP and transforms",
		Long: `Enclose one quantity, given a table of points of another. TABLE is a CSV file with a point on each
line, and its first line names the columns:

  order,renyi      Rényi divergences of these orders are at most these, in both orientations
  epsilon,delta    δ(ε) is at most this at these ε, in both orientations
  alpha,tradeoff   the trade-off function T[P, Q], linear between the points, from 0 to where it is 0
  loss,mass        the privacy loss of (P, Q) has this value with this probability under P; it may be inf
  loss,tail        P(L > loss) of that loss L, at points
  t,re,im          its characteristic function φ(t) = E_P e^(itL) over finite L, at points

The first two are guarantees: the answer is about the worst mechanism that satisfies them,
so its upper end is what they imply (the lower end, of a trade-off function), and the other
end what no conversion can beat. The other four are of one pair, of which --direction remove
asks about (P, Q) alone. TABLE can be an EVENT, too, such as a ZCDpEvent.

--to names what is wanted, and --at where: delta at an ε, epsilon at a δ, renyi at an order,
tradeoff at a type I error; phi, the characteristic functions φ and φ′ of the loss of (P, Q) and of
(Q, P), at a real or complex number; renyi at a complex order such as 2+1i, or one below 0; and
loss, P(L > x), at an x. What an answer is, by table:

                   delta, epsilon, renyi, tradeoff    phi                    loss
  order,renyi      of the worst mechanism             no answer              of all mechanisms
  epsilon,delta    of the worst mechanism             of the worst pair      of all mechanisms
  alpha,tradeoff   to the digits wanted               to the digits wanted   to the digits wanted
  loss,mass        to the digits wanted               to the digits wanted   to the digits wanted
  loss,tail        bounds from both sides             bounds, at real t      bounds from both sides
  t,re,im          from below, where φ(0) < 1         at points of it        from below, where φ(0) < 1

Points of φ bound nothing from above: a larger loss can have the same values. An error says so
where nothing follows. "of all mechanisms" is an interval that covers each of them.

` + askHelp,
		Example: `  verify convert --to epsilon --at 1e-5 orders.csv
  verify convert --to tradeoff --at 0.01 --at 0.1 orders.csv
  verify convert --to renyi --at 2 --at 8 --direction remove tradeoff.csv
  verify convert --to delta --at 1 --direction remove losses.csv
  verify convert --to phi --at 0.5 --at 1-2i 'gaussian(1) * 3'
  verify convert --to delta --at 1 '{class_name: ZCDpEvent, rho: 0.1}'`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case to == "":
				return errors.New("--to is missing, want " + convert.Targets)
			case len(at) == 0:
				return fmt.Errorf("--at is missing, want %s; it may be given more than once", convert.WantAt(to))
			}
			r := f.request()
			kind, plain := convert.KindOf(to, at)
			q := question{name: to}
			if plain {
				var err error
				if q, err = (askCommand{kind: kind, flag: "at"}).question(to, at, r); err != nil {
					return err
				}
			}
			src, err := convert.Open(args[0], to, r.Digits, func() (mechanism.Range, error) { return decodeRange(args[0], c.InOrStdin(), r.binary64) })
			if err != nil {
				return err
			}
			if plain {
				if q.sharpen, err = src.Sharpener(to, at, r.binary64); err != nil {
					return cli.Fault("at", err)
				}
				return askAll(c, r, src.Events, q, asJSON)
			}
			t := convert.Transform{Question: r.Question, Goal: r.Goal, Of: to, At: at}
			answers, err := src.Compute(c.Context(), t)
			if err != nil {
				return err
			}
			return write(c, asJSON, t.Report(answers), t.Text(answers))
		},
	}
	fs := c.Flags()
	cli.Choice(fs, &to, "to", "", convert.Targets, convert.Targets, cli.Names(convert.Targets)...)
	fs.StringArrayVar(&at, "at", nil, "where it is wanted; may be given more than once")
	registerFormat(c, &asJSON)
	f.register(c, ask.DefaultDigits)
	return c
}
