// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// An Exchange is X = W₁ + … + W_t, W = A − γB, where A = e^{μZ−μ²/2} and B = e^{−μZ−μ²/2} with the same normal Z, one
// for each term: the mean of the positive part is the price of an option to exchange one sum for another.
//
// Theorem. Let Φ(u) = φ(u)^t, φ(u) = E e^{iuW}. With u = e^y,
//
//	E X₊ = ½·E X + ½·E|X| = ½·t(1 − γ) + (1/π)·∫ f(y) dy,  f(y) = (1 − Re Φ(e^y))·e^{−y}.
//
// 1. φ. For an angle ψ in [0, π], by Cauchy's theorem, Z may be moved to z + iψ/μ:
//
//	φ(u) = ∫ exp(−(z + iψ/μ)²/2)/√(2π)·exp(iu·(A·e^{iψ} − γB·e^{−iψ})) dz,
//
// whose second factor is exp(−u·sin ψ·(A + γB) + iu·cos ψ·(A − γB)), at most 1. So |φ(u)| ≤
// e^{ψ²/2μ²}·E e^{−u·sin ψ·(A + γB)}, and A + γB ≥ 2·√γ·e^{−μ²/2}. The trapezoidal rule of step η is off by at most
// e^{(a+ψ/μ)²/2}/(e^{2πa/η} − 1) + e^{(b−ψ/μ)²/2}/(e^{2πb/η} − 1), 0 < a ≤ (π − ψ)/μ and 0 < b ≤ ψ/μ, since the second
// factor is at most 1 there, too. Beyond a node z > 0 the sum is at most e^{ψ²/2μ²}·P(N > z).
//
// 2. The strip. φ continues to u = e^{y+iθ}, |θ| ≤ Θ < π/2: with ψ = |θ| the factor exp(iu·W) is still at most 1, and
// |Φ| ≤ e^{tθ²/2μ²}. The same is so for u ↦ Re Φ(u) = ½(Φ(u) + Φ(−u)), so that |f(y + iθ)| ≤ C₂·e^{−y}, C₂ = 1 +
// e^{tΘ²/2μ²}. As |e^{iv} − 1 − iv| ≤ |v|²/2 where Im v ≥ 0, and what is linear in u cancels, |f(y + iθ)| ≤ C₁·e^y,
// 2·C₁ = e^{tΘ²/2μ²}·E(Σ(A + γB))². So ∫|f(y + iθ)| dy ≤ 2·√(C₁C₂), and the trapezoidal rule of step h is off by at
// most 4·√(C₁C₂)/(e^{2πΘ/h} − 1).
//
// 3. The ends. On the left, by Taylor's theorem, 1 − cos v is between v²/2 − … ± v^{2M}/(2M)!: with the moments of X,
// geometric series remain. On the right |Φ| is at most what 1 says, which falls with u.
type Exchange struct {
	mu2   *big.Rat
	terms int64
}

// NewExchange returns the sum of so many terms, at least 1, with μ² > 0.
func NewExchange(mu2 *big.Rat, terms int64) Exchange { return Exchange{mu2, terms} }

// Price encloses E X₊ for γ > 0, with an error of about t·2^−bits. It reports false where that would take too many
// nodes.
func (x Exchange) Price(ctx context.Context, bits interval.Prec, gamma interval.Interval) (interval.Interval, bool,
	error) {
	moments := x.moments(gamma)
	o, ok := chooseOuter(x.mu2, x.terms, bits, gamma, moments)
	if !ok {
		return gamma, false, nil
	}
	return x.by(ctx, o, gamma)
}

