// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/profile"
)

// Two is the allocation of a record to one of two steps of a Gaussian pair at distance μ: one integral, to any
// number of digits.
//
// Under Q², S = (Y₁ + Y₂)/2 with log Y_i normal of mean −μ²/2 and variance μ², and density g. With π(α) = E(α − S)₊, because E S = 1,
//
//	δ_remove(ε) = E(S − e^ε)₊ = 1 − e^ε + π(e^ε),  δ_add(ε) = E(1 − e^ε·S)₊ = e^ε·π(e^{−ε}).
//
// Only Y₁ < 2α counts. With log Y₁ = L + log τ, L = log 2α, τ = 1/(1 + e^{−w}), 1 − τ = 1/(1 + e^w), and the price of a put,
//
//	π(α) = ½·∫ f(w) dw,  f = g(L + log τ)·(1 − τ)·put(2α(1 − τ)),
//	put(K) = E(K − Y)₊ = K·Φ(log K/μ + μ/2) − Φ(log K/μ − μ/2),
//
// which falls like a Gaussian of w on both sides.
//
// Rule. f is analytic for |Im w| < π. Where |Im w| = c, the arguments of τ and of 1 − τ are at most c in modulus, |1 + e^{±w}| is between cos(c/2)·(1 + e^{±x}) and 1 + e^{±x}, x =
// Re w, and |g(v + iy)| = g(v)·e^{y²/(2μ²)}. The integral put(K) = ∫(K − e^v)·g(v) dv may be taken up to log K along Im v = arg K, so that
// |put(K)| ≤ 2|K|·e^{c²/(2μ²)}. So |f| ≤ e^{c²/μ²}·(4α/cos²(c/2))·g(L + log|τ|)·(1 − τ(x))², where log|τ| is within κ = −log cos(c/2) above
// t = log τ(x), and (1 − τ(x)) dx = dt. As g is at most 1/(μ√(2π)) and rises and falls once,
//
//	N = ∫|f(x ± ic)| dx ≤ e^{c²/μ²}·(4α/cos²(c/2))·(1 + κ/(μ√(2π))),
//
// and the trapezoidal rule of step η is off by at most 2N/(e^{2πc/η} − 1), see inversion.newQuadrature.
//
// Cut. Left of the first node w₀ let x₀ = L + μ²/2 + log τ(w₀). As put(K) ≤ 2α, f is at most 2α·g(L + log τ)·(1 − τ), which rises up to w₀ if
// −x₀·(1 − τ)/μ² ≥ τ there, and whose integral up to w₀ is 2α·Φ(x₀/μ). Right of the last node w₁, f ≤ (1/(μ√(2π)))·2α·(1 − τ)²·Φ(y₁/μ) with y₁ =
// L + μ²/2 + log(1 − τ(w₁)), which falls; 1 − τ ≤ e^{−w}: its integral is at most α·e^{−2w₁}·Φ(y₁/μ)/(μ√(2π)).
type Two struct{ Mu2 *big.Rat }

// maxTwoBits bounds the working precision.
const maxTwoBits = 1 << 11

// Profile returns the profile of the allocation, or of its reverse.
func (g Two) Profile(reversed bool) profile.Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		best := profile.Unit()
		// As much as 1 − e^ε cancels, to begin with.
		bits := p + 24
		if e := eps(64).Abs(); e.LessRat(big.NewRat(maxTwoBits, 2)) == interval.True {
			n, _ := e.Hi().Int64()
			bits += 2 * interval.Prec(n)
		}
		for bits <= maxTwoBits {
			if err := ctx.Err(); err != nil {
				return best, err
			}
			y, ok, err := g.delta(ctx, bits, eps, reversed)
			if err != nil || !ok {
				return best, err
			}
			if both, agree := interval.Intersect(best, p.Round(y)); agree {
				best = both
			}
			short := int(p) - y.RelativeBits(int(p)+8)
			if short <= 0 || y.Hi().Sign() == 0 {
				break
			}
			if short < int(p) {
				bits += interval.Prec(short) + 8
			} else {
				bits *= 2
			}
		}
		return best, nil
	}
}

// delta encloses δ(ε), with errors of about 2^−bits. It reports false where ε is not known, or too large.
func (g Two) delta(ctx context.Context, bits interval.Prec, eps interval.Real, reversed bool) (interval.Interval, bool, error) {
	e := eps(bits + 32)
	const most = 1 << 16
	if !e.IsFinite() || interval.Point(e.Abs().Hi()).LessRat(big.NewRat(most, 1)) != interval.True {
		return e, false, nil
	}
	w := bits + 32
	at := e
	if reversed {
		at = e.Neg()
	}
	y, ok, err := g.put(ctx, bits, at)
	if !ok || err != nil {
		return y, ok, err
	}
	if reversed {
		return interval.Clamp(w.Mul(w.Exp(e), y), 0, 1), true, nil
	}
	return interval.Clamp(w.Sub(y, w.Expm1(e)), 0, 1), true, nil
}

