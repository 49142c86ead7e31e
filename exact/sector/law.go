// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"math/big"

	"dpverify/exact/interval"
)

// coarse is the precision at which errors are bounded.
const coarse = interval.Prec(64)

var one = interval.Int(1)

// A step is a kind of steps, and how many of them there are. Its record is added or removed, or replaced.
type step struct {
	q, mu2   *big.Rat
	count    int64
	replaced bool
}

// keep is 1 − q.
func (s step) keep() *big.Rat { return new(big.Rat).Sub(big.NewRat(1, 1), s.q) }

// edge encloses V, the sum of v: log(1 − q), or 0 of replaced records.
func edge(w interval.Prec, steps []step) (v interval.Interval) {
	for _, s := range steps {
		v = w.Add(v, w.Mul(interval.Int(s.count), s.law(w).edge))
	}
	return v
}

// A law is that of X, which is log(1 + e^t) where records are added or removed. X = log(1 + e^t) > 0 has the density
// f(X) = φ((t−ℓ)/μ)/μ·t′, t = log(e^X − 1), t′ = 1/(1 − e^{−X}).
//
// On a ray X = ρ·e^{−iα}, 0 ≤ α < π/4, let t = X + log(1 − e^{−X}) with the principal logarithm: it is analytic, as
// |e^{−X}| < 1, and is the real t at α = 0. Let p = Re X = ρ·cos α, a real t₀ = log(e^p − 1), κ = −log cos α, and
//
//	D = max(0, t₀ − ℓ, ℓ − κ − t₀),  c = α + p·tan α.
//
// Lemma 1. |f| ≤ e^{(c² − D²)/2μ²}/(μ·√2π·(1 − e^{−p})).
//
// Proof. |1 − e^{−X}| ≥ 1 − e^{−p}. |e^X − 1| ≥ e^p − 1, and |e^X − 1| = |X·∫_0^1 e^{uX} du| ≤ (e^p − 1)·|X|/p. So Re t
// is in [t₀, t₀ + κ], at least D from ℓ. And |Im t| ≤ c: where p·tan α = |Im X| ≤ π, the mean of e^{uX} has an argument
// in [0, |Im X|] up to a sign, and X has α. Else 1 − e^{−X} has at most arcsin e^{−p} ≤ (π/2)·e^{−π/tan α}, below tan
// α/(1 + tan²α) ≤ α, as (π/2)(1 + y²)e^{−π/y} < y for 0 < y ≤ 1. ∎
//
// So K(α) = ∫|f|·e^{r|X|} dρ over the ray is at most (1/cos α)·∫e^{(c²−D²)/2μ² + rp/cos α}/(μ√2π) dt₀, which rises with
// α. For r = 0 it bounds ∫|f·e^{−sX}| over that ray where Re sX ≥ 0.
//
// A replaced record. With a = e^ℓ and t = ℓ + τ, e^X = (1 + a·e^τ)/(1 + a·e^{−τ}), and X has the sign of τ. Under the
// second side τ has the density (1−q)·φ(τ/μ)/μ·(1 + a·e^{−τ}), and of X > 0
//
//	f(X) = (1−q)·φ(τ/μ)/μ·(1 + a·e^{−τ})·τ′,  τ = X/2 + asinh W,  W = sinh(X/2)/a,
//	τ′ = ½ + ½·coth(X/2)/S,  S = √(1 + W^{−2}).
//
// X ↦ −X exchanges the sides: −X > 0 has the density e^X·f(X). In e^τ = (e^X − 1)(1 + S)/2a the principal root is
// analytic where Re X > 0, if a < 1: W^{−2} is real and negative only where cosh(Re X/2) is |sinh(X/2)|, which is above
// a. Let y = (p/2)·tan α, τ₀ = τ(p), t₀ = ℓ + τ₀, and D = max(0, τ₀ − κ), κ = −log cos min(y, π/4).
//
// Lemma 1′. If sinh((π/4 − α)/tan α) ≥ 5a/2, |f| ≤ τ₀′·e^{(c² − D²)/2μ²}/(μ·√2π·√cos ψ), ψ = min(α + y, π/4), and τ₀′ ≤
// 1/(1 − e^{−p}).
//
// Proof. Let W₀ = W(p) ≤ |W|; y = |Im X|/2. While y < π/2, sinh(X/2) is X/2 times a mean of cosh uX/2,
// u in [0, 1], which have arguments in [0, y] up to a sign: |arg W| ≤ α + y, and asinh W = u + iv has |v| ≤ |arg W|, as
// tan v = tanh u·tan arg W. So |Im τ| ≤ c. If y ≥ π/2, Im τ is within arcsin e^{−p} + |arg(1 + S)| of Im X, |S − 1| ≤
// |W|^{−2} ≤ 4e^{−p}/(1 − e^{−p})²: within 5.01·e^{−π/tan α} < α, as 5.01·(1 + y²)e^{−π/y} < y for 0 < y ≤ 1.
//
// Where y ≤ π/4, sinh u ≥ Re W = W₀·cos y, so that u ≥ asinh W₀ − κ. Elsewhere W₀ ≥ 5/2, and as 2·cosh u = |W + i| +
// |W − i| ≥ 2|W|, u ≥ acosh W₀ ≥ asinh W₀ − 0.09. Where α + y ≤ π/4, |1 + W²|² = (1 + |W|²)² − 4|W|²·sin² arg W ≥ (1 +
// |W|²)²·cos² ψ, so that |1 + W²| ≥ (1 + W₀²)·cos ψ. Elsewhere W₀ ≥ 5/2, and |1 + W²| ≥ W₀² − 1 is as much. With
// |cosh(X/2)| ≤ cosh(p/2), |τ′| ≤ τ₀′/√cos ψ; and (1−q)(1 + a) ≤ 1. ∎
//
// Lemma 2 (left). Let t₀ ≤ ℓ − κ and c be of some p₀. Over p ≤ p₀ the integral is at most
//
//	(1 + p₀)·e^{c²/2μ² + rp₀/cos α}/cos α·P(N ≤ (t₀ − ℓ + κ)/μ),
//
// and so is the sum of η|f(X)·X|e^{r|X|} over all X = e^{y−iα}, y = kη, before that p₀ has. Of replaced records it is
// at most e^{c²/2μ² + rp₀/cos α}/(cos α·μ√2π·√cos ψ)·(p₀/2)·(1 + cosh(p₀/2)/a), for any p₀.
//
// Lemma 3 (right). Let H(p) = ((p − 1 − ℓ)² − c²)/2μ² − rp/cos α. Where p₁ ≥ 1, p₁ − 1 ≥ ℓ and p₁·H′(p₁) ≥ 1,
// the integral over p ≥ p₁ is at most 2·e^{−H(p₁)}/(H′(p₁)·μ·√2π·cos α), and so is the sum of η|f(X)·X|e^{r|X|}
// over all nodes behind that of p₁.
//
// Proof. In 2, D ≥ ℓ − κ − t₀. In y, where dp = p·dy, dt₀ = p/(1 − e^{−p})·dy: |f·X| has this factor over cos α, which
// is in [1, 1 + p₀]. So the distance to ℓ − κ falls with y at a rate of at least 1, and the rest of the integrand
// rises: a sum of η times that is at most the integral. Of replaced records p·τ₀′ rises, as 1/p ≥ 1/sinh p, and all
// else, and τ₀′ ≤ ½ + ½·cosh(p/2)/a. In 3, t₀ − κ ≥ p − 1, as t₀ ≥ log(e^p − 1), log(1 − 1/e) > −½ and log √2 < ½; and
// 2^{1/4}/(1 − e^{−p}) < 2. H is convex, as tan α < 1, and p·e^{−H} falls from p₁ on. In y, as before, |f·X| is at most
// that, and dy = dp/p. ∎
type law struct {
	mean, mu2, mu interval.Interval
	edge          interval.Interval // v
	odds          interval.Interval // a of a replaced record
	keep          interval.Interval // 1 − q of a replaced record
	replaced      bool
}

