// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package learn finds additive noise on cells that keeps a promise δ(ε) ≤ δ* after a composition
// and moves answers as little as possible, or that has the least δ and moves them no more than it may.
//
// It computes in float64 and proves nothing: what it finds is to be rounded and certified. For
// one release there is a linear program, whose dual is a certificate; see Program.
package learn

import (
	"context"
	"math"
)

// A Goal is what is learned: the least utility loss with δ ≤ Delta, or, where Delta is 0, the least δ with
// a utility loss of at most Most.
type Goal struct {
	Problem
	// The utility loss is Σ 2·Weights_k·p_k, or the root of that.
	Weights []float64
	Root    bool
	Delta   float64
	Most    float64
}

// A State is a noise found on the way.
type State struct {
	Half           []float64
	Delta, Utility float64
	Gradients      int // so far
}

// utility returns the logarithm of the utility loss and its gradient.
func (g Goal) utility(p []float64) (float64, []float64) {
	sum := 0.0
	for k, c := range g.Weights {
		sum += 2 * c * p[k]
	}
	grad := make([]float64, len(p))
	part := 1.0
	if g.Root {
		part = 0.5
	}
	for k, c := range g.Weights {
		grad[k] = part * 2 * c / sum
	}
	return part * math.Log(sum), grad
}

// A search is one start of one goal.
type search struct {
	Goal
	profiles  [2]*Profile // of either order; without sampling the first only
	soft      bool        // profiles are those of LossPDP
	order     Order
	slopes    *Slopes
	splitting float64
	gradients int
	report    func(State)
}

// logs returns log δ and log U with their gradients by θ.
func (s *search) logs(theta []float64) (d float64, dd []float64, u float64, du []float64) {
	p := s.slopes.half(theta)
	delta, g := s.profiles[s.order].Gradient(p)
	s.gradients++
	delta = math.Max(delta, 1e-300)
	for k := range g {
		g[k] /= delta
	}
	u, gu := s.utility(p)
	return math.Log(delta), s.slopes.back(p, g), u, s.slopes.back(p, gu)
}

// refresh chooses the grids for noise like p.
func (s *search) refresh(p []float64) {
	s.profiles[Remove] = newProfile(&Profile{Problem: s.Problem, order: Remove, soft: s.soft}, p, s.splitting)
	if s.Rate < 1 {
		s.profiles[Add] = newProfile(&Profile{Problem: s.Problem, order: Add, soft: s.soft}, p, s.splitting)
	}
}

// worst picks the order whose δ is larger: the two of a sample differ.
func (s *search) worst(p []float64) float64 {
	d := s.profiles[s.order].Delta(p)
	if other := 1 - s.order; s.profiles[other] != nil {
		if e := s.profiles[other].Delta(p); e > d {
			s.order = other
			return e
		}
	}
	return d
}

func (s *search) state(theta []float64) State {
	p := s.slopes.half(theta)
	u, _ := s.utility(p)
	return State{p, s.worst(p), math.Exp(u), s.gradients}
}

const (
	rounds  = 12
	inRound = 150 // gradients
	// scaleOfUtility balances log U against the constraint on log δ.
	scaleOfUtility = 50
	// Splitting is how much the discretised δ may be off while learning: coarse grids have softer kinks.
	Splitting = 3e-4
)

// Learn improves noise from one start until nothing changes, or the context ends. rate is
// −d log δ/d log U of noise like it, about. What it reports and returns may miss its goal by a little.
//
// Augmented Lagrangian, with the multiplier ν and the weight ρ of the constraint c:
//
//	least U:  50·log U + νc + ρc²/2, c = log δ − log δ*
//	least δ:  log δ + (max(0, ν + ρc)² − ν²)/2ρ, c = log U − log u ≤ 0
//
// ν goes to ν + ρc after every round. Never δ + wU for a fixed weight w: its minimum jumps to
// noise that promises nothing.
func Learn(ctx context.Context, goal Goal, knots, start []float64, rate, splitting float64, report func(State)) State {
	s := &search{Goal: goal, slopes: NewSlopes(goal.N, knots), report: report, splitting: splitting}
	s.refresh(start)
	theta := s.slopes.fit(start)
	s.worst(start)
	nu, rho := rate, math.Max(200, 20*rate)
	if goal.Delta > 0 {
		nu, rho = scaleOfUtility/rate, 40*scaleOfUtility/(rate*rate)
	}
	best := s.state(theta)
	last := math.Inf(1)
	for round := range rounds {
		scales := scalesOf(theta)
		z := make([]float64, len(theta))
		for i := range z {
			z[i] = theta[i] / scales[i]
		}
		f := func(z []float64) (float64, []float64) {
			x := make([]float64, len(z))
			for i := range z {
				x[i] = z[i] * scales[i]
			}
			value, g := s.lagrangian(x, nu, rho)
			for i := range g {
				g[i] *= scales[i]
			}
			return value, g
		}
		z = minimise(ctx, f, z, inRound, 1e-9)
		for i := range z {
			theta[i] = z[i] * scales[i]
		}
		best = s.state(theta)
		report(best)
		if ctx.Err() != nil {
			break
		}
		c, value := s.constraint(best)
		if goal.Delta > 0 {
			nu += rho * c
		} else {
			nu = math.Max(0, nu+rho*c)
			c = math.Max(c, 0)
		}
		if round > 1 && math.Abs(c) < 1e-5 && math.Abs(value-last) < 1e-5 {
			break
		}
		last = value
		s.refresh(best.Half)
	}
	return best
}

// constraint returns c and the value to be least.
func (s *search) constraint(x State) (c, value float64) {
	d, u := math.Log(math.Max(x.Delta, 1e-300)), math.Log(x.Utility)
	if s.Delta > 0 {
		return d - math.Log(s.Delta), u
	}
	return u - math.Log(s.Most), d
}

func (s *search) lagrangian(theta []float64, nu, rho float64) (float64, []float64) {
	d, dd, u, du := s.logs(theta)
	var value, wd, wu float64
	if s.Delta > 0 {
		c := d - math.Log(s.Delta)
		value = scaleOfUtility*u + nu*c + rho*c*c/2
		wd, wu = nu+rho*c, scaleOfUtility
	} else {
		c := u - math.Log(s.Most)
		t := math.Max(0, nu+rho*c)
		value = d + (t*t-nu*nu)/(2*rho)
		wd, wu = 1, t
	}
	for i := range dd {
		dd[i] = wd*dd[i] + wu*du[i]
	}
	return value, dd
}

// scalesOf gives each parameter a unit of its own size.
func scalesOf(theta []float64) []float64 {
	most := 0.0
	for _, x := range theta {
		most += x
	}
	most /= float64(len(theta))
	out := make([]float64, len(theta))
	for i, x := range theta {
		out[i] = math.Max(x, 0.1*most+1e-9)
	}
	return out
}
