// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dpverify/ask/curve"
	"dpverify/internal/cli"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// What a curve that was not asked for more precisely shows.
const (
	defaultPoints      = 101
	defaultCounts      = 25 // points over the number of compositions: each is a profile of its own
	defaultCurveDigits = 3
	maxPoints          = 10_000
)

func newCurve() *cobra.Command {
	var f curveFlags
	var asJSON bool
	var of string
	c := command("curve", oneEvent, func(c *cobra.Command, args []string) error {
		r, err := f.parse(c, args[0])
		if err != nil {
			return err
		}
		if err := tabled(c, &r, of); err != nil {
			return err
		}
		v, err := cli.Watched(c, func(show func(string)) (*curve.Curve, error) {
			r.Step = show
			return curve.Compute(c.Context(), r)
		})
		if v == nil {
			return err
		}
		if err != nil {
			return showReached(c, v, asJSON)
		}
		if err := showCurve(c, v, asJSON); err != nil {
			return err
		}
		_, missing := v.Found()
		return cli.EndedIf(missing > 0, cli.StatusUndecided)
	})
	cli.Choice(c.Flags(), &asJSON, "format", "csv", "csv or json", "csv or json", false, true)
	usage := "what is enclosed: " + curve.Tabled + ", over ε, the order, or the type I error"
	cli.Choice(c.Flags(), &of, "of", "delta", usage, curve.Tabled, cli.Names(curve.Tabled)...)
	f.register(c, defaultCurveDigits)
	return c
}

// tabled makes a request one of another kind of curve than δ over ε, and ends its range where that kind does.
func tabled(c *cobra.Command, r *curve.Request, of string) error {
	if of == "delta" {
		return nil
	}
	if r.Compositions != 0 {
		return fmt.Errorf("--of %s is not over compositions", of)
	}
	from := r.From
	if !c.Flags().Changed("from") {
		from = nil
	}
	r.Kind, r.From, r.To = curve.Table(of, from, r.To)
	if r.To.Cmp(r.From) <= 0 {
		return fmt.Errorf("--to = %s, want more than --from = %s", number.Format(r.To), number.Format(r.From))
	}
	return nil
}

// curveFlags are the flags of the commands that ask for a curve.
type curveFlags struct {
	cli.AskFlags
	from, to, delta cli.Number
	compositions    int64
	points          int
}

func (f *curveFlags) register(c *cobra.Command, digits int, more ...cli.Rounder) {
	fs := c.Flags()
	f.from.Register(fs, "from", number.Any, "0", "the first ε, in nats (default: 0); or the first order or type I error")
	f.to.Register(fs, "to", number.Any, "",
		"the last ε (default: about where δ reaches 1e-10), or order (32), or type I error (1)")
	registerCompositions(c, &f.compositions, "show ε over 1 to this many compositions of the mechanism, at --delta")
	f.delta.Register(fs, "delta", number.NonNegative, "", "the δ of --compositions")
	cli.Integer(fs, &f.points, "points", defaultPoints, 2, maxPoints,
		fmt.Sprintf("how many points, evenly spaced (with --compositions, default %d)", defaultCounts))
	f.AskFlags.Register(c, digits, append(more, &f.from, &f.to, &f.delta)...)
}

// registerCompositions registers a number of compositions, 0 if it is not given.
func registerCompositions(c *cobra.Command, n *int64, usage string) {
	cli.Integer(c.Flags(), n, "compositions", 1, 1, mechanism.MaxCount, usage)
	*n, c.Flags().Lookup("compositions").DefValue = 0, ""
}

// parse reads the event, and what one flag cannot know of itself.
func (f *curveFlags) parse(c *cobra.Command, event string) (curve.Request, error) {
	r := curve.Request{Points: f.points, Compositions: f.compositions}
	over := c.Flags().Changed("compositions")
	if over && !c.Flags().Changed("points") {
		r.Points = defaultCounts
	}
	switch {
	case over && f.delta.X == nil:
		return r, errors.New("--delta is missing, want the δ at which --compositions shows ε")
	case over && (c.Flags().Changed("from") || c.Flags().Changed("to")):
		return r, errors.New("--from and --to are a range of ε, want neither with --compositions")
	case !over && c.Flags().Changed("delta"):
		return r, errors.New("--delta is for --compositions, want both or neither")
	}
	asked, err := f.AskFlags.Parse(c, event)
	if err != nil {
		return r, err
	}
	r.Question, r.Events, r.Goal = asked.Question, asked.Events, asked.Goal
	if over {
		r.Delta = f.delta.X
		return r, nil
	}
	if r.From, r.To = f.from.X, f.to.X; r.To != nil && r.To.Cmp(r.From) <= 0 {
		err = fmt.Errorf("--to = %s, want more than --from = %s", number.Format(r.To), number.Format(r.From))
	}
	return r, err
}

// showCurve writes a curve, and what CSV has no place for on standard error.
func showCurve(c *cobra.Command, v *curve.Curve, asJSON bool) error {
	err := cli.Write(c, asJSON, curve.NewReport(v), string(v.CSV()))
	if err == nil && !asJSON {
		remark(c.ErrOrStderr(), v)
	}
	return err
}

// showReached writes the points of an interrupted curve that have bounds, if any, and says how many have none.
func showReached(c *cobra.Command, v *curve.Curve, asJSON bool) error {
	found, missing := v.Found()
	if len(found.At) > 0 {
		if err := showCurve(c, found, asJSON); err != nil {
			return err
		}
	}
	if missing == 0 {
		return cli.ErrInterrupted
	}
	return fmt.Errorf("%w: %d of %d points have no bounds, and are left out", cli.ErrInterrupted, missing,
		missing+len(found.At))
}

// remark writes what a curve has to say besides its points.
func remark(w io.Writer, v *curve.Curve) {
	if s := v.Lacking(); s != "" {
		fmt.Fprintf(w, "verify: %s\n", s)
	}
	for _, n := range v.Notes() {
		fmt.Fprintf(w, "verify: note: %s\n", n)
	}
}
