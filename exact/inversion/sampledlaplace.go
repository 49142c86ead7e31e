// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math/big"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/fall"
	"dpverify/exact/pair"
	"dpverify/exact/quadrature"
)

// A sampledLaplace is the Laplace pair (Lap(x, 1), Lap(0, 1)), Poisson-sampled at a rate g, in either direction.
// Rate 1, the pair itself, is allowed.
//
// Let l be the loss of the pair before it is sampled, and ν its law under Lap(0, 1).
// ν has the atoms e^{−x}/2 at x and 1/2 at −x, and the density n(l) = e^{−(l+x)/2}/4 between.
// (This is the law under Lap(x, 1), see laplace, times e^{−l}.) Of the sampled pair, with R(l) = 1 − g + g·e^l,
//
//	((1−g)Q + gP, Q): the loss is  log R, M(s) = ∫ R^{1−s} dν,
//	(Q, (1−g)Q + gP): the loss is −log R, M(s) = ∫ R^s dν.
//
// At s = −λ + it both are ∫ R^κ·e^{−itL} dν, with κ = 1 + λ in the first direction and κ = −λ in the other.
// So M = A + D with A the terms of the two atoms, and, for l = xy,
//
//	D = x·∫_{−1}^1 f(y) dy, f(y) = n(xy)·R(xy)^κ·e^{−itL(xy)},
//
// by Fejér's rule.
type sampledLaplace struct {
	x, rate  *big.Rat
	reversed bool
	guess    *guessLaw
}

func newSampledLaplace(x, rate *big.Rat, reversed bool) *sampledLaplace {
	return &sampledLaplace{x: x, rate: rate, reversed: reversed, guess: new(guessLaw)}
}

// sampledLaplaceOf reports false if x is not a sampled Laplace pair.
func sampledLaplaceOf(x pair.Sampled) (*sampledLaplace, bool) {
	if len(x.Base) != 1 || x.Base[0].Count != 1 {
		return nil, false
	}
	base, ok := x.Base[0].Pair.(pair.Laplace)
	return newSampledLaplace(base.Shift, x.Rate, x.Reversed), ok && base.Shift.Sign() > 0
}

// tilt encloses κ.
func (s *sampledLaplace) tilt(p interval.Prec, lambda interval.Interval) interval.Interval {
	if s.reversed {
		return lambda.Neg()
	}
	return p.Add(one, lambda)
}

// logR encloses log R(l) = log(1 + g·(e^l − 1)).
func (s *sampledLaplace) logR(p interval.Prec, l interval.Interval) interval.Interval {
	w := p + 8
	return p.Log1p(w.Mul(w.Rat(s.rate), w.Expm1(l)))
}

// density encloses n(l).
func (s *sampledLaplace) density(p interval.Prec, l interval.Interval) interval.Interval {
	return p.Scale(p.Exp(p.Scale(p.Add(l, p.Rat(s.x)), -1).Neg()), -2)
}

// atoms encloses the masses of ν at x and −x, and log R there.
func (s *sampledLaplace) atoms(p interval.Prec) (masses, logs [2]interval.Interval) {
	x := p.Rat(s.x)
	masses = [2]interval.Interval{p.Scale(p.Exp(x.Neg()), -1), p.Scale(one, -1)}
	return masses, [2]interval.Interval{s.logR(p, x), s.logR(p, x.Neg())}
}

// law returns the atoms of ν, and nodes of Fejér's rule for the rest, as masses at values of log R.
func (s *sampledLaplace) law(p interval.Prec, n int) (masses, logs []interval.Interval) {
	m, l := s.atoms(p)
	masses, logs = m[:], l[:]
	x := p.Rat(s.x)
	nodes, weights := quadrature.Fejer(p, n)
	for k, y := range nodes {
		at := p.Mul(x, y)
		masses = append(masses, p.Mul(p.Mul(x, weights[k]), s.density(p, at)))
		logs = append(logs, s.logR(p, at))
	}
	return masses, logs
}

