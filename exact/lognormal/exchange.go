// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import (
	"context"
	"math/big"
	"math/bits"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// An Exchange is X = W₁ + … + W_t, W = A − γB, where A = e^{μZ−μ²/2} and B = e^{−μZ−μ²/2} with the same normal Z, one
// for each term: the mean of the positive part is the price of an option to exchange one sum for another. It keeps
// tables, which do not depend on γ, and may be used by several goroutines.
//
// Let γ = e^ε, a = ε/2μ and κ = e^{(ε−μ²)/2}. Then Y = Z − a is normal with mean −a, A = κe^{μY} and γB = κe^{−μY}. So
// X = κS, where S is a sum of t independent 2·sinh(μY).
//
// Theorem. Let Φ(u) = φ(u)^t, φ(u) = E e^{2iu·sinh(μY)}. With u = e^y,
//
//	E X₊ = ½·E X + ½·E|X| = ½·t(1 − γ) + (κ/π)·∫ f(y) dy,  f(y) = (1 − Re Φ(e^y))·e^{−y}.
//
// 1. φ. For an angle ψ in [0, π], by Cauchy's theorem, Y may be moved to y + iψ/μ:
//
//	φ(u) = ∫ exp(−(y + a + iψ/μ)²/2)/√(2π)·exp(−2u·sin ψ·cosh μy + 2iu·cos ψ·sinh μy) dy.
//
// The second factor is at most e^{−2u·sin ψ·cosh μy} ≤ 1, and the first e^{ψ²/2μ²} times the density at y + a. So
// |φ(u)| ≤ e^{ψ²/2μ²}·e^{−2u·sin ψ}. The trapezoidal rule of step η, wherever its nodes are, is off by at most
// e^{(v+ψ/μ)²/2}/(e^{2πv/η} − 1) + e^{(b−ψ/μ)²/2}/(e^{2πb/η} − 1), 0 < v ≤ (π − ψ)/μ and 0 < b ≤ ψ/μ, since the second
// factor is at most 1 there, too. Its nodes are ±kη, for k up to an n with nη > |a|. The others add up to at most
// e^{ψ²/2μ²}·(P(N > nη + a) + P(N > nη − a)). Those with 2u·sin ψ·cosh μy ≥ c may be left out: densities add up to at
// most 1 + η, so that these nodes do to at most e^{ψ²/2μ²}·(1 + η)·e^{−c}.
//
// 2. The strip. φ continues to u = e^{y+iθ}, |θ| ≤ Θ < π/2: with ψ = |θ| the factor exp(2iu·sinh) is still at most 1,
// and |Φ| ≤ e^{tθ²/2μ²}. The same is so for u ↦ Re Φ(u) = ½(Φ(u) + Φ(−u)), so that |f(y + iθ)| ≤ C₂·e^{−y}, C₂ = 1 +
// e^{tΘ²/2μ²}. As |e^{iv} − 1 − iv| ≤ |v|²/2 where Im v ≥ 0, and what is linear in u cancels, |f(y + iθ)| ≤ C₁·e^y,
// 2κ²·C₁ = e^{tΘ²/2μ²}·E(Σ(A + γB))². So ∫|f(y + iθ)| dy ≤ 2·√(C₁C₂), and the trapezoidal rule of step h is off by at
// most 4·√(C₁C₂)/(e^{2πΘ/h} − 1).
//
// Of many terms ofMany has a strip that is wider.
//
// 3. The ends. On the left, by Taylor's theorem, 1 − cos v is between v²/2 − … ± v^{2M}/(2M)!: with the moments of S,
// geometric series remain. On the right |Φ| is at most what 1 says, which falls with u.
//
// At a node the second factor does not depend on γ, which the weights do: a price is a product of a table of these
// factors and of a vector. The nodes y and −y have conjugate factors.
type Exchange struct {
	mu2   *big.Rat
	terms int64

	mutex  sync.Mutex
	tables []table // the last ones, the newest first
}

// A table is a pair of rules, with what does not depend on γ.
type table interface {
	rules() outer
	price(ctx context.Context, eps interval.Interval) (interval.Interval, error)
}

// NewExchange returns the sum of so many terms, at least 1, with μ² > 0.
func NewExchange(mu2 *big.Rat, terms int64) *Exchange { return &Exchange{mu2: mu2, terms: terms} }

