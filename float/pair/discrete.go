// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math"
	"math/big"

	"dpverify/float/value"
)

var ratOne = big.NewRat(1, 1)

// response is the pair that dominates all (ε, δ)-differentially private mechanisms and
// is one [Kairouz, Oh & Viswanath 2015].
func response(eps, delta *big.Rat) Discrete {
	e := value.Rat(eps)
	zero, one := value.Exact(0), value.Exact(1)
	d := value.Rat(delta)
	rest := value.Rat(new(big.Rat).Sub(ratOne, delta))
	right := one.Div(one.Add(e.Neg().Exp())) // e^ε/(1 + e^ε)
	wrong := e.Neg().Exp().Mul(right)
	out := Discrete{Dual: true}
	if delta.Cmp(ratOne) < 0 {
		out.Outcomes = append(out.Outcomes,
			Outcome{rest.Mul(right), rest.Mul(wrong), e},
			Outcome{rest.Mul(wrong), rest.Mul(right), e.Neg()})
	}
	if delta.Sign() > 0 {
		out.Outcomes = append(out.Outcomes, Outcome{P: d, Q: zero}, Outcome{P: zero, Q: d})
	}
	return out
}

// finite is a pair with rational masses. The loss log p/q is log1p((p − q)/q) with a
// rational argument, which keeps its relative accuracy where p is near q.
func finite(p, q []*big.Rat) Discrete {
	var out Discrete
	for i := range p {
		o := Outcome{P: value.Rat(p[i]), Q: value.Rat(q[i])}
		if p[i].Sign() == 0 && q[i].Sign() == 0 {
			continue
		}
		if p[i].Sign() > 0 && q[i].Sign() > 0 {
			o.Loss = logRatio(p[i], q[i])
		}
		out.Outcomes = append(out.Outcomes, o)
	}
	return out
}

// logRatio returns log p/q for positive p and q.
func logRatio(p, q *big.Rat) value.Value {
	d := new(big.Rat).Sub(p, q)
	if p.Cmp(q) < 0 {
		return value.Rat(d.Quo(d.Neg(d), p)).Log1p().Neg()
	}
	return value.Rat(d.Quo(d, q)).Log1p()
}

// randomizedResponse is what of k outcomes one input makes, against another input.
func randomizedResponse(p *big.Rat, k int64) Discrete {
	a, c := responseMasses(p, k)
	if k == 1 {
		return finite([]*big.Rat{a}, []*big.Rat{a})
	}
	same := new(big.Rat).Mul(c, new(big.Rat).SetInt64(k-2))
	d := finite([]*big.Rat{a, c, same}, []*big.Rat{c, a, same})
	d.Dual = true
	return d
}

// specialResponse is the same against the special record, on which the output is uniform.
func specialResponse(p *big.Rat, k int64) Discrete {
	a, c := responseMasses(p, k)
	others := new(big.Rat).SetInt64(k - 1)
	return finite([]*big.Rat{a, new(big.Rat).Mul(c, others)}, []*big.Rat{big.NewRat(1, k), big.NewRat(k-1, k)})
}

// responseMasses returns the probabilities of the true value and of any other one.
func responseMasses(p *big.Rat, k int64) (a, c *big.Rat) {
	c = new(big.Rat).Mul(p, big.NewRat(1, k))
	a = new(big.Rat).Sub(ratOne, p)
	return a.Add(a, c), c
}

// maxShift bounds the outcomes of discrete noise.
const maxShift = 1 << 15

// discreteLaplace is noise ∝ r^|x|, r = e^−a, about s against the same about 0: the
// losses a(|x| − |x − s|) belong to x = 0 … s, and the tails on both sides add up to
// 1/(1 + r) and r^s/(1 + r).
func discreteLaplace(a *big.Rat, s int64) (Discrete, bool) {
	if s > maxShift {
		return Discrete{}, false
	}
	va := value.Rat(a)
	one := value.Exact(1)
	power := func(n int64) value.Value { return value.Rat(new(big.Rat).Mul(a, big.NewRat(-n, 1))).Exp() }
	norm := one.Add(power(1))
	centre := va.Neg().Expm1().Neg().Div(norm) // (1 − r)/(1 + r)
	out := Discrete{Dual: true}
	for x := int64(0); x <= s; x++ {
		o := Outcome{Loss: value.Rat(new(big.Rat).Mul(a, big.NewRat(2*x-s, 1)))}
		switch x {
		case 0:
			o.P, o.Q = power(s).Div(norm), one.Div(norm)
		case s:
			o.P, o.Q = one.Div(norm), power(s).Div(norm)
		default:
			o.P, o.Q = centre.Mul(power(s-x)), centre.Mul(power(x))
		}
		out.Outcomes = append(out.Outcomes, o)
	}
	return out, true
}