// put encloses π(e^a).
func (g Two) put(ctx context.Context, bits interval.Prec, a interval.Interval) (interval.Interval, bool, error) {
	w := bits + 48
	mu2 := w.Rat(g.Mu2)
	mu := w.Sqrt(mu2)
	half := w.Scale(mu, -1)
	l := w.Add(a, w.Ln2())
	rule, ok := chooseTwo(int(bits), double.Of(mu).Mid(), double.Of(l).Mid())
	if !ok {
		return a, false, nil
	}
	eta := double.Point(rule.step).Exact()
	root := w.Sqrt(w.Scale(w.Pi(), 1)) // √(2π)
	sum := interval.Int(0)
	for i := rule.first; i <= rule.last; i++ {
		if err := ctx.Err(); err != nil {
			return a, false, err
		}
		x := w.Mul(interval.Int(i), eta)
		logTau, logRest := logistic(w, x)
		v := w.Add(w.Div(w.Add(l, logTau), mu), half) // (L + log τ + μ²/2)/μ
		k := w.Div(w.Add(l, logRest), mu)             // log K/μ
		price := w.Sub(w.Mul(w.Exp(w.Add(l, logRest)), w.NormalCDF(w.Add(k, half))), w.NormalCDF(w.Sub(k, half)))
		sum = w.Add(sum, w.Mul(w.Exp(w.Sub(logRest, w.Scale(w.Sqr(v), -1))), price.AtLeastZero()))
	}
	sum = w.Mul(sum, w.Div(eta, w.Mul(mu, root)))
	const q = interval.Prec(64)
	alpha := q.Exp(a)
	missing := q.Add(leftOfTwo(q, mu2, l, alpha, q.Mul(interval.Int(rule.first), eta)), rightOfTwo(q, mu2, l, alpha, q.Mul(interval.Int(rule.last), eta)))
	err := ruleOfTwo(q, mu2, alpha, double.Point(rule.angle).Exact(), eta)
	sum = w.Add(sum, interval.Union(interval.Int(0), missing.Upper()))
	sum = w.Add(sum, interval.Union(err.Upper().Neg(), err.Upper()))
	return interval.Max(interval.Int(0), interval.Min(w.Scale(sum, -1), w.Exp(a))), true, nil
}

// logistic encloses log τ and log(1 − τ), τ = 1/(1 + e^{−x}).
func logistic(p interval.Prec, x interval.Interval) (log, rest interval.Interval) {
	if x.Negative() == interval.True {
		rest, log = logistic(p, x.Neg())
		return log, rest
	}
	log = p.Log1p(p.Exp(x.Neg())).Neg()
	return log, p.Sub(log, x)
}

// ruleOfTwo bounds 2N/(e^{2πc/η} − 1).
func ruleOfTwo(p interval.Prec, mu2, alpha, c, eta interval.Interval) interval.Interval {
	n := sizeOfTwo(p, mu2, alpha, c)
	return p.Div(p.Scale(n, 1), p.Expm1(p.Div(p.Mul(p.Scale(p.Pi(), 1), c), eta)))
}

// sizeOfTwo bounds N.
func sizeOfTwo(p interval.Prec, mu2, alpha, c interval.Interval) interval.Interval {
	_, cos := p.SinCos(p.Scale(c, -1))
	if cos.Positive() != interval.True {
		return p.Inv(interval.Int(0))
	}
	kappa := p.Log(cos).Neg()
	plateau := p.Div(kappa, p.Sqrt(p.Mul(mu2, p.Scale(p.Pi(), 1))))
	n := p.Mul(p.Exp(p.Div(p.Sqr(c), mu2)), p.Div(p.Scale(alpha, 2), p.Sqr(cos)))
	return p.Mul(n, p.Add(interval.Int(1), plateau))
}

// leftOfTwo bounds what is left of the first node.
func leftOfTwo(p interval.Prec, mu2, l, alpha, first interval.Interval) interval.Interval {
	logTau, logRest := logistic(p, first)
	x := p.Add(p.Add(l, p.Scale(mu2, -1)), logTau)
	rises := p.Sub(p.Div(p.Mul(x.Neg(), p.Exp(logRest)), mu2), p.Exp(logTau))
	if rises.Positive() != interval.True {
		return p.Inv(interval.Int(0))
	}
	return p.Mul(p.Scale(alpha, 1), p.NormalCDF(p.Div(x, p.Sqrt(mu2))))
}

// rightOfTwo bounds what is right of the last node.
func rightOfTwo(p interval.Prec, mu2, l, alpha, last interval.Interval) interval.Interval {
	_, logRest := logistic(p, last)
	y := p.Add(p.Add(l, p.Scale(mu2, -1)), logRest)
	mu := p.Sqrt(mu2)
	share := p.Div(p.NormalCDF(p.Div(y, mu)), p.Mul(mu, p.Sqrt(p.Scale(p.Pi(), 1))))
	return p.Mul(p.Mul(alpha, p.Exp(p.Scale(last, 1).Neg())), share)
}

// A twoRule is a strip and the nodes of a rule.
type twoRule struct {
	angle, step float64
	first, last int64
}

// maxTwoNodes bounds the nodes of a rule.
const maxTwoNodes = 1 << 13

// chooseTwo chooses a rule with errors of about 2^−bits; whatever it chooses, ruleOfTwo, leftOfTwo and rightOfTwo bound its
// errors. It reports false where the rule would have too many nodes, as with noise so little or so much that
// float64 has no number for it.
func chooseTwo(bits int, mu, l float64) (twoRule, bool) {
	need := float64(bits+8)*math.Ln2 + max(l, 0)
	var r twoRule
	for i := 1; i < 32; i++ {
		c := math.Pi * float64(i) / 32
		if step := 2 * math.Pi * c / (need + c*c/(mu*mu) + 4); step > r.step {
			r.angle, r.step = c, step
		}
	}
	for i := 1; i < 64; i++ { // little noise is little strip
		c := mu * float64(i) / 4
		if step := 2 * math.Pi * c / (need + c*c/(mu*mu) + 4); c < 3 && step > r.step {
			r.angle, r.step = c, step
		}
	}
	reach := l + mu*mu/2 + mu*math.Sqrt(2*need)
	first := math.Floor(min(-1, -reach) / r.step)
	last := math.Ceil(max(1, min(reach, need/2)) / r.step)
	if !(last-first <= maxTwoNodes) { // or no number
		return r, false
	}
	r.first, r.last = int64(first), int64(last)
	return r, true
}
