// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math"

	"dpverify/float/value"
)

// DefaultOrders are the orders that accountants commonly try.
func DefaultOrders() []float64 {
	var out []float64
	for i := 11; i <= 109; i++ {
		out = append(out, float64(i)/10)
	}
	for i := 12; i <= 63; i++ {
		out = append(out, float64(i))
	}
	return out
}

// Delta returns the least bound on δ(ε) over the orders,
//
//	δ ≤ e^((α−1)(R_α − ε))·(1 − 1/α)^α/(α − 1)      [CKS20, Proposition 7]
//
// It is a bound of δ from above; Err is the error of the bound's value.
func (c *Curve) Delta(eps value.Value, orders []float64) value.Value {
	best := value.Exact(1)
	for _, alpha := range orders {
		a := value.Exact(alpha)
		l := a.Sub(value.Exact(1))
		e := l.Mul(c.Divergence(a).Sub(eps)).Add(a.Mul(value.Exact(1).Div(a).Neg().Log1p())).Sub(l.Log())
		best = least(best, e.Exp())
	}
	return best
}

// Epsilon returns the least ε over the orders at which Delta's bound is δ:
//
//	ε ≤ R_α + log(1 − 1/α) − (log δ + log α)/(α − 1)      [CKS20, Proposition 12]
//
// The moments accountant is the same with R_α + log(1/δ)/(α − 1), see Mironov.
func (c *Curve) Epsilon(delta value.Value, orders []float64) value.Value {
	return c.least(orders, func(a, l value.Value) value.Value {
		return value.Exact(1).Div(a).Neg().Log1p().Sub(delta.Log().Add(a.Log()).Div(l))
	})
}

// Mironov returns min R_α + log(1/δ)/(α − 1), the conversion of the moments accountant
// [Mironov 2017, Proposition 3].
func (c *Curve) Mironov(delta value.Value, orders []float64) value.Value {
	return c.least(orders, func(_, l value.Value) value.Value { return delta.Log().Neg().Div(l) })
}

func (c *Curve) least(orders []float64, add func(a, l value.Value) value.Value) value.Value {
	best := value.Value{V: 0, Err: math.Inf(1)}
	for i, alpha := range orders {
		a := value.Exact(alpha)
		x := c.Divergence(a).Add(add(a, a.Sub(value.Exact(1))))
		if i == 0 || math.IsInf(best.Err, 1) {
			best = x
		} else if !math.IsInf(x.Err, 1) {
			best = least(best, x)
		}
	}
	return best
}

// least returns the smaller of two numbers.
func least(x, y value.Value) value.Value {
	if math.IsInf(y.Err, 1) {
		return x
	}
	return value.Max(x.Neg(), y.Neg()).Neg()
}
