// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"context"
	"html/template"
	"math"
	"math/big"

	"dpverify/certify"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/figure"
	"dpverify/internal/guard"
)

const (
	// plotPoints is how many ε a graph is enclosed at, at most.
	plotPoints = 120
	// firstPoints of them are evenly spaced.
	firstPoints = 5
	// decades is how many powers of ten a graph shows below the claimed δ.
	decades = 2
	// deepest is what a graph shows where δ = 0 is claimed, as a power of ten.
	deepest = -10
)

// plotSize is so small that its texts can be read on a narrow page.
var plotSize = figure.Size{Width: 280, Height: 205}

// graph draws δ over ε so far that the claim and the least ε are in it, at the effort of an
// outcome; nil if there is no time.
func graph(ctx context.Context, q exact.Question, o *certify.Outcome) *figure.Graph {
	s, ok := o.Claim.Statement.(certify.Point)
	if !ok {
		return nil
	}
	// A claim about a range of parameters is about all profiles between its corners'.
	var ps []*exact.Profile
	for _, q.Event = range o.Claim.Corners() {
		p, err := guard.Within(ctx, func(ctx context.Context) (*exact.Profile, error) {
			return exact.Prepare(ctx, q, o.Effort)
		})
		if err != nil {
			return nil
		}
		ps = append(ps, p)
	}
	g := &figure.Graph{
		X:      figure.Axis{Label: "ε (nats)", Exact: true},
		Y:      figure.Axis{Label: "δ(ε)", Scale: figure.Log},
		Curves: []figure.Curve{{Shape: figure.Profile, Points: []figure.Point{{X: s.Epsilon, Y: o.Delta.Interval}}}},
		Size:   plotSize,
	}
	enclose := func(xs []*big.Rat) bool {
		for _, eps := range xs {
			var y interval.Interval
			for i, p := range ps {
				r, err := guard.Within(ctx, func(ctx context.Context) (exact.Result, error) { return p.Delta(ctx, eps) })
				if err != nil {
					return false
				}
				if i == 0 {
					y = r.Interval
				}
				y = interval.Union(y, r.Interval)
			}
			g.Curves[0].Points = append(g.Curves[0].Points, figure.Point{X: eps, Y: y})
		}
		return true
	}
	var measured *big.Rat
	if o.Measured != nil && o.Measured.Epsilon.Sign() > 0 {
		measured = o.Measured.Epsilon
	}
	from, to := shownRange(s.Epsilon, o.Epsilon, measured)
	xs := corners(o.Epsilon)
	for i := range firstPoints {
		x := new(big.Rat).Sub(to, from)
		xs = append(xs, x.Add(x.Mul(x, big.NewRat(int64(i), firstPoints-1)), from))
	}
	if !enclose(xs) {
		return nil
	}
	g.Y.From, g.Y.To = shownDecades(s.Delta, o.Delta.Interval, g.Curves[0].Points)
	g.Marks = []figure.Mark{{
		X: point(s.Epsilon), Y: point(s.Delta), Label: "the claim", Kind: string(o.Verdict),
	}}
	if x, ok := apart(o.Epsilon, s.Epsilon, from, to); ok {
		g.Marks = append([]figure.Mark{{X: x, Y: point(s.Delta), Label: "least ε", Kind: "truth"}}, g.Marks...)
	}
	if measured != nil {
		g.Marks = append(g.Marks, figure.Mark{X: point(measured), Y: point(s.Delta), Label: "measured", Kind: "measured"})
	}
	for n := len(g.Curves[0].Points); n < plotPoints; n = len(g.Curves[0].Points) {
		xs, err := g.Open(0, plotPoints-n)
		if err != nil || len(xs) == 0 || !enclose(xs) {
			break
		}
	}
	return g
}

// point encloses a number for drawing.
func point(x *big.Rat) interval.Interval { return interval.Prec(64).Rat(x) }

// corners are the ends of the least ε, where it has any.
func corners(least *exact.Enclosure) []*big.Rat {
	if least == nil {
		return nil
	}
	lo, hi, ok := least.Rationals()
	if !ok {
		return nil
	}
	return []*big.Rat{lo, hi}
}

// apart returns the least ε where there is room for it beside the claim.
func apart(least *exact.Enclosure, claimed, from, to *big.Rat) (interval.Interval, bool) {
	ends := corners(least)
	if ends == nil {
		return interval.Interval{}, false
	}
	width := new(big.Rat).Mul(new(big.Rat).Sub(to, from), big.NewRat(1, 6))
	away := new(big.Rat).Sub(ends[0], claimed)
	narrow := new(big.Rat).Sub(ends[1], ends[0]).Cmp(new(big.Rat).Mul(width, big.NewRat(1, 10))) <= 0
	return interval.Union(point(ends[0]), point(ends[1])), narrow && away.Abs(away).Cmp(width) >= 0
}

// shownRange is from 0, or a claimed ε below it, to a tick beyond the claimed and the least
// ε, and the measured one where there is one.
func shownRange(claimed *big.Rat, least *exact.Enclosure, measured *big.Rat) (from, to *big.Rat) {
	lo, hi := 0.0, 0.0
	all := append(corners(least), claimed)
	if measured != nil {
		all = append(all, measured)
	}
	for _, x := range all {
		f, _ := x.Float64()
		lo, hi = min(lo, f), max(hi, f)
	}
	if hi-lo == 0 {
		hi = lo + 1
	}
	lo, hi = figure.Ticked(lo, hi+(hi-lo)/8, 5)
	// A tick is a decimal; rounding to the nearest float64 is not to matter.
	return new(big.Rat).SetFloat64(lo), new(big.Rat).SetFloat64(hi)
}

// shownDecades is the range of log10 δ: from a little below the claimed δ, or below δ at the
// claimed ε where 0 is claimed, to that at the first ε.
func shownDecades(claimed *big.Rat, at interval.Interval, points []figure.Point) (lo, hi float64) {
	most := interval.Int(0)
	for _, p := range points {
		most = interval.Max(most, p.Y)
	}
	lo, hi = deepest, 0
	if x, ok := log10(most.Hi()); ok {
		hi = math.Ceil(x)
	}
	if x, ok := log10(at.Hi()); ok {
		lo = min(lo, math.Floor(x)-1)
	}
	if x, ok := log10(point(claimed).Hi()); ok {
		lo = math.Floor(x) - decades
	}
	return min(lo, hi-1), hi
}

// log10 is about the decimal logarithm of x, if it has one.
func log10(x *big.Float) (float64, bool) {
	if x.Sign() <= 0 || x.IsInf() {
		return 0, false
	}
	m := new(big.Float)
	e := x.MantExp(m)
	f, _ := m.Float64()
	return math.Log10(f) + float64(e)*math.Log10(2), true
}

// picture is a graph for the inside of a page; empty where there is nothing to draw.
func picture(g *figure.Graph) template.HTML {
	if g == nil {
		return ""
	}
	s, err := g.SVG()
	if err != nil {
		return ""
	}
	return template.HTML(s) // the texts in it are escaped
}
