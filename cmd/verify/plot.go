package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/certify"
	"dpverify/document"
	"dpverify/exact/interval"
	"dpverify/figure"
	"dpverify/internal/atomicfile"
	"dpverify/mechanism"
	"dpverify/number"
)

// defaultPlotDigits is the accuracy of a plot: what the eye can see of a logarithm.
const defaultPlotDigits = 2

// defaultDrawnCounts is the most numbers of compositions of a plot: each is a profile of its
// own.
const defaultDrawnCounts = 100

// firstDrawn is how many points a plot begins with.
const firstDrawn = 9

func newPlot() *cobra.Command {
	var f plotFlags
	c := &cobra.Command{
		Use:   "plot --output FILE EVENT",
		Short: "Draw a band that contains δ over ε, or ε over the number of compositions",
		Long: `Draw a band that contains the truth: δ(ε) on a logarithmic axis, or with
--compositions N the least ε at --delta for 1 to N copies of the mechanism. Between the
points that are computed it follows from δ being convex in e^ε, and from ε growing with
every copy, so that it is nowhere too narrow; where it is thin it looks like a line.
Points are added where it is not, up to --points. --mark D points at the least ε for δ = D.

FILE ends in .svg, .png or .pdf.

` + askHelp,
		Example: `  verify plot --output gaussian.svg '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify plot --output marked.pdf --mark 1e-5 --title '' --width 9 --height 6 event.json
  verify plot --output laplace.png --delta 1e-5 --compositions 1000 '{class_name: LaplaceDpEvent, noise_multiplier: 10}'`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := f.parse(c, args[0])
			if err != nil {
				return err
			}
			return r.run(c)
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
	logX                bool
}

func (f *plotFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVarP(&f.output, "output", "o", "", "the file to draw into: .svg, .png or .pdf")
	fs.StringVar(&f.title, "title", "", "the title (default: the mechanism; '' for none)")
	fs.StringVar(&f.mark, "mark", "", "point at the least ε for this δ")
	fs.Float64Var(&f.width, "width", 18, "the width of the picture in centimetres")
	fs.Float64Var(&f.height, "height", 12, "its height in centimetres")
	fs.BoolVar(&f.logX, "log-x", false, "space --compositions by their logarithm")
	f.curveFlags.register(c, defaultPlotDigits)
	fs.Lookup("points").Usage = fmt.Sprintf("how many points at most (with --compositions, default %d)", defaultDrawnCounts)
}

// A plotRequest asks for a picture of a curve.
type plotRequest struct {
	curveRequest
	output, format string
	title          *string  // nil is the mechanism
	mark           *big.Rat // or nil
	size           figure.Size
	logX           bool
}

func (f *plotFlags) parse(c *cobra.Command, event string) (r plotRequest, err error) {
	if f.output == "" {
		return r, errors.New("--output is missing, want the name of a file to draw into")
	}
	if r.format, err = figureFormat(f.output); err != nil {
		return r, err
	}
	for _, l := range []struct {
		name  string
		value float64
	}{{"width", f.width}, {"height", f.height}} {
		if !(4 <= l.value && l.value <= 100) {
			return r, fmt.Errorf("--%s = %v, want centimetres in [4, 100]", l.name, l.value)
		}
	}
	if r.curveRequest, err = f.curveFlags.parse(c, event); err != nil {
		return r, err
	}
	over := r.compositions != 0
	switch {
	case r.compositions == 1:
		return r, errors.New("--compositions = 1, want 2 or more to draw")
	case over && f.mark != "":
		return r, errors.New("--mark is a δ on the axis of δ, want no --compositions")
	case !over && f.logX:
		return r, errors.New("--log-x is for --compositions, want both or neither")
	}
	if over && !c.Flags().Changed("points") {
		r.points = defaultDrawnCounts
	}
	if f.mark != "" {
		if r.mark, err = parseDelta(f.mark, r.binary64); err != nil {
			return r, fmt.Errorf("--mark = %s, want a number > 0", document.Quote(f.mark))
		}
		if r.mark.Sign() <= 0 {
			return r, fmt.Errorf("--mark = %s, want a number > 0", f.mark)
		}
	}
	if c.Flags().Changed("title") {
		r.title = &f.title
	}
	r.drawn, r.output, r.logX, r.size = true, f.output, f.logX, figure.Centimetres(f.width, f.height)
	return r, nil
}

// run computes the curve, refines it, and draws it.
func (r plotRequest) run(c *cobra.Command) error {
	v, err := r.compute(c)
	if err == nil {
		err = r.refine(c, v)
	}
	switch {
	case err != nil && (v == nil || c.Context().Err() == nil):
		return err
	case err != nil: // what was reached is not worth a file
		return errInterrupted
	}
	g := r.graph(v)
	if r.mark != nil {
		m, err := r.marked(c, v)
		if err != nil {
			return err
		}
		g = r.graph(v)
		g.Marks = append(g.Marks, m)
	}
	var b bytes.Buffer
	if err := g.Write(&b, r.format); err != nil {
		switch s := v.lacking(); {
		case !errors.Is(err, figure.ErrNothing):
			return err
		case s != "":
			return fmt.Errorf("there is nothing to draw: %s", s)
		}
		return fmt.Errorf("there is nothing to draw: all %d points are 0 or infinite", len(v.at))
	}
	if err := atomicfile.Write(r.output, b.Bytes()); err != nil {
		return err
	}
	v.remark(c.ErrOrStderr())
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %d points   (%s)\n", certify.Printable(r.output), len(v.at), strings.Join(v.methods(), ", "))
	return err
}

// refine adds points where the band is thick, for as long as there is time.
func (r plotRequest) refine(c *cobra.Command, v *curve) error {
	p := newProgress(c.ErrOrStderr(), -1)
	defer p.close()
	limited, cancel := v.Limit(c.Context())
	defer cancel()
	for len(v.at) < r.points && limited.Err() == nil {
		xs, err := r.graph(v).Open(0, r.points-len(v.at))
		if err != nil || len(xs) == 0 {
			return nil // what cannot be drawn is said when it is drawn
		}
		if err := v.extend(c.Context(), p, xs); err != nil {
			return err
		}
	}
	return nil
}

// marked encloses the least ε at a δ, adds both ends to the curve, and marks the upper one.
func (r plotRequest) marked(c *cobra.Command, v *curve) (figure.Mark, error) {
	q := v.question
	q.Scale = r.mark
	g := v.Goal
	g.Digits, g.Profiles = max(g.Digits, 4), nil
	answers, err := ask.For(c.Context(), q, g, ask.Epsilon(r.mark))
	if err != nil {
		return figure.Mark{}, err
	}
	text := number.Format(r.mark)
	lo, hi, ok := answers[0].Rationals()
	if !ok || hi.Cmp(v.at[0]) < 0 || hi.Cmp(v.at[len(v.at)-1]) > 0 {
		a, b := answers[0].Decimal(g.Digits)
		return figure.Mark{}, fmt.Errorf("--mark = %s: the least ε is %s, want one from %s to %s", text, rangeText(a, b),
			number.Format(v.at[0]), number.Format(v.at[len(v.at)-1]))
	}
	ends := []*big.Rat{hi}
	if lo.Cmp(hi) < 0 && lo.Cmp(v.at[0]) > 0 {
		ends = append(ends, lo)
	}
	if err := v.extend(c.Context(), newProgress(io.Discard, -1), ends); err != nil {
		return figure.Mark{}, err
	}
	const bits = interval.Prec(64)
	_, most := answers[0].Decimal(g.Digits + 1)
	return figure.Mark{X: bits.Rat(hi), Y: bits.Rat(r.mark), Label: "ε ≤ " + readable(most) + " at δ = " + text}, nil
}

// figureFormat returns the format of a file to draw into, by its name.
func figureFormat(output string) (string, error) {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(output)), ".")
	if !slices.Contains(figure.Formats, format) {
		return "", fmt.Errorf("--output = %q, want a name that ends in .svg, .png or .pdf", output)
	}
	return format, atomicfile.Check(output)
}

