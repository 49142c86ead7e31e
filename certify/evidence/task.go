// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"math"
	"math/big"

	"dpverify/certify/evidence/statement"
	"dpverify/exact/interval"
	"dpverify/exact/least"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A task is one bound to give evidence for: δ(ε) ≤ δ in a direction, or > δ.
type task struct {
	parts      []*statement.Part
	direction  mechanism.Direction
	lower      bool
	eps, delta *big.Rat
	gap        float64 // how far δ is from the claimed one, in parts of it, about

	truth    float64  // δ, 0 if it is not known
	unit     *big.Rat // what all losses are multiples of, where the grid has that step; else nil
	distinct bool     // whether 60 bits tell δ from the claimed one
	laws     []law
	variance float64 // of the loss of the composition
}

// tilt finds the λ of a task's laws, the same for all, and the variance of the composition.
func (t *task) tilt() {
	eps, xs, ms := number.Float64(t.eps), make([][]float64, len(t.laws)), make([][]float64, len(t.laws))
	for i, l := range t.laws {
		xs[i], ms[i] = l.finite(math.Min(1e-12, number.Float64(t.delta)*1e-6))
	}
	moments := func(i int, lambda float64) (logM, mean, variance float64) {
		top := math.Inf(-1)
		for k, x := range xs[i] {
			if ms[i][k] > 0 {
				top = math.Max(top, lambda*x+math.Log(ms[i][k]))
			}
		}
		total := 0.0
		for k, x := range xs[i] {
			w := ms[i][k] * math.Exp(lambda*x-top)
			total, mean, variance = total+w, mean+w*x, variance+w*x*x
		}
		mean, variance = mean/total, variance/total
		return top + math.Log(total), mean, math.Max(variance-mean*mean, 1e-300)
	}
	lo, _ := least.Halved(0, 1e4, 40, func(lambda float64) bool {
		sum := 0.0
		for i, p := range t.parts {
			_, mean, _ := moments(i, lambda)
			sum += float64(p.Count) * mean
		}
		return sum < eps
	})
	t.variance = 0
	for i, p := range t.parts {
		t.laws[i].lambda = lo
		t.laws[i].logM, _, _ = moments(i, lo)
		_, _, v := moments(i, 0)
		t.variance += float64(p.Count) * v
	}
}

// only is the pair of an only part, if it is of a kind.
func only[K statement.Pair](parts []*statement.Part) (pair K, ok bool) {
	if len(parts) == 1 {
		pair, ok = parts[0].Pair.(K)
	}
	return pair, ok
}

// oneFinite reports that there is one copy of a finite pair, whose profile is told from δ: that its losses are below ε
// where δ is 0.
func (t task) oneFinite() bool {
	p, ok := only[statement.Finite](t.parts)
	if !ok || t.parts[0].Count != 1 || !t.distinct {
		return false
	} else if t.delta.Sign() > 0 {
		return true
	}
	e := statement.Three.Exp(statement.Three.Rat(t.eps))
	for _, m := range p.Outcomes(t.direction) {
		less := statement.Three.Sub(statement.Three.Mul(e, m.Q), m.P)
		if m.P.Positive() != interval.False && less.Positive() != interval.True {
			return false
		}
	}
	return true
}