// ellipseBound bounds |f| on the ellipse y = (z + 1/z)/2, |z| = ρ, for all |t| ≤ t.
// It reports false if f is not known to be analytic inside.
//
// Lemma. If Re R > 0 on the ellipse, f is analytic inside, and |f| inside is at most its largest value there.
//
// Proof. Re R(xy) is harmonic, so it is also positive inside, where log R is analytic in its principal branch.
// The rest is the maximum principle.
//
// On the ellipse
//
//	|f(y)| ≤ (1/4)·e^{−x(1 + Re y)/2}·e^{κ·log|R| + |t|·|arg R|}.
//
// All of this is the same at the conjugate of y, so that the upper half of the ellipse is enough.
// With z = ρe^{iφ}, y = cos φ·(ρ + 1/ρ)/2 + i·sin φ·(ρ − 1/ρ)/2, 0 ≤ φ ≤ π.
func (s *sampledLaplace) ellipseBound(lambda, t, rho interval.Interval) (interval.Interval, bool) {
	const p = interval.Prec(32)
	k := s.tilt(p, lambda)
	x, g := p.Rat(s.x), p.Rat(s.rate)
	wide := p.Mul(x, p.Scale(p.Add(rho, p.Inv(rho)), -1))
	high := p.Mul(x, p.Scale(p.Sub(rho, p.Inv(rho)), -1))
	greatest := interval.Int(0)
	for _, e := range halfCircle() {
		l := interval.Complex{Re: p.Mul(wide, e.Re), Im: p.Mul(high, e.Im)}
		r := p.ScaleC(g, p.ExpC(l))
		r.Re = p.Add(r.Re, p.Sub(one, g))
		if r.Re.Positive() != interval.True {
			return interval.PosInf(), false
		}
		log := p.LogC(r)
		y := p.Add(p.Mul(k, log.Re), p.Mul(t, log.Im.Abs()))
		y = p.Sub(y, p.Scale(p.Add(x, l.Re), -1))
		greatest = interval.Max(greatest, upper(p.Scale(p.Exp(y), -2)))
	}
	return greatest, greatest.IsFinite()
}

// halfCircle returns rectangles that cover e^{iφ}, 0 ≤ φ ≤ π.
var halfCircle = sync.OnceValue(func() []interval.Complex {
	const sections = 16
	var out []interval.Complex
	for i := range int64(sections) {
		ends := interval.Union(coarse.Rat(big.NewRat(i, sections)), coarse.Rat(big.NewRat(i+1, sections)))
		out = append(out, coarse.ExpI(coarse.Mul(coarse.Pi(), ends)))
	}
	return out
})

// maxNodes bounds the nodes of Fejér's rule, whose weights cost their square.
const maxNodes = 1 << 12

