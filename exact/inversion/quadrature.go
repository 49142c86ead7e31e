// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A quadrature is a sum Σ_k weight_k·e^{−itL_k} with an upper bound of its
// distance from M(−λ + it), for all |t| ≤ the t that it was made for.
type quadrature struct {
	weights, losses []interval.Interval
	err             interval.Interval
}

// newQuadrature returns a trapezoidal rule at λ for |t| ≤ t, whose error is about 2^−p of M(−λ).
// It reports false if there is none of moderate size.
//
// Strip bound. Let f = φ·A^{1−s}·B^s at s = −λ + it and 0 < b < π/(2·max|m_i|) over the means of A
// and B. In |Im z| ≤ b each term of A and of B has an argument in (−π/2, π/2), so A and B
// lie in the right half plane, their principal powers are analytic, and so is f. It falls
// like φ as |Re z| → ∞. For a step η,
//
//	η·Σ_k f(kη) − ∫ f dx = ∫ f(x + ib)/(e^{−2πi(x+ib)/η} − 1) dx + ∫ f(x − ib)/(e^{2πi(x−ib)/η} − 1) dx
//
// (residues of 1/(e^{∓2πiz/η} − 1) at kη; ∫ f(x ± ib) dx = ∫ f(x) dx), and the denominators
// are at least e^{2πb/η} − 1 in modulus. With θ_A, θ_B the arguments at x ± ib,
//
//	|f(x ± ib)| = φ(x)·e^{b²/2}·|A|^{1+λ}·|B|^{−λ}·e^{t(θ_A − θ_B)}
//	           ≤ φ(x)·e^{b²/2}·A(x)^{1+λ}·B_b(x)^{−λ}·e^{|t|(Θ_A + Θ_B)},
//
// where |A(x ± ib)| ≤ A(x), |B(x ± ib)| ≥ Re B(x ± ib) = B_b(x), the terms of B times cos(m_i·b), and
//
//	|θ_A| ≤ min(b·max|m_i|, Im A/Re A) ≤ Θ_A = min(b·max|m_i|, Σ a_i·|sin m_i·b| / Σ a_i·cos m_i·b).
//
// So the error is at most 2N/(e^{2πb/η} − 1) with N the integral of that bound, which is
// bounded cell by cell: terms of A and B are monotone in x, and φ is largest at the end
// next to 0. Outside of the cells, from x₁ > R = right of reach on, the slope of the
// logarithm of φ·A^{1+λ}·B_b^{−λ} is at most R − x (B_b′/B_b is also a mean of B's means), so
// that the integral is at most its value at x₁ over x₁ − R, with e^{|t|(Θ_A + Θ_B)} at its
// largest; on the left the same holds with leftReach at the last cell's end.
//
// Where A = 1 and no mean of B is below 0, t may be so large that the largest Θ_B is no good, which rare samples come to at x only that never occur.
// With S = Σ b_i·sin m_i·b and C = B_b = Σ b_i·cos m_i·b, whose derivatives S′ and C′ multiply terms by m_i ≥ 0,
//
//	(|t|·S/C − λ·log C)′ = (|t|·S′ − |t|·S·C′/C − λ·C′)/C ≤ (|t|·S′ − λ·C′)/C ≤ 0  if |t|·sin m_i·b ≤ λ·cos m_i·b for all i,
//
// and S/C at x₁ does for all x ≥ x₁.
//
// Cut. The terms of the sum fall beyond R, so those after x₁ add at most
// ∫_{x₁}^∞ ≤ φ·A^{1+λ}·B^{−λ}(x₁)/(x₁ − R), and the same on the left.
func (m *mixture) newQuadrature(p interval.Prec, lambda *big.Rat, t float64) (quadrature, bool) {
	w, step, bound, ok := m.chooseRule(p, lambda, t)
	if !ok {
		return quadrature{}, false
	}
	return m.nodes(p, lambda, step, bound, w), true
}

