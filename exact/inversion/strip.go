// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"
	"slices"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/bent"
	"dpverify/exact/inversion/fall"
	"dpverify/exact/quadrature"
)

// newQuadrature returns a trapezoidal rule at λ for |t| ≤ t, whose error is about 2^−p of M(−λ).
// It reports false if there is none of moderate size.
//
// Strip. Let f = φ·A^{1−s}·B^s at s = −λ + it, and 0 < b < π/(2·max|m_i|) over the means of A and B.
//
//	Im z = b   ┌─────────────────────────┐   each term of A and B has an argument in (−π/2, π/2)
//	Im z = 0   │ •──•──•──•──•──•──•──•  │   nodes kη, half a step from the ends X₀ and X₁
//	Im z = −b  └─────────────────────────┘
//
// In |Im z| ≤ b, A and B lie in the right half plane.
// Their principal powers are analytic there, and so is f.
//
// Claim. With N the integral over x from X₀ to X₁ of
//
//	φ(x)·e^{b²/2}·A(x)^{1+λ}·B_b(x)^{−λ}·e^{|t|(Θ_A + Θ_B)},
//
// where B_b has the terms of B times cos(m_i·b), and
//
//	Θ_A = min(b·max|m_i|, Σ a_i·|sin m_i·b| / Σ a_i·cos m_i·b),  Θ_B likewise,
//
// the rule is off from ∫ f dx over all x by at most 2N/(e^{2πb/η} − 1), the integral of F = φ·A^{1+λ}·B^{−λ} outside of
// X₀ and X₁, and 2b·F·e^{b·max(0, r − 2π/η)} for each of these, with
//
//	r = b/2 + (λ/b)·log(B/B_b) + |t|·(G_A + G_B),  G_A = min(max|m_i|, Σ a_i·|m_i| / Σ a_i·cos m_i·b).
//
// Proof. By the residues of 1/(e^{∓2πiz/η} − 1) at kη, η·Σ_k f(kη) − ∫ f dx from X₀ to X₁ is the sum of the integrals
// of f/(e^{−2πiz/η} − 1) from the ends up to Im z = b and along that line, and of f/(e^{2πiz/η} − 1) likewise below.
// On these two lines the denominators are at least e^{2πb/η} − 1 in modulus; at x ± iy with an end x they are
// −(e^{2πy/η} + 1), as x/η is an integer and a half. With θ_A, θ_B the arguments at x ± iy, 0 ≤ y ≤ b,
//
//	|f(x ± iy)| = φ(x)·e^{y²/2}·|A|^{1+λ}·|B|^{−λ}·e^{t(θ_A − θ_B)}.
//
// Here |A(x ± iy)| ≤ A(x), |B(x ± iy)| ≥ Re B(x ± iy) = B_y(x), and |θ_A| ≤ min(y·max|m_i|, |Im A|/Re A), at most Θ_A
// for y = b, and y·G_A, as |sin m_i·y| ≤ |m_i|·y and cos m_i·y ≥ cos m_i·b. log(B/B_y) is 0 at y = 0 and convex: its
// slope is S/B_y with S = Σ b_i·m_i·sin m_i·y, and (S/B_y)′ = (S′·B_y + S²)/B_y² ≥ 0. So at an end |f(x ± iy)| is at
// most F(x)·e^{ry}, and each of the four integrals up and down from there at most b·F·e^{b·max(0, r − 2π/η)}.
//
// Cells. N, what is outside, and F and r at the ends are bounded cell by cell: terms of A and B are monotone in x, and
// φ is largest at the end next to 0.
//
// Beyond the cells. Let x₁ be the end of the last cell, and R < x₁ the right of reach.
// From x₁ on, the slope of log F, or with B_b in the place of B, is at most R − x, as B_b′/B_b is also a mean of B's
// means. So the integral from x₁ on is at most its integrand there over x₁ − R. On the left the same holds with
// leftReach.
//
// Thinned mixtures have √g in F and in N, which bounds |g| on the strip.
//
// Falling. With values that may lack bits, the errors are bounded at each t of a line. All bounds are sums of
// functions whose logarithms are convex in t: N is an integral of exponentials of t, and e^{b·max(0, r − 2π/η)} is one
// of a maximum of linear functions. So the logarithm of what they add up to is convex (Hölder), see
// [quadrature.Lacks.Errors].
func (m *mixture) newQuadrature(p interval.Prec, lambda *big.Rat, t float64) (quadrature.Rule, bool) {
	r, ok := m.anyRule(p, lambda, t)
	if !ok {
		return quadrature.Rule{}, false
	}
	return m.nodes(p, lambda, r), true
}

