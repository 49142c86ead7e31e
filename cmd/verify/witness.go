// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/ask/witness"
	"dpverify/internal/cli"
	"dpverify/internal/number"
	"dpverify/internal/source"
)

func newWitness() *cobra.Command {
	var f witnessFlags
	c := command("witness", oneEvent, func(c *cobra.Command, args []string) error { return f.run(c, args[0]) })
	fs := c.Flags()
	f.eps.Register(fs, "epsilon", number.Any, "", "the ε of the claim, in nats")
	f.delta.Register(fs, "delta", number.Any, "",
		"the δ of the claim; without it, the set with the greatest P(S) − e^ε·Q(S) that is found")
	f.neighbours.Register(c)
	cli.RegisterNumberFormat(c, &f.binary64, &f.eps, &f.delta)
	cli.Duration(fs, &f.timeout, "timeout", ask.DefaultBudget, ask.MaxBudget, "give up after this time")
	cli.RegisterFormat(c, &f.json)
	return c
}

// witnessFlags are the flags of witness.
type witnessFlags struct {
	neighbours     cli.NeighbourFlags
	binary64, json bool
	eps, delta     cli.Number
	timeout        time.Duration
}

func (f *witnessFlags) run(c *cobra.Command, event string) (err error) {
	var r witness.Request
	r.Relation, r.Direction = f.neighbours.First()
	if err := f.eps.Required(); err != nil {
		return err
	}
	r.Epsilon, r.Delta = f.eps.X, f.delta.X
	if r.Event, err = source.Event(c.Context(), event, c.InOrStdin(), f.binary64); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Context(), f.timeout)
	defer cancel()
	w, err := cli.Completed(c, func(func(string)) (*witness.Witness, error) { return witness.Find(ctx, r) })
	if errors.Is(err, witness.ErrNone) || errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintln(c.ErrOrStderr(), "verify: no set of outputs was found that shows it")
		return cli.StatusError(cli.StatusUndecided)
	} else if err != nil {
		return err
	}
	return cli.Write(c, f.json, w.Report(r), w.Text(r))
}
