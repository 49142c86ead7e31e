// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"slices"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
)

// A blend is the likelihood ratio g(x) = Σ p_i·e^(µ_i·x − µ_i²/2) of Σ p_i·N(µ_i, 1) to N(0, 1). The means rise.
type blend struct {
	means []interval.Real
	probs []*big.Rat
}

// A power is g^e.
type power struct {
	blend
	e *big.Rat
}

// gaussianMixture: with the ratios g and h of P and of Q to N(0, 1), the moment is E[g^α·h^(1−α)].
func gaussianMixture(x pair.GaussianMixture) LogMoment {
	ratio := func(n normals.Mixture) (b blend, isOne bool) {
		b.probs = n.Probs
		for _, m := range n.Means {
			b.means = append(b.means, interval.RealRat(m))
		}
		return b, len(n.Means) == 1 && n.Means[0].Sign() == 0
	}
	g, gIsOne := ratio(x.P)
	h, hIsOne := ratio(x.Q)
	switch {
	case gIsOne:
		return blendMoment(h, true)
	case hIsOne:
		return blendMoment(g, false)
	}
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		return gaussianMean(p, []power{{g, alpha}, {h, new(big.Rat).Neg(minusOne(alpha))}})
	}
}

// sampledGaussian is the mixture of the means 0 and µ.
func sampledGaussian(rate, mu2 *big.Rat, reversed bool) LogMoment {
	return blendMoment(twoMeans(rate, mu2), reversed)
}

// twoMeans is (1−q) + q·e^(µx − µ²/2).
func twoMeans(rate, mu2 *big.Rat) blend {
	mu := func(p interval.Prec) interval.Interval { return p.Sqrt(p.Rat(mu2)) }
	return blend{[]interval.Real{interval.RealRat(new(big.Rat)), mu}, []*big.Rat{new(big.Rat).Sub(ratOne, rate), rate}}
}

// twoMeansBelow is twoMeans of −x: means rise.
func twoMeansBelow(rate, mu2 *big.Rat) blend {
	b := twoMeans(rate, mu2)
	return blend{[]interval.Real{b.means[1].Neg(), b.means[0]}, []*big.Rat{b.probs[1], b.probs[0]}}
}

func blendMoment(g blend, reversed bool) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		if reversed {
			alpha = new(big.Rat).Neg(minusOne(alpha))
		}
		return gaussianMean(p, []power{{g, alpha}})
	}
}

// sampledReplaceGaussian: the ratio of either distribution to N(0, 1) is a blend, so that M(α) = E[g₊^α·g₋^(1−α)].
func sampledReplaceGaussian(x pair.SampledReplaceGaussian) LogMoment {
	plus, minus := twoMeans(x.Rate, x.Mu2), twoMeansBelow(x.Rate, x.Mu2)
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		return gaussianMean(p, []power{{plus, alpha}, {minus, new(big.Rat).Neg(minusOne(alpha))}})
	}
}

// maxNodes bounds the nodes of a trapezoidal sum.
const maxNodes = 1 << 15

// gaussianMean encloses log A, A = E[F(X)] for X ~ N(0, 1) and F = Π g_i^(e_i), by the trapezoidal rule T = h·Σ_j
// f(jh), f = φF.
//
// Claim (discretisation). Let s_i be the distance between the largest and the smallest mean of g_i, and d·s_i < π for
// all i. With c_i = cos(d·s_i/2) and B = e^(d²/2)·Π_{e_i<0} c_i^(e_i),
//
//	|T − A| ≤ κA, κ = 2B/(e^(2πd/h) − 1).
//
// Proof. For |Im z| ≤ d the terms of g_i(z) lie in a sector of angle |Im z|·s_i < π. So g_i(z) ≠ 0 and f is analytic.
// In a sector of angle θ, |Σ r_k·e^(iθ_k)| ≥ cos(θ/2)·Σ r_k, hence
//
//	c_i·g_i(x) ≤ |g_i(x + iy)| ≤ g_i(x) and |φ(x + iy)| ≤ e^(d²/2)·φ(x).
//
// So ∫|f(x + iy)| dx ≤ B·A. The error of the trapezoidal rule in a strip is [Trefethen & Weideman 2014, Theorem 5.1].
//
// Claim (truncation). Let e_i·µ range over [u_i, v_i] as µ ranges over the means of g_i, U = Σu_i and V = Σv_i.
// Beyond a node x > V the terms fall at least like a geometric series of ratio e^(h(V−x)), and left of a node x < U
// with e^(h(x−U)).
//
// Proof. A step to the right multiplies g_i^(e_i) by at most e^(h·v_i), and φ by e^(−hx−h²/2).
//
// Where that takes too many nodes, log A is bounded by the means that contribute most (see crudeMean).
func gaussianMean(p interval.Prec, fs []power) interval.Interval {
	if t := newTrapezoid(p, fs); t != nil {
		if y, ok := t.logMean(); ok {
			return p.Round(y)
		}
	}
	return crudeMean(p, fs)
}