// newQuadrature returns the atoms, and a rule for the rest, at λ for |t| ≤ t, whose error is about 2^−p of M(−λ).
// It reports false if there is none of moderate size.
func (s *sampledLaplace) newQuadrature(p interval.Prec, lambda *big.Rat, turn float64) (quadrature.Rule, bool) {
	l, t := coarse.Rat(lambda), double.Point(turn).Exact()
	logM := s.logMoment(float64Of(lambda))
	if !isNumber(logM) {
		return quadrature.Rule{}, false
	}
	x := coarse.Rat(s.x)
	goal := coarse.Exp(coarse.Sub(double.Point(logM).Exact(), coarse.Mul(interval.Int(int64(p)+8), coarse.Ln2())))
	best, err := maxNodes+1, interval.PosInf()
	for i, worse := -8, 0; i <= 8 && worse < 2; i++ {
		rho := coarse.Add(one, coarse.Scale(one, i))
		sup, ok := s.ellipseBound(l, t, rho)
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
	return s.nodes(p, lambda, best, err), true
}

// nodes lays the rule with n nodes, of the given error.
func (s *sampledLaplace) nodes(p interval.Prec, lambda *big.Rat, n int, err interval.Interval) quadrature.Rule {
	w := p + 48
	q := quadrature.Rule{Err: err}
	k := s.tilt(w, w.Rat(lambda))
	masses, logs := s.law(w, n)
	for i, m := range masses {
		q.Weights = append(q.Weights, w.Mul(m, w.Exp(w.Mul(k, logs[i]))))
		loss := logs[i]
		if s.reversed {
			loss = loss.Neg()
		}
		q.Losses = append(q.Losses, loss)
	}
	return q
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
	k := s.tilt(coarse, coarse.Rat(lambda))
	width := coarse.Rat(new(big.Rat).Mul(s.x, big.NewRat(2, cells)))
	border := func(i int64) (n, power, g interval.Interval) { // n, R^κ and 2·G
		l := coarse.Rat(new(big.Rat).Mul(s.x, big.NewRat(2*i-cells, cells)))
		log := s.logR(coarse, l)
		n, power = s.density(coarse, l), coarse.Exp(coarse.Mul(k, log))
		g = coarse.Mul(coarse.Mul(n, power), coarse.Exp(coarse.Sub(log, l)))
		return n, power, coarse.Div(coarse.Scale(g, 1), coarse.Rat(s.rate))
	}
	_, _, right := border(cells)
	out := make(fall.Cuts, cells)
	share := func(y interval.Interval) float64 { return double.Of(coarse.Div(y, norm)).Hi }
	elsewhere := s.atomsMoment(k)
	n, power, g := border(0)
	for i := range out {
		out[i] = fall.Part{Elsewhere: share(elsewhere), Variation: share(coarse.Add(g, right))}
		density, last := n, power
		n, power, g = border(int64(i) + 1)
		elsewhere = coarse.Add(elsewhere, coarse.Mul(width, coarse.Mul(density, interval.Max(last, power))))
	}
	return out
}

// atomsMoment encloses A at t = 0.
func (s *sampledLaplace) atomsMoment(k interval.Interval) interval.Interval {
	sum := interval.Int(0)
	masses, logs := s.atoms(coarse)
	for i, m := range masses {
		sum = coarse.Add(sum, coarse.Mul(m, coarse.Exp(coarse.Mul(k, logs[i]))))
	}
	return sum
}

// groups returns the atoms and the cells between, with lower bounds of their masses under R^κ·ν/M(−λ).
// log R stands for the loss: only differences count, without their sign.
func (s *sampledLaplace) groups(lambda *big.Rat, norm interval.Interval) []fall.Group {
	const cells = 16
	k := s.tilt(coarse, coarse.Rat(lambda))
	power := func(log interval.Interval) interval.Interval {
		return coarse.Div(coarse.Exp(coarse.Mul(k, log)), norm)
	}
	var out []fall.Group
	masses, logs := s.atoms(coarse)
	for i, m := range masses {
		out = append(out, fall.Group{Mass: double.Of(coarse.Mul(m, power(logs[i]))), Loss: double.Of(logs[i])})
	}
	width := coarse.Rat(new(big.Rat).Mul(s.x, big.NewRat(2, cells)))
	last := logs[1]
	for i := int64(1); i <= cells; i++ {
		end := coarse.Rat(new(big.Rat).Mul(s.x, big.NewRat(2*i-cells, cells)))
		log := s.logR(coarse, end)
		mass := coarse.Mul(s.density(coarse, end), interval.Min(power(last), power(log)))
		out = append(out, fall.Group{Mass: double.Of(coarse.Mul(width, mass)),
			Loss: double.Of(interval.Union(last, log))})
		last = log
	}
	return out
}

// plateau is A(0), below which the atoms keep |M| from falling.
func (s *sampledLaplace) plateau() interval.Interval {
	return s.atomsMoment(s.tilt(coarse, interval.Int(0)))
}

func (s *sampledLaplace) infinite() (inf, lost interval.Interval) { return inf, lost }

func (s *sampledLaplace) at(interval.Prec) factor { return s }
