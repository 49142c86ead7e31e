// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// An objective returns its value and its gradient at x ≥ 0.
type objective func(x []float64) (float64, []float64)

// history is how many steps L-BFGS remembers.
const history = 30

// A curvature is a pair of steps, of x and of the gradient, and 1/(s·y).
type curvature struct {
	s, y []float64
	rho  float64
}

// minimise runs projected L-BFGS with x ≥ 0 for at most steps gradients: the direction is the one of
// L-BFGS on the variables that are free to move, the line search backtracks along the
// projected ray until the value falls by a part of what the gradient promises. gonum's optimize
// knows no bounds. It returns the best x; it ends early with the context.
func minimise(ctx context.Context, f objective, x []float64, steps int, tolerance float64) []float64 {
	value, g := f(x)
	var memory []curvature
	quiet := 0
	for used := 1; used < steps && ctx.Err() == nil; {
		d := direction(x, g, memory)
		if d == nil {
			return x
		}
		scale := 1.0
		if len(memory) == 0 {
			scale = 0.1 / math.Max(floats.Norm(d, math.Inf(1)), 1e-300)
		}
		var next, ng []float64
		var nv float64
		for {
			next = make([]float64, len(x))
			for i := range x {
				next[i] = math.Max(0, x[i]+scale*d[i])
			}
			nv, ng = f(next)
			used++
			promised := 0.0
			for i := range x {
				promised += g[i] * (next[i] - x[i])
			}
			if nv <= value+1e-4*promised && !math.IsNaN(nv) {
				break
			}
			if scale *= 0.35; scale < 1e-12 || used >= steps {
				if len(memory) == 0 || used >= steps {
					return x
				}
				memory, next = nil, nil // begin again along the gradient
				break
			}
		}
		if next == nil {
			continue
		}
		memory = remember(memory, x, next, g, ng)
		if value-nv <= tolerance*math.Max(1, math.Abs(nv)) {
			if quiet++; quiet >= 4 {
				return next
			}
		} else {
			quiet = 0
		}
		x, value, g = next, nv, ng
	}
	return x
}

// direction returns a direction of descent, or nil where there is none.
func direction(x, g []float64, memory []curvature) []float64 {
	free := make([]bool, len(x))
	q := make([]float64, len(x))
	any := false
	for i := range x {
		free[i] = x[i] > 0 || g[i] < 0
		if free[i] && g[i] != 0 {
			q[i], any = g[i], true
		}
	}
	if !any {
		return nil
	}
	alpha := make([]float64, len(memory))
	for k := len(memory) - 1; k >= 0; k-- {
		m := memory[k]
		alpha[k] = m.rho * floats.Dot(m.s, q)
		floats.AddScaled(q, -alpha[k], m.y)
		mask(q, free)
	}
	if k := len(memory); k > 0 {
		m := memory[k-1]
		floats.Scale(1/(m.rho*floats.Dot(m.y, m.y)), q)
	}
	for k, m := range memory {
		beta := m.rho * floats.Dot(m.y, q)
		floats.AddScaled(q, alpha[k]-beta, m.s)
		mask(q, free)
	}
	floats.Scale(-1, q)
	if floats.Dot(q, g) >= 0 {
		for i := range q {
			q[i] = 0
			if free[i] {
				q[i] = -g[i]
			}
		}
	}
	return q
}

func mask(q []float64, free []bool) {
	for i := range q {
		if !free[i] {
			q[i] = 0
		}
	}
}

// remember appends a step of positive curvature.
func remember(memory []curvature, x, next, g, ng []float64) []curvature {
	s, y := make([]float64, len(x)), make([]float64, len(x))
	floats.SubTo(s, next, x)
	floats.SubTo(y, ng, g)
	sy := floats.Dot(s, y)
	if sy <= 1e-12*floats.Norm(s, 2)*floats.Norm(y, 2) {
		return memory
	}
	if len(memory) == history {
		memory = memory[1:]
	}
	return append(memory, curvature{s, y, 1 / sy})
}