// Price encloses E X₊ for γ = e^ε, with an error of about t·2^−bits for an ε that is known to 2^−200. It reports false
// where that would take too many nodes.
func (x *Exchange) Price(ctx context.Context, bits interval.Prec, eps interval.Interval) (interval.Interval, bool,
	error) {
	t, err := x.table(ctx, bits, eps.Abs())
	if t == nil || err != nil {
		return eps, false, err
	}
	y, err := t.price(ctx, eps)
	return y, err == nil && y.IsFinite(), err
}

// maxTables is how many tables are kept.
const maxTables = 8

// table returns rules for |ε|, and for more; nil if there are none that are short.
func (x *Exchange) table(ctx context.Context, bits interval.Prec, size interval.Interval) (table, error) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	for i, t := range x.tables {
		if t.rules().serves(bits, size) {
			copy(x.tables[1:i+1], x.tables[:i])
			x.tables[0] = t
			return t, nil
		}
	}
	o, ok := chooseOuter(x.mu2, x.terms, bits, size)
	if !ok {
		return nil, nil
	}
	t, err := x.tabulated(ctx, o)
	if err == nil {
		x.tables = append([]table{t}, x.tables[:min(len(x.tables), maxTables-1)]...)
	}
	return t, err
}

// tabulated computes a table, in words if they hold it.
func (x *Exchange) tabulated(ctx context.Context, o outer) (table, error) {
	if int(o.w)+bits.Len64(uint64(x.terms)) <= wordBits+wordGuard {
		return newFactors[fixed.Real](ctx, fixed.InWords{}, x, o)
	}
	return newFactors[interval.Interval](ctx, fixed.InBits{Prec: o.w}, x, o)
}

// factors are a table in some arithmetic.
type factors[R any, A fixed.Arithmetic[R]] struct {
	*Exchange
	outer
	series[R, A]
	h, eta  interval.Interval
	mu, psi interval.Interval
	nodes   []parts[R] // e^{ψ²/2μ²}·η·e^{−y²/2}/√(2π)·e^{−iyψ/μ} at y = kη
	rows    []row[R]
	one     R
	off     interval.Interval // what φ is off by, but for the nodes that there are not
}

// A row has the second factors of the nodes for one u, up to the last that counts.
type row[R any] struct {
	inverse  R // 1/u
	cos, sin []R
}

func newFactors[R any, A fixed.Arithmetic[R]](ctx context.Context, a A, x *Exchange, o outer) (table, error) {
	p := max(o.w+32, wordBits+72)
	f := &factors[R, A]{Exchange: x, outer: o, series: newSeries[R](a, p, x.mu2, max(o.order, o.taylor)),
		h: double.Exactly(o.step), eta: double.Exactly(o.inner.step), mu: p.Sqrt(p.Rat(x.mu2)), one: a.Of(interval.Int(1))}
	r := o.inner
	eta, cut, flat := f.eta, double.Exactly(o.cut), 2*r.angle == angles
	f.psi = p.Div(p.Mul(p.Pi(), interval.Int(r.angle)), interval.Int(angles))
	share := p.Div(f.psi, f.mu)
	front := p.Mul(p.Div(eta, p.Sqrt(p.Scale(p.Pi(), 1))), p.Exp(p.Scale(p.Sqr(share), -1)))
	sin, cos := p.SinCos(f.psi)
	var fall, turn []R
	var about []interval.Interval
	for k := range r.far + 1 {
		y := p.Mul(interval.Int(k), eta)
		node := p.ScaleC(p.Mul(front, p.Exp(p.Scale(p.Sqr(y), -1).Neg())), p.ExpI(p.Mul(y, share).Neg()))
		f.nodes = append(f.nodes, parts[R]{a.Of(node.Re), a.Of(node.Im)})
		rise := p.Mul(f.mu, y)
		e, less := p.Exp(rise), p.Exp(rise.Neg())
		falls := p.Mul(sin, p.Add(e, less))
		about = append(about, low.Round(falls))
		fall, turn = append(fall, a.Of(falls)), append(turn, a.Of(p.Mul(cos, p.Sub(e, less))))
	}
	for j := o.first; j <= o.last; j++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		exponent := p.Mul(interval.Int(j), f.h)
		at := p.Exp(exponent)
		u, size := a.Of(at), low.Round(at)
		line := row[R]{inverse: a.Of(p.Exp(exponent.Neg()))}
		for k := range fall {
			if cut.LessEq(low.Mul(size, about[k])) == interval.True {
				break
			}
			c := a.Exp(a.Neg(a.Mul(u, fall[k])))
			if !flat {
				sin, cos := a.SinCos(a.Mul(u, turn[k]))
				line.sin, c = append(line.sin, a.Mul(c, sin)), a.Mul(c, cos)
			}
			line.cos = append(line.cos, c)
		}
		f.rows = append(f.rows, line)
	}
	up := aliased(r.up, low.Sub(low.Pi(), f.psi), f.mu, eta, share)
	down := aliased(r.down, f.psi, f.mu, eta, share.Neg())
	dropped := low.Mul(low.Add(interval.Int(1), eta), low.Exp(low.Sub(x.penalty(f.psi), cut)))
	f.off = low.Add(low.Add(up, down), dropped).Upper()
	return f, nil
}