// graph is the picture of a curve.
func (r plotRequest) graph(v *curve) figure.Graph {
	g := figure.Graph{
		Title: trimTitle(describe(v.Event)) + "\n" + v.Relation.String() + ", ",
		X:     figure.Axis{Label: "ε (nats)", Exact: true},
		Y:     figure.Axis{Label: "δ(ε)", Scale: figure.Log},
		Size:  r.size,
	}
	c := figure.Curve{Shape: figure.Profile}
	if v.over == "compositions" {
		g.Title = "k × " + g.Title
		g.X = figure.Axis{Label: "compositions k", To: float64(v.compositions), Exact: true}
		if r.logX {
			g.X.Scale, g.X.To = figure.Log, math.Log10(float64(v.compositions))
		}
		g.Y = figure.Axis{Label: "least ε (nats) at δ = " + number.Format(v.delta)}
		c.Shape = figure.Rising
	}
	switch v.Direction {
	case mechanism.Both:
		g.Title += "both directions"
	default:
		g.Title += "direction " + v.Direction.String()
	}
	if r.title != nil {
		g.Title = *r.title
	}
	computed := 0
	for _, a := range v.values {
		if a.Computed {
			computed++
		}
	}
	for i, a := range v.values {
		if !a.Computed && computed > 1 {
			continue // the time ended before it
		}
		c.Points = append(c.Points, figure.Point{X: v.at[i], Y: a.Interval})
	}
	g.Curves = []figure.Curve{c}
	return g
}

// trimTitle cuts a title to the width of a figure.
func trimTitle(s string) string {
	const most = 100
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// toFloat64 returns a number, near enough for choosing others.
func toFloat64(x *big.Rat) float64 {
	y, _ := x.Float64()
	return y
}

// shortest returns the decimal that a number is written as.
func shortest(x float64) *big.Rat {
	y, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', 12, 64))
	return y
}
