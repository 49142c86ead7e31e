// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/fall"
	"dpverify/exact/quadrature"
)

// newQuadrature returns a trapezoidal rule at λ for |t| ≤ t, whose error is about 2^−p of M(−λ).
// It reports false if there is none of moderate size.
//
// Strip. Let f = φ·A^{1−s}·B^s at s = −λ + it, and 0 < b < π/(2·max|m_i|) over the means of A and B.
//
//	Im z = b   ─────────────────────────   each term of A and B has an argument in (−π/2, π/2)
//	Im z = 0   ──•──•──•──•──•──•──•──•─   nodes kη, between lines on which f is small
//	Im z = −b  ─────────────────────────
//
// In |Im z| ≤ b, A and B lie in the right half plane.
// Their principal powers are analytic there, and so is f, which falls like φ as |Re z| → ∞.
//
// Claim. With N the integral over x of
//
//	φ(x)·e^{b²/2}·A(x)^{1+λ}·B_b(x)^{−λ}·e^{|t|(Θ_A + Θ_B)},
//
// where B_b has the terms of B times cos(m_i·b), and
//
//	Θ_A = min(b·max|m_i|, Σ a_i·|sin m_i·b| / Σ a_i·cos m_i·b),  Θ_B likewise,
//
// the rule is off by at most 2N/(e^{2πb/η} − 1).
//
// Proof. By the residues of 1/(e^{∓2πiz/η} − 1) at kη, and as ∫ f(x ± ib) dx = ∫ f(x) dx,
//
//	η·Σ_k f(kη) − ∫ f dx = ∫ f(x + ib)/(e^{−2πi(x+ib)/η} − 1) dx + ∫ f(x − ib)/(e^{2πi(x−ib)/η} − 1) dx.
//
// The denominators are at least e^{2πb/η} − 1 in modulus. With θ_A, θ_B the arguments at x ± ib,
//
//	|f(x ± ib)| = φ(x)·e^{b²/2}·|A|^{1+λ}·|B|^{−λ}·e^{t(θ_A − θ_B)}.
//
// Here |A(x ± ib)| ≤ A(x), |B(x ± ib)| ≥ Re B(x ± ib) = B_b(x), and |θ_A| ≤ min(b·max|m_i|, |Im A|/Re A) ≤ Θ_A.
//
// Cells. N is bounded cell by cell: terms of A and B are monotone in x, and φ is largest at the end next to 0.
//
// Beyond the cells. Let x₁ be the end of the last cell, and R < x₁ the right of reach.
// From x₁ on, the slope of log(φ·A^{1+λ}·B_b^{−λ}) is at most R − x, as B_b′/B_b is also a mean of B's means.
// So the integral is at most its integrand at x₁ over x₁ − R, with e^{|t|(Θ_A + Θ_B)} at its largest.
// On the left the same holds with leftReach at the end of the first cell.
//
// Large t. Rare samples reach the largest Θ_B only at x that never occur, and for large t that bound is useless.
// Let A = 1, let no mean of B be below 0, and |t|·sin m_i·b ≤ λ·cos m_i·b for all i.
// Then e^{|t|·S/C} at x₁ suffices for all x ≥ x₁, where S = Σ b_i·sin m_i·b and C = B_b = Σ b_i·cos m_i·b:
//
//	(|t|·S/C − λ·log C)′ = (|t|·S′ − |t|·S·C′/C − λ·C′)/C ≤ (|t|·S′ − λ·C′)/C ≤ 0,
//
// because S′ and C′ multiply terms by m_i ≥ 0.
//
// Thinned mixtures. Where x₁ − R exceeds |t| times turnSlope, the difference bounds the slope of the integrand with
// e^{|t|·(S_A/C_A + S_B/C_B)}, which thus suffices at x₁. The same holds on the left.
//
// Cut. The terms of the sum fall beyond R.
// So those after x₁ add at most ∫_{x₁}^∞ ≤ φ·A^{1+λ}·B^{−λ}(x₁)/(x₁ − R), and the same on the left.
func (m *mixture) newQuadrature(p interval.Prec, lambda *big.Rat, t float64) (quadrature.Rule, bool) {
	w, step, bound, ok := m.chooseRule(p, lambda, t)
	if !ok {
		return quadrature.Rule{}, false
	}
	return m.nodes(p, lambda, step, bound, w), true
}

