// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/fall"
	"dpverify/exact/pair"
	"dpverify/exact/quadrature"
)

// A truncated is the pair of truncated Gaussian noise: N(0, σ²) conditioned on [−r, r], moved by s < 2r.
//
// With μ = s/σ, Z = P(|N(0, 1)| ≤ r/σ) and B = s(2r − s)/2σ², under P the loss has the density
// n(l) = φ((l − μ²/2)/μ)/(μZ) on [−B, B], and is infinite otherwise.
// As e^{λl}·φ((l − μ²/2)/μ) = E·φ((l − m)/μ) with m = μ²(λ + 1/2) and E = e^{μ²λ(λ+1)/2},
//
//	M(−λ + it) = (E/Z)·∫_{−B}^B g(l)·e^{−itl} dl,  g(l) = φ((l − m)/μ)/μ.    (4)
//
// Rule. (4) is taken over [−B, B] ∩ [m − Xμ, m + Xμ] = [c − a, c + a], by Fejér's rule, see fejerError:
//
//	      −B        m − Xμ          m          m + Xμ        B
//	───────├───────────╞════════════╪════════════╡───────────┤───→ l
//	          at most 2·P(N(0, 1) > X) outside
//
// For l = c + ay with y on the ellipse |z| = ρ, |Im l| ≤ V = a(ρ − 1/ρ)/2,
// and |g(l)·e^{−itl}| ≤ e^{V²/(2μ²) + |t|V}/(μ√(2π)).
//
// Fall. For t > 0,
//
//	|M(−λ + it)| ≤ (E/Z)·(e^{−μ²t²/2} + (2/t)·(g(B) + g(−B))).
//
// Proof. Move [−B, B] down by μ²t. On the moved line |g·e^{−itl}| is g(Re l)·e^{y²/(2μ²) − ty} with y = μ²t,
// and its integral is at most e^{−μ²t²/2}.
// On ±B − iη, 0 ≤ η ≤ μ²t, it is g(±B)·e^{η²/(2μ²) − tη} ≤ g(±B)·e^{−tη/2}.
type truncated struct {
	pair.Truncated
	prec interval.Prec // of infinite
}

// newTruncated reports false for other noise than Gaussian, and where the supports are disjoint.
func newTruncated(x pair.Truncated) (truncated, bool) {
	return truncated{x, coarse}, x.Noise == pair.GaussianNoise && !x.Disjoint()
}

// shape encloses μ, B and r/σ.
func (t truncated) shape(p interval.Prec) (mu, border, radius interval.Interval) {
	b := new(big.Rat).Add(t.Radius, t.Radius)
	b.Mul(b.Sub(b, t.Sensitivity), t.Sensitivity)
	s2 := new(big.Rat).Mul(t.Width, t.Width)
	return p.Rat(new(big.Rat).Quo(t.Sensitivity, t.Width)), p.Rat(b.Quo(b, s2.Add(s2, s2))),
		p.Rat(new(big.Rat).Quo(t.Radius, t.Width))
}

// scale encloses E/Z.
func (t truncated) scale(p interval.Prec, lambda interval.Interval) interval.Interval {
	mu, _, radius := t.shape(p)
	e := p.Exp(p.Scale(p.Mul(p.Sqr(mu), p.Mul(lambda, p.Add(lambda, one))), -1))
	return p.Div(e, p.Sub(one, p.Scale(fixed.NormalSF(p, radius), 1)))
}

// ends encloses (±B − m)/μ.
func (t truncated) ends(p interval.Prec, lambda interval.Interval) (low, high interval.Interval) {
	mu, border, _ := t.shape(p)
	m := p.Mul(mu, p.Add(lambda, p.Scale(one, -1)))
	b := p.Div(border, mu)
	return p.Sub(b.Neg(), m), p.Sub(b, m)
}

// moment is (E/Z)·P(low ≤ N(0, 1) ≤ high).
func (t truncated) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	w := p + 64
	l := w.Rat(lambda)
	low, high := t.ends(w, l)
	mass := w.Sub(fixed.NormalCDF(w, high), fixed.NormalCDF(w, low))
	if low.Positive() == interval.True {
		mass = w.Sub(fixed.NormalSF(w, low), fixed.NormalSF(w, high))
	}
	return p.Mul(t.scale(w, l), mass.AtLeastZero())
}

// infinite is the mass of noise above r − s, up to r, under P.
func (t truncated) infinite() (inf, lost interval.Interval) {
	p := t.prec
	_, _, radius := t.shape(p)
	from := p.Rat(new(big.Rat).Quo(new(big.Rat).Sub(t.Radius, t.Sensitivity), t.Width))
	tail := p.NormalSF(radius)
	inf = p.Div(p.Sub(p.NormalSF(from), tail), p.Sub(one, p.Scale(tail, 1)))
	return interval.Clamp(inf, 0, 1), lost
}

func (t truncated) at(p interval.Prec) factor {
	t.prec = p + 64
	return t
}

