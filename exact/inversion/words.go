// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"
	"math/bits"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// words is the arithmetic of package fixed, in three words.
//
// Lines in words follow quadrature, newLine and sum, with package fixed in the place of exact/interval.
// Where words do not suffice, nothing is returned, and exact/interval is used.
var words = fixed.Three{}

// A wordLine is a line of a factor in words: M(−λ + ijh) is within err of values_j.
type wordLine struct {
	values []fixed.Complex
	err    interval.Interval
}

// A wordLiner is a factor that has its values in words.
type wordLiner interface {
	// wordLine is line in words: without values if they cost too much. It reports false where words do not suffice.
	wordLine(
		ctx context.Context, p interval.Prec, lambda *big.Rat, h fixed.Real, n int,
	) (l wordLine, ok bool, err error)
}

// A wordQuadrature is a quadrature in words.
type wordQuadrature struct {
	weights, losses []fixed.Real
	err             interval.Interval
}

// wordNodes is nodes in words.
func (m *mixture) wordNodes(lambda *big.Rat, r stripRule) wordQuadrature {
	l, eta := words.Rat(lambda), fixed.FromInterval(double.Point(r.step).Exact())
	up := words.Add(l, fixed.Int(1))
	scale := words.Div(eta, rootTwoPiWords())
	q := wordQuadrature{err: r.err}
	a, b := wordComponents(m.a), wordComponents(m.b)
	thinned := m.thinning.InWords()
	i0, i1 := r.outermost()
	for i := i0; i <= i1; i++ {
		x := words.Mul(fixed.Int(i), eta)
		la, lb := logOf(a, x), logOf(b, x)
		lg := words.Sub(words.Sub(words.Mul(up, la), words.Mul(l, lb)), words.Scale(words.Sqr(x), -1))
		lg = words.Sub(lg, thinned(fixed.Complex{Re: x}).Re)
		q.weights = append(q.weights, words.Mul(scale, words.Exp(lg)))
		q.losses = append(q.losses, words.Sub(la, lb))
	}
	return q
}

// rootTwoPiWords encloses √(2π).
func rootTwoPiWords() fixed.Real { return fixed.FromInterval(rootTwoPi(200)) }

// A wordComponent is a component in words: e^(log p + m·(x − m/2)) at x.
type wordComponent struct {
	prob, mean, half fixed.Real
	constant         bool // its mean is 0
}