// anyRule is chooseRule or newBent.
func (m *mixture) anyRule(p interval.Prec, lambda *big.Rat, t float64) (stripRule, bool) {
	if r, ok := m.newBent(p, lambda, t); ok {
		return r, true
	}
	return m.chooseRule(p, lambda, t, maxStripNodes)
}

// newBent is chooseRule in a strip that widens to the left, see package bent. It reports false where that is not known,
// or takes more nodes than a strip as wide as they may be.
func (m *mixture) newBent(p interval.Prec, lambda *big.Rat, t float64) (r stripRule, ok bool) {
	w, ok := m.window(lambda, int(p)+16)
	if !ok || m.thinning.Thins() {
		return r, false
	}
	components := func(cs []doubleComponent) (out []bent.Component) {
		for _, c := range cs {
			out = append(out, bent.Component{Mean: c.mean, LogProb: c.logProb})
		}
		return out
	}
	l := double.Of(coarse.Rat(lambda))
	f := &bent.Integrand{Lambda: l, A: components(m.doubleA), B: components(m.doubleB), Peak: w.peak,
		First: point(w.first), Step: 1.0 / tableStep, N: w.last - w.first, From: w.from - w.first, To: w.to - w.first}
	for i, row := range []int{w.first, w.from} {
		x := double.Point(point(row))
		f.Slopes[i] = x.Neg().Sub(double.Point(m.leftReach(l, x)))
		y := double.Point(point([]int{w.last, w.to}[i]))
		f.Slopes[3-i] = y.Sub(double.Point(m.rightReach(l, y)))
	}
	curve, step, off, ok := f.Rule(p, t, m.lacks)
	if !ok {
		return r, false
	}
	unit := scaleOf(w.peak)
	err := func(t float64) interval.Interval { return upper(coarse.Mul(off(t), unit)) }
	errs := m.lacks.Errors(func(x *big.Rat) interval.Interval {
		return err(double.Of(coarse.Rat(x)).Mul(double.Point(t)).Hi)
	})
	return stripRule{window: w, step: step, err: err(t), errs: errs, bend: curve}, true
}

// A stripRule says how a trapezoidal rule is laid out, whose error err bounds.
type stripRule struct {
	window
	step float64
	err  interval.Interval
	errs []interval.Interval // see quadrature.Rule
	bend *bent.Curve         // or nil
}

// outermost returns the indices of the first and the last node, next to the rows where the weight is.
func (r stripRule) outermost() (first, last int64) {
	if r.bend != nil {
		return r.bend.Nodes(point(r.from), point(r.to), r.step)
	}
	return int64(math.Ceil(point(r.from)/r.step)) - 1, int64(math.Ceil(point(r.to) / r.step))
}

// nodes is about the number of nodes.
func (r stripRule) nodes() float64 { return (point(r.to) - point(r.from)) / r.step }

// maxStep is the longest step of a rule.
const maxStep = 5.0 / 8

// beside is how many rows beyond from and to X₀ and X₁ may be: the outermost nodes are less than a step beyond them.
func beside(step float64) int { return int(math.Ceil(2 * step * tableStep)) }

