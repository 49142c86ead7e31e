// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/ask/curve"
	"dpverify/internal/atomicfile"
	"dpverify/internal/cli"
	"dpverify/internal/figure"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

func newPlot() *cobra.Command {
	var f plotFlags
	c := command("plot", cli.SomeArguments("no EVENT, want at least one (quote it, for the shell)"),
		func(c *cobra.Command, args []string) error {
			if f.output == "" {
				return errors.New("--output is missing, want the name of a file to draw into")
			}
			format, err := cli.FigureFormat("output", f.output, args...)
			switch {
			case err != nil:
				return err
			case f.isSheet(c, args):
				return f.drawSheet(c, args, format)
			}
			return f.drawCurve(c, args[0], format)
		})
	f.register(c)
	return c
}

// picture returns how one curve of a request is drawn.
func (f *plotFlags) picture(c *cobra.Command, r *curve.Request) (p curve.Picture, err error) {
	over := r.Compositions != 0
	switch {
	case r.Compositions == 1:
		return p, errors.New("--compositions = 1, want 2 or more to draw")
	case over && f.mark.X != nil:
		return p, errors.New("--mark is a δ on the axis of δ, want no --compositions")
	}
	if over && !c.Flags().Changed("points") {
		r.Points = defaultDrawnCounts
	}
	if c.Flags().Changed("title") {
		p.Title = &f.title
	}
	r.Drawn, p.LogX, p.Size = true, f.logX, figure.Centimetres(f.width, f.height)
	p.Mark, err = f.mark.Rounded(f.Binary64)
	return p, err
}

// drawCurve draws one curve of δ or ε. What was reached before an interruption is not worth a file.
func (f *plotFlags) drawCurve(c *cobra.Command, event, format string) error {
	r, err := f.curveFlags.parse(c, event)
	if err != nil {
		return err
	}
	p, err := f.picture(c, &r)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	width := 0.0
	v, err := cli.Watched(c, func(show func(string)) (*curve.Curve, error) {
		r.Step = show
		v, err := curve.Compute(c.Context(), r)
		if err != nil {
			return v, err
		}
		width, err = p.Draw(c.Context(), &b, v, format)
		return v, err
	})
	if err == nil {
		err = atomicfile.Write(f.output, b.Bytes())
	}
	if fault, ok := errors.AsType[*mechanism.ParamError](err); ok && fault.Field == "mark" {
		err = cli.Fault("mark", err)
	}
	if err != nil {
		return err
	}
	remark(c.ErrOrStderr(), v)
	remarkWidth(c, width)
	fmt.Fprintf(c.OutOrStdout(), "%s: %d points, a band of %.2g px at most   (%s)\n",
		show.Name(f.output), len(v.At), width, strings.Join(v.Methods(), ", "))
	return nil
}
