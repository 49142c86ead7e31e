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
// Where a record is replaced, it is one of N(μ, 1) against one of N(−μ, 1): M(s) = E_Q[A^a·B^(1−a)], where B(x) =
// A(−x).
type sample struct {
	q, mu, count       float64
	reversed, replaced bool
	nodes              []node
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
			l.samples = append(l.samples, &sample{q: near(x.Rate), mu: math.Sqrt(near(g.Mu2)), reversed: x.Reversed})
		case pair.Replaced:
			l.samples = append(l.samples, &sample{q: near(x.Rate), mu: math.Sqrt(near(x.Mu2)), replaced: true})
		default:
			return l, false
		}
		if n := len(l.samples); n > 0 {
			s := l.samples[n-1]
			if s.count == 0 {
				s.count = float64(t.Count)
			}
			if !(s.q > 1e-12 && s.q < 1 && s.mu > 1e-3 && s.mu < 60) || s.reversed != l.reversed() {
				return l, false
			}
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
		other := *s
		other.reversed = !s.reversed && !s.replaced
		samples[i] = &other
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

// A node is one of a rule for x: its weight, log A − log B or log A, log B or 0, and how far paths may rise: slope
// times what y is above the edge, made smooth.
type node struct {
	x, weight, loss, other, rise, slope float64
	a, b                                odds
}

// odds are y, and the size of q·e^y/(1 − q), or of its inverse where that is above 1: where y is one of a hit.
type odds struct {
	y, size float64
	hit     bool
}

func (s *sample) odds(y float64) odds {
	return odds{y, math.Exp(-math.Abs(y - s.edge())), y > s.edge()}
}

// log is the logarithm of 1 − q + q·e^y.
func (s *sample) log(o odds) float64 {
	if o.hit {
		return math.Log(s.q) + o.y + math.Log1p(o.size)
	}
	return math.Log1p(s.q * math.Expm1(o.y))
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

// node is node k ≥ 0. Steps are smaller where A, or B, turns from 1 − q to q·e^y, within a few 1/μ.
func (s *sample) node(k int) *node {
	first, step, slow := float64(left), 0.3, 2/s.mu
	if s.mu > 1 {
		step = math.Max(0.15, 0.3/s.mu)
	}
	if slow < 1 {
		first -= pole * math.Pi
	}
	for len(s.nodes) <= k {
		n := node{x: first + float64(len(s.nodes))*step, weight: step}
		if slow < 1 {
			middle := (s.edge() + s.mu*s.mu/2) / s.mu
			v, turns := n.x, []float64{middle, -middle}
			if !s.replaced {
				turns = turns[:1]
			}
			speed := 1.0
			for _, x := range turns {
				u := (v - x) / pole
				n.x -= (1 - slow) * pole * math.Atan(u)
				speed -= (1 - slow) / (1 + u*u)
			}
			n.weight *= speed
		}
		n.a = s.odds(s.mu*n.x - s.mu*s.mu/2)
		n.loss = s.log(n.a)
		if s.replaced {
			n.b = s.odds(-s.mu*n.x - s.mu*s.mu/2)
			n.other = s.log(n.b)
			n.loss -= n.other
		}
		above := n.a.y - s.edge()
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

// hits is log |E_Q[(q·e^y)^a]|, next to which E_Q[A^a] has a second peak, at x = aμ; B is 1 − q there.
func (s *sample) hits(a complex128) float64 {
	x := real(a)*math.Log(s.q) + real(a*(a-1))*s.mu*s.mu/2
	if s.replaced {
		x += (1 - real(a)) * math.Log1p(-s.q)
	}
	return x
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
	peak, end := s.hits(complex(a, 0)), math.Min(9, top)
	if a > 1 && peak > -reach {
		end = math.Min(a*s.mu+9, top)
	}
	if end > 400 {
		return moment{peak, math.Log(s.q) + s.mu*s.mu*(a-0.5), s.mu * s.mu}
	}
	best, count := math.Inf(-1), 0
	for n := s.node(0); n.x <= end; n = s.node(count) {
		best = math.Max(best, a*n.loss+n.other-n.x*n.x/2)
		count++
	}
	var m0, m1, m2 float64
	for i := range s.nodes[:count] {
		n := &s.nodes[i]
		if e := a*n.loss + n.other - n.x*n.x/2 - best; e > -reach {
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
