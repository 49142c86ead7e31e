// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"math/big"

	"dpverify/exact/interval"
)

// coarse is the precision at which errors are bounded.
const coarse = interval.Prec(64)

var one = interval.Int(1)

// positive reports whether x is known to be above 0.
func positive(x interval.Interval) bool { return x.Positive() == interval.True }

// A step is a kind of steps, and how many of them there are.
type step struct {
	q, mu2 *big.Rat
	count  int64
}

// keep is 1 − q.
func (s step) keep() *big.Rat { return new(big.Rat).Sub(big.NewRat(1, 1), s.q) }

// edge encloses V, the sum of log(1 − q).
func edge(w interval.Prec, steps []step) (v interval.Interval) {
	for _, s := range steps {
		v = w.Add(v, w.Mul(interval.Int(s.count), w.Log(w.Rat(s.keep()))))
	}
	return v
}

// A law is that of X = log(1 + e^t), with the density f(X) = φ((t−ℓ)/μ)/μ·t′, t = log(e^X − 1), t′ = 1/(1 − e^{−X}).
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
// α. For r = 0 it bounds |N(s)| for |arg s| ≤ π/2 + α, as N(s) = ∫f·e^{−sX} dX over that ray, where Re sX ≥ 0.
//
// Lemma 2 (left). Let t₀ ≤ ℓ − κ and c be of some p₀. Over p ≤ p₀ the integral is at most
//
//	(1 + p₀)·e^{c²/2μ² + rp₀/cos α}/cos α·P(N ≤ (t₀ − ℓ + κ)/μ),
//
// and so is the sum of η|f(X)·X|e^{r|X|} over all X = e^{y−iα}, y = kη, before that p₀ has.
//
// Lemma 3 (right). Let H(p) = ((p − ½ − ℓ)² − c²)/2μ² − rp/cos α. Where p₁ ≥ 1, p₁ − ½ ≥ ℓ and p₁·H′(p₁) ≥ 1,
// the integral over p ≥ p₁ is at most (8/5)·e^{−H(p₁)}/(H′(p₁)·μ·√2π·cos α), and so is the sum of η|f(X)·X|e^{r|X|}
// over all nodes behind that of p₁.
//
// Proof. In 2, D ≥ ℓ − κ − t₀. In y, where dp = p·dy, dt₀ = p/(1 − e^{−p})·dy: |f·X| has this factor over cos α, which
// is in [1, 1 + p₀]. So the distance to ℓ − κ falls with y at a rate of at least 1, and the rest of the integrand
// rises: a sum of η times that is at most the integral. In 3, t₀ ≥ p − ½ as log(1 − 1/e) > −½, and 1/(1 − e^{−p}) <
// 8/5. H is convex, as tan α < 1, and p·e^{−H} falls from p₁ on. In y, as before, |f·X| is at most that, and dy = dp/p.
// ∎
type law struct{ mean, mu2, mu interval.Interval }

func (s step) law(w interval.Prec) law {
	odds := new(big.Rat).Quo(s.q, s.keep())
	mu2 := w.Rat(s.mu2)
	return law{w.Sub(w.Log(w.Rat(odds)), w.Scale(mu2, -1)), mu2, w.Sqrt(mu2)}
}

// A ray has an angle α, and r of weights e^{r|X|}.
type ray struct{ alpha, cos, tan, kappa, rate interval.Interval }

func newRay(alpha, rate interval.Interval) ray {
	sin, cos := coarse.SinCos(alpha)
	return ray{alpha, cos, coarse.Div(sin, cos), coarse.Log(cos).Neg(), rate}
}

// lift is log(1 + e^t), and sink its inverse.
func lift(t interval.Interval) interval.Interval { return coarse.Log1p(coarse.Exp(t)) }
func sink(p interval.Interval) interval.Interval { return coarse.Log(coarse.Expm1(p)) }

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
	y = coarse.Div(coarse.Mul(coarse.Add(one, p), y), r.cos)
	at := coarse.Div(coarse.Add(coarse.Sub(sink(p), l.mean), r.kappa), l.mu)
	if at.LessEq(interval.Int(0)) != interval.True {
		return interval.PosInf()
	}
	return coarse.Mul(y, coarse.NormalCDF(at)).Upper()
}

// right is the bound of lemma 3. It is infinite where the lemma says nothing.
func (l law) right(r ray, p interval.Interval) interval.Interval {
	far := coarse.Sub(coarse.Sub(p, coarse.Rat(big.NewRat(1, 2))), l.mean)
	turn := r.turn(p)
	slope := coarse.Div(coarse.Sub(far, coarse.Mul(r.tan, turn)), l.mu2)
	slope = coarse.Sub(slope, coarse.Div(r.rate, r.cos))
	if one.LessEq(p) != interval.True || far.Negative() != interval.False ||
		one.LessEq(coarse.Mul(p, slope)) != interval.True || r.tan.Less(one) != interval.True {
		return interval.PosInf()
	}
	y := coarse.Sub(r.grows(p), l.over(coarse.Sub(coarse.Sqr(far), coarse.Sqr(turn)))) // −H
	y = coarse.Div(coarse.Exp(y), coarse.Mul(slope, l.scale(r)))
	return coarse.Mul(y, coarse.Rat(big.NewRat(8, 5))).Upper()
}

// size bounds K(α), by cells of t₀: D falls, then is 0, and then rises, and all else rises.
func (l law) size(r ray) interval.Interval {
	const fine, reach, most, rest = 8, 12, 1 << 13, 20
	width := coarse.Div(l.mu, interval.Int(fine))
	t := coarse.Sub(coarse.Sub(l.mean, r.kappa), coarse.Mul(interval.Int(reach), l.mu))
	sum, scale := l.left(r, lift(t)), coarse.Div(width, l.scale(r))
	high := coarse.Sub(l.mean, r.kappa)
	for i := range most {
		next := coarse.Add(t, width)
		p := lift(next)
		if i > fine*reach && i%fine == 0 {
			if end := l.right(r, p); end.LessEq(coarse.Scale(sum, -rest)) == interval.True {
				sum = coarse.Add(sum, end)
				return interval.Max(one, sum).Upper()
			}
		}
		d := interval.Max(interval.Int(0), interval.Max(coarse.Sub(t, l.mean), coarse.Sub(high, next)))
		y := l.over(coarse.Sub(coarse.Sqr(r.turn(p)), coarse.Sqr(d)))
		sum = coarse.Add(sum, coarse.Mul(scale, coarse.Exp(coarse.Add(y, r.grows(p)))))
		t = next
	}
	return interval.PosInf()
}
