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
	"dpverify/float/afa"
	"dpverify/float/pair"
	"dpverify/float/value"
)

// fourierName is the row of the analytical Fourier accountant as its paper computes it, in float64
// and without a bound of the error.
const fourierName = "afa"

// converged is the greatest error that the quadrature may guess: it does not reach it where the characteristic function
// does not fall.
const converged = 1e-6

// byFourier asks the analytical Fourier accountant.
func (r Request) byFourier(ctx context.Context, q exact.Question) (derive.Result, error) {
	ps, err := pair.Resolve(q.Event, q.Relation, q.Direction)
	if err != nil {
		return derive.Result{}, derive.NotModelledError(err.Error())
	}
	at := value.Rat(r.At).V
	if r.At.Sign() > 0 && at == 0 {
		return derive.Result{}, derive.NotModelledError("float64 has no number so small")
	}
	most, guess, points := math.Inf(-1), 0.0, 0
	for _, p := range ps {
		a, ok := afa.New(p)
		if !ok {
			return derive.Result{}, derive.NotModelledError("a factor has no characteristic function here")
		}
		x, y := afa.Answer{}, 0.0
		if r.Of == DeltaSide {
			x = a.Delta(ctx, at)
			y = x.Delta
		} else {
			y, x = a.Epsilon(ctx, at, converged)
		}
		most, guess, points = math.Max(most, y), math.Max(guess, x.Guess), points+x.Points
	}
	switch {
	case ctx.Err() != nil:
		return derive.Result{}, ctx.Err()
	case !(guess < converged):
		return derive.Result{}, derive.NotModelledError(fmt.Sprintf("the quadrature does not converge: after %d points it guesses an error of %.1g in δ", points, guess))
	}
	y := interval.PosInf()
	if !math.IsInf(most, 1) {
		y = interval.Prec(64).Rat(new(big.Rat).SetFloat64(most))
	}
	return derive.Result{Enclosure: exact.Enclosure{Interval: y}, Note: fmt.Sprintf("float64, by %d points; the quadrature guesses an error of %.1g in δ", points, guess)}, nil
}