// chooseRule returns a trapezoidal rule, see newQuadrature, with so many nodes from −32 to 32 at most.
func (m *mixture) chooseRule(p interval.Prec, lambda *big.Rat, t, most float64) (r stripRule, ok bool) {
	s, ok := m.ruleStrip(lambda, int(p)+16, maxStep)
	if !ok {
		return r, false
	}
	means := double.Max(meanRange(m.doubleA).Abs(), meanRange(m.doubleB).Abs()).Hi
	widest := math.Pi * (31.0 / 64) / max(means, m.thinning.Turning()/2)
	need := func(bound func(t, b float64) float64) func(b float64) float64 {
		return func(b float64) float64 {
			return m.lacks.Need(float64(p+8)*math.Ln2, func(x float64) float64 { return bound(x*t, b) })
		}
	}
	bound := need(func(t, b float64) float64 { return s.logBound(t, b, maxStep).Hi })
	b, guess := quadrature.ChooseStrip(widest, need(s.about))
	step := 2 * math.Pi * b / bound(b)
	const good = 0.75
	if !(step > good*guess) { // some of the cells say too little about all
		b, step = quadrature.ChooseStrip(widest, bound)
	}
	step = min(step, maxStep)
	step = roundDown(min(step, 2*math.Pi/double.Greatest(s.rates(t, b, step))))
	if !(step > 64/most) {
		return r, false
	}
	errs := m.lacks.Errors(func(x *big.Rat) interval.Interval {
		return s.err(double.Of(coarse.Rat(x)).Mul(double.Point(t)).Hi, b, step)
	})
	return stripRule{window: s.window, step: step, err: s.err(t, b, step), errs: errs}, true
}

