// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"dpverify/crosscheck"
	"dpverify/exact"
	"dpverify/internal/cli"
	"dpverify/internal/number"
	"dpverify/internal/source"
)

// The limits of a self-test.
const (
	defaultSelftestSeconds = 60
	maxSelftestSeconds     = 7 * 24 * 3600
)

func newSelftest() *cobra.Command {
	var seconds, rounds int
	var seed int64
	var asJSON bool
	var neighbours cli.NeighbourFlags
	var epsilons cli.Numbers
	c := command("selftest", nil, func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return selftestEvent(c, args, neighbours, epsilons, asJSON)
		}
		for _, name := range []string{"relation", "direction", "epsilon"} {
			if c.Flags().Changed(name) {
				return fmt.Errorf("--%s is given, but no EVENT", name)
			}
		}
		return selftest(c, time.Duration(seconds)*time.Second, rounds, seed, asJSON)
	})
	fs := c.Flags()
	cli.Integer(fs, &seconds, "seconds", defaultSelftestSeconds, 1, maxSelftestSeconds, "how long to test, in seconds")
	cli.Integer(fs, &rounds, "rounds", 0, 0, cli.MaxInt,
		"end after this many rounds, if the time has not ended before (default: no limit)")
	fs.Int64Var(&seed, "seed", 1, "seed of the first round")
	neighbours.Register(c)
	epsilons.Register(fs, "epsilon", number.Any, "ε in nats at which EVENT is compared")
	cli.RegisterFormat(c, &asJSON)
	return c
}

// selftest runs the random comparisons.
func selftest(c *cobra.Command, limit time.Duration, rounds int, seed int64, asJSON bool) error {
	ctx, cancel := context.WithTimeout(c.Context(), limit)
	defer cancel()
	var err error
	s, crash := cli.Watched(c, func(show func(string)) (s crosscheck.Summary, _ error) {
		s, err = crosscheck.SelfTest(ctx, seed, rounds, func(s crosscheck.Summary) {
			show(fmt.Sprintf("round %d, %d comparisons", s.Rounds+1, s.Total()))
		})
		return s, nil
	})
	if crash != nil {
		return crash
	}
	if failed := cli.Write(c, asJSON, crosscheck.NewSummaryReport(s, err), s.Text(err)); failed != nil {
		return failed
	}
	switch {
	case crosscheck.IsDisagreement(err):
		return cli.StatusError(cli.StatusWrong)
	case err != nil:
		return err
	case c.Context().Err() != nil:
		return cli.ErrInterrupted
	case s.Total() == 0:
		return errors.New("selftest: nothing was compared in time")
	}
	return nil
}

// selftestEvent compares both engines on one event.
func selftestEvent(c *cobra.Command, args []string, neighbours cli.NeighbourFlags, epsilons cli.Numbers,
	asJSON bool) error {
	if err := oneEvent(c, args); err != nil {
		return err
	}
	if len(epsilons) == 0 {
		return errors.New("--epsilon is missing, want a number; it may be given more than once")
	}
	var q exact.Question
	var err error
	q.Relation, q.Direction = neighbours.First()
	if q.Event, err = source.Event(c.Context(), args[0], c.InOrStdin(), false); err != nil {
		return err
	}
	at, texts := epsilons.Values()
	found, err := crosscheck.CheckEvent(c.Context(), q, at, texts)
	if err != nil {
		return err
	}
	return cmp.Or(cli.Write(c, asJSON, crosscheck.NewCheckReport(found), found.Text()),
		cli.EndedIf(found.Err != nil, cli.StatusWrong))
}
