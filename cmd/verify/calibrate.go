// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/ask/calibrate"
	"dpverify/internal/cli"
	"dpverify/internal/number"
	"dpverify/internal/source"
)

func newCalibrate() *cobra.Command {
	var epsilon, delta cli.Number
	var asJSON bool
	var neighbours cli.NeighbourFlags
	var q calibrate.Question
	c := command("calibrate", oneEvent, func(c *cobra.Command, args []string) error {
		if err := cmp.Or(epsilon.Required(), delta.Required()); err != nil {
			return err
		}
		q.Epsilon, q.Delta = epsilon.X, delta.X
		q.Relation, q.Direction = neighbours.First()
		src, err := source.Argument(c.Context(), args[0], c.InOrStdin())
		if err != nil {
			return err
		}
		if q.Template, err = calibrate.Parse(src.Label(), src.Data, src.Decoder(c.Context())); err != nil {
			return err
		}
		found, err := cli.Watched(c, func(show func(string)) (calibrate.Finding, error) {
			q.Progress = show
			return calibrate.Search(c.Context(), q)
		})
		if err != nil {
			return err
		}
		return cmp.Or(cli.Write(c, asJSON, calibrate.NewReport(q, found), found.Text(q)),
			cli.EndedIf(found.Best == nil, cli.StatusUndecided))
	})
	fs := c.Flags()
	epsilon.Register(fs, "epsilon", number.NonNegative, "", "ε in nats")
	delta.Register(fs, "delta", number.NonNegative, "", "δ")
	neighbours.Register(c)
	cli.Integer(fs, &q.Digits, "digits", calibrate.DefaultDigits, 1, calibrate.MaxDigits,
		"significant digits of the value")
	cli.Duration(fs, &q.Budget, "budget", calibrate.DefaultBudget, ask.MaxBudget,
		"how long to estimate, and to certify, one value")
	cli.RegisterFormat(c, &asJSON)
	return c
}
