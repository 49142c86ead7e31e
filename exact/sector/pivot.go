// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import "dpverify/exact/interval"

// pivots bound |N(s)| left of the imaginary axis, at |arg s| = π/2 + β, 0 ≤ β ≤ α, by r = |s|·sin β alone.
//
// Lemma. For x > 0, with its t of the law,
//
//	|N(s)| ≤ 1 − P − r·v + ½r²·(e^x + e^{rx})·V + e^{rx}·A + B,
//	V = e^{2ℓ+2μ²}·Φ((t−ℓ)/μ − 2μ),  A = x·tan α·max|f|,  B = ∫|f| dρ,
//
// the maximum over Re X = x between the axis and the ray of α, and the integral over that ray where Re X ≥ x. P = P(X >
// x) is Φ((ℓ−t)/μ), or of replaced records at least (1 − q)·Φ((ℓ−t)/μ). And |N(s)| ≤ 1 + K(α).
//
// Proof. The part X < 0 stays on the axis, where |e^{−sX}| = e^{rX} ≤ 1. The others go along the axis to x, where
// it is e^{rX}, along Re X = x to the ray of β, where it is at most e^{rx}, as Re s·x ≥ −rx and the rest of Re sX
// is positive, and out on the ray, where Re sX ≥ 0. All bounds of |f| rise with the angle. On the axis, e^y ≤ 1 +
// y + ½y²·e^{max(y, 0)}. Where X > 0 always, E[X; X ≤ x] ≤ EX ≤ log Ee^X = −v, and E[X²; X ≤ x] ≤ E[e^{2t} up to
// t] = V. Of a replaced record v = 0. Where |X| ≤ x, E[X; |X| ≤ x] = ∫_0^x Xf·(1 − e^X) dX ≤ 0, W = E[X²; 0 < X ≤
// x] ≤ V, as e^X ≤ 1 + e^t and (1−q)(1 + a) ≤ 1, and E[X²; −x ≤ X < 0] = ∫_0^x X²·e^X·f dX ≤ e^x·W; e^{rX} ≤ 1
// elsewhere. ∎
type pivots struct {
	edge interval.Interval // v
	all  interval.Interval // 1 + K(α)
	list []pivot
	near nearPivots
}

// A pivot is an x with V, A, B and P.
type pivot struct{ x, second, beside, beyond, mass interval.Interval }

// pivots returns those of a law at an angle. It reports false where there is no bound.
func (l law) pivots(alpha interval.Interval) (y pivots, ok bool) {
	r := newRay(alpha, interval.Int(0))
	before, cells, beyond, ok := l.cells(r)
	if !ok {
		return y, false
	}
	sin := coarse.Mul(r.tan, r.cos)
	twice := coarse.Scale(l.mu2, 1)
	moment := coarse.Exp(coarse.Add(coarse.Scale(l.mean, 1), twice))
	for i := len(cells) - 1; i >= 0; i-- {
		c := cells[i]
		below := coarse.Div(coarse.Sub(coarse.Sub(c.t, l.mean), twice), l.mu)
		beside := coarse.Div(coarse.Mul(coarse.Mul(c.height, c.p), sin), coarse.Expm1(c.p.Neg()).Neg())
		second := coarse.Mul(moment, coarse.NormalCDF(below)).Upper()
		mass := coarse.NormalCDF(coarse.Div(coarse.Sub(l.mean, c.t), l.mu))
		if l.replaced {
			mass = coarse.Mul(l.keep, mass)
		}
		y.list = append(y.list, pivot{c.p.Upper(), second, beside.Upper(), beyond.Upper(), mass.Lower()})
		y.near.add(c.p, second, beside, coarse.Sub(beyond, mass))
		beyond = coarse.Add(beyond, c.mass)
	}
	y.all = coarse.Add(one, coarse.Add(beyond, before)).Upper()
	y.edge = l.edge
	y.near.limit(y.edge, y.all)
	return y, true
}

// at bounds |N(s)| where |s|·sin β is r or less, by the pivot that seems the best one.
func (y pivots) at(r interval.Interval) interval.Interval {
	best := y.near.best(r)
	if best < 0 {
		return y.all
	}
	c := y.list[best]
	grows := coarse.Exp(coarse.Mul(r, c.x))
	sum := coarse.Sub(coarse.Sub(one, c.mass), coarse.Mul(r, y.edge))
	half := coarse.Scale(coarse.Mul(coarse.Sqr(r), c.second), -1)
	sum = coarse.Add(sum, coarse.Mul(half, coarse.Add(coarse.Exp(c.x), grows)))
	sum = coarse.Add(sum, coarse.Add(coarse.Mul(grows, c.beside), c.beyond))
	return sum.Upper()
}

// A fall bounds |g(s)| along a ray, g(s) = e^{sz}·Φ(s)/(1 + s): by e^{−az}·w/|s| from each start on to the next one.
type fall struct{ starts, rates, weights []interval.Interval }

// newFall bounds it from |s| = from on, in n steps to the greater of |s| by an eighth, and beyond, where arg s = π/2 +
// β and β ≤ α of all pivots.
//
// |e^{sz}| = e^{−rz} falls, the lemma's bounds rise, and |1 + s| ≥ |s|·cos β.
func newFall(steps []step, of []pivots, beta interval.Interval, from interval.Interval, n int) (y fall) {
	sin, cos := coarse.SinCos(beta)
	ratio := coarse.Add(one, coarse.Scale(one, -3))
	for k := range n + 1 {
		next := coarse.Mul(from, ratio).Upper()
		weight := coarse.Inv(cos)
		for i, s := range steps {
			size := of[i].all
			if k < n {
				size = interval.Min(size, of[i].at(coarse.Mul(next, sin).Upper()))
			}
			weight = coarse.Mul(weight, coarse.PowInt(size, s.count))
		}
		y.starts = append(y.starts, from)
		y.rates = append(y.rates, coarse.Mul(from, sin))
		y.weights = append(y.weights, weight.Upper())
		from = next
	}
	return y
}

// integral bounds ∫|g(s)| d|s|/|s| from the first start on.
func (y fall) integral(z interval.Interval) (sum interval.Interval) {
	for k, w := range y.weights {
		over := coarse.Inv(y.starts[k])
		if k+1 < len(y.starts) {
			over = coarse.Sub(over, coarse.Inv(y.starts[k+1]))
		}
		sum = coarse.Add(sum, coarse.Mul(coarse.Mul(w, over), y.falls(k, z)))
	}
	return sum.Upper()
}

// terms bounds h·Σ|g(s_j)| of points s_j behind the first start, log|s_j| = jh. Of these one more than log(9/8)/h are
// between two starts, log(9/8) < 1/8, and behind the last one the bound falls: it is a term and the integral of the
// others.
func (y fall) terms(z, h interval.Interval) (sum interval.Interval) {
	for k, w := range y.weights {
		count := coarse.Add(h, coarse.Scale(one, -3))
		if k+1 == len(y.starts) {
			count = coarse.Add(h, one)
		}
		sum = coarse.Add(sum, coarse.Mul(coarse.Mul(coarse.Div(w, y.starts[k]), count), y.falls(k, z)))
	}
	return sum.Upper()
}

func (y fall) falls(k int, z interval.Interval) interval.Interval {
	return coarse.Exp(coarse.Mul(y.rates[k], z).Neg())
}
