// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"context"
	"math/big"

	"dpverify/ask/noise"
	"dpverify/ask/noise/optimum"
	"dpverify/exact/interval"
	"dpverify/float/learn"
	"dpverify/internal/shown"
)

// impossible reports whether the noise with the least δ of the range misses the promise, about.
func (s *search) impossible(ctx context.Context, l learn.Program) bool {
	if s.goal.Delta == 0 {
		return false
	}
	target := l.Delta
	l.Delta, l.Most = 0, 2*s.goal.Weights[s.grid.N-1]
	sol, err := l.Solve(ctx)
	return err == nil && s.goal.Single(sol.Half) > target*(1+1e-6)+1e-12
}

// solve solves the linear program and bounds what any noise of the range can do.
func (s *search) solve(ctx context.Context, l learn.Program) (learn.State, *Optimum, error) {
	best, sol, err := s.bestOf(l.Solve(ctx))
	if err != nil || best.Half == nil {
		return best, nil, err
	}
	lo, err := s.bound(sol)
	return best, lo, err
}

// bestOf is the noise of the solution of a linear program; there is none in the state if it is not kept.
func (s *search) bestOf(sol learn.Solution, err error) (learn.State, learn.Solution, error) {
	if err != nil {
		return learn.State{}, sol, err
	}
	best := learn.State{Half: s.keep(sol.Half, 0)}
	if best.Half != nil {
		best.Delta, best.Utility = s.delta(best.Half), s.grid.Utility(s.wish.Norm, best.Half)
	}
	return best, sol, nil
}

// anyShape solves the linear program of noise of any shape. The program of falling noise bounds it: a δ or a
// utility loss below proves that no falling noise does as well.
func (s *search) anyShape(ctx context.Context) (learn.State, *Optimum, error) {
	best, _, err := s.bestOf(shapeProgram(s.goal).Solve(ctx))
	if err != nil || best.Half == nil {
		return best, nil, err
	}
	l, ok := program(s.goal)
	if !ok || ctx.Err() != nil {
		return best, nil, nil
	}
	falling, err := l.Solve(ctx)
	if err != nil {
		return best, nil, nil // the bound is an extra
	}
	lo, err := s.bound(falling)
	return best, lo, err
}

// program is the linear program of a goal about one release, if it is one and small enough.
func program(goal learn.Goal) (learn.Program, bool) {
	l := learn.Program{N: goal.N, Shift: goal.Shift, Eps: goal.Eps, Weights: goal.Weights, Delta: goal.Delta,
		Most: goal.Most}
	l.Delta *= 1 - 1e-9 // so that rounding does not miss it
	if goal.Root {
		l.Most *= l.Most
	}
	return l, goal.Count == 1 && goal.Rate == 1 && l.Fits()
}

// shapeProgram is the linear program of symmetric noise of any shape.
func shapeProgram(goal learn.Goal) learn.Program {
	l, _ := program(goal)
	l.Shape = learn.AnyShape
	return l
}

// An Optimum bounds what is least, δ or the utility loss, of any symmetric falling noise of the range. Certified.
type Optimum struct {
	Lo string `json:"lo"`
}

// bound is the certified lower bound that a solution's dual proves: of δ or of the utility loss. With
// δ + wU ≥ b, δ ≥ b − wu for U ≤ u, and U ≥ (b − δ*)/w for δ ≤ δ*.
func (s *search) bound(sol learn.Solution) (*Optimum, error) {
	const bits = 48
	c := optimum.Certificate{Epsilon: s.wish.Epsilon, Sensitivity: s.wish.Sensitivity, Cell: s.grid.Cell,
		Norm: s.wish.Norm, Price: new(big.Rat)}
	c.Price.SetFloat64(sol.Price)
	for _, x := range sol.Phi {
		c.Phi = append(c.Phi, new(big.Rat).SetFrac64(int64(x*(1<<bits)), 1<<bits))
	}
	b, err := c.Bound()
	if err != nil {
		return nil, err
	}
	p := interval.Prec(96)
	if s.wish.Delta == nil {
		u := s.wish.Utility
		if s.wish.Norm == noise.L2 {
			u = new(big.Rat).Mul(u, u)
		}
		b.Sub(b, new(big.Rat).Mul(c.Price, u))
	} else {
		if c.Price.Sign() == 0 {
			return nil, nil
		}
		b.Sub(b, s.wish.Delta)
		b.Quo(b, c.Price)
	}
	if b.Sign() <= 0 {
		return nil, nil
	}
	x := p.Rat(b)
	if s.wish.Delta != nil && s.wish.Norm == noise.L2 {
		x = p.Sqrt(x)
	}
	lo, _ := x.Decimal(Digits)
	return &Optimum{Lo: lo}, nil
}

// Digits is how many significant digits enclosures are printed with.
const Digits = 12

const precision = interval.Prec(128)

// ends are the ends of an enclosure, in decimals rounded outward.
func ends(x interval.Interval) shown.Bounds { return shown.BoundsOf(x.Decimal(Digits)) }
