// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/curve"
	"dpverify/figure"
	"dpverify/internal/atomicfile"
	"dpverify/internal/cli"
	"dpverify/internal/show"
	"dpverify/mechanism"
	"dpverify/number"
)

// defaultPlotDigits is the accuracy of a plot: what the eye can see of a logarithm.
const defaultPlotDigits = 2

// defaultDrawnCounts is the most numbers of compositions of a plot: each is a profile of its
// own.
const defaultDrawnCounts = 100

func newPlot() *cobra.Command {
	var f plotFlags
	c := &cobra.Command{
		Use:   "plot --output FILE EVENT…",
		Short: "Draw bands that contain δ over ε, ε or δ over compositions, Rényi and other curves",
		Long: `Draw a band that contains the truth: δ(ε) on a logarithmic axis, or with
--compositions N the least ε at --delta for 1 to N copies of the mechanism. Between the
points that are computed it follows from δ being convex in e^ε, and from ε growing with
every copy, so that it is nowhere too narrow; where it is thin it looks like a line.
Points are added where it is not, up to --points. --mark D points at the least ε for δ = D.

--of draws renyi, tradeoff, roc or loss (the mean density of the privacy loss in --points cells) in
place of delta, and with --compositions and --epsilon δ over compositions. Several events, and several
relations and directions with commas between them, are curves of one graph, and so is
what accounting methods derive, with --methods.

FILE ends in .svg, .png or .pdf.

` + askHelp,
		Example: `  verify plot --output gaussian.svg '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify plot --output marked.pdf --mark 1e-5 --title '' --width 9 --height 6 event.json
  verify plot --output laplace.png --delta 1e-5 --compositions 1000 '{class_name: LaplaceDpEvent, noise_multiplier: 10}'
  verify plot --output methods.pdf --methods --title '' 'gaussian(2) * 10'
  verify plot --output renyi.svg --of renyi --log-x --to 100 'gaussian(1)' 'laplace(1)'
  verify plot --output both.svg --direction remove,add --to 3 event.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.output == "" {
				return errors.New("--output is missing, want the name of a file to draw into")
			}
			format, err := figureFormat("output", f.output)
			switch {
			case err != nil:
				return err
			case f.isSheet(c, args):
				return f.drawSheet(c, args, format)
			}
			return f.drawCurve(c, args[0], format)
		},
	}
	f.register(c)
	return c
}

// plotFlags are the flags of plot.
type plotFlags struct {
	curveFlags
	output, title       string
	mark, epsilon       cli.Number
	width, height       float64
	logX, logY, methods bool
	of                  string
	names               []string
}

func (f *plotFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVarP(&f.output, "output", "o", "", "the file to draw into: .svg, .png or .pdf")
	fs.StringVar(&f.title, "title", "", "the title (default: the mechanism; '' for none)")
	f.mark.Register(fs, "mark", number.Positive, "", "point at the least ε for this δ")
	registerLength(c, &f.width, "width", "18", "the width of the picture in centimetres")
	registerLength(c, &f.height, "height", "12", "its height in centimetres")
	fs.BoolVar(&f.logX, "log-x", false, "space the horizontal axis by its logarithm")
	fs.BoolVar(&f.logY, "log-y", false, "space the vertical axis by its logarithm (δ is, but with --log-y=false)")
	cli.Choice(fs, &f.of, "of", "delta", "what is drawn: "+curve.Drawable, curve.Drawable, cli.Names(curve.Drawable)...)
	fs.BoolVar(&f.methods, "methods", false, "also draw what accounting methods derive")
	f.epsilon.Register(fs, "epsilon", number.NonNegative, "", "the ε of --compositions, for δ over them")
	fs.StringArrayVar(&f.names, "name", nil, "the name of a curve, in the order of the events; may be given more than once")
	f.neighbours.several = true
	f.curveFlags.register(c, defaultPlotDigits)
	fs.Lookup("points").Usage = fmt.Sprintf("how many points at most (with --compositions, default %d)", defaultDrawnCounts)
}

// registerLength registers a length in centimetres.
func registerLength(c *cobra.Command, into *float64, name, usual, usage string) {
	cli.Parsed(c.Flags(), into, name, "float64", usual, usage, func(s string) (float64, error) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(4 <= x && x <= 100) {
			return 0, cli.Want("centimetres in [4, 100]")
		}
		return x, nil
	})
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
	p.Mark, err = f.mark.Rounded(f.binary64)
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
	var v *curve.Curve
	err = watched(c, func(show func(string)) (err error) {
		r.Step = show
		if v, err = curve.Compute(c.Context(), r); err != nil {
			return err
		}
		return p.Draw(c.Context(), &b, v, format)
	})
	if err == nil {
		err = atomicfile.Write(f.output, b.Bytes())
	}
	if fault := new(mechanism.ParamError); errors.As(err, &fault) && fault.Field == "mark" {
		err = cli.Fault("mark", err)
	}
	if err != nil {
		return err
	}
	remark(c.ErrOrStderr(), v)
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %d points   (%s)\n", show.Name(f.output), len(v.At), strings.Join(v.Methods(), ", "))
	return err
}

// figureFormat returns the format of a file to draw into, by its name.
func figureFormat(flag, output string) (string, error) {
	format, ok := figure.FormatOf(output)
	if !ok {
		return "", fmt.Errorf("--%s = %s, want a name that ends in .svg, .png or .pdf", flag, show.Value(output))
	}
	return format, atomicfile.Check(output)
}