func (s step) law(w interval.Prec) law {
	odds := w.Rat(new(big.Rat).Quo(s.q, s.keep()))
	mu2 := w.Rat(s.mu2)
	half := w.Scale(mu2, -1)
	l := law{mean: w.Sub(w.Log(odds), half), mu2: mu2, mu: w.Sqrt(mu2), replaced: s.replaced}
	if s.replaced {
		l.odds = w.Mul(odds, w.Exp(half.Neg()))
		l.keep = w.Rat(s.keep())
	} else {
		l.edge = w.Log(w.Rat(s.keep()))
	}
	return l
}

// grown bounds E e^{|X|/2}.
//
// Where X > 0, (E e^X)^{1/2} does. Of a replaced record E e^{X/2} − 1 where X > 0 is at most ½E(e^X − 1)₊ ≤ q/2, as the
// sides are q apart in variation. Where X < 0, e^{−X/2} − 1 ≤ √(1 + a·e^{−τ}) − 1, which is at most half and at most
// the root of a·e^{−τ}: of the part without a hit the half is at most q/2, and of a hit, where τ is normal of mean −μ²
// and variance μ², the root of mean √(q/(1−q))·e^{3μ²/8}.
func (l law) grown(s step) interval.Interval {
	if !l.replaced {
		return coarse.Exp(coarse.Scale(l.edge, -1).Neg())
	}
	q := coarse.Rat(s.q)
	hit := coarse.Exp(coarse.Add(coarse.Scale(l.mean, -1), coarse.Mul(coarse.Rat(big.NewRat(5, 8)), l.mu2)))
	return coarse.Add(one, coarse.Add(q, coarse.Mul(q, hit)))
}

