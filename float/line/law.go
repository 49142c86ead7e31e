// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package line

import (
	"math"
	"math/big"

	"dpverify/float/pair"
)

// A law is the law of the loss of a product of Gaussians and Poisson samples of them.
type law struct {
	mu2     float64 // of all Gaussians
	samples []sample
}

// A sample is count copies of a Poisson sample of N(μ, 1) against N(0, 1): ((1−q)Q + qP, Q), or the reverse.
type sample struct {
	q, mu, count float64
	reversed     bool
	nodes        nodes
}

// nodes are a trapezoidal rule for M(s) = E_P[e^(−sL)], s = −λ + iw: e^(logs) is what node k has of the mass of P. Sums
// of every second or every fourth node are rules of their own, of twice and four times the step.
type nodes struct {
	logs, losses []float64
	ends         bool // the mass at top, as e^(top·L) weighs it, ends within the nodes
}

// newLaw reports false for other products, and for parameters that float64 is too coarse for.
func newLaw(p pair.Product) (law, bool) {
	var l law
	for _, t := range p {
		switch x := t.Pair.(type) {
		case pair.Gaussian:
			l.mu2 += float64(t.Count) * near(x.Mu2)
		case pair.Sampled:
			if len(x.Base) != 1 || x.Base[0].Count != 1 {
				return l, false
			}
			g, ok := x.Base[0].Pair.(pair.Gaussian)
			if !ok {
				return l, false
			}
			s := sample{q: near(x.Rate), mu: math.Sqrt(near(g.Mu2)), count: float64(t.Count), reversed: x.Reversed}
			if !(s.q > 1e-9 && s.mu > 1e-3 && s.mu < 30) {
				return l, false
			}
			l.samples = append(l.samples, s)
		default:
			return l, false
		}
	}
	return l, len(l.samples) > 0 // a Gaussian alone has a closed form
}

func near(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

// reverse is the law of the reversed pair.
func (l law) reverse() law {
	samples := make([]sample, len(l.samples))
	for i, s := range l.samples {
		samples[i] = sample{q: s.q, mu: s.mu, count: s.count, reversed: !s.reversed}
	}
	return law{l.mu2, samples}
}

// copies is the number of copies of samples.
func (l law) copies() float64 {
	n := 0.0
	for _, s := range l.samples {
		n += s.count
	}
	return n
}

// maxNodes bounds the nodes of a rule.
const maxNodes = 4096

// prepare chooses nodes that are good for 0 ≤ λ ≤ top and, near the real axis, steps of at most step.
func (l law) prepare(top, step float64) (law, bool) {
	samples := make([]sample, len(l.samples))
	for i, s := range l.samples {
		ok := false
		if s.nodes, ok = s.newNodes(top, min(step, 0.3/s.mu)); !ok {
			return l, false
		}
		samples[i] = s
	}
	return law{l.mu2, samples}, true
}

// newNodes goes from 0 to both sides, to where less than e^−reach of the mass is left, at λ = 0 and at λ = top.
func (s sample) newNodes(top, h float64) (nodes, bool) {
	const reach = 45
	// The slope of log φ + (1 + λ)·L is at most (1 + λ)·μ − x; of the reverse, at least −λ·μ − x.
	right, left := (1+top)*s.mu, 0.0
	if s.reversed {
		right, left = 0, -top*s.mu
	}
	var n nodes
	scan := func(first, by int, far float64) (out nodes, ends bool) {
		best := [2]float64{math.Inf(-1), math.Inf(-1)}
		for k := first; ; k += by {
			x := float64(k) * h
			log, loss := s.at(x)
			out.logs, out.losses = append(out.logs, log+math.Log(h)), append(out.losses, loss)
			weights := [2]float64{log, log + top*loss}
			small := true
			for i, w := range weights {
				best[i] = max(best[i], w)
				small = small && w < best[i]-reach
			}
			if len(out.logs)%4 == 0 && small && math.Abs(x) > math.Abs(far) {
				return out, true
			}
			if len(out.logs) > maxNodes || len(out.logs)%4 == 0 && small && math.Abs(x) > 80+2*math.Abs(math.Log(s.q))/s.mu {
				return out, len(out.logs) <= maxNodes && weights[1] < best[1]-reach
			}
		}
	}
	low, lowEnds := scan(-1, -1, left)
	high, highEnds := scan(0, 1, right)
	for i := len(low.logs) - 1; i >= 0; i-- { // of a multiple of 4
		n.logs, n.losses = append(n.logs, low.logs[i]), append(n.losses, low.losses[i])
	}
	n.logs, n.losses = append(n.logs, high.logs...), append(n.losses, high.losses...)
	n.ends = lowEnds && highEnds
	total := 0.0
	for _, x := range n.logs {
		total += math.Exp(x)
	}
	for k := range n.logs {
		n.logs[k] -= math.Log(total) // which is 1 but for rounding and the rule
	}
	return n, n.ends && math.Abs(total-1) < 1e-9
}

// at returns the logarithm of the density of P at x, and the loss.
func (s sample) at(x float64) (log, loss float64) {
	y := s.mu*x - s.mu*s.mu/2
	log = -x*x/2 - math.Log(2*math.Pi)/2
	if y > 30 {
		loss = math.Log(s.q) + y + math.Log1p((1-s.q)/s.q*math.Exp(-y))
	} else {
		loss = math.Log1p(s.q * math.Expm1(y))
	}
	if s.reversed {
		return log, -loss
	}
	return log + loss, loss
}

// moment is log M(−λ), or ∞ where the nodes do not reach so far.
func (l law) moment(lambda float64) float64 {
	sum := l.mu2 * lambda * (lambda + 1) / 2
	for _, s := range l.samples {
		best, at := math.Inf(-1), 0
		for k, x := range s.nodes.logs {
			if w := x + lambda*s.nodes.losses[k]; w > best {
				best, at = w, k
			}
		}
		if at == 0 || at == len(s.nodes.logs)-1 {
			return math.Inf(1)
		}
		total := 0.0
		for k, x := range s.nodes.logs {
			if w := x + lambda*s.nodes.losses[k] - best; w > -50 {
				total += math.Exp(w)
			}
		}
		sum += s.count * (best + math.Log(total))
	}
	return sum
}
