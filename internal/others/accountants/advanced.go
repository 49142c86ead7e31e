// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package accountants

import (
	"math/big"

	"dpverify/exact/interval"
)

// Advanced is δ at an ε, by advanced composition [Dwork, Rothblum & Vadhan 2010], of r rounds that are
// (ε₀, δ₀)-DP each:
//
//	δ = rδ₀ + d,  d = exp(−(ε − rε₀(e^ε₀ − 1))²/(2rε₀²)), if ε > rε₀(e^ε₀ − 1), and 1 otherwise.
func Advanced(r int64, eps0 *big.Rat, delta0 interval.Real, eps interval.Real) interval.Interval {
	const p = interval.Prec(96)
	n, e := interval.Int(r), p.Rat(eps0)
	over := p.Sub(eps(p), p.Mul(n, p.Mul(e, p.Expm1(e))))
	if over.Positive() != interval.True {
		return interval.Int(1)
	}
	d := p.Exp(p.Div(p.Sqr(over), p.Scale(p.Mul(n, p.Sqr(e)), 1)).Neg())
	return interval.Min(p.Add(d, p.Mul(n, delta0(p))), interval.Int(1))
}

// AdvancedEpsilon is ε at a δ by the same rule: rε₀(e^ε₀ − 1) + ε₀√(2r·log(1/(δ − rδ₀))), or ∞.
func AdvancedEpsilon(r int64, eps0 *big.Rat, delta0 interval.Real, delta *big.Rat) interval.Interval {
	const p = interval.Prec(96)
	n, e := interval.Int(r), p.Rat(eps0)
	rest := p.Sub(p.Rat(delta), p.Mul(n, delta0(p)))
	if rest.Positive() != interval.True {
		return interval.PosInf()
	}
	root := p.Sqrt(p.Mul(p.Scale(n, 1), p.Log(rest).Neg()))
	return p.Add(p.Mul(n, p.Mul(e, p.Expm1(e))), p.Mul(e, root))
}
