// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package line

import (
	"math"
	"math/big"

	"dpverify/float/pair"
)

// A law is the law of the loss L of a product of Gaussians and Poisson samples of them.
type law struct {
	mu2     float64 // of all Gaussians
	samples []*sample
}

// A sample is count copies of a Poisson sample of N(μ, 1) against Q = N(0, 1): (A·Q, Q), or (Q, A·Q) if it is reversed,
// where A(x) = 1 − q + q·e^y and y = μx − μ²/2. Both have M(s) = E_Q[A^a], with a = 1 − s, or s if it is reversed.
type sample struct {
	q, mu, count float64
	reversed     bool
	nodes        []node
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
			s := &sample{q: near(x.Rate), mu: math.Sqrt(near(g.Mu2)), count: float64(t.Count), reversed: x.Reversed}
			if !(s.q > 1e-12 && s.q < 1 && s.mu > 1e-3 && s.mu < 60) {
				return l, false
			}
			if len(l.samples) > 0 && l.samples[0].reversed != s.reversed {
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

// reversed says that losses are at most those of no hit at all.
func (l law) reversed() bool { return l.samples[0].reversed }

// reverse is the law of the reversed pair.
func (l law) reverse() law {
	samples := make([]*sample, len(l.samples))
	for i, s := range l.samples {
		samples[i] = &sample{q: s.q, mu: s.mu, count: s.count, reversed: !s.reversed, nodes: s.nodes}
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

// A node is one of a rule for x: its weight, y and log A; the size of q·e^y/(1 − q), or of its inverse where that is
// above 1; and how far paths may rise: slope times what y is above the edge, made smooth.
type node struct {
	x, weight, y, loss, odds, rise, slope float64
	hit                                   bool
}

const (
	// reach is the logarithm of the size of terms that sums leave out.
	reach = 38
	// left is where nodes begin, and leftMass more than the mass before it.
	left, leftMass = -11, 1e-26
	// maxNodes bounds the nodes of a sum.
	maxNodes = 1 << 13
	// pole is the distance of the poles of a rule from the real line.
	pole = 1.5
	// slope is the greatest slope of a path, below 1: e^(−x²/2) falls along it.
	slope = 0.8
)

// node is node k ≥ 0. Steps are smaller where A turns from 1 − q to q·e^y, within a few 1/μ.
func (s *sample) node(k int) *node {
	step := 0.3
	if s.mu > 1 {
		step = math.Max(0.15, 0.3/s.mu)
	}
	for len(s.nodes) <= k {
		n := node{x: left + float64(len(s.nodes))*step, weight: step}
		if slow := 2 / s.mu; slow < 1 {
			middle := (s.edge() + s.mu*s.mu/2) / s.mu
			u := (n.x - middle) / pole
			n.x = middle + pole*(u-(1-slow)*math.Atan(u))
			n.weight *= 1 - (1-slow)/(1+u*u)
		}
		n.y = s.mu*n.x - s.mu*s.mu/2
		above := n.y - s.edge()
		n.hit, n.odds = above > 0, math.Exp(-math.Abs(above))
		if n.loss = math.Log1p(s.q * math.Expm1(n.y)); n.hit {
			n.loss = math.Log(s.q) + n.y + math.Log1p(n.odds)
		}
		n.rise, n.slope = slope*(above-1), slope
		if above < 20 {
			e := math.Exp(2 * (above - 1))
			n.rise, n.slope = slope*math.Log1p(e)/2, slope*e/(1+e)
		}
		s.nodes = append(s.nodes, n)
	}
	return &s.nodes[k]
}

// edge is the y at which a hit is as likely as none.
func (s *sample) edge() float64 { return math.Log((1 - s.q) / s.q) }

// hits is the logarithm of E_Q[(q·e^y)^a], next to which E_Q[A^a] has a second peak, at x = aμ.
func (s *sample) hits(a float64) float64 {
	if a <= 1 {
		return math.Inf(-1)
	}
	return a*math.Log(s.q) + a*(a-1)*s.mu*s.mu/2
}

// beyond is about the x beyond which A·Q has a mass of tail.
func (s *sample) beyond(tail float64) float64 {
	lo, hi := 0.0, 9+s.mu
	for range 30 {
		x := (lo + hi) / 2
		if s.q*math.Erfc((x-s.mu)/math.Sqrt2)+(1-s.q)*math.Erfc(x/math.Sqrt2) > 2*tail {
			lo = x
		} else {
			hi = x
		}
	}
	return hi
}

// A moment is log M(−λ) with its first two derivatives in λ.
type moment struct{ log, mean, variance float64 }

// moment is that of all, next to which large losses of a small probability come up: where tail is above 0, it is
// without losses of which there is one with about this probability.
func (l law) moment(lambda, tail float64) moment {
	m := moment{l.mu2 * lambda * (lambda + 1) / 2, l.mu2 * (lambda + 0.5), l.mu2}
	for _, s := range l.samples {
		top := math.Inf(1)
		if tail > 0 {
			top = s.beyond(tail / l.copies())
		}
		one := s.moment(lambda, top)
		m.log += s.count * one.log
		m.mean += s.count * one.mean
		m.variance += s.count * one.variance
	}
	return m
}

// moment is that of one copy, where x is at most top.
func (s *sample) moment(lambda, top float64) moment {
	a := 1 + lambda
	if s.reversed {
		a = -lambda
	}
	peak, end := s.hits(a), math.Min(9, top)
	if peak > -reach {
		end = math.Min(a*s.mu+9, top)
	}
	if end > 400 {
		return moment{peak, math.Log(s.q) + s.mu*s.mu*(a-0.5), s.mu * s.mu}
	}
	best, count := math.Inf(-1), 0
	for n := s.node(0); n.x <= end; n = s.node(count) {
		best = math.Max(best, a*n.loss-n.x*n.x/2)
		count++
	}
	var m0, m1, m2 float64
	for i := range s.nodes[:count] {
		n := &s.nodes[i]
		if e := a*n.loss - n.x*n.x/2 - best; e > -reach {
			p := math.Exp(e) * n.weight
			m0 += p
			m1 += p * n.loss
			m2 += p * n.loss * n.loss
		}
	}
	mean := m1 / m0
	m := moment{best + math.Log(m0/math.Sqrt(2*math.Pi)), mean, math.Max(m2/m0-mean*mean, 0)}
	if s.reversed {
		m.mean = -mean
	}
	return m
}