// discreteGaussian is noise ∝ e^(−x²/2σ²) on the integers, about s against the same
// about 0, with losses s(2x − s)/2σ².
//
// What is left out lies at least t from the centre of P or of Q: with t ≥ 1 the sum of
// e^(−x²/2σ²) over |x| > t is at most 2·∫_t^∞ = σ√(2π)·erfc(t/σ√2), and the normaliser
// is at least 1 and at least σ√(2π) (Poisson summation), so the mass left out is at
// most erfc(t/σ√2) ≤ e^(−t²/2σ²).
func discreteGaussian(sigma2 *big.Rat, s int64) (Discrete, bool) {
	f, _ := sigma2.Float64()
	f = math.Sqrt(f)
	t := int64(math.Ceil(38*f)) + 1
	if !(f < maxShift) || s > maxShift || 2*t+s > 4*maxShift {
		return Discrete{}, false
	}
	inv := new(big.Rat).Inv(new(big.Rat).Add(sigma2, sigma2)) // 1/2σ²
	weight := func(x int64) value.Value {
		w := new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(x), big.NewInt(-x)))
		return value.Rat(w.Mul(w, inv)).Exp()
	}
	weights := make([]value.Value, t+s+1)
	for x := range weights {
		weights[x] = weight(int64(x))
	}
	rest := math.Exp(-float64(t)*float64(t)/(2*f*f))*(1+1e-9) + 0x1p-1070
	norm := weights[0]
	for x := int64(1); x <= t; x++ {
		norm = norm.Add(weights[x].Scale(2))
	}
	norm = norm.Add(value.Within(0, 4*f*rest+rest))
	out := Discrete{Dual: true, Rest: rest}
	abs := func(x int64) int64 { return max(x, -x) }
	for x := -t; x <= s+t; x++ {
		o := Outcome{}
		if y := abs(x - s); y <= t+s {
			o.P = weights[y].Div(norm)
		}
		if y := abs(x); y <= t+s {
			o.Q = weights[y].Div(norm)
		}
		l := new(big.Rat).SetInt64(2*x - s)
		l.Mul(l, inv)
		o.Loss = value.Rat(l.Mul(l, new(big.Rat).SetInt64(s)))
		out.Outcomes = append(out.Outcomes, o)
	}
	return out, true
}

// sample returns ((1−γ)Q + γP, Q) outcome by outcome, with the losses
// log(1 + γ(e^l − 1)) = log1p(γ·expm1(l)); log(1 − γ) where P is 0.
func (d Discrete) sample(rate *big.Rat) Discrete {
	g := value.Rat(rate)
	keep := value.Rat(new(big.Rat).Sub(ratOne, rate))
	out := Discrete{Rest: d.Rest}
	for _, o := range d.Outcomes {
		n := Outcome{P: keep.Mul(o.Q).Add(g.Mul(o.P)), Q: o.Q}
		switch {
		case !positive(o.P):
			n.Loss = value.Rat(new(big.Rat).Neg(rate)).Log1p()
		case !positive(o.Q):
		case o.Loss.V > 0: // l + log(γ + (1 − γ)e^−l), without overflow
			n.Loss = o.Loss.Add(keep.Mul(o.Loss.Neg().Expm1()).Log1p())
		default:
			n.Loss = g.Mul(o.Loss.Expm1()).Log1p()
		}
		out.Outcomes = append(out.Outcomes, n)
	}
	return out
}

// mix returns the pair with probability rate, and otherwise an outcome that says that the
// record is not in the sample.
func (d Discrete) mix(rate *big.Rat) Discrete {
	g := value.Rat(rate)
	keep := value.Rat(new(big.Rat).Sub(ratOne, rate))
	out := Discrete{Outcomes: []Outcome{{P: keep, Q: keep}}, Rest: d.Rest, Dual: d.Dual, Mixed: true}
	for _, o := range d.Outcomes {
		out.Outcomes = append(out.Outcomes, Outcome{P: g.Mul(o.P), Q: g.Mul(o.Q), Loss: o.Loss})
	}
	return out
}