// chooseRule returns the window and the step of a trapezoidal rule, and a bound of its error
// but for the cut.
func (m *mixture) chooseRule(p interval.Prec, lambda *big.Rat, t float64) (w window, step float64, bound interval.Interval, ok bool) {
	w, ok = m.window(lambda, int(p)+16)
	if !ok {
		return w, 0, bound, false
	}
	means := double.Max(meanRange(m.roughA).Abs(), meanRange(m.roughB).Abs()).Hi
	widest := math.Pi * (31.0 / 64) / means
	wide, ok := m.steepWindow(lambda, int(p)+16, t*widest*means+turned*float64Of(lambda))
	if !ok {
		return w, 0, bound, false
	}
	s := m.newStrip(lambda, wide)
	target := float64(p+8) * math.Ln2
	best := 0.0 // the strip of step
	for i := range 16 {
		b := math.Ldexp(widest*float64(4-i%2)/4, -i/2)
		h := 2 * math.Pi * b / (target + double.Log64(s.bound(t, b).Hi))
		if step < h {
			best, step = b, roundDown(h)
		} else if 2*h < step {
			break // ever narrower strips need ever finer steps
		}
	}
	const most = 1 << 15 // nodes
	if !(step > 64.0/most) {
		return w, 0, bound, false
	}
	return w, step, s.err(t, best, step), true
}

// turned is at least −log cos(π/4), what moved lines lose of log B outside of the cells.
const turned = 0.35

// roundDown returns a number of 6 bits below h > 0.
func roundDown(h float64) float64 {
	m, e := math.Frexp(h)
	return math.Ldexp(math.Floor(m*64)/64, e)
}

// A strip bounds N of newQuadrature at λ, in units of e^peak/√(2π).
type strip struct {
	*mixture
	lambda double.Interval
	window
	cells, ends []stripCell
}

// A stripCell has what the bound on a cell is made of: a bound of log(√(2π)·φ·A^{1+λ}), less peak,
// and the terms of A and B on it, the terms of B divided by e^shift.
type stripCell struct {
	log    double.Interval
	a, b   []double.Interval
	shift  double.Interval
	beyond double.Interval // of ends: x₁ − R
}

func (m *mixture) newStrip(lambda *big.Rat, w window) *strip {
	s := &strip{mixture: m, lambda: double.Of(coarse.Rat(lambda)), window: w}
	_, right := m.reach(s.lambda)
	power := double.Int(1).Add(s.lambda)
	bounds := func(a0, a1, b0, b1 []double.Interval, x2, beyond double.Interval) stripCell {
		shiftA, shiftB := greatest(a0, a1), greatest(b0, b1)
		a := unions(scaled(a0, shiftA), scaled(a1, shiftA))
		log := power.Mul(total(a).Log().Add(double.Point(shiftA)))
		log = log.Sub(x2.Half()).Sub(double.Point(w.peak))
		return stripCell{log, a, unions(scaled(b0, shiftB), scaled(b1, shiftB)), double.Point(shiftB), beyond.AtLeastZero()}
	}
	var a0, b0 []double.Interval
	for i := w.first; i <= w.last; i++ {
		x := double.Point(point(i))
		a1, b1 := exponents(m.roughA, x), exponents(m.roughB, x)
		if i == w.first {
			s.ends = append(s.ends, bounds(a1, a1, b1, b1, x.Sqr(), x.Neg().Sub(double.Point(m.leftReach(s.lambda, x)))))
		} else {
			x2 := double.Min(x.Sqr(), double.Point(point(i-1)).Sqr()) // 0 is a row
			s.cells = append(s.cells, bounds(a0, a1, b0, b1, x2, double.Interval{}))
		}
		if i == w.last {
			s.ends = append(s.ends, bounds(a1, a1, b1, b1, x.Sqr(), x.Sub(double.Point(right))))
		}
		a0, b0 = a1, b1
	}
	return s
}

// rising reports whether no mean is below 0: Im A/Re A and Im B/Re B at x + ib, weighted means of tan m_i·b with weights a_i·cos m_i·b, rise with x
// then, and the ones at the left end bound all beyond.
func (m *mixture) rising() bool { return meanRange(m.roughA).Lo >= 0 && meanRange(m.roughB).Lo >= 0 }

// settled reports whether B_b^−λ falls on the right at least as fast as e^{|t|·Θ_B} rises for |t| ≤ t, and A = 1.
func (s *strip) settled(t float64, cosB, sinB []double.Interval) bool {
	if meanRange(s.roughA).Abs().Hi > 0 || meanRange(s.roughB).Lo < 0 {
		return false
	}
	for i, cos := range cosB {
		if !(double.Point(t).Mul(sinB[i]).Hi <= s.lambda.Mul(cos).Lo) {
			return false
		}
	}
	return true
}

