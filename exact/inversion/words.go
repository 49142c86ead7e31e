// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// Lines in three words. The formulas are as in quadrature, newLine and sum, with package fixed in the place of
// exact/interval; where words do not do, nothing is returned, and exact/interval is asked.

// words is the arithmetic of package fixed.
var words = fixed.Three{}

// A wordLine is a line of a factor in words: M(−λ + ijh) is within err of values_j.
type wordLine struct {
	values []fixed.Complex
	err    interval.Interval
}

// A wordLiner is a factor that has its values in words.
type wordLiner interface {
	// wordLine is line: without values if they cost too much. It reports false where words do not do.
	wordLine(ctx context.Context, p interval.Prec, lambda *big.Rat, h fixed.Real, n int) (l wordLine, ok bool, err error)
}

// A wordQuadrature is a quadrature in words.
type wordQuadrature struct {
	weights, losses []fixed.Real
	err             interval.Interval
}

// wordNodes is nodes.
func (m *mixture) wordNodes(lambda *big.Rat, step float64, bound interval.Interval, win window) wordQuadrature {
	l, eta := words.Rat(lambda), fixed.FromInterval(double.Point(step).Exact())
	up := words.Add(l, fixed.Int(1))
	scale := words.Div(eta, rootTwoPiWords())
	i0, i1 := int64(math.Ceil(point(win.first)/step)), int64(math.Ceil(point(win.last)/step))
	count := int(i1 - i0 + 2)
	q := wordQuadrature{weights: make([]fixed.Real, 0, count), losses: make([]fixed.Real, 0, count)}
	a, b := wordComponents(m.a), wordComponents(m.b)
	var low, high fixed.Real // log-weights at the two outermost nodes
	for i := i0 - 1; i <= i1; i++ {
		x := words.Mul(fixed.Int(i), eta)
		la, lb := logOf(a, x), logOf(b, x)
		lg := words.Sub(words.Sub(words.Mul(up, la), words.Mul(l, lb)), words.Scale(words.Sqr(x), -1))
		q.weights = append(q.weights, words.Mul(scale, words.Exp(lg)))
		q.losses = append(q.losses, words.Sub(la, lb))
		if i < i0 {
			low = lg
		}
		high = lg
	}
	before, rate := double.Int(i0-1).Mul(double.Point(step)), double.Of(coarse.Rat(lambda))
	_, right := m.reach(rate)
	q.err = upper(coarse.Add(bound, coarse.Add(
		tail(low.Interval(), before.Neg(), m.leftReach(rate, before)),
		tail(high.Interval(), double.Int(i1).Mul(double.Point(step)), right))))
	return q
}

// rootTwoPiWords encloses √(2π).
func rootTwoPiWords() fixed.Real { return fixed.FromInterval(rootTwoPi(200)) }

// A wordComponent is a component: e^(log p + m·(x − m/2)) at x.
type wordComponent struct {
	prob, mean, half fixed.Real
	constant         bool // its mean is 0
}

func wordComponents(cs []component) []wordComponent {
	var out []wordComponent
	for _, c := range cs {
		mean := fixed.FromInterval(c.mean(200))
		out = append(out, wordComponent{words.Rat(c.prob), mean, words.Scale(mean, -1), c.mean(2).IsZero()})
	}
	return out
}

// logOf encloses log Σ p_i·e^{m_i·x − m_i²/2}.
func logOf(cs []wordComponent, x fixed.Real) fixed.Real {
	if len(cs) == 1 && cs[0].constant {
		return fixed.Real{} // of probability 1
	}
	var sum fixed.Real
	for _, c := range cs {
		term := c.prob
		if !c.constant {
			term = words.Mul(term, words.Exp(words.Mul(c.mean, words.Sub(x, c.half))))
		}
		sum = words.Add(sum, term)
	}
	return words.Log(sum)
}

// mostWordPrec is the precision up to which exponential sums are tried in words.
const mostWordPrec = interval.Prec(144)

// wordPrec is what quadratures of words are made for: what is wanted of a line, and as much more as the powers of
// factors lose. There is no rounding to make up for.
func (x *Transform) wordPrec(c parameters) interval.Prec {
	copies := 0
	for _, t := range x.terms {
		copies = max(copies, bitLen(t.count))
	}
	return x.memo.prec(interval.Prec(max(c.wanted()+copies, interval.MinPrec)))
}

