// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/fall"
	"dpverify/exact/inversion/laplacian"
)

// closedForm is a factor whose transform has a closed form.
type closedForm struct{ law }

// A law is the law of the losses of a closed form.
type law interface {
	logMoment(lambda float64) float64
	decay(lambda *big.Rat) decay
	// transform encloses M(s), Re s ≤ 0.
	transform(p interval.Prec, s interval.Complex) interval.Complex
}

func (c closedForm) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	w := p + 32
	return p.Round(c.transform(w, interval.Complex{Re: w.Rat(lambda).Neg()}).Re)
}

func (c closedForm) line(
	ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int,
) ([]interval.Complex, error) {
	w := p + 64
	re := w.Rat(lambda).Neg()
	out := make([]interval.Complex, n+1)
	for j := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[j] = p.RoundC(c.transform(p+8, interval.Complex{Re: re, Im: w.Mul(interval.Int(int64(j)), h)}))
	}
	return out, nil
}

func (c closedForm) sizes(lambda *big.Rat, h double.Interval, n int) []float64 {
	if l, ok := c.law.(laplace); ok {
		return laplacian.Sizes(l.x, lambda, h, n)
	}
	return fall.Sizes(c.decay(lambda), h, n)
}

func (c closedForm) infinite() (inf, lost interval.Interval) { return inf, lost }

func (c closedForm) at(interval.Prec) factor { return c }

// gaussian is (N(μ, 1), N(0, 1)): M(s) = e^{μ²s(s−1)/2}, because under P, L is normal with mean μ²/2 and variance μ².
type gaussian struct{ mu2 *big.Rat }

func (g gaussian) half(p interval.Prec) interval.Interval { return p.Scale(p.Rat(g.mu2), -1) }

func (g gaussian) transform(p interval.Prec, s interval.Complex) interval.Complex {
	w := p + 56
	return p.ExpC(w.ScaleC(g.half(w), w.MulC(s, w.SubC(s, interval.Complex{Re: one}))))
}

// decay is e^{−μ²t²/2}, exactly: the real part of s(s − 1) is λ(λ+1) − t².
func (g gaussian) decay(*big.Rat) decay {
	half := double.Of(g.half(coarse))
	return func(a, _ float64) float64 { return min(0, half.Mul(double.Point(a).Sqr()).Neg().Hi) }
}

// laplace is (Lap(x, 1), Lap(0, 1)).
//
// Under P the loss has the atoms 1/2 at x and e^{−x}/2 at −x, and the density e^{(l−x)/2}/4 between.
// So with u = 1/2 − s, Re u ≥ 1/2,
//
//	M(s) = (e^{−sx} + e^{(s−1)x})/2 + e^{−x/2}·(e^{ux} − e^{−ux})/(4u)
//	     = e^{−x/2}·[(e^{ux} + e^{−ux})/2 + (e^{ux} − e^{−ux})/(4u)].
type laplace struct{ x *big.Rat }

func (l laplace) transform(p interval.Prec, s interval.Complex) interval.Complex {
	w := p + 32
	x := w.Rat(l.x)
	u := w.SubC(interval.Complex{Re: w.Scale(one, -1)}, s)
	up, down := w.ExpC(w.ScaleC(x, u)), w.ExpC(w.ScaleC(x, u).Neg())
	atoms := w.AddC(up, down)
	density := w.DivC(w.SubC(up, down), w.ScaleC(interval.Int(2), u))
	return p.ScaleC(w.Scale(w.Exp(w.Scale(x, -1).Neg()), -1), w.AddC(atoms, density))
}

// decay is the decay of the pair sampled at rate 1.
func (l laplace) decay(lambda *big.Rat) decay { return l.sampled().decay(lambda) }

func (l laplace) sampled() *sampledLaplace { return newSampledLaplace(l.x, big.NewRat(1, 1), false) }

// logistic is (Logistic(x, 1), Logistic(0, 1)).
//
// Under P the loss has the density e^{l/2}/(4·sinh(x/2)) on [−x, x] (closed.Logistic).
// So with u = 1/2 − s, Re u ≥ 1/2,
//
//	M(s) = (e^{ux} − e^{−ux})/(4u·sinh(x/2)).
type logistic struct{ x *big.Rat }

func (l logistic) transform(p interval.Prec, s interval.Complex) interval.Complex {
	w := p + 32
	x := w.Rat(l.x)
	u := w.SubC(interval.Complex{Re: w.Scale(one, -1)}, s)
	wave := w.SubC(w.ExpC(w.ScaleC(x, u)), w.ExpC(w.ScaleC(x, u).Neg()))
	half := w.Scale(x, -1)
	scale := w.Scale(w.Sub(w.Exp(half), w.Exp(half.Neg())), 1) // 4·sinh(x/2)
	return p.ScaleC(w.Inv(scale), w.DivC(wave, u))
}

// decay: with a = 1/2 + λ, |e^{ux} − e^{−ux}| ≤ 2·cosh(ax) and |u|² = a² + t², so that
//
//	|M(−λ + it)|/M(−λ) ≤ a·coth(ax)/√(a² + t²).
//
// This falls to 0 with |t|, as there is no atom.
func (l logistic) decay(lambda *big.Rat) decay {
	a := coarse.Rat(new(big.Rat).Add(lambda, big.NewRat(1, 2)))
	fall := coarse.Exp(coarse.Scale(coarse.Mul(a, coarse.Rat(l.x)), 1).Neg()) // e^{−2ax}
	coth := coarse.Div(coarse.Add(one, fall), coarse.Sub(one, fall))
	top, a2 := double.Of(coarse.Mul(a, coth)), double.Of(coarse.Sqr(a))
	return func(t, _ float64) float64 {
		return min(0, top.Div(a2.Add(double.Point(t).Sqr()).Sqrt()).Log().Hi)
	}
}
