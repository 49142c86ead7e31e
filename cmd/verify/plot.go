package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/certify"
	"dpverify/figure"
	"dpverify/mechanism"
)

// defaultPlotDigits is the accuracy of a plot: what the eye can see of a logarithm.
const defaultPlotDigits = 2

func newPlot() *cobra.Command {
	var f curveFlags
	var output, title string
	c := &cobra.Command{
		Use:   "plot --output FILE EVENT",
		Short: "Draw δ over ε, or ε over the number of compositions, with both bounds",
		Long: `Draw what "verify curve" prints, with its lower and its upper bound: δ(ε) on a
logarithmic axis, or with --compositions N the least ε at --delta for 1 to N copies of
the mechanism. FILE ends in .svg, .png or .pdf.

` + askHelp,
		Example: `  verify plot --output gaussian.svg '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify plot --output laplace.png --delta 1e-5 --compositions 1000 '{class_name: LaplaceDpEvent, noise_multiplier: 10}'`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			if output == "" {
				return errors.New("--output is missing, want the name of a file to draw into")
			}
			format, err := figureFormat(output)
			if err != nil {
				return err
			}
			r, err := f.parse(c, args[0])
			if err != nil {
				return err
			}
			v, err := r.compute(c)
			switch {
			case err != nil && v == nil:
				return err
			case err != nil: // what was reached is not worth a file
				return errInterrupted
			}
			fig := v.figure()
			if title != "" {
				fig.Title = title
			}
			var b bytes.Buffer
			if err := fig.Write(&b, format); err != nil {
				if s := v.lacking(); s != "" {
					return fmt.Errorf("there is nothing to draw: %s", s)
				}
				return fmt.Errorf("there is nothing to draw: all %d points are 0 or infinite", len(v.at))
			}
			if err := writeFile(output, b.Bytes()); err != nil {
				return err
			}
			v.remark(c.ErrOrStderr())
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %d points   (%s)\n", certify.Printable(output), len(v.at), strings.Join(v.methods(), ", "))
			return err
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "the file to draw into: .svg, .png or .pdf")
	c.Flags().StringVar(&title, "title", "", "the title (default: the mechanism)")
	f.register(c, defaultPlotDigits)
	return c
}

// figureFormat returns the format of a file to draw into, by its name.
func figureFormat(output string) (string, error) {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(output)), ".")
	if !slices.Contains(figure.Formats, format) {
		return "", fmt.Errorf("--output = %q, want a name that ends in .svg, .png or .pdf", output)
	}
	return format, checkOutput(output)
}

// figure draws a curve.
func (v *curve) figure() figure.Figure {
	f := figure.Figure{
		Title: trimTitle(describe(v.Event)) + "\n" + v.Relation.String() + ", ",
		X:     "ε (nats)",
		Y:     "δ(ε)",
		Log:   true,
	}
	value := log10
	if v.over == "compositions" {
		f.Title = "k × " + f.Title
		f.X, f.Y = "compositions k", "least ε (nats) at δ = "+mechanism.FormatNumber(v.delta)
		f.Log, value = false, toFloat
	}
	switch v.Direction {
	case mechanism.Both:
		f.Title += "both directions"
	default:
		f.Title += "direction " + v.Direction.String()
	}
	for i, a := range v.values {
		x, _ := v.at[i].Float64()
		f.Points = append(f.Points, figure.Point{X: x, Lo: value(a.Lo()), Hi: value(a.Hi())})
	}
	return f
}

// trimTitle cuts a title to the width of a figure.
func trimTitle(s string) string {
	const most = 100
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// log10 returns the logarithm of a number ≥ 0, near enough for drawing, also far
// outside of the range of float64.
func log10(x *big.Float) float64 {
	if x.IsInf() {
		return math.Inf(1)
	}
	m := new(big.Float)
	e := x.MantExp(m)
	return math.Log10(toFloat(m)) + float64(e)*math.Log10(2)
}

// toFloat returns a number, near enough for drawing.
func toFloat(x *big.Float) float64 {
	y, _ := x.Float64()
	return y
}