// wanted is how many leading bits of the values of a line are wanted.
func (c parameters) wanted() int { return int(c.tail/math.Ln2) + guard }

// fitWords reports whether a line may be had in words: sums of waves are good to some 155 bits, and powers to some 180, less three bits
// for each squaring.
func (x *Transform) fitWords(c parameters) bool {
	const sums, powers = 148, 180
	p := int(x.wordPrec(c))
	return p <= sums && p+2*(p-c.wanted()) <= powers
}

// wordBits is how far |M| may fall, about, for a line of many copies to be had in words.
const wordBits = 116

// mostSteps bounds the steps of waves that a line in words may take, some 20 ns each.
const mostSteps = 1 << 24

// moveRatio is how many steps of waves a step of a moved rule costs.
const moveRatio = 8

func (m *mixture) wordLine(ctx context.Context, p interval.Prec, lambda *big.Rat, h fixed.Real, n int) (wordLine, bool, error) {
	w, step, bound, ok := m.chooseRule(p, lambda, double.Of(h.Interval()).Mul(double.Int(int64(n))).Hi)
	steps := math.Inf(1)
	if ok {
		steps = (point(w.last) - point(w.first)) / step * float64(n+1)
	}
	const cheap = 1 << 18
	if steps > cheap {
		if plan, ok := m.planMoved(p, lambda); ok {
			if moved := plan.nodes() * float64(n+1) * moveRatio; moved < steps && moved < 4*mostSteps {
				return m.newMoved(192, lambda, plan).wordLine(ctx, int(p)+8, h, n)
			}
		}
	}
	if steps > mostSteps {
		return wordLine{}, true, nil
	}
	return m.wordNodes(lambda, step, bound, w).line(ctx, h, n)
}

// line is quadrature.line.
func (q wordQuadrature) line(ctx context.Context, h fixed.Real, n int) (wordLine, bool, error) {
	theta := make([]fixed.Real, len(q.losses))
	for k, l := range q.losses {
		theta[k] = words.Mul(h, l)
	}
	values, ok, err := fixed.Waves(ctx, q.weights, theta, n)
	return wordLine{values, q.err}, ok && q.err.IsFinite(), err
}

// wordLineOf is wordLine of any factor. Of those that are no wordLiner, it has values that cost little at any precision, and
// reports false for others.
func wordLineOf(ctx context.Context, f factor, c parameters, p interval.Prec, h fixed.Real, n int) (wordLine, bool, error) {
	switch f := f.(type) {
	case wordLiner:
		return f.wordLine(ctx, p, c.lambda, h, n)
	case closedForm, discrete:
	default:
		return wordLine{}, false, nil
	}
	const precise = 176
	values, err := f.line(ctx, precise, c.lambda, c.step(precise+32), n)
	if values == nil || err != nil {
		return wordLine{}, true, err
	}
	l := wordLine{values: make([]fixed.Complex, n+1)}
	for j, z := range values {
		l.values[j] = fixed.FromComplex(z)
	}
	return l, true, nil
}

