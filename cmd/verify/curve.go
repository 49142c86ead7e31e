// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dpverify/curve"
	"dpverify/internal/terminal"
	"dpverify/mechanism"
	"dpverify/number"
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
	var format string
	c := &cobra.Command{
		Use:   "curve EVENT",
		Short: "Print δ over a range of ε, or ε over the number of compositions",
		Long: `Print enclosures of δ(ε) at ε from --from to --to; or, with --compositions N, of the
least ε at --delta for 1 to N copies of the mechanism. CSV has one line a point, with
a lower and an upper bound; what is not as accurate as wanted has complete = false,
and standard error says why.

` + askHelp,
		Example: `  verify curve '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify curve --from 0 --to 3 --points 31 --format json event.json
  verify curve --delta 1e-5 --compositions 1000 '{class_name: LaplaceDpEvent, noise_multiplier: 10}'`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			asJSON, err := oneOf("format", format, "csv or json", false, true)
			if err != nil {
				return err
			}
			r, err := f.parse(c, args[0])
			if err != nil {
				return err
			}
			p := terminal.NewProgress(c.ErrOrStderr(), -1)
			r.Step = p.Describe
			v, err := curve.Compute(c.Context(), r)
			p.Close()
			switch {
			case v == nil:
				return err
			case asJSON:
				return cmp.Or(writeJSON(c.OutOrStdout(), curve.NewReport(v)), err)
			}
			if _, failed := c.OutOrStdout().Write(v.CSV()); failed != nil || err != nil {
				return cmp.Or(failed, err)
			}
			remark(c.ErrOrStderr(), v)
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", "csv", "csv or json")
	f.register(c, defaultCurveDigits)
	return c
}

// curveFlags are the flags of the commands that ask for a curve.
type curveFlags struct {
	askFlags
	from, to, delta string
	compositions    int64
	points          int
}

func (f *curveFlags) register(c *cobra.Command, digits int) {
	fs := c.Flags()
	fs.StringVar(&f.from, "from", "0", "the first ε, in nats")
	fs.StringVar(&f.to, "to", "", "the last ε (default: about where δ reaches 1e-10)")
	fs.Int64Var(&f.compositions, "compositions", 0, "show ε over 1 to so many compositions of the mechanism, at --delta")
	fs.StringVar(&f.delta, "delta", "", "the δ of --compositions")
	fs.IntVar(&f.points, "points", defaultPoints, fmt.Sprintf("how many points, evenly spaced (with --compositions, default %d)", defaultCounts))
	f.askFlags.register(c, digits)
}

// parse reads the flags and the event.
func (f *curveFlags) parse(c *cobra.Command, event string) (curve.Request, error) {
	r := curve.Request{Points: f.points, Compositions: f.compositions}
	if f.points < 2 || f.points > maxPoints {
		return r, fmt.Errorf("--points = %d, want an integer in [2, %d]", f.points, maxPoints)
	}
	over := c.Flags().Changed("compositions")
	if over && !c.Flags().Changed("points") {
		r.Points = defaultCounts
	}
	if over && (f.compositions < 1 || f.compositions > mechanism.MaxCount) {
		return r, fmt.Errorf("--compositions = %d, want an integer in [1, %d]", f.compositions, int64(mechanism.MaxCount))
	}
	switch {
	case over && f.delta == "":
		return r, errors.New("--delta is missing, want the δ at which --compositions shows ε")
	case over && (c.Flags().Changed("from") || c.Flags().Changed("to")):
		return r, errors.New("--from and --to are a range of ε, want neither with --compositions")
	case !over && c.Flags().Changed("delta"):
		return r, errors.New("--delta is for --compositions, want both or neither")
	}
	asked, err := f.askFlags.parse(c, event)
	if err != nil {
		return r, err
	}
	r.Question, r.Events, r.Goal = asked.Question, asked.events, asked.Goal
	if over {
		r.Delta, err = parseDelta("delta", f.delta, asked.binary64)
		return r, err
	}
	if r.From, err = parseNumber("from", f.from, asked.binary64); err != nil {
		return r, err
	}
	if f.to == "" && !c.Flags().Changed("to") {
		return r, nil
	}
	if r.To, err = parseNumber("to", f.to, asked.binary64); err == nil && r.To.Cmp(r.From) <= 0 {
		err = fmt.Errorf("--to = %s, want more than --from = %s", number.Format(r.To), number.Format(r.From))
	}
	return r, err
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