// chooseRule returns the window and the step of a trapezoidal rule, and a bound of its error except for the cut.
func (m *mixture) chooseRule(
	p interval.Prec, lambda *big.Rat, t float64,
) (w window, step float64, bound interval.Interval, ok bool) {
	w, ok = m.window(lambda, int(p)+16)
	if !ok {
		return w, 0, bound, false
	}
	means := double.Max(meanRange(m.doubleA).Abs(), meanRange(m.doubleB).Abs()).Hi
	widest := math.Pi * (31.0 / 64) / max(means, m.thinning.Turning()/2)
	wide, ok := m.widerWindow(lambda, int(p)+16, t*widest*means+bisectorLoss*float64Of(lambda))
	if !ok {
		return w, 0, bound, false
	}
	wide = m.beyondTurns(wide, lambda, t, widest)
	s := m.newStrip(lambda, wide)
	target := float64(p+8) * math.Ln2
	b, guess := chooseStrip(target, widest, func(b float64) float64 { return s.about(t, b) })
	stepOf := func(bound double.Interval) float64 { return 2 * math.Pi * b / (target + double.Log64(bound.Hi)) }
	n := s.bound(t, b)
	const good = 0.9
	if !(stepOf(n) > good*guess) { // some of the cells say too little about all
		b, _ = chooseStrip(target, widest, func(b float64) float64 { return s.bound(t, b).Hi })
		n = s.bound(t, b)
	}
	step = roundDown(stepOf(n))
	if !(step > 64.0/maxStripNodes) {
		return w, 0, bound, false
	}
	return w, step, s.err(n, b, step), true
}

// maxStripNodes bounds the nodes of a rule.
const maxStripNodes = 1 << 15

// bisectorLoss is at least −log cos(π/4): on shifted lines, log B is smaller by at most that beyond the cells.
const bisectorLoss = 0.35

// roundDown returns a number of 6 bits at or below h > 0.
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

// A stripCell holds the numbers from which the bound on a cell is made.
// log bounds log(√(2π)·φ·A^{1+λ}), less peak. a and b are the terms of A and of B, b divided by e^shift.
type stripCell struct {
	log       double.Interval
	a, b      []double.Interval
	shift     double.Interval
	clearance double.Interval // of ends: x₁ − R
}

// newStrip lays cells over the rows of a window.
func (m *mixture) newStrip(lambda *big.Rat, w window) *strip {
	s := &strip{mixture: m, lambda: double.Of(coarse.Rat(lambda)), window: w}
	power := double.Int(1).Add(s.lambda)
	bounds := func(a0, a1, b0, b1 []double.Interval, x2, thinned, clearance double.Interval) stripCell {
		shiftA, shiftB := double.Greatest(a0, a1), double.Greatest(b0, b1)
		a := double.Unions(double.Exps(a0, shiftA), double.Exps(a1, shiftA))
		log := power.Mul(double.Sum(a).Log().Add(double.Point(shiftA)))
		log = log.Sub(x2.Half()).Sub(double.Point(w.peak)).Sub(thinned)
		b := double.Unions(double.Exps(b0, shiftB), double.Exps(b1, shiftB))
		return stripCell{log, a, b, double.Point(shiftB), clearance.AtLeastZero()}
	}
	var a0, b0 []double.Interval
	var before double.Interval // thinned at the row before
	for i := w.first; i <= w.last; i++ {
		x := double.Point(point(i))
		thinned := m.thinning.Exponent(x).Half().Lower()
		a1, b1 := exponents(m.doubleA, x), exponents(m.doubleB, x)
		if i == w.first {
			clearance := x.Neg().Sub(double.Point(m.leftReach(s.lambda, x)))
			s.ends = append(s.ends, bounds(a1, a1, b1, b1, x.Sqr(), thinned, clearance))
		} else {
			x2 := double.Min(x.Sqr(), double.Point(point(i-1)).Sqr()) // 0 is a row
			s.cells = append(s.cells, bounds(a0, a1, b0, b1, x2, double.Min(before, thinned), double.Interval{}))
		}
		if i == w.last {
			s.ends = append(s.ends, bounds(a1, a1, b1, b1, x.Sqr(), thinned,
				x.Sub(double.Point(m.rightReach(s.lambda, x)))))
		}
		a0, b0, before = a1, b1, thinned
	}
	return s
}