func (f *factors[R, A]) rules() outer { return f.outer }

// price encloses E X₊.
func (f *factors[R, A]) price(ctx context.Context, eps interval.Interval) (interval.Interval, error) {
	a, p := f.a, f.p
	sum := zero[R](a)
	even, odd, off := f.weights(eps)
	for i, r := range f.rows {
		if i%16 == 0 && ctx.Err() != nil {
			return eps, ctx.Err()
		}
		re, im := zero[R](a), zero[R](a)
		for k, c := range r.cos {
			re, im = a.Add(re, a.Mul(c, even[k].re)), a.Add(im, a.Mul(c, even[k].im))
		}
		for k, s := range r.sin {
			re, im = a.Sub(re, a.Mul(s, odd[k].im)), a.Add(im, a.Mul(s, odd[k].re))
		}
		power := f.power(parts[R]{re, im})
		sum = a.Add(sum, a.Mul(a.Sub(f.one, power.re), r.inverse))
	}
	gamma, kappa := p.Exp(eps), p.Exp(p.Scale(p.Sub(eps, p.Rat(f.mu2)), -1))
	all := p.Add(a.Interval(sum), p.Add(f.left(eps), f.right()))
	all = p.Add(all, f.powered(off))
	integral := p.Mul(kappa, p.Mul(all, f.h))
	wrong := f.aliases(f.outer, low.Exp(eps))
	if f.taylor > 0 {
		var b []interval.Interval
		for _, x := range f.moments(eps, 1) {
			b = append(b, low.Round(a.Interval(x)))
		}
		wrong = interval.Min(wrong, f.ofMany(f.mu2, f.terms, b, eps))
	}
	integral = p.Add(integral, interval.Union(wrong.Neg(), wrong))
	terms := interval.Int(f.terms)
	mean := p.Mul(terms, p.Sub(interval.Int(1), gamma))
	price := p.Add(p.Scale(mean, -1), p.Div(integral, p.Pi()))
	if !price.IsFinite() {
		return price, nil
	}
	// E X ≤ E X₊ ≤ E ΣA
	return interval.Max(interval.Int(0), interval.Max(mean, interval.Min(price, terms))), nil
}

// parts are those of a complex number.
type parts[R any] struct{ re, im R }

// weights are the first factors, times η, at kη plus and minus those at −kη, and what φ is off by.
func (f *factors[R, A]) weights(eps interval.Interval) (even, odd []parts[R], off interval.Interval) {
	a, p := f.a, f.p
	eta := f.eta
	mean := p.Div(eps, p.Scale(f.mu, 1)).Neg()
	turn := p.ScaleC(p.Exp(p.Scale(p.Sqr(mean), -1).Neg()), p.ExpI(p.Div(p.Mul(mean, f.psi), f.mu)))
	front := parts[R]{a.Of(turn.Re), a.Of(turn.Im)}
	rise := a.Of(p.Mul(mean, eta))
	for k, node := range f.nodes {
		at := a.Times(rise, int64(k))
		up, down := a.Exp(at), a.Exp(a.Neg(at))
		both, gap := a.Add(up, down), a.Sub(up, down)
		if k == 0 {
			both = f.one // one node
		}
		even = append(even, product[R](a, front, parts[R]{a.Mul(node.re, both), a.Mul(node.im, gap)}))
		odd = append(odd, product[R](a, front, parts[R]{a.Mul(node.re, gap), a.Mul(node.im, both)}))
	}
	last, from := low.Mul(interval.Int(f.inner.far), eta), mean.Abs()
	if from.Less(last) != interval.True {
		return even, odd, low.Inv(interval.Int(0))
	}
	tails := low.Add(low.NormalSF(low.Sub(last, from)), low.NormalSF(low.Add(last, from)))
	return even, odd, low.Add(f.off, low.Mul(tails, low.Exp(f.penalty(f.psi)))).Upper()
}

