// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package bent bounds the errors of trapezoidal rules for moments of mixtures of normal distributions, in strips that
// widen to the left.
//
// Let A = Σ p_i·e^{m_i·x − m_i²/2} and B likewise, with all m_i ≥ 0, f = φ·A^{1−s}·B^s at s = −λ + it, |t| ≤ t₀, and
//
//	x = g(u) = c + κ(u − e^{−u}),  κ > 0,
//
// so that ∫ f dx = ∫ f(g(u))·g′(u) du. At u + iy, |y| ≤ b < π/4,
//
//	z = g(u + iy) = X + iY,  X = c + κ(u − e^{−u}·cos y),  Y = κ(y + e^{−u}·sin y).
//
// So on the right Y is at most κb and a little, as in a strip that is as wide everywhere. On the left Y grows with −X,
// up to −X·tan b: there φ is so small that f may turn faster, and few nodes are enough.
//
//	       ╲
//	         ╲___________________   Im u = b
//	•   •   •  • • • • • • • • • •  nodes g(kη)
//	         ╱‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾   Im u = −b
//	       ╱
//
// Lemma 1. What the lines |Im u| ≤ b hold at one X is |Im z| ≤ Y_b(X), where Y_b(X) is Y at Im u = b, and falls with X.
//
// Proof. Where X is kept, du/dy = −e^{−u}·sin y/(1 + e^{−u}·cos y), so that dY/dy = κ(1 + e^{−u}·cos y) +
// κ·e^{−2u}·sin² y/(1 + e^{−u}·cos y) > 0. And with y = b kept, X rises with u, and Y falls.
//
// Lemma 2. Let every cell of X have, for A as for B, either Y_b·max m_i < π/2 or a term d that exceeds the sum of all
// others, and be all X outside of the cells as the outermost ones with the term of the least mean on the left and of
// the greatest on the right. Then A and B have no zeros in the strip, and powers of them are analytic there.
// With r_i = p_i·e^{m_i·X − m_i²/2} and y ≤ Y, in the first case
//
//	|B| ≥ Σ r_i·cos m_i·Y,  |arg B| ≤ arctan(Σ r_i·sin m_i·Y / Σ r_i·cos m_i·Y),
//
// and in the second with w = Σ_{i≠d} r_i/r_d, |B| ≥ r_d·(1 − w) and |arg B| ≤ m_d·Y + arcsin w. In either, |A| ≤ A(X).
//
// Proof. arg is the one that is 0 on the real line. In the first case it stays in (−π/2, π/2), and its tangent
// Σ r_i·sin m_i·y / Σ r_i·cos m_i·y rises with y. In the second B = r_d·e^{i·m_d·y}(1 + ω) with |ω| ≤ w < 1.
//
// Within a cell r_i rise with X, and so does the tangent, a mean of tan m_i·y whose weights r_i·cos m_i·y move to
// greater m_i: it is largest at the right end. w is a sum of exponentials of X, convex, and so largest at one of the
// ends.
//
// Claim. With N the integral over X of
//
//	φ(X)·e^{Y_b²/2}·A(X)^{1+λ}·|B|^{−λ}·e^{t(|arg A| + |arg B|)}/cos b
//
// by the bounds of Lemma 2, Σ_k η·f(g(kη))·g′(kη) over all integers k is off from ∫ f dx by at most 2N/(e^{2πb/η} − 1).
// Without the nodes left of x₀ and right of x₁, it is off by at most the integral of F = φ·A^{1+λ}·B^{−λ} outside of
// [x₀, x₁] more, if the slope of log F is at most −1/κ left of x₀, going left, and below 0 right of x₁.
//
// Proof. f(g(u))·g′(u) is analytic in the strip, and falls there like e^{−X²(1 − tan² b)/2 + O(|X|)} on the left, where
// Y ≤ Y_b(x) + |X − x|·tan b, and like e^{−X²/2 + O(|X|)} on the right. So the first part is the theorem about
// trapezoidal rules on the line [Trefethen & Weideman 2014, Theorem 5.1], with the integral of |f(g)·g′| along each of
// the two lines. |f(X + iY)| is φ(X)·e^{Y²/2} times powers of moduli times e^{t(arg A − arg B)}. Along a line dY/dX is
// −e^{−u}·sin b/(1 + e^{−u}·cos b), between −tan b and 0, so that |dz| ≤ dX/cos b. Nodes that are left out have
// f(g(u))·g′(u) ≤ F·g′, which falls away from them: on the right g′ = κ(1 + e^{−u}) falls with F, and on the left
// log g′ has a slope of at most 1 in −u and log F one of at most −g′/κ ≤ −1. So each η·F·g′ is at most its integral
// over the step next to it, on the side of those that count, and together these are at most ∫ F dx up to the last one.
//
// Lemma 3. Right of the last cell N's integrand falls at least like e^{−v·(X − x)}, where −v bounds the slope of log F
// from above; left of the first one like e^{−(v − Y·tan b − t·m·tan b)(x − X)}, m the sum of the least means. There
// |B| ≥ B(X)·(1 − w)/(1 + w), with the w of the end.
//
// Proof. Y falls to the right, and w falls away from the cells on either side. On the left let D = x − X. Then log F
// falls by v·D + D²/2, and Y ≤ Y_b(x) + D·tan b has Y²/2 grow by Y_b(x)·D·tan b + D²·tan² b/2 at most, where
// tan b ≤ 1; t·m·Y grows by t·m·D·tan b.
//
// All parts of N, and what is outside, are sums of functions whose logarithms are convex in t.
package bent

