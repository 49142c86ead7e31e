// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package compare

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/float/pair"
	"dpverify/float/value"
	"dpverify/internal/others/afa"
)

// The rows of the analytical Fourier accountant as its paper computes it, in float64 and without a bound of the error:
// by characteristic functions of the mechanism, and, by Algorithm 2, of cells.
const (
	fourierName = "afa"
	cellsName   = "afa-cells"
)

// converged is the greatest error that the quadrature may guess: it does not reach it where the characteristic function
// does not fall.
const converged = 1e-6

// A transformed is what an accountant answers for a product: an upper bound, of which only the error of the quadrature
// is not in it, or a number.
type transformed struct {
	value, lower float64
	guess        float64
	points       int
	cells        int // 0: none
}

// byFourier asks an accountant for all directions.
func (r Request) byFourier(ctx context.Context, q exact.Question, of func(context.Context, pair.Product,
	float64) (transformed, error)) (derive.Result, error) {
	ps, err := pair.Resolve(q.Event, q.Relation, q.Direction)
	if err != nil {
		return derive.Result{}, derive.NotModelledError(err.Error())
	}
	at := value.Rat(r.At).V
	if r.At.Sign() > 0 && at == 0 {
		return derive.Result{}, derive.NotModelledError("float64 has no number so small")
	}
	most := transformed{value: math.Inf(-1), lower: math.Inf(-1)}
	for _, p := range ps {
		x, err := of(ctx, p, at)
		if err != nil {
			return derive.Result{}, err
		}
		most = transformed{math.Max(most.value, x.value), math.Max(most.lower, x.lower), math.Max(most.guess, x.guess),
			most.points + x.points, max(most.cells, x.cells)}
	}
	switch {
	case ctx.Err() != nil:
		return derive.Result{}, ctx.Err()
	case !(most.guess < converged):
		return derive.Result{},
			derive.NotModelledError(fmt.Sprintf("the quadrature does not converge: after %d points it guesses an error of "+
				"%.1g in δ", most.points, most.guess))
	}
	y := interval.PosInf()
	if !math.IsInf(most.value, 1) {
		y = interval.Prec(64).Rat(new(big.Rat).SetFloat64(most.value))
	}
	note := fmt.Sprintf("float64, by %d points; the quadrature guesses an error of %.1g in δ", most.points, most.guess)
	if most.cells > 0 {
		note = fmt.Sprintf("%d cells; its lower bound is %.3g; %s", most.cells, math.Max(most.lower, 0), note)
	}
	return derive.Result{Enclosure: exact.Enclosure{Interval: y}, Note: note}, nil
}

// byFunctions asks Algorithm 1.
func (r Request) byFunctions(ctx context.Context, p pair.Product, at float64) (transformed, error) {
	a, ok := afa.New(p)
	if !ok {
		return transformed{}, derive.NotModelledError("a factor has no characteristic function here")
	}
	if r.Of == DeltaSide {
		x := a.Delta(ctx, at)
		return transformed{x.Delta, x.Delta, x.Guess, x.Points, 0}, nil
	}
	eps, x := a.Epsilon(ctx, at, converged)
	return transformed{eps, eps, x.Guess, x.Points, 0}, nil
}

// The cells of Algorithm 2: from fewest on four times as many, until its two bounds are within one per cent, or the
// next step would take more than work terms.
const (
	fewest = 1024
	work   = 40_000_000
)

// byCells asks Algorithm 2.
func (r Request) byCells(ctx context.Context, p pair.Product, at float64) (transformed, error) {
	covering := afa.Covering(p)
	for n := fewest; ; n *= 4 {
		d, ok := afa.Discretise(p, covering, n)
		if !ok {
			return transformed{},
				derive.NotModelledError("it cuts Poisson samples of one Gaussian or Laplace mechanism into cells, beside factors " +
					"with characteristic functions in closed form")
		}
		var x afa.Bounds
		if r.Of == DeltaSide {
			x = d.Delta(ctx, at)
		} else {
			x = d.Epsilon(ctx, at, converged)
		}
		if ctx.Err() != nil || !(x.Guess < converged) || x.Upper-x.Lower <= x.Upper/100 || 4*d.Work() > work {
			return transformed{x.Upper, x.Lower, x.Guess, x.Points, n}, nil
		}
	}
}