// ruleStrip lays cells for rules of steps up to longest, which leave out outcomes whose weight is below 2^−bits of its
// peak, about.
func (m *mixture) ruleStrip(lambda *big.Rat, bits int, longest float64) (*strip, bool) {
	w, ok := m.window(lambda, bits)
	if !ok {
		return nil, false
	}
	w.first, w.last = min(w.first, w.from-beside(longest)), max(w.last, w.to+beside(longest))
	return m.newStrip(lambda, w), true
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
	s := &strip{mixture: m, lambda: double.Of(coarse.Rat(lambda)), window: w, cells: make([]stripCell, 0, w.last-w.first)}
	power := double.Int(1).Add(s.lambda)
	terms := func(cs []doubleComponent, e0, e1 []double.Interval) ([]double.Interval, double.Interval) {
		if isStandard(cs) {
			return wholeMass, double.Interval{}
		}
		shift := double.Greatest(e0, e1)
		between := make([]double.Interval, len(e0))
		for i := range between {
			between[i] = double.Union(e0[i], e1[i]).Sub(double.Point(shift)).Exp()
		}
		return between, double.Point(shift)
	}
	bounds := func(a0, a1, b0, b1 []double.Interval, x2, thinned, clearance double.Interval) stripCell {
		a, shiftA := terms(m.doubleA, a0, a1)
		b, shiftB := terms(m.doubleB, b0, b1)
		log := power.Mul(logOfSum(a).Add(shiftA)).Sub(x2.Half()).Sub(double.Point(w.peak)).Sub(thinned)
		return stripCell{log, a, b, shiftB, clearance.AtLeastZero()}
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

// wholeMass is the terms of N(0, 1).
var wholeMass = []double.Interval{double.Int(1)}

// logOfSum encloses log Σ x_i, which is 0 of one term 1.
func logOfSum(xs []double.Interval) double.Interval {
	if len(xs) == 1 && xs[0] == wholeMass[0] {
		return double.Interval{}
	}
	return double.Sum(xs).Log()
}

// turnsMoreOnRight reports whether no mean is below 0.
// Then Im A/Re A and Im B/Re B at x + ib rise with x.
// They are means of tan m_i·b with weights a_i·cos m_i·b, which move to larger m_i.
// So the left end bounds all beyond it.
func (m *mixture) turnsMoreOnRight() bool {
	return meanRange(m.doubleA).Lo >= 0 && meanRange(m.doubleB).Lo >= 0
}

// between returns the cells from X₀ to X₁.
func (s *strip) between(step float64) []stripCell {
	k := beside(step)
	return s.cells[s.from-k-s.first : s.to+k-s.first]
}

// logBound encloses the logarithm of a bound of N for the strip |Im z| ≤ b and |t| ≤ t.
func (s *strip) logBound(t, b, step float64) double.Interval {
	at := double.Point(b)
	cosA, sinA := circle(s.doubleA, at)
	cosB, sinB := circle(s.doubleB, at)
	maxTurn := s.maxTurn(at)
	cells := s.between(step)
	logs := make([]double.Interval, 0, len(cells))
	for _, c := range cells {
		real := double.Dot(c.b, cosB)
		turn := double.Dot(c.a, sinA).Div(double.Dot(c.a, cosA)).Add(double.Dot(c.b, sinB).Div(real))
		logs = append(logs, s.logValue(c, real, t, double.Min(maxTurn, turn)))
	}
	return double.LogSum(logs).Sub(double.Int(tableStep).Log()).Add(at.Sqr().Half())
}

// nextToEnds returns the cells that X₀ or X₁ may be in.
func (s *strip) nextToEnds(step float64) []stripCell {
	k, cells := beside(step), s.between(step)
	return append(slices.Clone(cells[:k]), cells[len(cells)-k:]...)
}

// rates bounds r of newQuadrature at the ends.
func (s *strip) rates(t, b, step float64) (rates []double.Interval) {
	at := double.Point(b)
	cosA, _ := circle(s.doubleA, at)
	cosB, _ := circle(s.doubleB, at)
	sizesA, sizesB := means(s.doubleA), means(s.doubleB)
	farA, farB := double.Point(double.Greatest(sizesA)), double.Point(double.Greatest(sizesB))
	for _, c := range s.nextToEnds(step) {
		real := double.Dot(c.b, cosB)
		turn := double.Min(farA, double.Dot(c.a, sizesA).Div(double.Dot(c.a, cosA)))
		turn = turn.Add(double.Min(farB, double.Dot(c.b, sizesB).Div(real)))
		grow := double.Sum(c.b).Div(real).Upper().Log().Div(at)
		rates = append(rates, at.Half().Add(s.lambda.Mul(grow)).Add(double.Point(t).Mul(turn)).Upper())
	}
	return rates
}

// means returns |m_i|.
func means(cs []doubleComponent) (out []double.Interval) {
	for _, c := range cs {
		out = append(out, c.mean.Abs())
	}
	return out
}

// logReal bounds log(√(2π)·F) on a cell, less peak.
func (s *strip) logReal(c stripCell) double.Interval {
	return c.log.Sub(s.lambda.Mul(logOfSum(c.b).Add(c.shift))).Upper()
}

// outside bounds the integral of F outside of X₀ and X₁, in units: by its logarithm, as it may be next to nothing.
func (s *strip) outside() interval.Interval {
	var logs []double.Interval
	for _, c := range append(slices.Clone(s.cells[:s.from-s.first]), s.cells[s.to-s.first:]...) {
		logs = append(logs, s.logReal(c).Sub(double.Int(tableStep).Log()))
	}
	for _, c := range s.ends { // infinite if the clearance may be 0
		logs = append(logs, s.logReal(c).Sub(c.clearance.Log()))
	}
	return upper(coarse.Exp(double.LogSum(logs).Upper().Exact()))
}

// maxTurn is at least Θ_A + Θ_B.
func (s *strip) maxTurn(b double.Interval) double.Interval {
	return b.Mul(meanRange(s.doubleA).Abs().Upper().Add(meanRange(s.doubleB).Abs().Upper()))
}

// logValue bounds the logarithm of the integrand of N without e^{b²/2} on a cell, where B_b is real·e^shift and turn is
// at least Θ_A + Θ_B.
func (s *strip) logValue(c stripCell, real double.Interval, t float64, turn double.Interval) double.Interval {
	return c.log.Sub(s.lambda.Mul(real.Log().Add(c.shift))).Add(double.Point(t).Mul(turn)).Upper()
}

// err bounds the error of a rule, see newQuadrature.
func (s *strip) err(t, b, step float64) interval.Interval {
	return upper(coarse.Mul(coarse.Add(s.inside(t, b, step), s.outside()), scaleOf(s.peak)))
}

// inside bounds how far a rule is off from the integral between X₀ and X₁, in units.
func (s *strip) inside(t, b, step float64) interval.Interval {
	at, eta := double.Point(b), double.Point(step)
	var logs []double.Interval
	for _, c := range s.nextToEnds(step) {
		logs = append(logs, s.logReal(c))
	}
	twoPi := double.Of(coarse.Scale(coarse.Pi(), 1))
	over := double.Point(double.Greatest(s.rates(t, b, step))).Sub(twoPi.Div(eta)).AtLeastZero()
	highest := double.Point(double.Greatest(logs)).Add(at.Mul(over)).Upper()
	ends := coarse.Mul(double.Exactly(4*b), coarse.Exp(highest.Exact()))
	fall := coarse.Expm1(twoPi.Mul(at).Div(eta).Lower().Exact())
	return upper(coarse.Add(coarse.Div(coarse.Scale(coarse.Exp(s.logBound(t, b, step).Upper().Exact()), 1), fall), ends))
}

// scaleOf encloses e^peak/√(2π).
func scaleOf(peak float64) interval.Interval {
	return coarse.Div(coarse.Exp(double.Point(peak).Exact()), coarseRootTwoPi())
}

// coarseRootTwoPi is rootTwoPi(coarse).
var coarseRootTwoPi = sync.OnceValue(func() interval.Interval { return rootTwoPi(coarse) })

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

// nodes lays a rule out. A weight far below the peak has so many bits fewer: errors are as small as elsewhere.
func (m *mixture) nodes(p interval.Prec, lambda *big.Rat, r stripRule) quadrature.Rule {
	w := p + 48
	lw, eta := w.Rat(lambda), double.Point(r.step).Exact()
	q := quadrature.Rule{Err: r.err, Errs: r.errs, Lacks: m.lacks}
	scale := w.Div(eta, rootTwoPi(w))
	i0, i1 := r.outermost()
	fresh, slope, at := 64, one, func(i int64) interval.Interval { return w.Mul(interval.Int(i), eta) }
	if r.bend != nil {
		along := r.bend.Walk(w, r.step)
		fresh, at = 0, func(i int64) (x interval.Interval) { x, slope = along.At(i); return x }
	}
	a, b := bent.NewLogs(w, m.a, eta, fresh), bent.NewLogs(w, m.b, eta, fresh)
	for i := i0; i <= i1; i++ {
		x := at(i)
		near := double.Of(x)
		la0, lb0 := m.logsAt(near)
		log := m.logWeightAt(double.Of(lw), near, la0, lb0).Add(double.Of(slope).Log())
		w := w - quadrature.Spared(p, r.peak-log.Hi)
		la, lb := a.At(w, x), b.At(w, x)
		// log(√(2π)·φ·A^{1+λ}·B^{−λ})
		lg := w.Sub(w.Sub(w.Mul(w.Add(lw, one), la), w.Mul(lw, lb)), w.Scale(w.Sqr(x), -1))
		if m.thinning.Thins() {
			lg = w.Sub(lg, m.thinning.ExponentC(w, interval.Complex{Re: x}).Re)
		}
		q.Weights = append(q.Weights, w.Mul(w.Mul(scale, slope), w.Exp(lg)))
		q.Losses = append(q.Losses, w.Sub(la, lb))
	}
	return q
}

// doublePrec is the precision up to which double precision suffices.
const doublePrec = interval.Prec(30)

func (m *mixture) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	everything := interval.Bounds(new(big.Float), interval.PosInf().Hi())
	if p <= doublePrec {
		if y, ok := m.quickMoment(lambda); ok {
			return y
		}
		q, ok := m.doubleQuadrature(doublePrec, lambda, 0, maxStripNodes)
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
	b, step := m.stripStep(double.Near(lambda), float64(doublePrec+8)*math.Ln2)
	if step = roundDown(step); !ok || !(w.nodes(step) <= most) {
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
	w.from, w.to = w.first, w.last
	q, ok = m.doubleNodes(lambda, stripRule{window: w, step: step})
	q.Err = m.cut(lambda, w, step).Hi
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
	return q, r, r.Lo >= 0 && r.Hi <= 0.5 && isNumber(q.Err)
}

// cut bounds, in units, the terms beyond a window of a rule that goes on: F/(x − R) at outermost nodes x beyond R.
func (m *mixture) cut(lambda *big.Rat, w window, step float64) double.Interval {
	l := double.Of(coarse.Rat(lambda))
	end := func(i, sign int64, reach func(lambda, x double.Interval) float64) double.Interval {
		x := double.Point(step).Mul(double.Int(i))
		la, lb := m.logsAt(x)
		d := double.Int(sign).Mul(x).Sub(double.Point(reach(l, x)))
		return m.logWeightAt(l, x, la, lb).Sub(double.Point(w.peak)).Exp().Div(d.AtLeastZero()) // infinite if d may be 0
	}
	first, last := stripRule{window: w, step: step}.outermost()
	return end(first, -1, m.leftReach).Add(end(last, 1, m.rightReach)).Upper()
}

// fineRule is a rule in double precision at λ for |t| ≤ t, to about as many bits as that has.
func (m *mixture) fineRule(lambda *big.Rat, t float64) (quadrature.DoubleRule, bool) {
	const bits, few, most = 52, 512, 16384 // nodes
	w, ok := m.window(lambda, bits+8)
	if !ok {
		return quadrature.DoubleRule{}, false
	}
	if b, step := m.fineStrip(double.Near(lambda), t, bits); w.nodes(step) <= few {
		if q, off, ok := m.ruleBy(lambda, w, b, step, t); ok {
			off = off.Div(double.Int(1).Sub(off)).Mul(q.AtZero()) // M(−λ) ≤ sum/(1 − off)
			q.Err = double.Point(q.Err).Add(off).Hi
			return q, isNumber(q.Err)
		}
	}
	return m.doubleQuadrature(bits, lambda, t, most)
}

func (m *mixture) line(
	ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int,
) ([]interval.Complex, error) {
	r, ok := m.anyRule(p, lambda, double.Of(h).Mul(double.Int(int64(n))).Hi)
	if !ok {
		return nil, nil
	}
	if first, last := r.outermost(); last-first >= int64(quadrature.MostProducts(p)/(n+1)) {
		return nil, nil // before there are nodes
	}
	return m.nodes(p, lambda, r).Line(ctx, p, h, n)
}

// doubleQuadrature is newQuadrature in double precision, of so many nodes at most.
func (m *mixture) doubleQuadrature(
	p interval.Prec, lambda *big.Rat, t, most float64,
) (quadrature.DoubleRule, bool) {
	r, ok := m.chooseRule(p, lambda, t, maxStripNodes)
	if !ok || r.nodes() > most {
		return quadrature.DoubleRule{}, false
	}
	return m.doubleNodes(lambda, r)
}

// doubleNodes is nodes in double precision.
func (m *mixture) doubleNodes(lambda *big.Rat, r stripRule) (quadrature.DoubleRule, bool) {
	i0, i1 := r.outermost()
	room := func() []double.Interval { return make([]double.Interval, 0, max(i1-i0+1, 0)) }
	q := quadrature.DoubleRule{Weights: room(), Losses: room(), Unit: scaleOf(r.peak)}
	l, eta := double.Of(coarse.Rat(lambda)), double.Point(r.step)
	for i := i0; i <= i1; i++ {
		x := eta.Mul(double.Int(i))
		la, lb := m.logsAt(x)
		q.Weights = append(q.Weights, m.logWeightAt(l, x, la, lb).Sub(double.Point(r.peak)).Exp().Mul(eta))
		q.Losses = append(q.Losses, la.Sub(lb))
	}
	q.Err = double.Of(coarse.Div(r.err, q.Unit)).Hi
	return q, isNumber(q.Err)
}

func (m *mixture) sizes(lambda *big.Rat, h double.Interval, n int) []float64 {
	if q, ok := m.doubleQuadrature(doublePrec, lambda, h.Mul(double.Int(int64(n))).Hi, maxStripNodes); ok {
		if out := q.Sizes(h, n); out != nil {
			return out
		}
	}
	return fall.Sizes(m.decay(lambda), h, n)
}
