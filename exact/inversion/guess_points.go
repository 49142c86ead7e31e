// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"
	"math/cmplx"

	"dpverify/exact/double"
	"dpverify/exact/inversion/likely"
	"dpverify/exact/quadrature"
)

// sweep returns numbers near M(−λ + ijh), j = 0 … n, up to a common factor.
func sweep(q quadrature.DoubleRule, h double.Interval, n int) ([]complex128, bool) {
	if n > quadrature.MaxFloatProducts/len(q.Weights) {
		return nil, false
	}
	values, _ := q.Sweep(h, n)
	return values, values != nil
}

func (m *mixture) points(ctx context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	q, ok := m.doubleQuadrature(doublePrec, lambda, h.Mul(double.Int(int64(n))).Hi, maxStripNodes)
	const cheapProducts = 1 << 22
	if ok && len(q.Weights)*n <= cheapProducts {
		return sweep(q, h, n)
	}
	if plan, ok := m.planShifted(doublePrec, lambda); ok {
		return m.shiftedPoints(ctx, lambda, plan, h.Lo, n)
	}
	if !ok {
		return nil, false
	}
	return sweep(q, h, n)
}

func (s *sampledLaplace) points(_ context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	q, ok := s.newQuadrature(doublePrec, lambda, h.Mul(double.Int(int64(n))).Hi)
	if !ok {
		return nil, false
	}
	return sweep(q.Double(), h, n)
}

func (t truncated) points(_ context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	q, ok := t.newQuadrature(doublePrec, lambda, h.Mul(double.Int(int64(n))).Hi)
	if !ok {
		return nil, false
	}
	return sweep(q.Double(), h, n)
}

// costlyPoints is the number from which on points that are made one by one take longer than a start is worth.
const costlyPoints = 256

func (c closedForm) points(ctx context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	if n > costlyPoints {
		return nil, false
	}
	return likely.Middles(c.line(ctx, 50, lambda, h.Exact(), n))
}

func (d discrete) points(ctx context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	if n > costlyPoints {
		return nil, false
	}
	return likely.Middles(d.line(ctx, 50, lambda, h.Exact(), n))
}

// shiftedPoints returns numbers near M(−λ + ijh), j = 0 … n, up to a common factor, by a shifted rule in complex128.
func (m *mixture) shiftedPoints(
	ctx context.Context, lambda *big.Rat, plan shiftedPlan, h float64, n int,
) ([]complex128, bool) {
	if plan.nodes()*float64(n) > quadrature.MaxFloatProducts {
		return nil, false
	}
	y, l := plan.b, complex(double.Near(lambda), 0)
	if up, _ := m.apart(); up {
		y = -y
	}
	values := make([]complex128, n+1)
	for i := math.Floor(point(plan.first) / plan.step); i <= math.Ceil(point(plan.last)/plan.step); i++ {
		if ctx.Err() != nil {
			return nil, false
		}
		z := complex(i*plan.step, y)
		la, lb := shiftedLog(m.doubleA, z), shiftedLog(m.doubleB, z)
		weight := cmplx.Exp((1+l)*la - l*lb - z*z/2 - complex(plan.peak, 0) - m.thinning.About(z))
		rate := complex(0, -h) * (la - lb)
		grow := cmplx.Exp(rate)
		const fresh = 64
		for j := 0; j <= n; j += fresh {
			x := weight * cmplx.Exp(complex(float64(j), 0)*rate)
			if math.Abs(real(x))+math.Abs(imag(x)) < 0x1p-80 {
				break // and ever less
			}
			for k := j; k < min(j+fresh, n+1); k++ {
				values[k] += x
				x *= grow
			}
		}
	}
	return values, real(values[0]) > 0
}