// product is y·z.
func product[R any, A fixed.Arithmetic[R]](a A, y, z parts[R]) parts[R] {
	return parts[R]{a.Sub(a.Mul(y.re, z.re), a.Mul(y.im, z.im)), a.Add(a.Mul(y.re, z.im), a.Mul(y.im, z.re))}
}

// power is z^t.
func (f *factors[R, A]) power(z parts[R]) parts[R] {
	a, y := f.a, parts[R]{f.one, zero[R](f.a)}
	for n := f.terms; n > 0; n >>= 1 {
		if n&1 == 1 {
			y = product[R](a, y, z)
		}
		z = product[R](a, z, z)
	}
	return y
}

// powered encloses what the sum over the rows is off by if φ is by at most m. As |φ| ≤ 1, its power is off by at most
// t·m·(1 + m)^{t−1} ≤ t·m·e^{tm}.
func (f *factors[R, A]) powered(m interval.Interval) interval.Interval {
	h, tm := f.h, low.Mul(interval.Int(f.terms), m)
	all := low.Div(low.Exp(low.Mul(h, interval.Int(-f.first))), low.Expm1(h.Neg()).Neg()) // Σ_{j≥first} 1/u_j
	off := low.Mul(low.Mul(tm, low.Exp(tm)), all).Upper()
	return interval.Union(off.Neg(), off)
}

// left encloses the sum of f over all nodes before the first one.
func (f *factors[R, A]) left(eps interval.Interval) interval.Interval {
	p, h := f.p, f.h
	moments := f.moments(eps, f.terms)
	// Σ_{j<first} e^{mjh}
	powers := func(m int64) interval.Interval {
		return p.Div(p.Exp(p.Mul(h, interval.Int(m*(f.first-1)))), p.Expm1(p.Mul(h, interval.Int(m)).Neg()).Neg())
	}
	sum := interval.Int(0)
	for m := 1; m <= f.order; m++ {
		term := p.Mul(powers(int64(2*m-1)), f.a.Interval(moments[2*m]))
		switch {
		case m == f.order:
			sum = p.Add(sum, interval.Union(term.Upper().Neg(), term.Upper()))
		case m%2 == 0:
			sum = p.Sub(sum, term)
		default:
			sum = p.Add(sum, term)
		}
	}
	return sum
}

// right encloses the sum of f over all nodes behind the last one.
func (f *factors[R, A]) right() interval.Interval {
	p, h := f.p, f.h
	t, psi := interval.Int(f.terms), double.Exactly(f.lift)
	u := low.Exp(low.Mul(h, interval.Int(f.last+1)))
	fall := low.Scale(low.Mul(u, low.Sin(psi)), 1)
	size := low.Exp(low.Mul(t, low.Sub(f.penalty(psi), fall))).Upper()
	all := p.Div(p.Exp(p.Mul(h, interval.Int(f.last+1)).Neg()), p.Expm1(h.Neg()).Neg())
	return p.Mul(all, p.Add(interval.Int(1), interval.Union(size.Neg(), size)))
}

// penalty is ψ²/2μ².
func (x *Exchange) penalty(psi interval.Interval) interval.Interval {
	return low.Div(low.Sqr(psi), low.Scale(low.Rat(x.mu2), 1))
}

// aliases bounds what the rule for κf is off by.
func (x *Exchange) aliases(o outer, gamma interval.Interval) interval.Interval {
	strip, one, t := double.Exactly(o.strip), interval.Int(1), interval.Int(x.terms)
	half := low.Scale(low.Pi(), -1)
	if low.Sub(half, strip).Positive() != interval.True {
		return low.Inv(interval.Int(0))
	}
	turn := low.Exp(low.Mul(t, x.penalty(strip)))
	e := low.Exp(low.Rat(x.mu2))
	// E(A + γB)² and (E(A + γB))²
	square := low.Add(low.Mul(e, low.Add(one, low.Sqr(gamma))), low.Div(low.Scale(gamma, 1), e))
	mean := low.Sqr(low.Add(one, gamma))
	c1 := low.Scale(low.Mul(turn, low.Mul(t, low.Add(square, low.Mul(low.Sub(t, one), mean)))), -1)
	c2 := low.Add(one, turn)
	cycles := low.Div(low.Mul(low.Scale(low.Pi(), 1), strip), double.Exactly(o.step))
	return low.Div(low.Scale(low.Sqrt(low.Mul(c1, c2)), 2), low.Expm1(cycles)).Upper()
}