// by is Price by a rule, whatever it is.
func (x Exchange) by(ctx context.Context, o outer, gamma interval.Interval) (interval.Interval, bool, error) {
	w, one := o.w, interval.Int(1)
	p := x.prepare(o.inner, w, gamma)
	h := exactly(o.step)
	sum := interval.Int(0)
	for j := o.first; j <= o.last; j++ {
		if err := ctx.Err(); err != nil {
			return gamma, false, err
		}
		u := w.Exp(w.Mul(interval.Int(j), h))
		sum = w.Add(sum, w.Div(w.Sub(one, w.PowIntC(p.at(u), x.terms).Re), u))
	}
	sum = w.Add(sum, w.Add(x.left(o, gamma), x.right(o, gamma)))
	integral := w.Mul(sum, h)
	miss := x.aliases(o, gamma)
	integral = w.Add(integral, interval.Union(miss.Neg(), miss))
	terms := interval.Int(x.terms)
	mean := w.Mul(terms, w.Sub(one, gamma))
	price := w.Add(w.Scale(mean, -1), w.Div(integral, w.Pi()))
	if !price.IsFinite() {
		return gamma, false, nil
	}
	// E X ≤ E X₊ ≤ E ΣA
	return interval.Max(interval.Int(0), interval.Max(mean, interval.Min(price, terms))), true, nil
}

// moments returns E X^m/m! for m up to 2·maxOrder: the coefficients of (Σ E W^m·v^m/m!)^t. E A^a·B^b =
// e^{μ²((a−b)²−(a+b))/2}.
func (x Exchange) moments(gamma interval.Interval) []interval.Interval {
	const w, n = interval.Prec(256), 2*maxOrder + 1
	over := make([]interval.Interval, n) // 1/n!
	over[0] = interval.Int(1)
	for i := 1; i < n; i++ {
		over[i] = w.Div(over[i-1], interval.Int(int64(i)))
	}
	base := make([]interval.Interval, n)
	for m := range n {
		for k := 0; k <= m; k++ {
			d := int64(m - 2*k)
			e := w.Exp(w.Scale(w.Mul(w.Rat(x.mu2), interval.Int(d*d-int64(m))), -1))
			term := w.Mul(w.Mul(e, w.PowInt(gamma, int64(k))), w.Mul(over[k], over[m-k]))
			if k%2 == 1 {
				term = term.Neg()
			}
			base[m] = w.Add(base[m], term)
		}
	}
	times := func(a, b []interval.Interval) []interval.Interval {
		out := make([]interval.Interval, n)
		for i, y := range a {
			for j := 0; i+j < n; j++ {
				out[i+j] = w.Add(out[i+j], w.Mul(y, b[j]))
			}
		}
		return out
	}
	out := make([]interval.Interval, n)
	out[0] = interval.Int(1)
	for left := x.terms; left > 0; left >>= 1 {
		if left&1 == 1 {
			out = times(out, base)
		}
		base = times(base, base)
	}
	return out
}

// left encloses the sum of f over all nodes before the first one.
func (x Exchange) left(o outer, gamma interval.Interval) interval.Interval {
	w, h := o.w, exactly(o.step)
	moments := x.moments(gamma)
	// Σ_{j<first} e^{pjh}
	powers := func(p int64) interval.Interval {
		return w.Div(w.Exp(w.Mul(h, interval.Int(p*(o.first-1)))), w.Expm1(w.Mul(h, interval.Int(p)).Neg()).Neg())
	}
	sum := interval.Int(0)
	for m := 1; m <= o.order; m++ {
		term := w.Mul(powers(int64(2*m-1)), moments[2*m])
		switch {
		case m == o.order:
			sum = w.Add(sum, interval.Union(term.Upper().Neg(), term.Upper()))
		case m%2 == 0:
			sum = w.Sub(sum, term)
		default:
			sum = w.Add(sum, term)
		}
	}
	return sum
}

// right encloses the sum of f over all nodes behind the last one.
func (x Exchange) right(o outer, gamma interval.Interval) interval.Interval {
	w, h := o.w, exactly(o.step)
	t, psi := interval.Int(x.terms), exactly(o.lift)
	u := low.Exp(low.Mul(h, interval.Int(o.last+1)))
	least := low.Mul(low.Sqrt(gamma), low.Exp(low.Scale(low.Rat(x.mu2), -1).Neg()))
	fall := low.Mul(low.Scale(low.Mul(u, low.Sin(psi)), 1), least)
	size := low.Exp(low.Mul(t, low.Sub(x.penalty(psi), fall))).Upper()
	all := w.Div(w.Exp(w.Mul(h, interval.Int(o.last+1)).Neg()), w.Expm1(h.Neg()).Neg())
	return w.Mul(all, w.Add(interval.Int(1), interval.Union(size.Neg(), size)))
}

