// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/dominate"
)

func newDominates() *cobra.Command {
	var f askFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "dominates EVENT EVENT2",
		Short: "Decide whether one mechanism is nowhere more private than another",
		Long: `Decide whether δ(ε) of the first event is at least δ(ε) of the second at every real ε. The answer
is PROVED, REFUTED with the ε at which most is lacking and how much, or UNDECIDED with how far
it is proved. Pairs of finitely many outcomes are compared in rationals.

A pair of distributions that dominates the first, in both directions if both are compared, then
dominates the second as well, and bounds it in every composition and sample. The first event itself
may not stand for the second there: it may owe its δ to the other direction, or to different pairs
at different ε. A pair and its reverse have the same δ under both directions, but not when each
is composed with the same other release.

` + eventHelp + `

Exit status: 0 it is proved, 1 it is refuted, 2 it could not be asked, 3 it is undecided,
130 it was interrupted.`,
		Example: `  verify dominates 'gaussian(1)' 'gaussian(2)'
  verify dominates '{class_name: EpsilonDeltaDpEvent, epsilon: 1, delta: 0.1}' 'gaussian(1)'
  verify dominates --direction remove a.json b.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("%s, want two events (quote them, for the shell)", arguments(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			r := f.request()
			q := dominate.Request{Relation: r.Relation, Direction: r.Direction, Goal: r.Goal}
			q.MaxMemory = r.Question.MaxMemory
			if q.Above, err = decodeEvent(args[0], c.InOrStdin(), r.binary64); err != nil {
				return err
			}
			if q.Below, err = decodeEvent(args[1], c.InOrStdin(), r.binary64); err != nil {
				return err
			}
			var a *dominate.Answer
			if err := completed(c, func(show func(string)) (err error) {
				q.Progress = efforts(show)
				a, err = dominate.Decide(c.Context(), q)
				return err
			}); err != nil {
				return err
			}
			if err := write(c, asJSON, a.Report(r.Digits), a.Text(r.Digits)); err != nil {
				return err
			}
			switch a.Verdict {
			case dominate.Refuted:
				return statusError(statusWrong)
			case dominate.Undecided:
				return statusError(statusUndecided)
			}
			return nil
		},
	}
	registerFormat(c, &asJSON)
	f.register(c, compareDigits)
	return c
}
