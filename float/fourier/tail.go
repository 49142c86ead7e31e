// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fourier

import "math"

// maxTailPoints bounds the points at which tail evaluates the transform.
const maxTailPoints = 2000

// tail bounds |R(v)| for v ≥ w, R(v) = M(γ + iv)/M(γ) = E[e^(±ivL)] under the tilted law
// with density t = φ·e^(cL)/M(γ).
//
// Far out: cut the law at a point x₀. Below it is mass F. Above, L has the density
// g = t/L' as a function of L, and |∫ e^(ivL)·g dL| ≤ V/v with V the total variation of g.
// d/dx log g = (c + 1)μ·s(x) − μ − x, where s is a logistic function of x, has at most
// three zeros: so g has at most two maxima, x₀ included, and V ≤ 4·sup g. Hence
// |R(v)| ≤ F + 4·sup g/v.
//
// In between: with m the mean of L under t and S(v) = e^(∓ivm)·R(v), |S″| ≤ E(L − m)² = σ²,
// so between points at distance d, S is within σ²d²/8 of its chord, and |R| at most that
// above the larger of its values at both.
func (l *sampledLine) tail(w, goal float64) float64 {
	if goal >= 0 {
		return 0
	}
	if l.deep == nil {
		l.deep = &sampledLine{s: l.s, gamma: l.gamma, left: l.left}
	}
	return l.deep.bound(w, goal)
}

func (l *sampledLine) bound(w, goal float64) float64 {
	if !l.prepare(w) {
		return 0
	}
	target := math.Exp(goal)
	far, ok := l.far(target)
	if !ok {
		return 0
	}
	if far <= w {
		return goal
	}
	sigma := l.deviation()
	v, last := w, l.size(w)
	for range maxTailPoints {
		room := target - last
		if room <= 0 {
			return 0
		}
		d := math.Sqrt(4*room) / sigma
		v += d
		size := l.size(v)
		if math.Max(size, last)+sigma*sigma*d*d/8*(1+1e-9) > target {
			return 0
		}
		if last = size; v >= far {
			return goal
		}
	}
	return 0
}

// size returns an upper bound of |R(v)|.
func (l *sampledLine) size(v float64) float64 {
	z, err := l.at(v)
	size := math.Exp(real(z))
	if !math.IsInf(err, 1) {
		size *= math.Exp(math.Min(err, 10))
	}
	return size * (1 + 1e-12)
}

// far returns a v from which on |R| ≤ target.
func (l *sampledLine) far(target float64) (float64, bool) {
	n := len(l.loss)
	m := l.base.Lo()
	// Between points, log t and log g change by at most slope·h.
	slope := func(j int) float64 {
		x := math.Abs(l.lowest + float64(j)*l.h)
		return math.Exp(l.h * ((math.Abs(l.c)+2)*l.s.mu.V + x + l.h))
	}
	// below[j] bounds the mass below point j.
	below := make([]float64, n+1)
	for j := range n {
		below[j+1] = below[j] + l.weight[j]*slope(j)/m
	}
	best, sup := math.Inf(1), 0.0
	for j := n - 1; j >= 0; j-- {
		_, _, share := l.s.loss(l.lowest + float64(j)*l.h)
		g := l.weight[j] / l.h / m / (l.s.mu.V * share) * slope(j)
		if math.IsNaN(g) || math.IsInf(g, 0) {
			break
		}
		sup = math.Max(sup, g)
		if f := below[j+1] + 2*l.cut; f < target/2 {
			best = math.Min(best, 4*sup*(1+1e-6)/(target-f))
		}
	}
	return best, !math.IsInf(best, 1)
}

// deviation returns an upper bound of the deviation of L: of the root mean square
// about a point, with 1% for the quadrature, whose error is far below.
func (l *sampledLine) deviation() float64 {
	mean := 0.0
	for j, x := range l.loss {
		mean += l.weight[j] * x
	}
	mean /= l.base.V
	sum := 0.0
	for j, x := range l.loss {
		sum += l.weight[j] * (x - mean) * (x - mean)
	}
	return 1.01*math.Sqrt(sum/l.base.V) + 1e-9
}