// turnsMoreOnRight reports whether no mean is below 0.
// Then Im A/Re A and Im B/Re B at x + ib rise with x.
// They are means of tan m_i·b with weights a_i·cos m_i·b, which move to larger m_i.
// So the left end bounds all beyond it.
func (m *mixture) turnsMoreOnRight() bool {
	return meanRange(m.doubleA).Lo >= 0 && meanRange(m.doubleB).Lo >= 0
}

// fallsOnRight reports whether A = 1 and B_b^−λ falls on the right at least as fast as e^{|t|·Θ_B} rises, for |t| ≤ t.
func (s *strip) fallsOnRight(t float64, cosB, sinB []double.Interval) bool {
	if meanRange(s.doubleA).Abs().Hi > 0 || meanRange(s.doubleB).Lo < 0 {
		return false
	}
	for i, cos := range cosB {
		if !(double.Point(t).Mul(sinB[i]).Hi <= s.lambda.Mul(cos).Lo) {
			return false
		}
	}
	return true
}

// turnSlope bounds the slopes of S_A/C_A + S_B/C_B at x + ib.
//
// Each is a mean of |tan m_i·b| with weights ∝ a_i·cos m_i·b, and its slope is the covariance of m_i and |tan m_i·b|:
// at most a quarter of the product of their ranges (Grüss).
func (m *mixture) turnSlope(b double.Interval) (sum double.Interval) {
	for _, cs := range [][]doubleComponent{m.doubleA, m.doubleB} {
		r := meanRange(cs)
		cos, sin := r.Abs().Upper().Mul(b).Cis()
		tan := sin.Div(cos.Lower().AtLeastZero()).Upper()
		sum = sum.Add(double.Point(r.Hi).Sub(double.Point(r.Lo)).Mul(tan).Half().Half())
	}
	return sum.Upper()
}

// bound encloses a bound of N for the strip |Im z| ≤ b and |t| ≤ t.
func (s *strip) bound(t, b float64) double.Interval {
	at := double.Point(b)
	cosA, sinA := circle(s.doubleA, at)
	cosB, sinB := circle(s.doubleB, at)
	maxTurn := s.maxTurn(at)
	var sum double.Interval
	for _, c := range s.cells {
		real := double.Dot(c.b, cosB)
		turn := double.Dot(c.a, sinA).Div(double.Dot(c.a, cosA)).Add(double.Dot(c.b, sinB).Div(real))
		sum = sum.Add(s.value(c, real, t, double.Min(maxTurn, turn)))
	}
	sum = sum.Div(double.Int(tableStep)).Add(s.beyond(t, b))
	return sum.Mul(at.Sqr().Half().Exp())
}

// beyond is the part of bound that is beyond the cells, without e^{b²/2}.
func (s *strip) beyond(t, b float64) (sum double.Interval) {
	at := double.Point(b)
	cosA, sinA := circle(s.doubleA, at)
	cosB, sinB := circle(s.doubleB, at)
	maxTurn := s.maxTurn(at)
	for i, c := range s.ends {
		turn, clearance := maxTurn, c.clearance
		within := i == 0 && s.turnsMoreOnRight() || i == 1 && s.fallsOnRight(t, cosB, sinB)
		if !within && s.thinning.Thins() {
			clearance = clearance.Sub(double.Point(t).Mul(s.turnSlope(at))).AtLeastZero()
			within = true
		}
		if within {
			tangents := double.Dot(c.a, sinA).Div(double.Dot(c.a, cosA)).Add(double.Dot(c.b,
				sinB).Div(double.Dot(c.b, cosB)))
			turn = double.Min(maxTurn, tangents)
		}
		// It is infinite if the clearance may be 0.
		sum = sum.Add(s.value(c, double.Dot(c.b, cosB), t, turn).Div(clearance))
	}
	return sum
}

