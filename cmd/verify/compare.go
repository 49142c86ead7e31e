// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"dpverify/ask/compare"
	"dpverify/internal/atomicfile"
	"dpverify/internal/cli"
	"dpverify/internal/number"
)

// compareDigits is the accuracy of a comparison.
const compareDigits = 6

func newCompare() *cobra.Command {
	var f cli.AskFlags
	var delta, epsilon cli.Number
	var asJSON bool
	var output string
	c := command("compare", oneEvent, func(c *cobra.Command, args []string) error {
		if (delta.X == nil) == (epsilon.X == nil) {
			return errors.New("--delta or --epsilon is missing, want one of the two, a number >= 0")
		}
		r, err := f.Parse(c, args[0])
		if err != nil {
			return err
		}
		v := compare.Request{Question: r.Question, Events: r.Events, Goal: r.Goal, Measure: compare.EpsilonAtDelta,
			At: delta.X, Text: delta.Text}
		if epsilon.X != nil {
			v.Measure, v.At, v.Text = compare.DeltaAtEpsilon, epsilon.X, epsilon.Text
		}
		drawn, err := cli.FigureFormat("output", output, args...)
		if err != nil {
			return err
		}
		return runCompare(c, v, asJSON, output, drawn)
	})
	delta.Register(c.Flags(), "delta", number.NonNegative, "", "the δ at which ε is compared")
	epsilon.Register(c.Flags(), "epsilon", number.NonNegative, "", "the ε in nats at which δ is compared")
	c.Flags().StringVarP(&output, "output", "o", "", "also draw the comparison into a file: .svg, .png or .pdf")
	cli.RegisterFormat(c, &asJSON)
	f.Register(c, compareDigits, &delta, &epsilon)
	return c
}

// runCompare prints a comparison, and draws it into a file if it has a format.
func runCompare(c *cobra.Command, r compare.Request, asJSON bool, output, format string) error {
	v, err := cli.Completed(c, func(show func(string)) (*compare.Comparison, error) {
		r.Step = show
		return compare.Compute(c.Context(), r)
	})
	if err != nil {
		return err
	}
	if err := cli.Write(c, asJSON, compare.NewReport(v), v.Table()); err != nil || format == "" {
		return err
	}
	data, err := v.Draw(format)
	if err != nil {
		return err
	}
	return atomicfile.Write(output, data)
}
