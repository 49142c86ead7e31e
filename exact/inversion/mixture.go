// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/bent"
	"dpverify/exact/inversion/likely"
	"dpverify/exact/inversion/thinning"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/exact/quadrature"
)

// A mixture is a pair of mixtures of normal distributions of variance 1 on the line:
// Poisson-sampled Gaussians, in either direction and under replacement, and mixtures of Gaussians.
// With φ the standard normal density,
//
//	dP = φ·A dx, dQ = φ·B dx,  A(x) = Σ_i p_i·e^{m_i·x − m_i²/2},  B likewise,
//	M(s) = ∫ φ·A^{1−s}·B^s dx.
//
// The integral is a trapezoidal sum, see quadrature.
type mixture struct {
	a, b             []component
	doubleA, doubleB []doubleComponent // the same in double precision
	tables           likely.Tables
	thinning         thinning.Law     // of large losses; the zero value keeps all
	lacks            quadrature.Lacks // of values on a line
}

// A component is a normal distribution with its probability in the mixture.
type component = bent.Part

// rational returns r at any precision.
func rational(r *big.Rat) func(interval.Prec) interval.Interval {
	return func(p interval.Prec) interval.Interval { return p.Rat(r) }
}

// root returns √r.
func root(r *big.Rat) func(interval.Prec) interval.Interval {
	return func(p interval.Prec) interval.Interval { return p.Sqrt((p + 8).Rat(r)) }
}

// newMixture reports false if x is not a pair of mixtures of Gaussians.
func newMixture(x pair.Pair) (*mixture, bool) {
	a, b, ok := components(x)
	if !ok {
		return nil, false
	}
	m := &mixture{a: a, b: b, doubleA: doubleComponents(a), doubleB: doubleComponents(b)}
	m.tables = m.newTables()
	return m, true
}

// components reports false if x is not a pair of mixtures of Gaussians.
func components(x pair.Pair) (a, b []component, ok bool) {
	standard := component{Prob: big.NewRat(1, 1), Mean: rational(new(big.Rat))}
	rest := func(rate *big.Rat) component {
		return component{Prob: new(big.Rat).Sub(big.NewRat(1, 1), rate), Mean: rational(new(big.Rat))}
	}
	switch x := x.(type) {
	case pair.Sampled:
		mu2, others := x.Base.Gaussians()
		if len(others) > 0 || mu2.Sign() == 0 {
			return nil, nil, false
		}
		a, b = []component{rest(x.Rate), {Prob: x.Rate, Mean: root(mu2)}}, []component{standard}
		if x.Reversed {
			a, b = b, a
		}
	case pair.GaussianMixture:
		of := func(n normals.Mixture) (out []component) {
			for i, mean := range n.Means {
				out = append(out, component{Prob: n.Probs[i], Mean: rational(mean)})
			}
			return out
		}
		a, b = of(x.P), of(x.Q)
	case pair.SampledReplaceGaussian:
		a = []component{rest(x.Rate), {Prob: x.Rate, Mean: root(x.Mu2)}}
		minus := func(p interval.Prec) interval.Interval { return root(x.Mu2)(p).Neg() }
		b = []component{rest(x.Rate), {Prob: x.Rate, Mean: minus}}
	default:
		return nil, nil, false
	}
	return a, b, true
}

// A doubleComponent is a component in double precision.
type doubleComponent struct{ mean, prob, logProb double.Interval }

func doubleComponents(cs []component) []doubleComponent {
	var out []doubleComponent
	for _, c := range cs {
		prob := coarse.Rat(c.Prob)
		out = append(out, doubleComponent{double.Of(c.Mean(coarse)), double.Of(prob), double.Of(coarse.Log(prob))})
	}
	return out
}

// onOneSide reports whether one side of m is N(0, 1) and all means of the other are ≥ 0.
func (m *mixture) onOneSide() bool {
	a, b := meanRange(m.doubleA), meanRange(m.doubleB)
	if a.Hi == 0 && a.Lo == 0 {
		a, b = b, a
	}
	return b.Lo == 0 && b.Hi == 0 && a.Lo >= 0 && a.Hi > 0
}

// thin returns m without rare outcomes of a large loss, of a mass of at most 2^−bits.
// It reports false if m has no large losses on the right.
func (m *mixture) thin(bits int) (*mixture, bool) {
	if up, ok := m.apart(); !ok || !up || m.thinning.Thins() {
		return nil, false
	}
	var normals []thinning.Normal
	for _, c := range m.a {
		normals = append(normals, thinning.Normal{Prob: c.Prob, Mean: c.Mean(coarse)})
	}
	out := &mixture{a: m.a, b: m.b, doubleA: m.doubleA, doubleB: m.doubleB}
	out.thinning = thinning.New(m.chooseRate(bits), meanRange(m.doubleB).Lo < 0, normals, bits)
	out.tables = out.newTables()
	return out, true
}

func (m *mixture) infinite() (inf, lost interval.Interval) { return inf, m.thinning.Lost() }

func (m *mixture) at(interval.Prec) factor { return m }