// logMean is gaussianMean by the nodes of t. It reports false if κ is not below 1.
func (t *trapezoid) logMean() (interval.Interval, bool) {
	w := t.w
	k := t.kappa()
	if k.Less(one) != interval.True {
		return interval.Interval{}, false
	}
	sum := zero
	var left, right interval.Interval
	for j := t.first; j <= t.last; j++ {
		y := t.value(j)
		sum = w.Add(sum, y)
		if j == t.first {
			left = y
		}
		right = y
	}
	sum = w.Add(sum, t.beyond(left, w.Sub(t.node(t.first), t.low)))
	sum = w.Add(sum, t.beyond(right, w.Sub(t.high, t.node(t.last))))
	// The terms lack 1/√2π; T ∈ A·[1 − κ, 1 + κ].
	logT := w.Sub(w.Log(w.Mul(sum, t.h)), w.Scale(w.Log(w.Scale(w.Pi(), 1)), -1))
	return w.Sub(logT, interval.Union(w.Log1p(k.Neg()), w.Log1p(k))), true
}

// A trapezoid holds the parameters of a sum.
type trapezoid struct {
	w           interval.Prec
	good        interval.Prec // bits that a value has to be good to
	fs          []power
	es          []interval.Interval   // the exponents
	means       [][]interval.Interval // of each blend
	logs        [][]interval.Interval // log p − µ²/2 of each mean
	low, high   interval.Interval     // U and V
	h, d        interval.Interval     // points
	first, last int64
	words       *wordTrapezoid // what value needs, in words; nil if more bits are wanted than they have
}

// newTrapezoid chooses the strip, the step and the nodes. It is nil if there would be too many. Only the width of the
// result depends on the choices.
func newTrapezoid(p interval.Prec, fs []power) *trapezoid {
	t := &trapezoid{fs: fs, w: p + 48, good: p + 16}
	t.prepare()
	lo, hi, ok := interval.Union(t.low, t.high).Rationals()
	if !ok {
		return nil
	}
	// The exponents in f are of the order V²: as many bits more are lost.
	reach := new(big.Rat).Set(hi)
	if r := new(big.Rat).Neg(lo); r.Cmp(reach) > 0 {
		reach = r
	}
	t.w += interval.Prec(2 * (floor(reach).BitLen() + 1))
	t.prepare()
	const c = interval.Prec(32)
	bits := c.Mul(interval.Int(int64(p)+16), c.Ln2()) // −log of the error wanted
	// d ≈ √(2·bits) is best for φ alone; a sector of 3 is near π, and for negative
	// powers a θ = d·s/2 with |e|·θ²/2 ≤ bits costs no more than the bits themselves.
	d := c.Sqrt(c.Scale(bits, 1))
	for i, f := range fs {
		spread := c.Round(t.spread(i))
		if spread.Positive() != interval.True {
			continue
		}
		d = interval.Min(d, c.Div(c.Rat(big.NewRat(11, 4)), spread))
		if f.e.Sign() < 0 {
			theta := c.Sqrt(c.Div(c.Scale(bits, 1), c.Rat(f.e).Abs()))
			d = interval.Min(d, c.Div(c.Scale(theta, 1), spread))
		}
	}
	d = d.Lower()
	cost := zero
	for i, f := range fs {
		if f.e.Sign() < 0 { // −log cos θ ≤ θ² for θ ≤ 11/8
			cost = c.Add(cost, c.Mul(c.Rat(f.e).Abs(), c.Sqr(c.Scale(c.Mul(d, t.spread(i)), -1))))
		}
	}
	h := c.Div(c.Mul(c.Scale(c.Pi(), 1), d), c.Add(c.Add(bits, cost), c.Scale(c.Sqr(d), -1)))
	t.d, t.h = d, interval.Point(interval.Prec(12).Round(h.Lower()).Lo())
	step, _, ok := t.h.Rationals()
	if !ok || step.Sign() <= 0 {
		return nil
	}
	margin, ok := c.Add(c.Sqrt(c.Scale(bits, 1)), one).UpperRat()
	if !ok {
		return nil
	}
	from := new(big.Rat).Quo(new(big.Rat).Sub(lo, margin), step)
	to := new(big.Rat).Quo(new(big.Rat).Add(hi, margin), step)
	n := new(big.Rat).Sub(to, from)
	if n.Cmp(big.NewRat(maxNodes, 1)) > 0 {
		return nil
	}
	t.first, t.last = floor(from).Int64(), floor(to).Int64()+1
	t.words = newWordTrapezoid(t)
	return t
}

