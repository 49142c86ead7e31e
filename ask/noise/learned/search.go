// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"context"
	"fmt"
	"math"

	"dpverify/ask/noise"
	"dpverify/exact/least"
	"dpverify/float/learn"
)

// A search learns noise in float64.
type search struct {
	wish Wish
	grid noise.Grid
	goal learn.Goal

	gradients int
}

// everyCell is up to how many cells on a side each has a parameter of its own.
const everyCell = 512

// coarseKnots is about how many parameters longer ranges have.
const coarseKnots = 60

func newSearch(w Wish) *search {
	g := w.grid()
	s := &search{wish: w, grid: g, goal: learn.Goal{Problem: w.problem(g), Weights: g.Weights(w.Norm),
		Root: w.Norm == noise.L2}}
	if w.Delta != nil {
		s.goal.Delta, _ = w.Delta.Float64()
	} else {
		s.goal.Most, _ = w.Utility.Float64()
	}
	return s
}

// delta is the δ of half masses, in the worse order, with less error than while learning.
func (s *search) delta(half []float64) float64 {
	if s.wish.AnyShape {
		return s.goal.WorstShift(half)
	}
	if s.goal.Count == 1 {
		return s.goal.Single(half)
	}
	d := learn.NewProfile(s.goal.Problem, learn.Remove, half, 1e-5).Delta(half)
	if s.goal.Rate < 1 {
		d = math.Max(d, learn.NewProfile(s.goal.Problem, learn.Add, half, 1e-5).Delta(half))
	}
	return d
}

// A start is noise to begin with, and −d log δ/d log U around it.
type start struct {
	half []float64
	rate float64
}

// starts are the baselines at the promise, or at the utility loss. Where they are none, a
// promise that is out of their reach begins with the noise that promises most, and a utility loss
// with a shape that goes to 0 at the end of the range.
func (s *search) starts(ctx context.Context) []start {
	var out []start
	for _, f := range noise.Families[:2] {
		if scale, ok := s.scale(f); ok {
			out = append(out, start{f.Half(s.grid, s.goal.Eps, scale), s.rate(f, scale)})
		} else if s.goal.Delta == 0 {
			if half := s.safest(f); s.grid.Utility(s.wish.Norm, half) <= s.goal.Most {
				out = append(out, start{half, 20})
			}
		}
	}
	switch {
	case s.goal.Delta > 0 && len(out) == 0:
		most := *s
		most.goal.Delta, most.goal.Most = 0, s.grid.Width()*float64(s.grid.N)
		best := most.run(ctx)
		if s.gradients = most.gradients; best.Half != nil && best.Delta <= s.goal.Delta {
			out = append(out, start{best.Half, 10})
		}
	case s.goal.Delta == 0 && len(out) < 2:
		half := make([]float64, s.grid.N)
		for k := range half {
			c := math.Cos(math.Pi / 2 * (float64(k) + 0.5) / float64(s.grid.N))
			half[k] = math.Max(c*c, 1e-12)
		}
		out = append(out, start{noise.Normalised(half), 20})
	}
	return out
}

// scale is the one at which a family meets the goal.
func (s *search) scale(f noise.Family) (float64, bool) {
	if s.goal.Delta == 0 {
		return f.AtUtility(s.grid, s.goal.Eps, s.wish.Norm, s.goal.Most)
	}
	// δ of truncated noise falls with the scale and then rises: look from below.
	w := s.grid.Width() * float64(s.grid.Shift)
	r := s.grid.Width() * float64(s.grid.N)
	coarse := func(scale float64) float64 {
		half := f.Half(s.grid, s.goal.Eps, scale)
		return learn.NewProfile(s.goal.Problem, learn.Remove, half, 1e-3).Delta(half)
	}
	for hi := w / 8; hi < 4*r; hi *= 1.25 {
		if coarse(hi) <= s.goal.Delta {
			return noise.Bisect(hi/1.25, hi, func(x float64) bool { return coarse(x) <= s.goal.Delta })
		}
	}
	return 0, false
}

// safest is the noise of a family with about its least δ.
func (s *search) safest(f noise.Family) []float64 {
	w := s.grid.Width() * float64(s.grid.Shift)
	r := s.grid.Width() * float64(s.grid.N)
	var best []float64
	least := math.Inf(1)
	for scale := w / 2; scale < r; scale *= 1.3 {
		half := f.Half(s.grid, s.goal.Eps, scale)
		if d := learn.NewProfile(s.goal.Problem, learn.Remove, half, 1e-3).Delta(half); d < least {
			best, least = half, d
		}
	}
	return best
}

