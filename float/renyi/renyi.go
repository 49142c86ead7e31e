// Package renyi is the Rényi accountant in float64, with a bound of the error:
// divergences of products, which add up under composition, and what they say about
// (ε, δ) [Abadi et al. 2016; Mironov 2017; Canonne, Kamath & Steinke 2020].
//
// Divergences come from the moment transforms of the Fourier accountant, on the real
// line: log E_P e^((α−1)L) = (α − 1)·R_α(P‖Q).
package renyi

import (
	"math"

	"dpverify/float/fourier"
	"dpverify/float/pair"
	"dpverify/float/value"
)

// A Curve is R_α(P‖Q), in nats, as a function of α > 1.
type Curve struct{ moments fourier.Moments }

// New returns the curve of a product; false if a factor has no moment transform, or a
// mass of infinite loss, so that all divergences of orders above 1 are infinite.
func New(p pair.Product) (*Curve, bool) {
	m, inf, ok := fourier.MomentsOf(p)
	if !ok || inf != (value.Value{}) {
		return nil, false
	}
	return &Curve{m}, true
}

// Divergence returns R_α(P‖Q) = log M(1 − α)/(α − 1).
//
// Requires: α > 1, 1 − α exact in float64 or off by u, which counts.
func (c *Curve) Divergence(alpha value.Value) value.Value {
	lambda := alpha.Sub(value.Exact(1))
	// log M is convex in λ and 0 at 0, so its slope at λ is at most that of the chord to
	// 2λ: moving λ by e moves it by at most that much.
	m := c.moments(-lambda.V)
	if lambda.Err > 0 {
		m.Err += lambda.Err * c.moments(-2*lambda.V).Mag() / lambda.V * 2
	}
	return m.Div(lambda)
}

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
// It is a bound of δ from above; Err is that of the bound's value.
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