// newQuadrature returns a rule at λ for |t| ≤ turn, whose error is about 2^−p of M(−λ).
// It reports false if there is none of moderate size.
func (t truncated) newQuadrature(p interval.Prec, lambda *big.Rat, turn float64) (quadrature.Rule, bool) {
	w := p + 48
	l := w.Rat(lambda)
	mu, border, _ := t.shape(w)
	norm := t.moment(coarse, lambda)
	if norm.Positive() != interval.True {
		return quadrature.Rule{}, false
	}
	m := w.Mul(w.Sqr(mu), w.Add(l, w.Scale(one, -1)))
	share := coarse.Div(norm, t.scale(coarse, coarse.Rat(lambda))) // of the normal law, on [−B, B]
	x := reachOf(int(p)+8, share)
	reach := w.Mul(interval.Int(x), mu)
	a, b := interval.Max(border.Neg(), w.Sub(m, reach)), interval.Min(border, w.Add(m, reach))
	if a.Less(b) != interval.True {
		return quadrature.Rule{}, false
	}
	center, half := w.Scale(w.Add(a, b), -1), w.Scale(w.Sub(b, a), -1)
	goal := coarse.Mul(share, coarse.Scale(one, -int(p)-8))
	n, err, ok := chooseFejer(mu, half, goal, turn)
	if !ok {
		return quadrature.Rule{}, false
	}
	err = coarse.Add(err, coarse.Scale(coarse.NormalSF(interval.Int(x)), 1))
	scale := t.scale(w, l)
	q := quadrature.Rule{Err: upper(coarse.Mul(err, scale))}
	nodes, weights := quadrature.Fejer(w, n)
	density := w.Div(scale, w.Mul(mu, rootTwoPi(w)))
	for k, y := range nodes {
		at := w.Add(center, w.Mul(half, y))
		z := w.Div(w.Sub(at, m), mu)
		value := w.Mul(density, w.Exp(w.Scale(w.Sqr(z), -1).Neg()))
		q.Weights = append(q.Weights, w.Mul(w.Mul(half, weights[k]), value))
		q.Losses = append(q.Losses, at)
	}
	return q, q.Err.IsFinite()
}

// reachOf returns an X for which P(N(0, 1) > X) is below 2^−bits of share, about.
func reachOf(bits int, share interval.Interval) int64 {
	need := float64(bits)*math.Ln2 - double.Of(coarse.Log(share)).Lo
	return int64(math.Ceil(math.Sqrt(2*max(need, 1)))) + 1
}

// chooseFejer returns the number of nodes with which Fejér's rule for g·e^{−itl}, |t| ≤ turn,
// has an error of at most goal.
// It also bounds that error. half is half the length of the range.
func chooseFejer(mu, half, goal interval.Interval, turn float64) (n int, err interval.Interval, ok bool) {
	t := double.Point(turn).Exact()
	best := maxNodes + 1
	for i := -16; i <= 12; i++ {
		rho := coarse.Add(one, coarse.Exp(coarse.Rat(big.NewRat(int64(i), 4))))
		v := coarse.Mul(half, coarse.Scale(coarse.Sub(rho, coarse.Inv(rho)), -1))
		sup := coarse.Exp(coarse.Add(coarse.Scale(coarse.Sqr(coarse.Div(v, mu)), -1), coarse.Mul(t, v)))
		sup = coarse.Div(coarse.Mul(sup, half), coarse.Mul(mu, rootTwoPi(coarse)))
		if n := quadrature.FejerNodes(sup, rho, goal); n < int64(best) {
			best, err = int(n), quadrature.FejerError(sup, rho, int(n))
		}
	}
	return best, err, best <= maxNodes
}

func (t truncated) line(
	ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int,
) ([]interval.Complex, error) {
	q, ok := t.newQuadrature(p, lambda, double.Of(h).Mul(double.Int(int64(n))).Hi)
	if !ok {
		return nil, nil
	}
	return q.Line(ctx, p, h, n)
}

func (t truncated) wordLine(
	ctx context.Context, p interval.Prec, lambda *big.Rat, h fixed.Real, n int,
) (wordLine, bool, error) {
	q, ok := t.newQuadrature(max(p, 150), lambda, double.Of(h.Interval()).Mul(double.Int(int64(n))).Hi)
	if !ok || len(q.Losses)*(n+1) > maxWordSteps {
		return wordLine{}, true, nil
	}
	r := wordQuadrature{err: q.Err}
	for k, x := range q.Weights {
		r.weights, r.losses = append(r.weights, fixed.FromInterval(x)),
			append(r.losses, fixed.FromInterval(q.Losses[k]))
	}
	return r.line(ctx, h, n)
}

func (t truncated) decay(lambda *big.Rat) decay {
	l := coarse.Rat(lambda)
	norm := t.moment(coarse, lambda)
	if norm.Positive() != interval.True {
		return constant
	}
	mu, _, _ := t.shape(coarse)
	scale := coarse.Div(t.scale(coarse, l), norm)
	low, high := t.ends(coarse, l)
	density := func(x interval.Interval) interval.Interval {
		return coarse.Div(coarse.Exp(coarse.Scale(coarse.Sqr(x), -1).Neg()), coarse.Mul(mu, rootTwoPi(coarse)))
	}
	border := double.Of(coarse.Mul(scale, coarse.Scale(coarse.Add(density(low), density(high)), 1)))
	bulk, half := double.Of(scale), double.Of(coarse.Scale(coarse.Sqr(mu), -1))
	return func(a, _ float64) float64 {
		if !(a > 0) {
			return 0
		}
		at := double.Point(a)
		y := bulk.Mul(half.Mul(at.Sqr()).Neg().Exp()).Add(border.Div(at))
		return min(0, y.Upper().Log().Hi)
	}
}

func (t truncated) sizes(lambda *big.Rat, h double.Interval, n int) []float64 {
	if q, ok := t.newQuadrature(doublePrec, lambda, h.Mul(double.Int(int64(n))).Hi); ok {
		if out := q.Double().Sizes(h, n); out != nil {
			return out
		}
	}
	return fall.Sizes(t.decay(lambda), h, n)
}
