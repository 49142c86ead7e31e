// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"math/big"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/calibrate"
	"dpverify/internal/source"
	"dpverify/internal/terminal"
)

func newCalibrate() *cobra.Command {
	var epsilon, delta, format string
	var neighbours neighbourFlags
	var digits int
	var budget time.Duration
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
that is tried. Noise is tried from 10^7 down to 10^-5, epsilon up to 10^6.

Exit status: 0 a value is VERIFIED, 2 no value does or the search could not run, 3 none
was VERIFIED within the budget.

` + eventHelp,
		Example: `  verify calibrate --epsilon 1 --delta 1e-5 '{class_name: GaussianDpEvent, noise_multiplier: "?"}'
  verify calibrate --epsilon 1 --delta 1e-5 '{class_name: SelfComposedDpEvent, count: "?", event: {class_name: LaplaceDpEvent, noise_multiplier: 20}}'`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			asJSON, err := parseFormat(format)
			if err != nil {
				return err
			}
			if digits < 1 || digits > calibrate.MaxDigits {
				return fmt.Errorf("--digits = %d, want an integer in [1, %d]", digits, calibrate.MaxDigits)
			}
			if budget <= 0 || budget > ask.MaxBudget {
				return fmt.Errorf("--budget = %v, want more than 0 and at most %v", budget, time.Duration(ask.MaxBudget))
			}
			q := calibrate.Question{Digits: digits, Budget: budget}
			if q.Relation, q.Direction, err = neighbours.parse(); err != nil {
				return err
			}
			for _, f := range []struct {
				name, text string
				into       **big.Rat
			}{{"epsilon", epsilon, &q.Epsilon}, {"delta", delta, &q.Delta}} {
				if f.text == "" {
					return fmt.Errorf("--%s is missing, want a number >= 0", f.name)
				}
				if *f.into, err = parseNumber(f.name, f.text, false); err != nil {
					return err
				}
				if (*f.into).Sign() < 0 {
					return fmt.Errorf("--%s = %s, want a number >= 0", f.name, f.text)
				}
			}
			src, err := source.Argument(args[0], c.InOrStdin())
			if err != nil {
				return err
			}
			if q.Template, err = calibrate.Parse(src.Label(), src.Data, src.Decoder()); err != nil {
				return err
			}
			p := terminal.NewProgress(c.ErrOrStderr(), -1)
			q.Progress = p.Describe
			var found calibrate.Finding
			err = ask.Guard(func() (err error) {
				found, err = calibrate.Search(c.Context(), q)
				return err
			})
			p.Close()
			if err != nil {
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
	fs.StringVar(&epsilon, "epsilon", "", "ε in nats")
	fs.StringVar(&delta, "delta", "", "δ")
	neighbours.register(c)
	fs.IntVar(&digits, "digits", calibrate.DefaultDigits, "significant digits of the value")
	fs.DurationVar(&budget, "budget", calibrate.DefaultBudget, "how long to certify one value")
	registerFormat(c, &format)
	return c
}
