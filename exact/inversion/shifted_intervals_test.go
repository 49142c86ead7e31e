// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A shiftedRule is a shiftedPlan laid out in intervals, for comparison.
type shiftedRule struct {
	weights []interval.Complex  // η·φ·A^{1+λ}·B^{−λ} at the nodes
	losses  []interval.Interval // log|A/B|
	turns   []interval.Interval // |arg A| + |arg B|
	err     interval.Interval
}

// newShiftedRule lays the rule out.
func (m *mixture) newShiftedRule(p interval.Prec, lambda *big.Rat, plan shiftedPlan) shiftedRule {
	w := p + 32
	y := double.Exactly(plan.b)
	if up, _ := m.apart(); up {
		y = y.Neg()
	}
	l, eta := w.Rat(lambda), double.Exactly(plan.step)
	scale := w.Div(eta, rootTwoPi(w))
	r := shiftedRule{err: plan.err}
	first, last := plan.outermost()
	for i := first; i <= last; i++ {
		z := interval.Complex{Re: w.Mul(interval.Int(i), eta), Im: y}
		la, lb := logC(w, m.a, z), logC(w, m.b, z)
		half := w.ScaleC(w.Scale(one, -1), w.SqrC(z))
		power := w.SubC(w.ScaleC(w.Add(l, one), la), w.ScaleC(l, lb))
		if m.thinning.Thins() {
			power = w.SubC(power, m.thinning.ExponentC(w, z))
		}
		r.weights = append(r.weights, w.ScaleC(scale, w.ExpC(w.SubC(power, half))))
		r.losses = append(r.losses, w.Sub(la.Re, lb.Re))
		r.turns = append(r.turns, interval.Max(interval.Int(0), w.Add(la.Im.Abs(), lb.Im.Abs())))
	}
	return r
}

// logC encloses log Σ p_i·e^{m_i·z − m_i²/2} where all terms are in the right half plane.
func logC(w interval.Prec, cs []component, z interval.Complex) interval.Complex {
	var sum interval.Complex
	for _, c := range cs {
		mean := c.Mean(w)
		e := w.ExpC(w.ScaleC(mean, interval.Complex{Re: w.Sub(z.Re, w.Scale(mean, -1)), Im: z.Im}))
		sum = w.AddC(sum, w.ScaleC(w.Rat(c.Prob), e))
	}
	return w.LogC(sum)
}

// line encloses M(−λ + ijh), j = 0 … n, as quadrature.line does.
func (r shiftedRule) line(
	ctx context.Context, p interval.Prec, h interval.Interval, n int,
) ([]interval.Complex, error) {
	const fresh = 64
	w := p + 48
	values := make([]interval.Complex, n+1)
	for k, a := range r.weights {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := func(j int) interval.Complex { // a·e^{−jh(θ + iL)}
			t := w.Mul(interval.Int(int64(j)), h).Neg()
			return w.MulC(a, w.ScaleC(w.Exp(w.Mul(t, r.turns[k])), w.ExpI(w.Mul(t, r.losses[k]))))
		}
		step := w.ScaleC(w.Exp(w.Mul(h.Neg(), r.turns[k])), w.ExpI(w.Mul(h.Neg(), r.losses[k])))
		var z interval.Complex
		for j := range values {
			if j%fresh == 0 {
				z = at(j)
			} else {
				z = w.MulC(z, step)
			}
			values[j] = w.AddC(values[j], z)
		}
	}
	e := interval.Union(r.err.Neg(), r.err)
	for j := range values {
		values[j] = p.AddC(values[j], interval.Complex{Re: e, Im: e})
	}
	return values, nil
}
