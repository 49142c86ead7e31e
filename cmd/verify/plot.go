// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/curve"
	"dpverify/figure"
	"dpverify/internal/atomicfile"
	"dpverify/internal/show"
	"dpverify/internal/terminal"
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
			if f.isSheet(c, args) {
				return f.drawSheet(c, args)
			}
			r, err := f.parse(c, args[0])
			if err != nil {
				return err
			}
			v, err := r.draw(c)
			if err != nil {
				return err
			}
			remark(c.ErrOrStderr(), v)
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %d points   (%s)\n", show.Name(r.output), len(v.At), strings.Join(v.Methods(), ", "))
			return err
		},
	}
	f.register(c)
	return c
}

// plotFlags are the flags of plot.
type plotFlags struct {
	curveFlags
	output, title, mark string
	width, height       float64
	logX, logY, methods bool
	of, epsilon         string
	names               []string
}

func (f *plotFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVarP(&f.output, "output", "o", "", "the file to draw into: .svg, .png or .pdf")
	fs.StringVar(&f.title, "title", "", "the title (default: the mechanism; '' for none)")
	fs.StringVar(&f.mark, "mark", "", "point at the least ε for this δ")
	fs.Float64Var(&f.width, "width", 18, "the width of the picture in centimetres")
	fs.Float64Var(&f.height, "height", 12, "its height in centimetres")
	fs.BoolVar(&f.logX, "log-x", false, "space the horizontal axis by its logarithm")
	fs.BoolVar(&f.logY, "log-y", false, "space the vertical axis by its logarithm (δ is, but with --log-y=false)")
	fs.StringVar(&f.of, "of", "delta", "what is drawn: delta, renyi, tradeoff, roc or loss")
	fs.BoolVar(&f.methods, "methods", false, "also draw what accounting methods derive")
	fs.StringVar(&f.epsilon, "epsilon", "", "the ε of --compositions, for δ over them")
	fs.StringArrayVar(&f.names, "name", nil, "the name of a curve, in the order of the events; may be given more than once")
	f.curveFlags.register(c, defaultPlotDigits)
	fs.Lookup("points").Usage = fmt.Sprintf("how many points at most (with --compositions, default %d)", defaultDrawnCounts)
}

// A plotRequest asks for a picture of a curve.
type plotRequest struct {
	curve.Request
	curve.Picture
	output, format string
}

func (f *plotFlags) parse(c *cobra.Command, event string) (r plotRequest, err error) {
	if f.output == "" {
		return r, errors.New("--output is missing, want the name of a file to draw into")
	}
	if r.format, err = figureFormat("output", f.output); err != nil {
		return r, err
	}
	if err := f.checkSize(); err != nil {
		return r, err
	}
	if r.Request, err = f.curveFlags.parse(c, event); err != nil {
		return r, err
	}
	over := r.Compositions != 0
	switch {
	case r.Compositions == 1:
		return r, errors.New("--compositions = 1, want 2 or more to draw")
	case over && f.mark != "":
		return r, errors.New("--mark is a δ on the axis of δ, want no --compositions")
	}
	if over && !c.Flags().Changed("points") {
		r.Points = defaultDrawnCounts
	}
	if f.mark != "" {
		if r.Mark, err = parseIn("mark", f.mark, number.Positive, f.numberFormat == "binary64"); err != nil {
			return r, err
		}
	}
	if c.Flags().Changed("title") {
		r.Title = &f.title
	}
	r.Drawn, r.output, r.LogX, r.Size = true, f.output, f.logX, figure.Centimetres(f.width, f.height)
	return r, nil
}

func (f *plotFlags) checkSize() error {
	for _, l := range []struct {
		name  string
		value float64
	}{{"width", f.width}, {"height", f.height}} {
		if !(4 <= l.value && l.value <= 100) {
			return fmt.Errorf("--%s = %v, want centimetres in [4, 100]", l.name, l.value)
		}
	}
	return nil
}

// draw computes the curve and draws it. What was reached before an interruption is not worth a
// file.
func (r plotRequest) draw(c *cobra.Command) (*curve.Curve, error) {
	p := terminal.NewProgress(c.ErrOrStderr(), -1)
	defer p.Close()
	r.Step = p.Describe
	v, err := curve.Compute(c.Context(), r.Request)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = r.Draw(c.Context(), &b, v, r.format)
	if err == nil {
		err = atomicfile.Write(r.output, b.Bytes())
	}
	if fault := new(mechanism.ParamError); errors.As(err, &fault) && fault.Field == "mark" {
		err = flagError("mark", err)
	}
	return v, err
}

// figureFormat returns the format of a file to draw into, by its name.
func figureFormat(flag, output string) (string, error) {
	format, ok := figure.FormatOf(output)
	if !ok {
		return "", fmt.Errorf("--%s = %s, want a name that ends in .svg, .png or .pdf", flag, show.Value(output))
	}
	return format, atomicfile.Check(output)
}