// bound encloses a bound of N for the strip |Im z| ≤ b and |t| ≤ t.
func (s *strip) bound(t, b float64) double.Interval {
	at := double.Point(b)
	cosA, sinA := circle(s.roughA, at)
	cosB, sinB := circle(s.roughB, at)
	most := at.Mul(meanRange(s.roughA).Abs().Upper().Add(meanRange(s.roughB).Abs().Upper())) // ≥ Θ_A + Θ_B
	value := func(c stripCell, real, turn double.Interval) double.Interval {
		y := c.log.Sub(s.lambda.Mul(real.Log().Add(c.shift)))
		return y.Add(double.Point(t).Mul(turn)).Exp().Upper()
	}
	var sum double.Interval
	for _, c := range s.cells {
		real := dot(c.b, cosB)
		turn := dot(c.a, sinA).Div(dot(c.a, cosA)).Add(dot(c.b, sinB).Div(real))
		sum = sum.Add(value(c, real, double.Min(most, turn)))
	}
	sum = sum.Div(double.Int(tableStep))
	for i, c := range s.ends {
		turn := most
		if i == 0 && s.rising() || i == 1 && s.settled(t, cosB, sinB) {
			turn = double.Min(most, dot(c.a, sinA).Div(dot(c.a, cosA)).Add(dot(c.b, sinB).Div(dot(c.b, cosB))))
		}
		sum = sum.Add(value(c, dot(c.b, cosB), turn).Div(c.beyond)) // everything, if that may be 0
	}
	return sum.Mul(at.Sqr().Half().Exp())
}

// err bounds 2N/(e^{2πb/η} − 1).
func (s *strip) err(t, b, step float64) interval.Interval {
	n := upper(coarse.Mul(s.bound(t, b).Exact(), scaleOf(s.peak)))
	c := coarse.Mul(coarse.Scale(coarse.Pi(), 1), double.Point(b).Exact())
	return upper(coarse.Div(coarse.Scale(n, 1), coarse.Expm1(coarse.Div(c, double.Point(step).Exact()))))
}

// scaleOf encloses e^peak/√(2π).
func scaleOf(peak float64) interval.Interval {
	return coarse.Div(coarse.Exp(double.Point(peak).Exact()), rootTwoPi(coarse))
}

// circle returns cos(m_i·b) and |sin(m_i·b)|.
func circle(cs []roughComponent, b double.Interval) (cos, sin []double.Interval) {
	for _, c := range cs {
		x, y := c.mean.Mul(b).Cis()
		cos, sin = append(cos, x), append(sin, y.Abs())
	}
	return cos, sin
}

// rootTwoPi encloses √(2π).
func rootTwoPi(p interval.Prec) interval.Interval { return p.Sqrt(p.Scale(p.Pi(), 1)) }

// logWeight encloses log(√(2π)·φ·A^{1+λ}·B^{−λ}) at x, from log A and log B.
func logWeight(p interval.Prec, lambda, x, la, lb interval.Interval) interval.Interval {
	y := p.Sub(p.Mul(p.Add(lambda, one), la), p.Mul(lambda, lb))
	return p.Sub(y, p.Scale(p.Sqr(x), -1))
}

// A walk encloses log Σ p_i·e^{m_i·x − m_i²/2} at the points iη one after the other: the terms are
// carried from one point to the next by e^{m_i·η}, and made anew before they get wide.
type walk struct {
	p     interval.Prec
	cs    []component
	step  interval.Interval
	means []interval.Interval
	terms []interval.Interval
	grow  []interval.Interval
	left  int // steps until they are made anew
}

func newWalk(p interval.Prec, cs []component, step interval.Interval) *walk {
	w := &walk{p: p, cs: cs, step: step, terms: make([]interval.Interval, len(cs))}
	for _, c := range cs {
		mean := c.mean(p)
		w.means, w.grow = append(w.means, mean), append(w.grow, p.Exp(p.Mul(mean, step)))
	}
	return w
}

// at is to be called with consecutive i.
func (w *walk) at(i int64) interval.Interval {
	const fresh = 64
	if len(w.cs) == 1 && w.means[0].IsZero() {
		return interval.Int(0) // of probability 1
	}
	p := w.p
	x := p.Mul(interval.Int(i), w.step)
	sum := interval.Int(0)
	for k, c := range w.cs {
		if w.left == 0 {
			w.terms[k] = p.Mul(p.Rat(c.prob), p.Exp(p.Mul(w.means[k], p.Sub(x, p.Scale(w.means[k], -1)))))
		} else {
			w.terms[k] = p.Mul(w.terms[k], w.grow[k])
		}
		sum = p.Add(sum, w.terms[k])
	}
	if w.left--; w.left < 0 {
		w.left = fresh
	}
	return p.Log(sum)
}