// A ray has an angle α, and r of weights e^{r|X|}.
type ray struct{ alpha, cos, tan, kappa, rate interval.Interval }

func newRay(alpha, rate interval.Interval) ray {
	sin, cos := coarse.SinCos(alpha)
	return ray{alpha, cos, coarse.Div(sin, cos), coarse.Log(cos).Neg(), rate}
}

// lift is the p of t₀.
func (l law) lift(t interval.Interval) interval.Interval {
	p := coarse.Log1p(coarse.Exp(t))
	if l.replaced {
		p = coarse.Sub(p, coarse.Log1p(coarse.Exp(coarse.Sub(coarse.Scale(l.mean, 1), t))))
	}
	return p
}

// holds reports whether lemma 1 or 1′ is about a ray.
func (l law) holds(r ray) bool {
	quarter := coarse.Scale(coarse.Pi(), -2)
	if !l.replaced {
		return r.tan.Less(one) == interval.True
	}
	room := coarse.Div(coarse.Sub(quarter, r.alpha), r.tan) // sinh y ≥ y
	e := coarse.Exp(room)
	sinh := coarse.Scale(coarse.Sub(e, coarse.Inv(e)), -1)
	return room.Positive() == interval.True && l.odds.Less(one) == interval.True &&
		coarse.Mul(coarse.Rat(big.NewRat(5, 2)), l.odds).LessEq(sinh) == interval.True
}

// away is D of t₀ between two ends, the greater one of which has p.
func (l law) away(r ray, from, to, p interval.Interval) interval.Interval {
	d := interval.Max(interval.Int(0), coarse.Sub(from, l.mean))
	if !l.replaced {
		return interval.Max(d, coarse.Sub(coarse.Sub(l.mean, r.kappa), to))
	}
	y := interval.Min(coarse.Scale(coarse.Mul(p, r.tan), -1), coarse.Scale(coarse.Pi(), -2))
	return interval.Max(interval.Int(0), coarse.Add(d, coarse.Log(coarse.Cos(y))))
}

// loose is 1/√cos ψ of a replaced record, or 1.
func (l law) loose(r ray, p interval.Interval) interval.Interval {
	if !l.replaced {
		return one
	}
	psi := interval.Min(coarse.Add(r.alpha, coarse.Scale(coarse.Mul(p, r.tan), -1)), coarse.Scale(coarse.Pi(), -2))
	return coarse.Inv(coarse.Sqrt(coarse.Cos(psi)))
}

// turn is c.
func (r ray) turn(p interval.Interval) interval.Interval {
	return coarse.Add(r.alpha, coarse.Mul(p, r.tan))
}

// grows is rp/cos α.
func (r ray) grows(p interval.Interval) interval.Interval {
	return coarse.Div(coarse.Mul(r.rate, p), r.cos)
}

// over is x/2μ².
func (l law) over(x interval.Interval) interval.Interval {
	return coarse.Div(x, coarse.Scale(l.mu2, 1))
}

// scale is μ·√2π·cos α.
func (l law) scale(r ray) interval.Interval {
	return coarse.Mul(coarse.Mul(l.mu, r.cos), coarse.Sqrt(coarse.Scale(coarse.Pi(), 1)))
}

