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
	var f cli.AskFlags
	var asJSON bool
	c := command("dominates", cli.Exactly(2, "two events (quote them, for the shell)"),
		func(c *cobra.Command, args []string) error {
			var err error
			r := f.Request()
			q := dominate.Request{Relation: r.Relation, Direction: r.Direction, Goal: r.Goal}
			q.MaxMemory = r.Question.MaxMemory
			ctx, cancel := r.Limit(c.Context())
			defer cancel()
			if q.Above, err = source.Event(ctx, args[0], c.InOrStdin(), r.Binary64); err != nil {
				return err
			}
			if q.Below, err = source.Event(ctx, args[1], c.InOrStdin(), r.Binary64); err != nil {
				return err
			}
			a, err := cli.Completed(c, func(show func(string)) (*dominate.Answer, error) {
				q.Progress = cli.Efforts(show)
				return dominate.Decide(c.Context(), q)
			})
			if err != nil {
				return err
			}
			return cmp.Or(cli.Write(c, asJSON, a.Report(r.Digits), a.Text(r.Digits)),
				cli.EndedIf(a.Verdict == dominate.Refuted, cli.StatusWrong),
				cli.EndedIf(a.Verdict == dominate.Undecided, cli.StatusUndecided))
		})
	cli.RegisterFormat(c, &asJSON)
	f.Register(c, compareDigits)
	return c
}