// penalty is ψ²/2μ².
func (x Exchange) penalty(psi interval.Interval) interval.Interval {
	return low.Div(low.Sqr(psi), low.Scale(low.Rat(x.mu2), 1))
}

// aliases bounds what the rule for f is off by.
func (x Exchange) aliases(o outer, gamma interval.Interval) interval.Interval {
	strip, one, t := exactly(o.strip), interval.Int(1), interval.Int(x.terms)
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
	cycles := low.Div(low.Mul(low.Scale(low.Pi(), 1), strip), exactly(o.step))
	return low.Div(low.Scale(low.Sqrt(low.Mul(c1, c2)), 2), low.Expm1(cycles)).Upper()
}

// A prepared rule is an inner rule with what does not depend on u at its nodes.
type prepared struct {
	w          interval.Prec
	fall, turn []interval.Interval // sin ψ·(A + γB) and cos ψ·(A − γB)
	weight     []interval.Complex  // η·exp(−(z + iψ/μ)²/2)/√(2π)
	flat       bool                // whether cos ψ = 0
	miss       interval.Interval
}

func (x Exchange) prepare(r inner, w interval.Prec, gamma interval.Interval) *prepared {
	mu2 := w.Rat(x.mu2)
	mu, eta := w.Sqrt(mu2), exactly(r.step)
	psi := w.Div(w.Mul(w.Pi(), interval.Int(r.angle)), interval.Int(angles))
	share := w.Div(psi, mu)
	front := w.Mul(w.Div(eta, w.Sqrt(w.Scale(w.Pi(), 1))), w.Exp(w.Scale(w.Sqr(share), -1)))
	sin, cos := w.SinCos(psi)
	p := &prepared{w: w, flat: 2*r.angle == angles}
	if p.flat {
		sin, cos = interval.Int(1), interval.Int(0)
	}
	for j := -r.far; j <= r.far; j++ {
		z := w.Mul(interval.Int(j), eta)
		a := w.Exp(w.Sub(w.Mul(mu, z), w.Scale(mu2, -1)))
		b := w.Mul(gamma, w.Exp(w.Sub(w.Mul(mu, z).Neg(), w.Scale(mu2, -1))))
		size := w.Mul(front, w.Exp(w.Scale(w.Sqr(z), -1).Neg()))
		p.fall, p.turn = append(p.fall, w.Mul(sin, w.Add(a, b))), append(p.turn, w.Mul(cos, w.Sub(a, b)))
		p.weight = append(p.weight, w.ScaleC(size, w.ExpI(w.Mul(z, share).Neg())))
	}
	up := aliased(r.up, low.Sub(low.Pi(), psi), mu, eta, share)
	down := aliased(r.down, psi, mu, eta, share.Neg())
	tails := low.Scale(low.Mul(low.NormalSF(low.Mul(interval.Int(r.far), eta)), low.Exp(x.penalty(psi))), 1)
	p.miss = low.Add(low.Add(up, down), tails).Upper()
	return p
}

// at encloses φ(u) for u > 0.
func (p *prepared) at(u interval.Interval) interval.Complex {
	w := p.w
	sum := interval.Complex{}
	for j, fall := range p.fall {
		term := w.ScaleC(w.Exp(w.Mul(u, fall).Neg()), p.weight[j])
		if !p.flat {
			term = w.MulC(term, w.ExpI(w.Mul(u, p.turn[j])))
		}
		sum = w.AddC(sum, term)
	}
	miss := interval.Union(p.miss.Neg(), p.miss)
	return interval.Complex{Re: w.Add(sum.Re, miss), Im: w.Add(sum.Im, miss)}
}
