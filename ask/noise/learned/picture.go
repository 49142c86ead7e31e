// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"strings"

	"dpverify/ask"
	"dpverify/ask/curve"
	"dpverify/ask/noise"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/atomicfile"
	"dpverify/internal/figure"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

const (
	// drawnCells bounds the points of a density.
	drawnCells = 250
	// drawnEpsilons bounds those of δ(ε).
	drawnEpsilons = 160
)

// A shape is noise that is drawn.
type shape struct {
	name  string
	noise mechanism.AdditiveNoise
}

// shapes are the learned noise and the noise of each family with its utility loss, on its cells, rounded to exact
// masses.
func (f Found) shapes(w Wish) []shape {
	out := []shape{{"learned", f.Noise}}
	eps, _ := w.Epsilon.Float64()
	for _, x := range noise.Families {
		if e, ok := x.Beside(f.Noise, eps, w.Norm); ok {
			out = append(out, shape{x.Name, e})
		}
	}
	return out
}

// pictures are the names of the pictures.
var pictures = []string{"density", "log-density", "delta"}

// PictureFiles are the files NAME-density.EXT and so on, for a path NAME.EXT; none for "".
func PictureFiles(path string) (out []string) {
	if path == "" {
		return nil
	}
	ext := filepath.Ext(path)
	for _, name := range pictures {
		out = append(out, strings.TrimSuffix(path, ext)+"-"+name+ext)
	}
	return out
}

// Draw draws the densities, twice, and δ over ε, each into its file, in a format of package figure. Every point is
// enclosed: what is drawn is as sound as what is printed.
func (f Found) Draw(ctx context.Context, w Wish, path, format string) error {
	shapes := f.shapes(w)
	title := fmt.Sprintf("noise on [−%s, %s], %s equal", number.Format(w.Radius), number.Format(w.Radius), w.Norm)
	plain := densities(title, shapes)
	log := plain
	log.Y.Scale = figure.Log
	deltas := w.deltas(title, shapes, f.scale())
	for i, draw := range []func(io.Writer) error{
		func(to io.Writer) error { return plain.Write(to, format) },
		func(to io.Writer) error { return log.Write(to, format) },
		func(to io.Writer) error { _, err := deltas.Draw(ctx, to, format); return err },
	} {
		var b bytes.Buffer
		if err := draw(&b); err != nil {
			return err
		}
		if err := atomicfile.Write(PictureFiles(path)[i], b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// scale is the least δ that is to be seen: a thousandth of the one that was learned for.
func (f Found) scale() *big.Rat {
	least, ok := f.Delta.UpperRat()
	if !ok || least.Sign() == 0 {
		return big.NewRat(1, 1<<60)
	}
	return least.Quo(least, big.NewRat(1000, 1))
}

// densities are the densities of the left half, whose mirror image is the right one. Cells are drawn one by one, or
// several together, each between their least and greatest density.
func densities(title string, shapes []shape) figure.Graph {
	g := figure.Graph{Title: title, X: figure.Axis{Label: "x ≤ 0 (symmetric)", Exact: true},
		Y: figure.Axis{Label: "density"}}
	for _, s := range shapes {
		c := figure.Curve{Name: s.name, Shape: figure.Steps}
		n := len(s.noise.Probabilities) / 2
		border := func(i int) *big.Rat { x := big.NewRat(int64(i-n), 1); return x.Mul(x, s.noise.Cell) }
		stride := (n + drawnCells - 1) / drawnCells
		for i := 0; i < n; i += stride {
			y := densityOf(s.noise, i)
			for j := i + 1; j < min(i+stride, n); j++ {
				y = interval.Union(y, densityOf(s.noise, j))
			}
			c.Points = append(c.Points, figure.Point{X: border(i), Y: y})
		}
		c.Points = append(c.Points, figure.Point{X: new(big.Rat), Y: densityOf(s.noise, n-1)})
		g.Curves = append(g.Curves, c)
	}
	return g
}

// densityOf is the density in a cell.
func densityOf(e mechanism.AdditiveNoise, i int) interval.Interval {
	return precision.Rat(new(big.Rat).Quo(e.Probabilities[i], e.Cell))
}

// deltas is δ of the compositions over ε, up to twice the ε of the wish.
func (w *Wish) deltas(title string, shapes []shape, least *big.Rat) curve.Sheet {
	s := curve.NewSheet("delta", nil, nil)
	s.Title, s.Points, s.Least = title, drawnEpsilons, least
	s.Goal = ask.Goal{Fixed: new(exact.Effort(2)), Digits: 3, Budget: ask.MaxBudget}
	if s.To = new(big.Rat).Add(w.Epsilon, w.Epsilon); s.To.Sign() == 0 {
		s.To.SetInt64(1)
	}
	for _, x := range shapes {
		s.Questions, s.Names = append(s.Questions, exact.Question{Event: w.event(x.noise)}), append(s.Names, x.name)
	}
	return s
}