func wordComponents(cs []component) []wordComponent {
	var out []wordComponent
	for _, c := range cs {
		mean := fixed.FromInterval(c.Mean(200))
		out = append(out, wordComponent{words.Rat(c.Prob), mean, words.Scale(mean, -1), c.Mean(2).IsZero()})
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

// logOfC encloses log Σ p_i·e^{m_i·z − m_i²/2} where all terms are in the right half plane.
func logOfC(cs []wordComponent, z fixed.Complex) (sum fixed.Complex) {
	if len(cs) == 1 && cs[0].constant {
		return sum // of probability 1
	}
	for _, c := range cs {
		e := words.ExpC(words.ScaleC(c.mean, words.SubC(z, fixed.Complex{Re: c.half})))
		sum = words.AddC(sum, words.ScaleC(c.prob, e))
	}
	return words.LogC(sum)
}

// wordPrec is the precision of quadratures in words: the bits wanted of a line, and those that the powers of factors
// lose. Rounding loses none.
func (x *Transform) wordPrec(c parameters) interval.Prec {
	copies := 0
	for _, t := range x.terms {
		copies = max(copies, bits.Len64(uint64(t.count)))
	}
	return x.memo.prec(interval.Prec(max(c.wanted()+copies, interval.MinPrec)))
}

// wanted is the number of leading bits that are wanted of the values of a line.
func (c parameters) wanted() int { return int(c.tail/math.Ln2) + guard }

// fitWords reports whether words may hold a line.
// Sums of waves are good to some 155 bits, and powers to some 180, less three bits for each squaring.
func (x *Transform) fitWords(c parameters) bool {
	const sums, powers = 148, 180
	p := int(x.wordPrec(c))
	return p <= sums && p+2*(p-c.wanted()) <= powers
}

// wordBits is how far |M| may fall, about, for words to hold a line of many copies.
const wordBits = 116

// maxWordSteps bounds the steps of waves of a line in words, some 20 ns each: it is 5 s.
const maxWordSteps = 1 << 28

// shiftedRatio is the number of steps of waves that a step of a shifted rule costs, and wordNode the one that a node
// costs.
const (
	shiftedRatio = 2
	wordNode     = 1 << 10
)

// wordLine takes the cheaper one of a rule on the real line and a shifted rule.
func (m *mixture) wordLine(
	ctx context.Context, p interval.Prec, lambda *big.Rat, h fixed.Real, n int,
) (wordLine, bool, error) {
	const most = 4 * maxStripNodes
	r, ok := m.chooseRule(p, lambda, double.Of(h.Interval()).Mul(double.Int(int64(n))).Hi, most)
	steps := math.Inf(1)
	if ok {
		steps = r.nodes() * (float64(n+1) + wordNode)
	}
	const cheapSteps = 1 << 18
	if steps > cheapSteps {
		most := min(steps, maxWordSteps)
		// Terms are counted node by node: a plan of too many nodes is left alone first.
		if plan, ok := m.planShifted(p, lambda); ok && plan.nodes()*wordNode < most {
			terms := m.shiftedTerms(lambda, plan, double.Of(h.Interval()).Mid(), n)
			if terms*shiftedRatio+plan.nodes()*wordNode < most {
				return plan.wordLine(ctx, m, lambda, h, n)
			}
		}
	}
	if steps > maxWordSteps {
		return wordLine{}, true, nil
	}
	return m.wordNodes(lambda, r).line(ctx, h, n)
}

// line is quadrature.line in words.
func (q wordQuadrature) line(ctx context.Context, h fixed.Real, n int) (wordLine, bool, error) {
	theta := make([]fixed.Real, len(q.losses))
	for k, l := range q.losses {
		theta[k] = words.Mul(h, l)
	}
	values, ok, err := fixed.Waves(ctx, q.weights, theta, n)
	return wordLine{values, q.err}, ok && q.err.IsFinite(), err
}

// wordLineOf is wordLine of any factor.
// A factor that is no wordLiner may have values that cost little at any precision; else it reports false.
func wordLineOf(
	ctx context.Context, f factor, c parameters, p interval.Prec, h fixed.Real, n int,
) (wordLine, bool, error) {
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

// wordValues returns numbers near M(s_j)/(s_j(s_j − 1)), j = 0 … n, times W(jh) ≤ 1 where there is a taper.
// It also returns a bound of 2·Σ of their distances.
// There are no values if a factor has no line of moderate cost. It reports false where words do not suffice.
//
// Lemma. If |M_i − z_i| ≤ e_i for all factors, and κ_i counts copies, then with x = Σ κ_i·log(1 + e_i/|z_i|)
//
//	|Π M_i^κ_i − Π z_i^κ_i| ≤ Π (|z_i| + e_i)^κ_i − Π |z_i|^κ_i = Π |z_i|^κ_i·(e^x − 1).
//
// Proof. |M_i| ≤ |z_i| + e_i, and all products of the binomials but Π z_i^κ_i are bounded by their moduli.
//
// Where some |z_i| is not known to be positive, only the product Π (|z_i| + e_i)^κ_i is used.
// And |s(s − 1)| ≥ λ(λ + 1) + t², see length.
//
// The z_i are the middles of the values, and the errors of these are in e_i.
// Powers of points lose what rounding adds; powers of rectangles at least double the sides with every squaring.
// So may a product: factors are multiplied by halves, as one by one many lose all bits.
func (x *Transform) wordValues(
	ctx context.Context, c parameters, factors []factor, n int,
) (values []fixed.Complex, between interval.Interval, ok bool, err error) {
	h := fixed.FromInterval(c.step(224))
	var products [][]fixed.Complex                                           // of 2^k factors each
	all, grown := make([]double.Interval, n+1), make([]double.Interval, n+1) // Σ κ_i·log(|z_i| + e_i), and x
	for i, t := range x.terms {
		var l wordLine
		l, ok, err = keptWords(ctx, factors[i], c, x.wordPrec(c), h, n)
		if !ok || err != nil || l.values == nil {
			return nil, between, ok, err
		}
		count := double.Int(t.count)
		powers := make([]fixed.Complex, n+1)
		for j, z := range l.values {
			if !z.Known() {
				return nil, between, false, nil
			}
			z, radius := z.Middle()
			powers[j] = words.PowIntC(z, t.count)
			e := double.Int(0)
			if y := coarse.Add(l.err, radius); !y.IsZero() {
				e = double.Of(y).Upper()
			}
			size := double.Of(z.Re.Interval()).Sqr().Add(double.Of(z.Im.Interval()).Sqr()).Sqrt()
			all[j] = all[j].Add(count.Mul(size.Add(e).Log()))
			grown[j] = grown[j].Add(count.Mul(e.Div(size))) // log(1 + y) ≤ y
		}
		products = append(products, powers)
		for k := i; k&1 == 1; k >>= 1 {
			products = lastMultiplied(products)
		}
	}
	for len(products) > 1 {
		products = lastMultiplied(products)
	}
	out := products[0]
	l := words.Rat(c.lambda).Neg()
	floor := double.Of(coarse.Mul(coarse.Rat(c.lambda), coarse.Add(coarse.Rat(c.lambda), one)))
	step := double.Of(h.Interval())
	first, distance := all[0].Upper(), double.Int(0)
	var tapers []fixed.Real
	if c.taper != nil {
		tapers = x.memo.tapers(c.taper.Kernel, h, n)
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
		share = share.Div(step.Mul(double.Int(int64(j))).Sqr().Add(floor))
		distance = distance.Add(all[j].Sub(first).Exp().Mul(share)).Upper()
	}
	if !isNumber(first.Hi) || !isNumber(distance.Hi) {
		return nil, between, false, nil
	}
	between = coarse.Mul(coarse.Exp(first.Exact()), coarse.Scale(distance.Exact(), 1))
	// Every factor is largest at j = 0, so accuracy of the first value implies it of all.
	// Their errors together have to be less than what is left out of the line.
	leftOut := double.Of(coarse.Rat(c.period)).Mul(double.Point(-c.tail).Exp())
	good := out[0].Re.Good(uint(max(c.wanted(), 0))) && distance.Hi <= leftOut.Hi
	return out, upper(between), good, nil
}

// lastMultiplied multiplies the last two of products.
func lastMultiplied(products [][]fixed.Complex) [][]fixed.Complex {
	k := len(products) - 2
	for j, z := range products[k+1] {
		products[k][j] = words.MulC(products[k][j], z)
	}
	return products[:k+1]
}

// wordSum is sum in words, without the factor e^{−λε}/T.
func (l *line) wordSum(ctx context.Context, theta fixed.Real) (fixed.Real, error) {
	const block = 64
	var small [block]fixed.Complex
	for j := range small {
		small[j] = wordTurn(j, theta)
	}
	var sum fixed.Real
	var large fixed.Complex
	for j := l.n(); j > 0; j-- {
		if j%block == block-1 || j == l.n() {
			if err := ctx.Err(); err != nil {
				return sum, err
			}
			large = wordTurn(j/block*block, theta)
		}
		z := words.MulC(large, small[j%block])
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
