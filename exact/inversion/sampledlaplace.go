// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/fall"
	"dpverify/exact/inversion/laplacian"
	"dpverify/exact/pair"
	"dpverify/exact/quadrature"
)

// A sampledLaplace is a Poisson-sampled Laplace pair as a factor: see package laplacian, for the words too.
type sampledLaplace struct {
	laplacian.Law
	guess *guessLaw
}

func newSampledLaplace(x, rate *big.Rat, reversed bool) *sampledLaplace {
	return &sampledLaplace{laplacian.Law{Shift: x, Rate: rate, Reversed: reversed}, new(guessLaw)}
}

// sampledLaplaceOf reports false if x is not a sampled Laplace pair.
func sampledLaplaceOf(x pair.Sampled) (*sampledLaplace, bool) {
	if len(x.Base) != 1 || x.Base[0].Count != 1 {
		return nil, false
	}
	base, ok := x.Base[0].Pair.(pair.Laplace)
	return newSampledLaplace(base.Shift, x.Rate, x.Reversed), ok && base.Shift.Sign() > 0
}

// maxNodes bounds the nodes of Fejér's rule, whose weights cost their square.
const maxNodes = 1 << 12

// newQuadrature returns the atoms, and a rule for the rest, at λ for |t| ≤ t, whose error is about 2^−p of M(−λ).
// It reports false if there is none of moderate size.
func (s *sampledLaplace) newQuadrature(p interval.Prec, lambda *big.Rat, turn float64) (quadrature.Rule, bool) {
	l, t := coarse.Rat(lambda), double.Point(turn).Exact()
	logM := s.logMoment(double.Near(lambda))
	if !isNumber(logM) {
		return quadrature.Rule{}, false
	}
	x := coarse.Rat(s.Shift)
	goal := coarse.Exp(coarse.Sub(double.Point(logM).Exact(), coarse.Mul(interval.Int(int64(p)+8), coarse.Ln2())))
	best, err := maxNodes+1, interval.PosInf()
	for i, worse := -8, 0; i <= 8 && worse < 2; i++ {
		rho := coarse.Add(one, coarse.Scale(one, i))
		sup, ok := s.EllipseBound(l, t, rho)
		if !ok {
			break
		}
		sup = coarse.Mul(x, sup)
		if n := quadrature.FejerNodes(sup, rho, goal); n < int64(best) {
			best, err, worse = int(n), quadrature.FejerError(sup, rho, int(n)), 0
		} else if best <= maxNodes {
			worse++
		}
	}
	if best > maxNodes {
		return quadrature.Rule{}, false
	}
	return s.Rule(p, lambda, best, err), true
}

func (s *sampledLaplace) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	q, ok := s.newQuadrature(p, lambda, 0)
	if !ok {
		return interval.Bounds(new(big.Float), interval.PosInf().Hi())
	}
	return q.AtZero(p)
}

func (s *sampledLaplace) line(
	ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int,
) ([]interval.Complex, error) {
	q, ok := s.newQuadrature(p, lambda, double.Of(h).Mul(double.Int(int64(n))).Hi)
	if !ok {
		return nil, nil
	}
	return q.Line(ctx, p, h, n)
}

func (s *sampledLaplace) sizes(lambda *big.Rat, h double.Interval, n int) []float64 {
	if q, ok := s.newQuadrature(doublePrec, lambda, h.Mul(double.Int(int64(n))).Hi); ok {
		if out := q.Double().Sizes(h, n); out != nil {
			return out
		}
	}
	return fall.Sizes(s.decay(lambda), h, n)
}