// maxTurn is at least Θ_A + Θ_B.
func (s *strip) maxTurn(b double.Interval) double.Interval {
	return b.Mul(meanRange(s.doubleA).Abs().Upper().Add(meanRange(s.doubleB).Abs().Upper()))
}

// value bounds the integrand of N without e^{b²/2} on a cell, where B_b is real·e^shift and turn is at least Θ_A + Θ_B.
func (s *strip) value(c stripCell, real double.Interval, t float64, turn double.Interval) double.Interval {
	y := c.log.Sub(s.lambda.Mul(real.Log().Add(c.shift)))
	return y.Add(double.Point(t).Mul(turn)).Exp().Upper()
}

// err bounds 2N/(e^{2πb/η} − 1) by the bound of N for b.
func (s *strip) err(bound double.Interval, b, step float64) interval.Interval {
	n := upper(coarse.Mul(bound.Exact(), scaleOf(s.peak)))
	c := coarse.Mul(coarse.Scale(coarse.Pi(), 1), double.Point(b).Exact())
	return upper(coarse.Div(coarse.Scale(n, 1), coarse.Expm1(coarse.Div(c, double.Point(step).Exact()))))
}

// scaleOf encloses e^peak/√(2π).
func scaleOf(peak float64) interval.Interval {
	return coarse.Div(coarse.Exp(double.Point(peak).Exact()), rootTwoPi(coarse))
}

// circle returns cos(m_i·b) and |sin(m_i·b)|.
func circle(cs []doubleComponent, b double.Interval) (cos, sin []double.Interval) {
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

// A walk encloses log Σ p_i·e^{m_i·x − m_i²/2} at the points iη, one after the other.
// The terms are carried from one point to the next by e^{m_i·η}, and made anew before they get wide.
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

// at encloses the logarithm at iη. It is to be called with consecutive i.
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

// nodes lays a rule of the given step over the rows of a window.
func (m *mixture) nodes(
	p interval.Prec, lambda *big.Rat, step float64, bound interval.Interval, win window,
) quadrature.Rule {
	w := p + 48
	lw, eta := w.Rat(lambda), double.Point(step).Exact()
	q := quadrature.Rule{Err: bound}
	scale := w.Div(eta, rootTwoPi(w))
	var low, high interval.Interval // log-weights at the two outermost nodes
	i0, i1 := int64(math.Ceil(point(win.first)/step)), int64(math.Ceil(point(win.last)/step))
	a, b := newWalk(w, m.a, eta), newWalk(w, m.b, eta)
	for i := i0 - 1; i <= i1; i++ {
		x := w.Mul(interval.Int(i), eta)
		la, lb := a.at(i), b.at(i)
		lg := logWeight(w, lw, x, la, lb)
		if m.thinning.Thins() {
			lg = w.Sub(lg, m.thinning.ExponentC(w, interval.Complex{Re: x}).Re)
		}
		q.Weights = append(q.Weights, w.Mul(scale, w.Exp(lg)))
		q.Losses = append(q.Losses, w.Sub(la, lb))
		if i < i0 {
			low = lg
		}
		high = lg
	}
	before := double.Int(i0 - 1).Mul(double.Point(step))
	l := double.Of(coarse.Rat(lambda))
	after := double.Int(i1).Mul(double.Point(step))
	q.Err = upper(coarse.Add(q.Err, coarse.Add(
		tail(low, before.Neg(), m.leftReach(l, before)), tail(high, after, m.rightReach(l, after)))))
	return q
}

// tail bounds the terms that are cut off after a node at ±x, from the log-weight there.
// It is infinite unless x is beyond reach.
func tail(log interval.Interval, x double.Interval, reach float64) interval.Interval {
	d := x.Sub(double.Point(reach))
	if !(d.Lo > 0) {
		return infinity()
	}
	return upper(coarse.Div(coarse.Exp(log), coarse.Mul(rootTwoPi(coarse), d.Exact())))
}

// doublePrec is the precision up to which double precision suffices.
const doublePrec = interval.Prec(30)

func (m *mixture) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	everything := interval.Bounds(new(big.Float), infinity().Hi())
	if p <= doublePrec {
		if y, ok := m.quickMoment(lambda); ok {
			return y
		}
		q, ok := m.doubleQuadrature(lambda, 0)
		if !ok {
			return everything
		}
		return coarse.Mul(q.AtZero().Exact(), q.Unit).AtLeastZero()
	}
	q, ok := m.newQuadrature(p, lambda, 0)
	if !ok {
		return everything
	}
	return q.AtZero(p)
}

