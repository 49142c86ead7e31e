// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/calibrate"
	"dpverify/internal/cli"
	"dpverify/internal/source"
	"dpverify/number"
)

func newCalibrate() *cobra.Command {
	var epsilon, delta cli.Number
	var asJSON bool
	var neighbours neighbourFlags
	var q calibrate.Question
	c := &cobra.Command{
		Use:   "calibrate --epsilon E --delta D EVENT",
		Short: "Find the least noise, or the most steps, that meet (ε, δ)",
		Long: `Find the value of one field of EVENT, written "?" there, with which the mechanism is
(ε, δ)-differentially private and gives away the most: the smallest noise_multiplier or
standard_deviation, the largest count, sampling_probability, sample_size or epsilon.

The value is searched for in float64 and certified by the exact engine, so it never
overshoots. The next value, in the last of --digits decimal digits or the next integer,
is certified not to suffice, where that can be decided. Where there is no next value, the
output says why: it is the last one that there is, such as the probability 1, or the last
that is tried. Noise is tried from 10^7 down to 10^-5, epsilon up to 10^6. Where privacy is not
proved to be monotone in the field, such as in the noise that hides rare keys, a note says so.

Exit status: 0 a value is VERIFIED, 2 no value does or the search could not run, 3 none
was VERIFIED within the budget.

` + eventHelp,
		Example: `  verify calibrate --epsilon 1 --delta 1e-5 'gaussian(?)'
  verify calibrate --epsilon 3 --delta 1e-5 'sgd(sigma=?, batch=256, n=60000, epochs=15)'
  verify calibrate --epsilon 1 --delta 1e-5 '{class_name: SelfComposedDpEvent, count: "?", event: {class_name: LaplaceDpEvent, noise_multiplier: 20}}'`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(epsilon.Required(), delta.Required()); err != nil {
				return err
			}
			q.Epsilon, q.Delta = epsilon.X, delta.X
			q.Relation, q.Direction = neighbours.first()
			src, err := source.Argument(args[0], c.InOrStdin())
			if err != nil {
				return err
			}
			if q.Template, err = calibrate.Parse(src.Label(), src.Data, src.Decoder()); err != nil {
				return err
			}
			var found calibrate.Finding
			if err := watched(c, func(show func(string)) (err error) {
				q.Progress = show
				found, err = calibrate.Search(c.Context(), q)
				return err
			}); err != nil {
				return err
			}
			if err := write(c, asJSON, calibrate.NewReport(q, found), found.Text(q)); err != nil {
				return err
			}
			if found.Best == nil {
				return statusError(statusUndecided)
			}
			return nil
		},
	}
	fs := c.Flags()
	epsilon.Register(fs, "epsilon", number.NonNegative, "", "ε in nats")
	delta.Register(fs, "delta", number.NonNegative, "", "δ")
	neighbours.register(c)
	cli.Integer(fs, &q.Digits, "digits", calibrate.DefaultDigits, 1, calibrate.MaxDigits, "significant digits of the value")
	cli.Duration(fs, &q.Budget, "budget", calibrate.DefaultBudget, ask.MaxBudget, "how long to certify one value")
	registerFormat(c, &asJSON)
	return c
}
