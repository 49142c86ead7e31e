// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/profile"
)

// A Finite is a pair of finitely many outcomes, with their masses.
type Finite struct{ P, Q []*big.Rat }

// A state is a product of ratios Q/P, and what each choice makes of it.
type state struct {
	ratio   *big.Rat
	choices [][]edge // in the order of the family
}

// An edge leads to a state of the next level with a P-mass. A negative index stands for the ratio 0.
type edge struct {
	mass *big.Rat
	to   int
}

// Enumerate returns the profile of the greatest δ of steps that are chosen from a family of finite pairs, in view of
// all outputs before: V_n of docs/theorems.md, *An adversary who chooses in each step*, on all ratios that can occur.
// Nothing is rounded but values. It reports false where there are more than limit ways from a ratio to the next.
func Enumerate(ctx context.Context, family []Finite, steps int64, limit int) (profile.Func, bool) {
	levels, ok := enumerate(ctx, family, steps, limit)
	if !ok {
		return nil, false
	}
	return func(ctx context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
		return walk(ctx, levels, w, w.Exp(eps(w+8)), nil)
	}, true
}

// enumerate lists the ratios before each step and after the last one, and what each choice makes of them.
func enumerate(ctx context.Context, family []Finite, steps int64, limit int) ([][]state, bool) {
	levels := [][]state{{{ratio: big.NewRat(1, 1)}}}
	edges := 0
	for n := int64(0); n < steps; n++ {
		known := make(map[string]int)
		var next []state
		level := levels[n]
		for i := range level {
			for _, f := range family {
				var of []edge
				for k, p := range f.P {
					if p.Sign() == 0 {
						continue
					}
					if edges++; edges > limit || ctx.Err() != nil {
						return nil, false
					}
					if f.Q[k].Sign() == 0 {
						of = append(of, edge{p, -1})
						continue
					}
					r := new(big.Rat).Quo(f.Q[k], p)
					key := r.Mul(r, level[i].ratio).RatString()
					to, ok := known[key]
					if !ok {
						to = len(next)
						known[key] = to
						next = append(next, state{ratio: r})
					}
					of = append(of, edge{p, to})
				}
				level[i].choices = append(level[i].choices, of)
			}
		}
		levels = append(levels, next)
	}
	return levels, true
}

// walk encloses V of all steps at α, from the last one on. It calls each, unless that is nil, with the number of steps
// before and what is chosen at each ratio: what has certainly more than all before, and −1 where none has more than
// another.
func walk(ctx context.Context, levels [][]state, w interval.Prec, alpha interval.Interval,
	each func(n int, chosen []int)) (interval.Interval, error) {
	one := interval.Int(1)
	var values []interval.Interval
	for n := len(levels) - 1; n >= 0; n-- {
		if err := ctx.Err(); err != nil {
			return profile.Unit(), err
		}
		level, chosen := make([]interval.Interval, len(levels[n])), make([]int, len(levels[n]))
		for i, s := range levels[n] {
			most, alike := interval.Int(0), true
			if n == len(levels)-1 {
				most = interval.Max(most, w.Sub(one, w.Mul(alpha, w.Rat(s.ratio))))
			}
			for k, of := range s.choices {
				sum := interval.Int(0)
				for _, e := range of {
					v := one
					if e.to >= 0 {
						v = values[e.to]
					}
					sum = w.Add(sum, w.Mul(w.Rat(e.mass), v))
				}
				if most.Less(sum) == interval.True {
					chosen[i] = k
				}
				alike = alike && (k == 0 || most.Less(sum) != interval.True && sum.Less(most) != interval.True)
				most = interval.Max(most, sum)
			}
			if alike {
				chosen[i] = indifferent
			}
			level[i] = most
		}
		if each != nil {
			each(n, chosen)
		}
		values = level
	}
	return values[0], nil
}

// EnumeratePolicy returns what is chosen of a family of finite pairs in each step for the greatest δ(ε), and encloses
// that. It reports false as Enumerate does.
func EnumeratePolicy(ctx context.Context, family []Finite, steps int64, limit int, w interval.Prec,
	eps *big.Rat) (Policy, interval.Interval, bool) {
	levels, ok := enumerate(ctx, family, steps, limit)
	if !ok {
		return Policy{}, interval.Interval{}, false
	}
	p := Policy{Steps: make([][]Run, steps)}
	value, err := walk(ctx, levels, w, w.Exp(w.Rat(eps)), func(n int, chosen []int) {
		if n == int(steps) {
			return
		}
		var points []point
		for i, s := range levels[n] {
			points = append(points, newPoint(w.Rat(s.ratio), chosen[i]))
		}
		p.Steps[n] = rising(points)
	})
	return p, value, err == nil
}