// quickMoment encloses M(−λ) by a rule whose error needs no cells. It reports false if the rule has too many nodes.
func (m *mixture) quickMoment(lambda *big.Rat) (y interval.Interval, ok bool) {
	const most = 512 // nodes
	w, ok := m.window(lambda, int(doublePrec)+16)
	b, step := m.chooseMomentRule(lambda)
	if !ok || !(w.nodes(step) <= most) {
		return y, false
	}
	return m.momentBy(lambda, w, b, step)
}

// momentBy encloses M(−λ) by ruleBy: it is between S/(1 + r) and S/(1 − r).
func (m *mixture) momentBy(lambda *big.Rat, w window, b, step float64) (y interval.Interval, ok bool) {
	q, r, ok := m.ruleBy(lambda, w, b, step, 0)
	if !ok {
		return y, false
	}
	sum := q.AtZero()
	sum = double.Interval{Lo: sum.Div(double.Int(1).Add(r)).Lo, Hi: sum.Div(double.Int(1).Sub(r)).Hi}
	return coarse.Mul(sum.Exact(), q.Unit).AtLeastZero(), true
}

// ruleBy returns a rule with the step η over the rows of a window, and r ≤ 1/2.
//
// Claim. For 0 < b < π/(2·max|m_i|), with the largest |m_i| of the means of A and of B as m_A and m_B, and |τ| ≤ t, the
// rule, with its errors, is off by at most r·M(−λ) at −λ + iτ,
//
//	r = 2e^{b²/2 + t·b·(m_A + m_B)}·cos(m_B·b)^{−λ}/(e^{2πb/η} − 1).
//
// So for t = 0 and the rule's sum S, M(−λ) is between S/(1 + r) and S/(1 − r).
//
// Proof. In newQuadrature's N, Θ_A ≤ b·m_A, Θ_B ≤ b·m_B, and B_b has the terms of B times
// cos(m_i·b) ≥ cos(m_B·b) > 0. So B_b^{−λ} ≤ cos(m_B·b)^{−λ}·B^{−λ}, and N ≤ e^{b²/2 + t·b·(m_A +
// m_B)}·cos(m_B·b)^{−λ}·M(−λ).
//
// Attained, nearly and for t = 0, by a Gaussian at b = 2π/η, if a node is where its integrand is largest.
func (m *mixture) ruleBy(
	lambda *big.Rat, w window, b, step, t float64,
) (q quadrature.DoubleRule, r double.Interval, ok bool) {
	q, ok = m.doubleNodes(lambda, step, double.Interval{}, w)
	at, other := double.Point(b), meanRange(m.doubleB).Abs().Upper()
	first := meanRange(m.doubleA).Abs().Upper()
	cos, _ := at.Mul(other).Cis()
	if !ok || m.thinning.Thins() || !(at.Mul(double.Max(first, other)).Hi < math.Pi/2 && cos.Lo > 0) {
		return q, r, false
	}
	turns := double.Of(coarse.Scale(coarse.Pi(), 1)).Mul(at).Div(double.Point(step)) // 2πb/η
	grow := at.Sqr().Half().Sub(double.Of(coarse.Rat(lambda)).Mul(cos.Log()))
	grow = grow.Add(double.Point(t).Mul(at).Mul(first.Add(other))).Sub(turns)
	r = double.Int(2).Mul(grow.Exp()).Div(double.Int(1).Sub(turns.Neg().Exp())).Upper()
	return q, r, r.Lo >= 0 && r.Hi <= 0.5
}