// wordValues returns numbers within some distance of M(s_j)/(s_j(s_j − 1)), j = 0 … n, times W(jh) ≤ 1 where there is a
// taper, and a bound of 2·Σ of these distances: no values if a factor has no line of moderate cost. It reports false where words do not do.
//
// Lemma. If |M_i − z_i| ≤ e_i for all factors, and κ_i counts copies, then |M_i| ≤ |z_i| + e_i, and
//
//	|Π M_i^κ_i − Π z_i^κ_i| ≤ Π (|z_i| + e_i)^κ_i − Π |z_i|^κ_i = Π |z_i|^κ_i·(e^x − 1), x = Σ κ_i·log(1 + e_i/|z_i|):
//
// all products of the binomials but Π z_i^κ_i are bounded by their moduli. And |s(s − 1)| ≥ λ(λ + 1) + t², see length.
// Where some |z_i| is not known to be positive, the first product is all that is used.
//
// The z_i are the middles of the values, whose errors are in e_i: powers of points lose what rounding adds, and those of rectangles
// double the sides with every squaring, and more.
func (x *Transform) wordValues(ctx context.Context, c parameters, factors []factor, n int) (values []fixed.Complex, between interval.Interval, ok bool, err error) {
	h := fixed.FromInterval(c.step(224))
	out := make([]fixed.Complex, n+1)
	all, grown := make([]double.Interval, n+1), make([]double.Interval, n+1) // Σ κ_i·log(|z_i| + e_i), and x
	for i, t := range x.terms {
		var l wordLine
		l, ok, err = keptWords(ctx, factors[i], c, x.wordPrec(c), h, n)
		if !ok || err != nil || l.values == nil {
			return nil, between, ok, err
		}
		count := double.Int(t.count)
		for j, z := range l.values {
			if !z.Known() {
				return nil, between, false, nil
			}
			z, radius := z.Middle()
			y := words.PowIntC(z, t.count)
			if i > 0 {
				y = words.MulC(out[j], y)
			}
			out[j] = y
			e := double.Int(0)
			if y := coarse.Add(l.err, radius); !y.IsZero() {
				e = double.Of(y).Upper()
			}
			size := double.Of(z.Re.Interval()).Sqr().Add(double.Of(z.Im.Interval()).Sqr()).Sqrt()
			all[j] = all[j].Add(count.Mul(size.Add(e).Log()))
			grown[j] = grown[j].Add(count.Mul(e.Div(size))) // log(1 + y) ≤ y
		}
	}
	l := words.Rat(c.lambda).Neg()
	least := double.Of(coarse.Mul(coarse.Rat(c.lambda), coarse.Add(coarse.Rat(c.lambda), one)))
	step := double.Of(h.Interval())
	first, distance := all[0].Upper(), double.Int(0)
	var tapers []fixed.Real
	if c.taper != nil {
		tapers = x.memo.tapers(c.taper, h, n)
	}
	for j := range out {
		s := fixed.Complex{Re: l, Im: words.Mul(fixed.Int(int64(j)), h)}
		out[j] = words.DivC(out[j], words.MulC(s, fixed.Complex{Re: words.Sub(l, fixed.Int(1)), Im: s.Im}))
		if tapers != nil {
			out[j] = words.MulC(out[j], fixed.Complex{Re: tapers[j]})
		}
		if !out[j].Known() {
			return nil, between, false, nil
		}
		// e^x − 1 ≤ x·e^x, and Π |z_i|^κ_i·e^x ≤ e^all·e^(x − Σ κ_i·log(1 + e_i/|z_i|)) ≤ e^all·e^x.
		share := double.Int(1)
		if g := grown[j]; g.Hi < 1 {
			share = g.Mul(g.Exp())
		}
		share = share.Div(step.Mul(double.Int(int64(j))).Sqr().Add(least))
		distance = distance.Add(all[j].Sub(first).Exp().Mul(share)).Upper()
	}
	if !isNumber(first.Hi) || !isNumber(distance.Hi) {
		return nil, between, false, nil
	}
	between = coarse.Mul(coarse.Exp(first.Exact()), coarse.Scale(distance.Exact(), 1))
	// What is wanted of all values is had of the first, where no factor is smaller than at others, and their errors are less than
	// what is left out of the line.
	most := double.Of(coarse.Rat(c.period)).Mul(double.Point(-c.tail).Exp())
	good := out[0].Re.Good(uint(max(c.wanted(), 0))) && distance.Hi <= most.Hi
	return out, upper(between), good, nil
}

// wordSum is sum, but for the factor e^{−λε}/T.
func (l *line) wordSum(ctx context.Context, theta fixed.Real) (fixed.Real, error) {
	const block = 64
	var small [block]fixed.Complex
	for j := range small {
		small[j] = wordTurn(j, theta)
	}
	var sum fixed.Real
	var far fixed.Complex
	for j := l.n(); j > 0; j-- {
		if j%block == block-1 || j == l.n() {
			if err := ctx.Err(); err != nil {
				return sum, err
			}
			far = wordTurn(j/block*block, theta)
		}
		z := words.MulC(far, small[j%block])
		v := l.words[j]
		sum = words.Add(sum, words.Sub(words.Mul(z.Re, v.Re), words.Mul(z.Im, v.Im)))
	}
	return words.Add(words.Scale(sum, 1), l.words[0].Re), nil
}

// wordTurn encloses e^{ijθ}.
func wordTurn(j int, theta fixed.Real) fixed.Complex {
	sin, cos := words.SinCos(words.Mul(fixed.Int(int64(j)), theta))
	return fixed.Complex{Re: cos, Im: sin}
}