// prepare computes what depends on the precision.
func (t *trapezoid) prepare() {
	w := t.w
	t.es, t.means, t.logs = nil, nil, nil
	t.low, t.high = zero, zero
	for _, f := range t.fs {
		e := w.Rat(f.e)
		var ms, ls []interval.Interval
		for i, m := range f.means {
			x := m(w)
			ms = append(ms, x)
			ls = append(ls, w.Sub(w.Log(w.Rat(f.probs[i])), w.Scale(w.Sqr(x), -1)))
		}
		a, b := w.Mul(e, ms[0]), w.Mul(e, ms[len(ms)-1])
		t.low, t.high = w.Add(t.low, interval.Min(a, b)), w.Add(t.high, interval.Max(a, b))
		t.es, t.means, t.logs = append(t.es, e), append(t.means, ms), append(t.logs, ls)
	}
}

// spread returns s_i.
func (t *trapezoid) spread(i int) interval.Interval {
	ms := t.means[i]
	return t.w.Sub(ms[len(ms)-1], ms[0])
}

func (t *trapezoid) node(j int64) interval.Interval { return t.w.Mul(interval.Int(j), t.h) }

// value encloses √2π·f at a node: in words where these are good enough. The working precision is higher, as that of
// exact/interval loses bits to exponents.
func (t *trapezoid) value(j int64) interval.Interval {
	if t.words != nil {
		if y := t.words.value(j, t.h); y.Good(uint(t.good)) {
			return t.w.Round(y.Interval())
		}
	}
	return t.longValue(j)
}

// longValue is value by exact/interval.
func (t *trapezoid) longValue(j int64) interval.Interval {
	w := t.w
	x := t.node(j)
	log := w.Scale(w.Sqr(x), -1).Neg()
	for i, ms := range t.means {
		terms := make([]interval.Interval, len(ms))
		for k, m := range ms {
			terms[k] = w.Add(w.Mul(m, x), t.logs[i][k])
		}
		log = w.Add(log, w.Mul(t.es[i], sumOfExps(w, terms)))
	}
	return w.Exp(log)
}

// beyond bounds the terms beyond a node with the given value, from which the ratio is at most e^(h·gap).
func (t *trapezoid) beyond(value, gap interval.Interval) interval.Interval {
	w := t.w
	r := w.Exp(w.Mul(t.h, gap))
	if r.Less(one) != interval.True {
		return interval.Bounds(zero.Lo(), interval.Entire().Hi())
	}
	return interval.Union(zero, w.Mul(value, w.Div(r, w.Sub(one, r))))
}

// kappa encloses κ from above: c_i = cos(θ/2) ≥ 1 − θ²/8 + θ⁴/384 − θ⁶/46080, θ = d·s_i,
// and the series alternates with falling terms for θ ≤ π. It is ∞ if d is too large.
func (t *trapezoid) kappa() interval.Interval {
	w := t.w
	logB := w.Scale(w.Sqr(t.d), -1)
	for i, e := range t.es {
		theta := w.Mul(t.d, t.spread(i))
		if theta.LessRat(big.NewRat(3, 1)) != interval.True {
			return interval.Entire()
		}
		if t.fs[i].e.Sign() < 0 {
			y := w.Scale(w.Sqr(theta), -2) // (θ/2)²
			c := w.Sub(one, w.Mul(w.Scale(y, -1), w.Sub(one, w.Mul(w.Div(y, interval.Int(12)),
				w.Sub(one, w.Div(y, interval.Int(30)))))))
			if c.Positive() != interval.True {
				return interval.Entire()
			}
			logB = w.Add(logB, w.Mul(e, w.Log(c)))
		}
	}
	turn := w.Div(w.Scale(w.Mul(w.Pi(), t.d), 1), t.h)
	return w.Scale(w.Exp(w.Sub(logB, turn)).AtLeastZero(), 2) // 1/(e^y − 1) ≤ 2e^(−y) for y ≥ log 2
}