// rate returns −d log δ/d log U of a family.
func (s *search) rate(f noise.Family, scale float64) float64 {
	at := func(x float64) (d, u float64) {
		half := f.Half(s.grid, s.goal.Eps, x)
		d = learn.NewProfile(s.goal.Problem, learn.Remove, half, 1e-3).Delta(half)
		return math.Log(math.Max(d, 1e-300)), math.Log(s.grid.Utility(s.wish.Norm, half))
	}
	d0, u0 := at(scale)
	d1, u1 := at(0.98 * scale)
	if u1 >= u0 {
		return 20
	}
	return math.Min(math.Max((d1-d0)/(u0-u1), 1), 1000)
}

// run learns from all starts, and returns the best.
func (s *search) run(ctx context.Context) learn.State {
	var best learn.State
	knots := learn.EveryCell(s.grid.N)
	if s.grid.N > everyCell {
		knots = learn.Knots(s.grid.N, coarseKnots)
	}
	for _, x := range s.starts(ctx) {
		if best.Half != nil && ctx.Err() != nil {
			break
		}
		if got := s.improve(ctx, knots, x, learn.Splitting); got.Half != nil && (best.Half == nil || s.better(got, best)) {
			best = got
		}
	}
	last := best.Half
	// With a parameter for every cell, kinks stop the search early: it goes on from where it is.
	for _, splitting := range []float64{2e-2, learn.Splitting, learn.Splitting / 10} {
		if best.Half == nil || s.grid.N > everyCell || ctx.Err() != nil {
			break
		}
		if got := s.improve(ctx, knots, start{last, 20}, splitting); got.Half != nil && s.better(got, best) {
			best, last = got, got.Half
		} else if got.Half != nil {
			last = got.Half
		}
	}
	return best
}

// improve learns from one start. It returns no noise if none meets the constraint.
func (s *search) improve(ctx context.Context, knots []float64, x start, splitting float64) learn.State {
	before := s.gradients
	got := learn.Learn(ctx, s.goal, knots, x.half, x.rate, splitting, func(y learn.State) {
		if y.Gradients += before; s.wish.Progress != nil {
			s.wish.Progress(y)
		}
	})
	s.gradients = before + got.Gradients
	if got.Half = s.keep(got.Half, 0); got.Half != nil {
		got.Delta, got.Utility = s.delta(got.Half), s.grid.Utility(s.wish.Norm, got.Half)
	}
	return got
}

// sigmoid learns with the model of the paper.
func (s *search) sigmoid(ctx context.Context) learn.State {
	return learn.Sigmoid(ctx, s.goal, s.wish.Loss, s.grid.Width(), s.wish.Seed, func(x learn.State) {
		if s.gradients = x.Gradients; s.wish.Progress != nil {
			s.wish.Progress(x)
		}
	})
}

func (s *search) better(x, y learn.State) bool {
	if s.goal.Delta > 0 {
		return x.Utility < y.Utility
	}
	return x.Delta < y.Delta
}

// keep makes noise a little wider or narrower, by a power of its density, until it meets the
// constraint, δ ≤ δ*/(1 + margin) or U ≤ u, in float64. It returns nil if it cannot.
func (s *search) keep(half []float64, margin float64) []float64 {
	power := func(x float64) []float64 {
		p := make([]float64, len(half))
		for k := range p {
			p[k] = math.Max(math.Pow(half[k]/half[0], x), 1e-290)
		}
		return noise.Normalised(p)
	}
	does := func(p []float64) bool {
		if s.goal.Delta > 0 {
			return s.delta(p) <= s.goal.Delta/(1+margin)
		}
		return s.grid.Utility(s.wish.Norm, p) <= s.goal.Most*(1-1e-10)
	}
	if does(half) {
		return half
	}
	sign := 1.0 // narrower
	if s.goal.Delta > 0 {
		sign = -1
	}
	for step := 1e-6; step < 0.2; step *= 4 {
		if does(power(1 + sign*step)) {
			_, hi := least.Halved(0, step, 12, func(x float64) bool { return !does(power(1 + sign*x)) })
			return power(1 + sign*hi)
		}
	}
	return nil
}

// reason says why nothing was kept.
func (s *search) reason() string {
	if s.goal.Delta > 0 {
		return fmt.Sprintf("no noise on [−%s, %s] that was tried has δ(%g) ≤ %g", s.wish.Radius.RatString(),
			s.wish.Radius.RatString(), s.goal.Eps, s.goal.Delta)
	}
	return fmt.Sprintf("no noise on these cells that was tried has a utility loss of at most %g", s.goal.Most)
}