// left is the bound of lemma 2. It is infinite where the lemma says nothing.
func (l law) left(r ray, p interval.Interval) interval.Interval {
	y := coarse.Exp(coarse.Add(l.over(coarse.Sqr(r.turn(p))), r.grows(p)))
	if l.replaced {
		if !l.holds(r) {
			return interval.PosInf()
		}
		half := coarse.Scale(p, -1)
		e := coarse.Exp(half)
		steep := coarse.Add(one, coarse.Div(coarse.Scale(coarse.Add(e, coarse.Inv(e)), -1), l.odds))
		return coarse.Div(coarse.Mul(coarse.Mul(l.loose(r, p), y), coarse.Mul(half, steep)), l.scale(r)).Upper()
	}
	y = coarse.Div(coarse.Mul(coarse.Add(one, p), y), r.cos)
	t := coarse.Log(coarse.Expm1(p))
	at := coarse.Div(coarse.Add(coarse.Sub(t, l.mean), r.kappa), l.mu)
	if at.LessEq(interval.Int(0)) != interval.True {
		return interval.PosInf()
	}
	return coarse.Mul(y, coarse.NormalCDF(at)).Upper()
}

// right is the bound of lemma 3. It is infinite where the lemma says nothing.
func (l law) right(r ray, p interval.Interval) interval.Interval {
	far := coarse.Sub(coarse.Sub(p, one), l.mean)
	turn := r.turn(p)
	slope := coarse.Div(coarse.Sub(far, coarse.Mul(r.tan, turn)), l.mu2)
	slope = coarse.Sub(slope, coarse.Div(r.rate, r.cos))
	if one.LessEq(p) != interval.True || far.Negative() != interval.False ||
		one.LessEq(coarse.Mul(p, slope)) != interval.True || !l.holds(r) {
		return interval.PosInf()
	}
	y := coarse.Sub(r.grows(p), l.over(coarse.Sub(coarse.Sqr(far), coarse.Sqr(turn)))) // −H
	y = coarse.Div(coarse.Exp(y), coarse.Mul(slope, l.scale(r)))
	return coarse.Scale(y, 1).Upper()
}

// A cell of a ray ends at t₀, and its p. Mass bounds the integral of |f|·e^{r|X|} over it, and height |f|·e^{r|X|} over
// t₀′·cos α at its end.
type cell struct{ t, p, mass, height interval.Interval }

// cells bound ∫|f|·e^{r|X|} over a ray, in the order of t₀: c and p rise, and D is the least of a cell. What is before
// and behind them is before and behind. It reports false where there is no bound.
func (l law) cells(r ray) (before interval.Interval, cells []cell, behind interval.Interval, ok bool) {
	const fine, reach, most, rest = 8, 12, 1 << 11, 20
	if !l.holds(r) {
		return before, nil, behind, false
	}
	width := coarse.Div(l.mu, interval.Int(fine))
	t, first := l.mean, 0
	if !l.replaced {
		first = fine * reach
		t = coarse.Sub(coarse.Sub(l.mean, r.kappa), coarse.Mul(interval.Int(reach), l.mu))
		before = l.left(r, l.lift(t))
	}
	sum, scale := before, coarse.Inv(l.scale(r))
	for i := range most {
		next := coarse.Add(t, width)
		p := l.lift(next)
		d := l.away(r, t, next, p)
		y := l.over(coarse.Sub(coarse.Sqr(r.turn(p)), coarse.Sqr(d)))
		height := coarse.Mul(coarse.Mul(scale, l.loose(r, p)), coarse.Exp(coarse.Add(y, r.grows(p)))).Upper()
		c := cell{next, p, coarse.Mul(width, height).Upper(), height}
		cells, sum = append(cells, c), coarse.Add(sum, c.mass)
		if i > first && i%fine == 0 {
			if behind = l.right(r, p); behind.LessEq(coarse.Scale(sum, -rest)) == interval.True {
				return before, cells, behind, true
			}
		}
		t = next
	}
	return before, cells, behind, false
}

// size bounds K(α).
func (l law) size(r ray) interval.Interval {
	sum, cells, behind, ok := l.cells(r)
	if !ok {
		return interval.PosInf()
	}
	for _, c := range cells {
		sum = coarse.Add(sum, c.mass)
	}
	return coarse.Add(sum, behind).Upper()
}
