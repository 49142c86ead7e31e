// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"dpverify/ask/dominate"
	"dpverify/internal/cli"
	"dpverify/internal/source"
)

func newDominates() *cobra.Command {
	var f askFlags
	var asJSON bool
	c := command("dominates", cli.Exactly(2, "two events (quote them, for the shell)"), func(c *cobra.Command, args []string) error {
		var err error
		r := f.request()
		q := dominate.Request{Relation: r.Relation, Direction: r.Direction, Goal: r.Goal}
		q.MaxMemory = r.Question.MaxMemory
		ctx, cancel := r.Limit(c.Context())
		defer cancel()
		if q.Above, err = source.Event(ctx, args[0], c.InOrStdin(), r.binary64); err != nil {
			return err
		}
		if q.Below, err = source.Event(ctx, args[1], c.InOrStdin(), r.binary64); err != nil {
			return err
		}
		a, err := completed(c, func(show func(string)) (*dominate.Answer, error) {
			q.Progress = efforts(show)
			return dominate.Decide(c.Context(), q)
		})
		if err != nil {
			return err
		}
		return cmp.Or(write(c, asJSON, a.Report(r.Digits), a.Text(r.Digits)),
			endedIf(a.Verdict == dominate.Refuted, statusWrong), endedIf(a.Verdict == dominate.Undecided, statusUndecided))
	})
	registerFormat(c, &asJSON)
	f.register(c, compareDigits)
	return c
}
