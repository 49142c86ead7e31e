// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"dpverify/ask/curve"
	"dpverify/certify/derive"
	"dpverify/internal/cli"
	"dpverify/internal/number"
)

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
	f.curveFlags.register(c, defaultPlotDigits)
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
