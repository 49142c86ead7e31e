// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/float/learn"
	"dpverify/noise"
	"dpverify/noise/optimum"
)

// program is the linear program of a wish about one release, if it is one and small enough.
func (s *search) program() (learn.Program, bool) {
	l := learn.Program{N: s.grid.N, Shift: s.grid.Shift, Eps: s.goal.Eps, Weights: s.goal.Weights, Delta: s.goal.Delta, Most: s.goal.Most}
	l.Delta *= 1 - 1e-9 // so that rounding does not miss it
	if s.goal.Root {
		l.Most *= l.Most
	}
	return l, s.goal.Count == 1 && s.goal.Rate == 1 && l.Fits()
}

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
	sol, err := l.Solve(ctx)
	if err != nil {
		return learn.State{}, nil, err
	}
	best := learn.State{Half: s.keep(sol.Half, 0)}
	if best.Half == nil {
		return best, nil, nil
	}
	best.Delta, best.Utility = s.delta(best.Half), s.grid.Utility(s.wish.Norm, best.Half)
	lo, err := s.bound(sol)
	return best, lo, err
}

// bound is the certified lower bound that a solution's dual proves: of δ or of the utility loss. With
// δ + wU ≥ b, δ ≥ b − wu for U ≤ u, and U ≥ (b − δ*)/w for δ ≤ δ*.
func (s *search) bound(sol learn.Solution) (*Optimum, error) {
	const bits = 48
	c := optimum.Certificate{Epsilon: s.wish.Epsilon, Sensitivity: s.wish.Sensitivity, Cell: s.grid.Cell, Norm: s.wish.Norm, Price: new(big.Rat)}
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
