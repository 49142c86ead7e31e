// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"strings"

	"dpverify/ask/noise"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/atomicfile"
	"dpverify/internal/efforts"
	"dpverify/internal/figure"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A Picture is one of what was learned, beside noise of the usual shapes with the same utility loss.
type Picture struct {
	Name  string // of a file: "density", "log-density" or "delta"
	Graph figure.Graph
}

const (
	// drawnCells bounds the points of a density.
	drawnCells = 250
	// drawnEpsilons is the number of points of δ(ε).
	drawnEpsilons = 41
	// drawnMost is how many they are at most, with those where a band is seen.
	drawnMost = 160
	// drawnEffort is the highest that the points are computed with.
	drawnEffort = exact.Effort(2)
	// drawnBits is how accurate they are wanted, relatively.
	drawnBits = 8
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

// Pictures draws the densities, twice, and δ over ε. Every point is enclosed: what is drawn is as sound as what
// is printed.
func (f Found) Pictures(ctx context.Context, w Wish) ([]Picture, error) {
	shapes := f.shapes(w)
	title := fmt.Sprintf("noise on [−%s, %s], %s equal", number.Format(w.Radius), number.Format(w.Radius), w.Norm)
	plain := densities(title, shapes)
	log := plain
	log.Y.Scale = figure.Log
	deltas, err := w.deltas(ctx, title, shapes, f.scale())
	if err != nil {
		return nil, err
	}
	return []Picture{{pictures[0], plain}, {pictures[1], log}, {pictures[2], deltas}}, nil
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

// Draw writes the pictures into their files, in a format of package figure.
func (f Found) Draw(ctx context.Context, w Wish, path, format string) error {
	pictures, err := f.Pictures(ctx, w)
	if err != nil {
		return err
	}
	files := PictureFiles(path)
	for i, p := range pictures {
		var b bytes.Buffer
		if err := p.Graph.Write(&b, format); err != nil {
			return err
		}
		if err := atomicfile.Write(files[i], b.Bytes()); err != nil {
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

// lowest is log10 of a power of ten below all curves; −∞ if one of them comes down to 0.
func lowest(cs []figure.Curve) float64 {
	least := math.Inf(1)
	for _, c := range cs {
		for _, p := range c.Points {
			hi, ok := p.Y.UpperRat()
			if !ok || hi.Sign() <= 0 {
				return math.Inf(-1)
			}
			least = min(least, float64(number.Magnitude(hi)))
		}
	}
	return least
}

// deltas is δ of the compositions over ε, up to twice the ε of the wish.
func (w *Wish) deltas(ctx context.Context, title string, shapes []shape, scale *big.Rat) (figure.Graph, error) {
	g := figure.Graph{Title: title, X: figure.Axis{Label: "ε (nats)", Exact: true},
		Y: figure.Axis{Label: "δ", Scale: figure.Log}}
	end := new(big.Rat).Add(w.Epsilon, w.Epsilon)
	if end.Sign() == 0 {
		end.SetInt64(1)
	}
	g.Y.From, g.Y.To = float64(number.Magnitude(scale)), 0
	var enclose []func(eps *big.Rat) error
	for k, s := range shapes {
		g.Curves = append(g.Curves, figure.Curve{Name: s.name, Shape: figure.Profile})
		prepared := make(map[exact.Effort]*exact.Profile)
		enclose = append(enclose, func(eps *big.Rat) error {
			y := interval.Bounds(interval.Int(0).Lo(), interval.Int(1).Hi())
			err := efforts.Ladder{First: 1, Last: drawnEffort}.Climb(ctx, func(effort exact.Effort) (bool, error) {
				p := prepared[effort]
				if p == nil {
					var err error
					if p, err = exact.Prepare(ctx, exact.Question{Event: w.event(s.noise), Scale: scale},
						effort); err != nil {
						return false, err
					}
					prepared[effort] = p
				}
				z, err := p.DeltaReal(ctx, interval.RealRat(eps))
				if err == nil {
					y = z
				}
				return y.RelativeBits(drawnBits) >= drawnBits, err
			})
			g.Curves[k].Points = append(g.Curves[k].Points, figure.Point{X: eps, Y: y})
			return err
		})
		for i := range drawnEpsilons {
			if err := enclose[k](new(big.Rat).Mul(end, big.NewRat(int64(i), drawnEpsilons-1))); err != nil {
				return g, err
			}
		}
	}
	g.Y.From = max(g.Y.From, lowest(g.Curves))
	// Where a band is seen, as at a cliff, there are more points.
	for k := range g.Curves {
		for len(g.Curves[k].Points) < drawnMost {
			xs, err := g.Open(k, 16)
			if err != nil || len(xs) == 0 {
				break // what cannot be drawn is said when it is drawn
			}
			for _, eps := range xs {
				if err := enclose[k](eps); err != nil {
					return g, err
				}
			}
		}
	}
	return g, nil
}
