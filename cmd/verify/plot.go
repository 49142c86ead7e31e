// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/ask/curve"
	"dpverify/certify/derive"
	"dpverify/internal/atomicfile"
	"dpverify/internal/cli"
	"dpverify/internal/figure"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/internal/source"
	"dpverify/mechanism"
)

func newPlot() *cobra.Command {
	var f plotFlags
	c := command("plot", cli.SomeArguments("no EVENT, want at least one (quote it, for the shell)"), f.draw)
	f.register(c)
	return c
}

// check refuses flags that do not belong together.
func (f *plotFlags) check(c *cobra.Command) error {
	over := c.Flags().Changed("compositions")
	switch {
	case f.mark.X != nil && (f.of != "delta" || over):
		return errors.New("--mark is a δ on the axis of δ, want --of delta and no --compositions")
	case over && f.of != "delta":
		return fmt.Errorf("--of %s is not over compositions", show.Value(f.of))
	case over && (f.delta.X == nil) == (f.epsilon.X == nil):
		return errors.New("--compositions has ε at --delta, or δ at --epsilon, want one of the two")
	case !over && (f.delta.X != nil || f.epsilon.X != nil):
		return errors.New("--delta and --epsilon are for --compositions")
	case over && (c.Flags().Changed("from") || c.Flags().Changed("to")):
		return errors.New("--from and --to are a range of ε, want neither with --compositions")
	case over && f.compositions < 2:
		return fmt.Errorf("--compositions = %d, want 2 or more to draw", f.compositions)
	case over && !c.Flags().Changed("points"):
		f.points = defaultDrawnCounts
	}
	return nil
}

// sheet reads the events of a graph.
func (f *plotFlags) sheet(c *cobra.Command, events []string) (s curve.Sheet, err error) {
	if err := f.check(c); err != nil {
		return s, err
	}
	s = curve.NewSheet(f.of, f.delta.X, f.epsilon.X)
	if c.Flags().Changed("log-y") {
		s.LogY, s.Linear = f.logY, !f.logY
	}
	if c.Flags().Changed("from") {
		s.From = f.from.X
	}
	s.To, s.Mark = f.to.X, f.mark.X
	r := f.Request()
	ctx, cancel := r.Limit(c.Context())
	defer cancel()
	var asked []mechanism.Range
	for _, event := range events {
		e, err := source.Range(ctx, event, c.InOrStdin(), f.Binary64)
		if err != nil {
			return s, err
		}
		asked = append(asked, e)
	}
	s.Goal = r.Goal
	s.Questions, s.Events = curve.Questions(r.Question, asked, f.Neighbours.Relations, f.Neighbours.Directions)
	s.Names, s.Methods, s.Count, s.Points, s.LogX, s.Title = f.names, f.methods, f.compositions, f.points, f.logX, f.title
	if !c.Flags().Changed("title") {
		s.Title = s.Heading()
	}
	s.Size = figure.Centimetres(f.width, f.height)
	return s, nil
}

// draw draws a graph. What was reached before an interruption is not worth a file.
func (f *plotFlags) draw(c *cobra.Command, events []string) error {
	if f.output == "" {
		return errors.New("--output is missing, want the name of a file to draw into")
	}
	format, err := cli.FigureFormat("output", f.output, events...)
	if err != nil {
		return err
	}
	s, err := f.sheet(c, events)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	d, err := cli.Watched(c, func(show func(string)) (curve.Drawing, error) {
		s.Step = show
		return s.Draw(c.Context(), &b, format)
	})
	for _, m := range d.Missing {
		fmt.Fprintf(c.ErrOrStderr(), "verify: not drawn: %s\n", m)
	}
	if err == nil {
		err = atomicfile.Write(f.output, b.Bytes())
	}
	if fault, ok := errors.AsType[*mechanism.ParamError](err); ok && fault.Field == "mark" {
		err = cli.Fault("mark", err)
	}
	if err != nil {
		return err
	}
	remark(c.ErrOrStderr(), &d.Curve)
	remarkWidth(c, d.Width)
	fmt.Fprintf(c.OutOrStdout(), "%s: %d points, a band of %.2g px at most   (%s)\n",
		show.Name(f.output), d.Points, d.Width, strings.Join(d.Methods(), ", "))
	return nil
}

// defaultPlotDigits is the accuracy of a plot: what the eye can see of a logarithm.
const defaultPlotDigits = 3

// defaultDrawn is the most points of a plot, and defaultDrawnCounts the most numbers of compositions: each is a
// profile of its own.
const (
	defaultDrawn       = 1000
	defaultDrawnCounts = 400
)

// plotFlags are the flags of plot.
type plotFlags struct {
	curveFlags
	output, title string
	mark, epsilon cli.Number
	width, height float64
	logX, logY    bool
	methods       []derive.Method
	of            string
	names         []string
}

func (f *plotFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVarP(&f.output, "output", "o", "", "the file to draw into: .svg, .png or .pdf")
	fs.StringVar(&f.title, "title", "", "the title (default: the mechanism; '' for none)")
	f.mark.Register(fs, "mark", number.Positive, "", "point at the least ε for this δ, on every curve")
	cli.Length(fs, &f.width, "width", "18", "the width of the picture in centimetres")
	cli.Length(fs, &f.height, "height", "12", "its height in centimetres")
	fs.BoolVar(&f.logX, "log-x", false, "space the horizontal axis by its logarithm")
	fs.BoolVar(&f.logY, "log-y", false, "space the vertical axis by its logarithm (δ is, and ε "+
		"where a method hides the truth, but with --log-y=false)")
	cli.Choice(fs, &f.of, "of", "delta", "what is drawn: "+curve.Drawable, curve.Drawable, cli.Names(curve.Drawable)...)
	cli.Parsed(fs, &f.methods, "methods", "string", "",
		"also draw what accounting methods derive: all, or these",
		func(s string) ([]derive.Method, error) {
			if named := derive.Listed(s); named != nil {
				return named, nil
			}
			return nil, cli.Want("methods of verify compare, with commas between them, or all")
		})
	fs.Lookup("methods").NoOptDefVal = "all"
	f.epsilon.Register(fs, "epsilon", number.NonNegative, "", "the ε of --compositions, for δ over them")
	fs.StringArrayVar(&f.names, "name", nil,
		"the name of a curve, in the order of the events; may be given more than once")
	f.Neighbours.Several = true
	f.curveFlags.register(c, defaultPlotDigits, &f.mark, &f.epsilon)
	f.points = defaultDrawn
	points := fs.Lookup("points")
	points.DefValue = strconv.Itoa(defaultDrawn)
	points.Usage = fmt.Sprintf("how many points at most (with --compositions, default %d)", defaultDrawnCounts)
}

// seenBand is how many pixels wide a band is at least that does not look like a line.
const seenBand = 1

// remarkWidth says of a band that is seen to be one why it is.
func remarkWidth(c *cobra.Command, width float64) {
	if width > seenBand {
		fmt.Fprintf(c.ErrOrStderr(), "verify: the widest band is %.2g px wide: the truth is known no better with these "+
			"--points, --digits and --timeout\n", width)
	}
}