// nodes lays the rule with the given step over the rows of a window.
func (m *mixture) nodes(p interval.Prec, lambda *big.Rat, step float64, bound interval.Interval, win window) quadrature {
	w := p + 48
	lw, eta := w.Rat(lambda), double.Point(step).Exact()
	q := quadrature{err: bound}
	scale := w.Div(eta, rootTwoPi(w))
	var low, high interval.Interval // log-weights at the two outermost nodes
	i0, i1 := int64(math.Ceil(point(win.first)/step)), int64(math.Ceil(point(win.last)/step))
	a, b := newWalk(w, m.a, eta), newWalk(w, m.b, eta)
	for i := i0 - 1; i <= i1; i++ {
		x := w.Mul(interval.Int(i), eta)
		la, lb := a.at(i), b.at(i)
		lg := logWeight(w, lw, x, la, lb)
		q.weights = append(q.weights, w.Mul(scale, w.Exp(lg)))
		q.losses = append(q.losses, w.Sub(la, lb))
		if i < i0 {
			low = lg
		}
		high = lg
	}
	before := double.Int(i0 - 1).Mul(double.Point(step))
	l := double.Of(coarse.Rat(lambda))
	_, right := m.reach(l)
	q.err = upper(coarse.Add(q.err, coarse.Add(
		tail(low, before.Neg(), m.leftReach(l, before)), tail(high, double.Int(i1).Mul(double.Point(step)), right))))
	return q
}

// tail bounds what is cut off after a node at ±x, from the log-weight there. It is infinite
// unless x is beyond reach.
func tail(log interval.Interval, x double.Interval, reach float64) interval.Interval {
	d := x.Sub(double.Point(reach))
	if !(d.Lo > 0) {
		return infinity()
	}
	return upper(coarse.Div(coarse.Exp(log), coarse.Mul(rootTwoPi(coarse), d.Exact())))
}

// rough is the precision up to which double precision does.
const rough = interval.Prec(30)

func (m *mixture) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	everything := interval.Bounds(new(big.Float), infinity().Hi())
	if p <= rough {
		q, ok := m.roughQuadrature(lambda, 0)
		if !ok {
			return everything
		}
		return coarse.Mul(q.moment().Exact(), q.unit).AtLeastZero()
	}
	q, ok := m.newQuadrature(p, lambda, 0)
	if !ok {
		return everything
	}
	return q.moment(p)
}

// moment encloses M(−λ).
func (q quadrature) moment(p interval.Prec) interval.Interval {
	y := interval.Int(0)
	for _, x := range q.weights {
		y = (p + 16).Add(y, x)
	}
	return p.Add(y, interval.Union(q.err.Neg(), q.err)).AtLeastZero()
}

func (m *mixture) line(ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int) ([]interval.Complex, error) {
	if q, ok := m.newQuadrature(p, lambda, double.Of(h).Mul(double.Int(int64(n))).Hi); ok {
		return q.line(ctx, p, h, n)
	}
	const most = 1 << 18 // products
	if plan, ok := m.planMoved(p, lambda); ok && plan.nodes()*float64(n+1) < most {
		return m.newMoved(p+16, lambda, plan).line(ctx, p, h, n)
	}
	return nil, nil
}

// line encloses M(−λ + ijh), j = 0 … n; nil if that costs too much.
func (q quadrature) line(ctx context.Context, p interval.Prec, h interval.Interval, n int) ([]interval.Complex, error) {
	if len(q.losses)*(n+1) > min(1<<29, 1<<26*int(p)/110)/(int(p)/16+1) { // products of words
		return nil, nil
	}
	w := p + 48
	theta := make([]interval.Interval, len(q.losses))
	for k, l := range q.losses {
		theta[k] = w.Mul(h, l)
	}
	out, err := exponentialSum(ctx, p, q.weights, theta, n)
	e := interval.Union(q.err.Neg(), q.err)
	disc := interval.Complex{Re: e, Im: e}
	for j := range out {
		out[j] = p.AddC(out[j], disc)
	}
	return out, err
}