// crudeMean bounds log M, M = E[g^α·h^(1−α)] for X ~ N(0, 1), g = Σ p_i·e^(µ_i·X − µ_i²/2) and h = Σ q_j·e^(ν_j·X −
// ν_j²/2). A power alone has 1 for the other. Between the orders 0 and 1 it is M ≤ 1, by Hölder's inequality. For α ≥
// 1 it is M ≥ 1, by Jensen's, and for each i and k, with a_i = µ_i − ν_k,
//
//	p_i^α·e^(α(α−1)a_i²/2)·(Σ_j q_j·e^(α·a_i·(ν_j − ν_k)))^(1−α) ≤ M ≤ q_k^(1−α)·(Σ_i p_i·e^((α−1)a_i²/2))^α.
//
// Proof. M is an integral over two densities, and is not changed if all means move by −ν_k. So let ν_k be 0. Below, g ≥
// p_i·e^(µ_i·X − µ_i²/2); the power α of e^(µX − µ²/2) is e^(α(α−1)µ²/2) times the density of N(αµ, 1), where h has
// the mean Σ_j q_j·e^(αµν_j), and t^(1−α) is convex. Above, h ≥ q_k, and by Minkowski's inequality the α-norm of g is
// at most the sum of those of its terms, which are p_i·e^((α−1)µ_i²/2). ∎
//
// At high orders one i and one k decide, and the bounds meet but for what the others contribute.
func crudeMean(p interval.Prec, fs []power) interval.Interval {
	g, h, alpha := fs[0].blend, standard, fs[0].e
	if len(fs) > 1 { // of the exponent 1 − α
		h = fs[1].blend
	}
	if alpha.Sign() < 0 {
		g, h, alpha = h, g, new(big.Rat).Neg(minusOne(alpha))
	}
	if alpha.Cmp(ratOne) < 0 {
		return interval.Bounds(interval.Entire().Lo(), zero.Hi())
	}
	a, b := p.Rat(alpha), p.Rat(minusOne(alpha))
	lo, hi := zero, interval.Entire()
	for k, origin := range h.means {
		at := func(m interval.Real) interval.Interval { return p.Sub(m(p), origin(p)) }
		norms := make([]interval.Interval, len(g.means))
		for i, m := range g.means {
			norms[i] = p.Add(p.Log(p.Rat(g.probs[i])), p.Scale(p.Mul(b, p.Sqr(at(m))), -1))
			tilted := make([]interval.Interval, len(h.means))
			for j, nu := range h.means {
				tilted[j] = p.Add(p.Log(p.Rat(h.probs[j])), p.Mul(a, p.Mul(at(m), at(nu))))
			}
			lo = interval.Max(lo, p.Sub(p.Mul(a, norms[i]), p.Mul(b, sumOfExps(p, tilted))))
		}
		hi = interval.Min(hi, p.Sub(p.Mul(a, sumOfExps(p, norms)), p.Mul(b, p.Log(p.Rat(h.probs[k])))))
	}
	return interval.Bounds(lo.Lo(), hi.Hi())
}

// standard is N(0, 1) itself.
var standard = blend{[]interval.Real{interval.RealRat(new(big.Rat))}, []*big.Rat{ratOne}}

// sumOfExps encloses the logarithm of Σ e^(terms), which it sorts: the largest one is taken out, so that nothing
// overflows.
func sumOfExps(p interval.Prec, terms []interval.Interval) interval.Interval {
	slices.SortFunc(terms, func(x, y interval.Interval) int { return y.Hi().Cmp(x.Hi()) })
	sum := zero
	for _, x := range terms[1:] {
		sum = p.Add(sum, p.Exp(p.Sub(x, terms[0])))
	}
	return p.Add(terms[0], p.Log1p(sum))
}