// decay bounds |ψ(t)|, ψ(t) = M(−λ + it)/M(−λ), in two ways.
//
// Pairs: as for a mixture, with the two atoms and cells of l between them.
// R is monotone in l, and so is R^κ.
// So the mass of a cell is at least its width times the least values of n and of R^κ, at its ends.
//
// Parts. |A(−λ + it)| ≤ A(−λ). The l between −x and c add to |D| at most what they add at t = 0.
//
//	−x                 c                              x
//	├──────────────────┃──────────────────────────────┤  l
//	  counts by its mass      integrated by parts
//
// From c to x, L′ = ±g·e^l/R does not vanish.
// With G = n·R^κ/|L′| = e^{−(l+x)/2 − l}·R^{κ+1}/(4g), integration by parts gives at most
//
//	(G(x) + G(c) + ∫|G′| dl)/|t| ≤ 2·(G(x) + G(c))/|t|.
//
// Here ∫|G′| ≤ G(x) + G(c), because (log G)′ = −3/2 + (κ+1)·g·e^l/R, where g·e^l/R rises with l.
// For κ + 1 ≥ 0 it rises, so that G falls first and then rises, if it does both. For κ + 1 < 0 it is negative.
//
// Where l is so small that L hardly depends on it, G is large. So the least bound is at a c that falls with |t|.
func (s *sampledLaplace) decay(lambda *big.Rat) decay {
	norm := s.moment(coarse, lambda)
	if norm.Positive() != interval.True || !norm.IsFinite() {
		return constant
	}
	pairs, cuts := fall.NewPairs(s.groups(lambda, norm)), s.parts(lambda, norm)
	return func(a, b float64) float64 { return min(pairs.Bound(a, b), cuts.Bound(a)) }
}

// parts returns bounds of |ψ| for cuts c from −x on.
// A cell of l adds at most its width times the largest values of n and of R^κ, at its ends.
func (s *sampledLaplace) parts(lambda *big.Rat, norm interval.Interval) fall.Cuts {
	const cells = 64
	k := s.Tilt(coarse, coarse.Rat(lambda))
	width := coarse.Rat(new(big.Rat).Mul(s.Shift, big.NewRat(2, cells)))
	border := func(i int64) (n, power, g interval.Interval) { // n, R^κ and 2·G
		l := coarse.Rat(new(big.Rat).Mul(s.Shift, big.NewRat(2*i-cells, cells)))
		log := s.LogR(coarse, l)
		n, power = s.Density(coarse, l), coarse.Exp(coarse.Mul(k, log))
		g = coarse.Mul(coarse.Mul(n, power), coarse.Exp(coarse.Sub(log, l)))
		return n, power, coarse.Div(coarse.Scale(g, 1), coarse.Rat(s.Rate))
	}
	_, _, right := border(cells)
	out := make(fall.Cuts, cells)
	share := func(y interval.Interval) float64 { return double.Of(coarse.Div(y, norm)).Hi }
	elsewhere := s.AtomsMoment(k)
	n, power, g := border(0)
	for i := range out {
		out[i] = fall.Part{Elsewhere: share(elsewhere), Variation: share(coarse.Add(g, right))}
		density, last := n, power
		n, power, g = border(int64(i) + 1)
		elsewhere = coarse.Add(elsewhere, coarse.Mul(width, coarse.Mul(density, interval.Max(last, power))))
	}
	return out
}

// groups returns the atoms and the cells between, with lower bounds of their masses under R^κ·ν/M(−λ).
// log R stands for the loss: only differences count, without their sign.
func (s *sampledLaplace) groups(lambda *big.Rat, norm interval.Interval) []fall.Group {
	const cells = 16
	k := s.Tilt(coarse, coarse.Rat(lambda))
	power := func(log interval.Interval) interval.Interval {
		return coarse.Div(coarse.Exp(coarse.Mul(k, log)), norm)
	}
	var out []fall.Group
	masses, logs := s.Atoms(coarse)
	for i, m := range masses {
		out = append(out, fall.Group{Mass: double.Of(coarse.Mul(m, power(logs[i]))), Loss: double.Of(logs[i])})
	}
	width := coarse.Rat(new(big.Rat).Mul(s.Shift, big.NewRat(2, cells)))
	last := logs[1]
	for i := int64(1); i <= cells; i++ {
		end := coarse.Rat(new(big.Rat).Mul(s.Shift, big.NewRat(2*i-cells, cells)))
		log := s.LogR(coarse, end)
		mass := coarse.Mul(s.Density(coarse, end), interval.Min(power(last), power(log)))
		out = append(out, fall.Group{Mass: double.Of(coarse.Mul(width, mass)),
			Loss: double.Of(interval.Union(last, log))})
		last = log
	}
	return out
}

func (s *sampledLaplace) infinite() (inf, lost interval.Interval) { return inf, lost }

func (s *sampledLaplace) at(interval.Prec) factor { return s }
