// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package statement

import (
	"math"
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// normal is the noise N(0, 1).
type normal struct{}

// Greatest is unknown: losses have no bound.
func (normal) Greatest() (loss, infinite *big.Rat) { return nil, nil }

func (normal) tail(t float64) float64 { return math.Erfc(t/math.Sqrt2) / 2 }

// A Gaussian is N(μ, 1) and N(0, 1), with μ² = Square.
type Gaussian struct {
	normal
	Square *big.Rat
}

// mean is μ in float64.
func (g Gaussian) mean() float64 { return math.Sqrt(number.Float64(g.Square)) }

// Profile is Φ̄(t − μ) − αΦ̄(t) at the outcome t of the loss log α, in either direction.
func (g Gaussian) Profile(_ mechanism.Direction, alpha fixed.Real) fixed.Real {
	mu := Three.Sqrt(Three.Rat(g.Square))
	x := new(big.Rat).SetFloat64(LogOf(alpha)) // the error of δ is of second order in the error of x
	if x == nil {
		return fixed.Unknown()
	}
	t := Three.Div(Three.Add(Three.Rat(x), Three.Scale(Three.Rat(g.Square), -1)), mu)
	return Three.Sub(Three.NormalSF(Three.Sub(t, mu)), Three.Mul(alpha, Three.NormalSF(t)))
}

// Loss is μt − μ²/2.
func (g Gaussian) Loss(t float64) float64 {
	mu := g.mean()
	return mu*t - mu*mu/2
}

// Outcome is (x + μ²/2)/μ.
func (g Gaussian) Outcome(x float64) float64 {
	mu := g.mean()
	return x/mu + mu/2
}

func (g Gaussian) mixture(s Side) []moved {
	if s == OfQ {
		return []moved{{1, 0}}
	}
	return []moved{{1, g.mean()}}
}

func (g Gaussian) above(t fixed.Real) Mass {
	return Mass{Three.NormalSF(Three.Sub(t, Three.Sqrt(Three.Rat(g.Square)))), Three.NormalSF(t)}
}

// A Mirrored pair is a Poisson sample of Gaussian noise of which Q is P with its sign changed: (1−γ)N(0, 1) + γN(±μ,
// 1), where γ is the rate and μ² is Square.
type Mirrored struct {
	Gaussian
	Rate *big.Rat
}

// Profile is P(X > t) − αQ(X > t) at the outcome t of the loss log α, in either direction.
func (m Mirrored) Profile(_ mechanism.Direction, alpha fixed.Real) fixed.Real {
	return cut(m, m.Outcome(LogOf(alpha)), alpha)
}

// Loss is the difference of the losses of two samples.
func (m Mirrored) Loss(t float64) float64 {
	x := m.Gaussian.Loss(t)
	q := number.Float64(m.Rate)
	return sampledLoss(q, x) - sampledLoss(q, x-2*t*m.mean())
}

// Outcome is the outcome of a loss: the likelihood ratio (1−γ + γu)/(1−γ + γe^(−μ²)/u), with u = e^(μt − μ²/2), is e^x
// for the positive root u of a quadratic equation.
func (m Mirrored) Outcome(x float64) float64 {
	if x < 0 {
		return -m.Outcome(-x)
	}
	q, mu := number.Float64(m.Rate), m.mean()
	d := (1 - q) * -math.Expm1(-x)
	u := (d + math.Hypot(d, 2*q*math.Exp(-(x+mu*mu)/2))) / (2 * q)
	return (x+math.Log(u))/mu + mu/2
}

func (m Mirrored) mixture(s Side) []moved {
	q, mu := number.Float64(m.Rate), m.mean()
	if s == OfQ {
		mu = -mu
	}
	return []moved{{q, mu}, {1 - q, 0}}
}

func (m Mirrored) above(t fixed.Real) Mass {
	x := sampledAbove(m.Rate, m.Gaussian.above(t))
	rate, mu := Three.Rat(m.Rate), Three.Sqrt(Three.Rat(m.Square))
	keep := Three.Mul(Three.Sub(fixed.Int(1), rate), x.Q)
	return Mass{x.P, Three.Add(Three.Mul(rate, Three.NormalSF(Three.Add(t, mu))), keep)}
}

// A Mixture is a mixture of N(0, 1) and bumps, and N(0, 1).
type Mixture struct {
	normal
	Bumps []bump
	rest  *big.Rat // the weight of N(0, 1)
}

// A bump is N(mean, 1) with a weight, both above 0, which w and m are about.
type bump struct {
	weight, mean *big.Rat
	w, m         float64
}

// Profile is P(X > t) − αQ(X > t) at the outcome t of the loss log α, in the direction remove.
func (p Mixture) Profile(d mechanism.Direction, alpha fixed.Real) fixed.Real {
	if d == mechanism.Add {
		return exchanged(p, alpha)
	}
	t := p.Outcome(LogOf(alpha))
	if math.IsInf(t, -1) {
		return Three.Sub(fixed.Int(1), alpha)
	}
	return cut(p, t, alpha)
}

// Loss is the log of rest + Σ w·e^(mt − m²/2).
func (p Mixture) Loss(t float64) float64 {
	r := number.Float64(p.rest)
	for _, b := range p.Bumps {
		r += b.w * math.Exp(b.m*(t-b.m/2))
	}
	return math.Log(r)
}

// Outcome takes Newton's steps from where the first bump is enough: the sum is convex, and above from there on.
func (p Mixture) Outcome(x float64) float64 {
	want, t := math.Log(math.Exp(x)-number.Float64(p.rest)), math.Inf(1)
	if math.IsNaN(want) || math.IsInf(want, -1) {
		return math.Inf(-1)
	}
	for _, b := range p.Bumps {
		t = math.Min(t, (want-math.Log(b.w))/b.m+b.m/2)
	}
	for range 8 {
		r, slope := 0.0, 0.0
		for _, b := range p.Bumps {
			e := b.w * math.Exp(b.m*(t-b.m/2)-want)
			r, slope = r+e, slope+e*b.m
		}
		t -= (r - 1) / slope
	}
	return t
}

func (p Mixture) mixture(s Side) []moved {
	if s == OfQ {
		return []moved{{1, 0}}
	}
	out := []moved{{number.Float64(p.rest), 0}}
	for _, b := range p.Bumps {
		out = append(out, moved{b.w, b.m})
	}
	return out
}

func (p Mixture) above(t fixed.Real) Mass {
	q := Three.NormalSF(t)
	m := Mass{Three.Mul(Three.Rat(p.rest), q), q}
	for _, b := range p.Bumps {
		m.P = Three.Add(m.P, Three.Mul(Three.Rat(b.weight), Three.NormalSF(Three.Sub(t, Three.Rat(b.mean)))))
	}
	return m
}

// maxRecords is how many records a truncated sample that a checker takes has at most.
const maxRecords = 1 << 20

// A Truncated pair dominates a truncated Poisson sample of Gaussian noise. It shows whether others fill the batch, with
// the probability Full: then it is Far, a sample at twice the distance, and else Near.
type Truncated struct {
	Near, Far Sampled
	Full      *big.Rat
}

// newTruncated is the pair of a truncated sample of which a record comes or goes, if its batch holds at least about as
// many as are sampled on average.
func newTruncated(e mechanism.TruncatedSubsampledGaussian) (p Truncated, ok bool) {
	n, q, size := e.DatasetSize, e.SamplingProbability, e.TruncatedBatchSize
	full, ok := often(n, size, number.Float64(q))
	if n > maxRecords || size < 1 || size > n || q.Sign() == 0 || !ok {
		return p, false
	}
	sample := func(distance int64) Sampled {
		variance := new(big.Rat).Mul(e.NoiseMultiplier, e.NoiseMultiplier)
		return Sampled{Gaussian{Square: variance.Quo(big.NewRat(distance*distance, 1), variance)}, q}
	}
	return Truncated{sample(1), sample(2), full}, true
}

// often is a little more than the bound of a checker for P(Bin(n, q) ≥ b): in parts of P(Bin(n, q) = b), what is above
// is a geometric sum, and below are some terms. It reports whether the sum is finite, and the bound not tiny.
func often(n, b int64, q float64) (*big.Rat, bool) {
	odds := q / (1 - q)
	fall := float64(n-b) * odds / float64(b+1)
	above, term := 1/(1-fall), 1.0
	all := above
	for k := b; k > max(0, b-MaxOutcomes); k-- {
		term *= float64(k) / float64(n-k+1) / odds
		all += term
	}
	full := new(big.Rat).SetFloat64(min(1, above/all*(1+1e-9)+1e-60))
	return full, q < 1 && fall < 1-1e-9 && full != nil
}

// Greatest is unknown: losses have no bound.
func (p Truncated) Greatest() (loss, infinite *big.Rat) { return nil, nil }

// Profile is the mean of the two profiles.
func (p Truncated) Profile(d mechanism.Direction, alpha fixed.Real) fixed.Real {
	full := Three.Rat(p.Full)
	near := Three.Mul(Three.Sub(fixed.Int(1), full), p.Near.Profile(d, alpha))
	return Three.Add(near, Three.Mul(full, p.Far.Profile(d, alpha)))
}