import (
	"math"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A Component is a normal distribution of variance 1 in a mixture.
type Component struct{ Mean, LogProb double.Interval }

// An Integrand is |f| at t = 0, on rows x_i = First + i·Step, i = 0 … N, in units of e^Peak/√(2π). Rows are multiples
// of 2^−20 below 2^20, so that they are float64, and λ is not below 0.
type Integrand struct {
	Lambda      double.Interval
	A, B        []Component
	First, Step float64
	N           int
	Peak        float64
	// What is left out is left of row From and right of row To.
	From, To int
	// Slopes bound how log F falls from the rows 0 and From to the left, and from To and N to the right, from below.
	Slopes [4]double.Interval

	a, b [][]double.Interval // exponents of the terms at each row
}

// row is x_i, exactly.
func (f *Integrand) row(i int) double.Interval { return double.Interval{Lo: f.at(i), Hi: f.at(i)} }

func (f *Integrand) at(i int) float64 { return f.First + float64(float64(i)*f.Step) }

// Ready works out what all curves need. It reports false if a mean or λ may be below 0, or rows are no float64: they
// are multiples of 2^−20 below 2^21, which have 41 bits, however the comparison with 2^20 is rounded.
func (f *Integrand) Ready() bool {
	const most, unit = 0x1p20, 0x1p20
	for _, x := range []float64{f.First, f.Step} {
		if !(math.Trunc(x*unit) == x*unit) {
			return false
		}
	}
	if !(f.Step > 0 && math.Abs(f.First) < most && float64(f.N)*f.Step < most-f.First && f.Lambda.Lo >= 0) {
		return false
	}
	for _, c := range append(append([]Component{}, f.A...), f.B...) {
		if !(c.Mean.Lo >= 0) {
			return false
		}
	}
	for i := range f.N + 1 {
		f.a, f.b = append(f.a, exponents(f.A, f.row(i))), append(f.b, exponents(f.B, f.row(i)))
	}
	return true
}

// exponents encloses log r_i at x.
func exponents(cs []Component, x double.Interval) (out []double.Interval) {
	for _, c := range cs {
		out = append(out, c.LogProb.Add(c.Mean.Mul(x.Sub(c.Mean.Half()))))
	}
	return out
}

// logA bounds log(√(2π)·φ·A^{1+λ}), less Peak, between two rows, where A and φ are at most those at one end.
func (f *Integrand) logA(i, j int) double.Interval {
	x2 := double.Min(f.row(i).Sqr(), f.row(j).Sqr())
	if f.at(i) < 0 && f.at(j) > 0 {
		x2 = double.Interval{}
	}
	y := double.Int(1).Add(f.Lambda).Mul(double.LogSum(f.a[j]).Upper())
	return y.Sub(x2.Half()).Sub(double.Point(f.Peak)).Upper()
}

// Outside bounds the integral of F left of row From and right of row To, in units.
func (f *Integrand) Outside() interval.Interval {
	logF := func(i, j int) double.Interval { // B is least at i
		return f.logA(i, j).Sub(f.Lambda.Mul(double.LogSum(f.b[i]).Lower())).Upper()
	}
	logs := []double.Interval{beyond(logF(0, 0), f.Slopes[0]), beyond(logF(f.N, f.N), f.Slopes[3])}
	for i := range f.N {
		if i < f.From || i >= f.To {
			logs = append(logs, logF(i, i+1).Add(double.Point(f.Step).Log()))
		}
	}
	return upperExp(double.LogSum(logs))
}

// beyond bounds the logarithm of an integral of e^{log − v·D} over D > 0.
func beyond(log, v double.Interval) double.Interval {
	if !(v.Lo > 0) {
		return double.Interval{Lo: log.Lo, Hi: math.Inf(1)}
	}
	return log.Sub(v.Lower().Log()).Upper()
}

// upperExp is the upper end of e^x.
func upperExp(x double.Interval) interval.Interval {
	if !(x.Hi < math.Inf(1)) {
		return interval.PosInf()
	}
	return interval.Point(coarse.Exp(x.Upper().Exact()).Hi())
}

// A Bound is N of an integrand along a curve, as a function of t.
type Bound struct {
	logs, turns []double.Interval // of cells: N's integrand is e^{logs + t·turns}
	ends        [2]double.Interval
	endTurns    [2]double.Interval
	falls       [2]double.Interval // at t = 0
	steeper     double.Interval    // how much less it falls on the left for each t
	width       double.Interval    // log of a cell's, over cos b
	curve       Curve
}

// coarse is the precision at which errors are bounded.
const coarse = interval.Prec(64)

// quarter is less than π/2.
const quarter = 1.5

// NewBound reports false where the lemmas do not apply, or the rule's nodes beyond From and To may not be left out.
func (f *Integrand) NewBound(c Curve) (*Bound, bool) {
	if !(c.Width > 0 && c.Width < 0.7853 && c.Scale > 0) { // π/4
		return nil, false
	}
	angle, scale := double.Point(c.Width), double.Point(c.Scale)
	cos, sin := angle.Cis()
	if !(scale.Mul(f.Slopes[1]).Lo >= 1) || !(f.Slopes[2].Lo > 0) || !(sin.Div(cos).Hi <= 1) {
		return nil, false
	}
	b := &Bound{curve: c, width: double.Point(f.Step).Div(cos).Log()}
	height := func(i int) double.Interval { // Y at row i, from above
		u := double.Point(c.left(f.at(i), cos))
		return scale.Mul(angle.Add(u.Neg().Exp().Mul(sin))).Upper()
	}
	y := height(0)
	for i := range f.N {
		modB, turnB, ok1 := sideOf(f.B, f.b[i], f.b[i+1], y)
		_, turnA, ok2 := sideOf(f.A, f.a[i], f.a[i+1], y)
		if !ok1 || !ok2 {
			return nil, false
		}
		b.logs = append(b.logs, f.logA(i, i+1).Sub(f.Lambda.Mul(modB)).Add(y.Sqr().Half()).Upper())
		b.turns = append(b.turns, turnA.Add(turnB).Upper())
		y = height(i + 1)
	}
	for k, i := range []int{0, f.N} {
		dA, wA := least(f.A, f.a[i], k == 1)
		dB, wB := least(f.B, f.b[i], k == 1)
		if !(wA.Hi < 1 && wB.Hi < 1) {
			return nil, false
		}
		y, one := height(i), double.Int(1)
		logB := double.LogSum(f.b[i]).Add(one.Sub(wB).Div(one.Add(wB)).Lower().Log())
		b.ends[k] = f.logA(i, i).Sub(f.Lambda.Mul(logB)).Add(y.Sqr().Half()).Upper()
		means := f.A[dA].Mean.Add(f.B[dB].Mean)
		b.endTurns[k] = means.Mul(y).Add(arcsin(wA)).Add(arcsin(wB)).Upper()
		b.falls[k] = f.Slopes[3*k]
		if k == 0 {
			tan := sin.Div(cos)
			b.falls[k], b.steeper = b.falls[k].Sub(y.Mul(tan)), means.Mul(tan)
		}
	}
	return b, true
}

// least returns the term of the least mean, or of the greatest, and w for it.
func least(cs []Component, e []double.Interval, greatest bool) (d int, w double.Interval) {
	for i, c := range cs {
		if greatest == (c.Mean.Lo > cs[d].Mean.Lo) && i > 0 {
			d = i
		}
	}
	for i, c := range cs { // w falls away from the cells if no other mean may be beyond d's
		if gap := c.Mean.Sub(cs[d].Mean); i != d && (greatest && gap.Hi > 0 || !greatest && gap.Lo < 0) {
			return d, double.Point(math.Inf(1))
		}
	}
	return d, others(e, d)
}

// others is w for the term d, by exponents.
func others(e []double.Interval, d int) (w double.Interval) {
	for i := range e {
		if i != d {
			w = w.Add(e[i].Sub(e[d]).Exp())
		}
	}
	return w.Upper()
}

// sideOf bounds log|B| from below and |arg B| from above by Lemma 2, between two rows and up to a height.
func sideOf(cs []Component, from, to []double.Interval, height double.Interval) (log, turn double.Interval, ok bool) {
	d, widest := 0, 0.0
	for i, c := range cs {
		widest = max(widest, c.Mean.Hi)
		if from[i].Lo > from[d].Lo {
			d = i
		}
	}
	log, turn = double.Point(math.Inf(-1)), double.Point(math.Inf(1))
	if double.Point(widest).Mul(height).Hi <= quarter {
		var real, right, imag double.Interval
		shift, end := double.Greatest(from), double.Greatest(to)
		for i, c := range cs {
			cos, sin := c.Mean.Mul(height).Cis()
			real = real.Add(from[i].Sub(double.Point(shift)).Exp().Mul(cos))
			at := to[i].Sub(double.Point(end)).Exp()
			right, imag = right.Add(at.Mul(cos)), imag.Add(at.Mul(sin))
		}
		if real.Lo > 0 && right.Lo > 0 {
			log, turn, ok = real.Lower().Log().Add(double.Point(shift)).Lower(), arctan(imag.Div(right).Upper()), true
		}
	}
	if w := double.Max(others(from, d), others(to, d)); w.Hi < 1 {
		log = double.Max(log, double.Int(1).Sub(w).Lower().Log().Add(from[d]).Lower())
		turn, ok = double.Min(turn, cs[d].Mean.Mul(height).Add(arcsin(w)).Upper()), true
	}
	return log, turn, ok
}

// arcsin bounds arcsin w from above, 0 ≤ w < 1.
func arcsin(w double.Interval) double.Interval {
	return arctan(w.Div(double.Int(1).Sub(w.Sqr()).Lower().AtLeastZero().Sqrt()).Upper())
}

// arctan bounds arctan y from above, y ≥ 0: arctan y is 2·arctan of y/(1 + √(1 + y²)), and at most y.
func arctan(y double.Interval) double.Interval {
	const halvings = 4
	one := double.Int(1)
	for range halvings {
		y = y.Div(one.Add(one.Add(y.Sqr()).Sqrt()))
	}
	return y.Mul(double.Int(1 << halvings)).Upper()
}

// Log bounds log N for |t| ≤ t, in units.
func (b *Bound) Log(t float64) double.Interval {
	at := double.Point(t)
	logs := make([]double.Interval, 0, len(b.logs)+2)
	for i, y := range b.logs {
		logs = append(logs, y.Add(at.Mul(b.turns[i])).Add(b.width).Upper())
	}
	cos, _ := double.Point(b.curve.Width).Cis()
	for k, y := range b.ends {
		fall := b.falls[k]
		if k == 0 {
			fall = fall.Sub(at.Mul(b.steeper))
		}
		end := beyond(y.Add(at.Mul(b.endTurns[k])), fall)
		if !(end.Hi < math.Inf(1)) {
			return end
		}
		logs = append(logs, end.Sub(cos.Log()).Upper())
	}
	return double.LogSum(logs).Upper()
}

// Off bounds 2N/(e^{2πb/η} − 1) for the step η, in units.
func (b *Bound) Off(t, step float64) interval.Interval {
	turns := coarse.Div(coarse.Mul(coarse.Scale(coarse.Pi(), 1), double.Point(b.curve.Width).Exact()),
		double.Point(step).Exact())
	return interval.Point(coarse.Div(coarse.Scale(upperExp(b.Log(t)), 1), coarse.Expm1(turns)).Hi())
}