// fineRule is a rule in double precision at λ for |t| ≤ t, to about as many bits as that has.
func (m *mixture) fineRule(lambda *big.Rat, t float64) (quadrature.DoubleRule, bool) {
	const bits, most = 52, 8192 // nodes
	w, ok := m.window(lambda, bits+8)
	if !ok {
		return quadrature.DoubleRule{}, false
	}
	if b, step := m.fineStrip(float64Of(lambda), t, bits); w.nodes(step) <= most {
		if q, off, ok := m.ruleBy(lambda, w, b, step, t); ok {
			off = off.Div(double.Int(1).Sub(off)).Mul(q.AtZero()) // M(−λ) ≤ sum/(1 − off)
			q.Err = double.Point(q.Err).Add(off).Hi
			return q, isNumber(q.Err)
		}
	}
	w, step, bound, ok := m.chooseRule(bits, lambda, t)
	if !ok || w.nodes(step) > most {
		return quadrature.DoubleRule{}, false
	}
	return m.doubleNodes(lambda, step, double.Of(coarse.Div(bound, scaleOf(w.peak))).Upper(), w)
}

func (m *mixture) line(
	ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int,
) ([]interval.Complex, error) {
	if q, ok := m.newQuadrature(p, lambda, double.Of(h).Mul(double.Int(int64(n))).Hi); ok {
		return q.Line(ctx, p, h, n)
	}
	const maxProducts = 1 << 18
	if plan, ok := m.planShifted(p, lambda); ok && plan.nodes()*float64(n+1) < maxProducts {
		return m.newShiftedRule(p+16, lambda, plan).line(ctx, p, h, n)
	}
	return nil, nil
}

// doubleQuadrature returns a rule at λ for |t| ≤ t, see newQuadrature.
func (m *mixture) doubleQuadrature(lambda *big.Rat, t float64) (quadrature.DoubleRule, bool) {
	w, step, bound, ok := m.chooseRule(doublePrec, lambda, t)
	if !ok {
		return quadrature.DoubleRule{}, false
	}
	return m.doubleNodes(lambda, step, double.Of(coarse.Div(bound, scaleOf(w.peak))).Upper(), w)
}

// doubleNodes lays a rule over the rows of a window, which is off by err in units before it is cut off.
func (m *mixture) doubleNodes(
	lambda *big.Rat, step float64, err double.Interval, w window,
) (quadrature.DoubleRule, bool) {
	q := quadrature.DoubleRule{Unit: scaleOf(w.peak)}
	l, eta := double.Of(coarse.Rat(lambda)), double.Point(step)
	i0, i1 := int64(math.Ceil(point(w.first)/step)), int64(math.Ceil(point(w.last)/step))
	for i := i0 - 1; i <= i1; i++ {
		x := eta.Mul(double.Int(i))
		la, lb := m.logsAt(x)
		y := m.logWeightAt(l, x, la, lb).Sub(double.Point(w.peak)).Exp()
		q.Weights, q.Losses = append(q.Weights, y.Mul(eta)), append(q.Losses, la.Sub(lb))
		d := double.Int(1)
		switch i {
		case i0 - 1:
			d = x.Neg().Sub(double.Point(m.leftReach(l, x)))
		case i1:
			d = x.Sub(double.Point(m.rightReach(l, x)))
		default:
			continue
		}
		if !(d.Lo > 0) {
			return q, false
		}
		err = err.Add(y.Div(d)).Upper()
	}
	q.Err = err.Hi
	return q, isNumber(q.Err)
}

func (m *mixture) sizes(lambda *big.Rat, h double.Interval, n int) []float64 {
	if q, ok := m.doubleQuadrature(lambda, h.Mul(double.Int(int64(n))).Hi); ok {
		if out := q.Sizes(h, n); out != nil {
			return out
		}
	}
	return fall.Sizes(m.decay(lambda), h, n)
}
