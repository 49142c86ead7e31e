// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// DiscreteGaussian is (DN(σ²), Sensitivity + DN(σ²)): masses ∝ e^(−x²/2σ²) on the
// integers, σ² = Sigma2 > 0.
type DiscreteGaussian struct {
	Sigma2      *big.Rat
	Sensitivity int64
}

func (d DiscreteGaussian) String() string {
	return fmt.Sprintf("DiscreteGaussian(σ²=%s, %d)", d.Sigma2.RatString(), d.Sensitivity)
}

// Reverse is the pair itself: for noise of a symmetric density f, x ↦ Δ − x maps f(x) to f(x − Δ) and back.
func (d DiscreteGaussian) Reverse() Pair           { return d }
func (DiscreteGaussian) SelfDual() bool            { return true }
func (DiscreteGaussian) isReversed() bool          { return false }
func (DiscreteGaussian) Kind() Kind                { return Discrete }
func (DiscreteGaussian) parts() []Product          { return nil }
func (DiscreteGaussian) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (DiscreteGaussian) reach() reach              { return endless() }

// Outcomes of the discrete Gaussian on |x| ≤ X. The loss at x is ((x − s)² −
// x²)/2σ² = s(s − 2x)/2σ².
//
// Tail. With g(x) = e^(−x²/2σ²), g(x+1)/g(x) = e^(−(2x+1)/2σ²) falls in x, so Σ_{x>X}
// g(x) ≤ g(X+1)/(1 − e^(−(2X+3)/2σ²)) =: T, and the normaliser Z = Σ g(x) lies in
// [G, G + 2T] for the sum G over |x| ≤ X. The P-mass of |x| > X is at most 2T/G, and
// the Q-mass of the complement of [−X, X] at most (2T + the s terms x = X+1−s … X)/G;
// X is chosen with s to spare, so both are small.
func (d DiscreteGaussian) Outcomes(p interval.Prec, limit int) (out []Outcome, rest interval.Interval, ok bool) {
	q := p + 32
	twice := new(big.Rat).Add(d.Sigma2, d.Sigma2) // 2σ²
	s := d.Sensitivity
	// X² ≥ 2σ²·(p+16)·log 2 makes g(X) small: the least such integer, plus s.
	n := new(big.Rat).Mul(twice, new(big.Rat).SetInt64(int64(p)+16))
	n.Mul(n, big.NewRat(7, 10))
	root := new(big.Int).Quo(n.Num(), n.Denom())
	root.Sqrt(root)
	if !root.IsInt64() || root.Int64() > int64(limit) || s > int64(limit) {
		return nil, rest, false
	}
	X := root.Int64() + 2 + s
	if 2*X+1 > int64(limit) {
		return nil, rest, false
	}
	inv := new(big.Rat).Inv(twice)
	w := q.Rat(inv) // 1/2σ²
	gauss := func(x int64) interval.Interval {
		return q.Exp(q.Mul(interval.Int(x*x), w).Neg())
	}
	g := make([]interval.Interval, X+1)
	g[0] = interval.Int(1)
	sum := interval.Int(1)
	for x := int64(1); x <= X; x++ {
		g[x] = gauss(x)
		sum = q.Add(sum, q.Scale(g[x], 1))
	}
	ratio := q.Exp(q.Mul(interval.Int(2*X+3), w).Neg())
	tail := q.Div(gauss(X+1), q.Sub(interval.Int(1), ratio))
	tail2 := interval.Union(interval.Int(0), q.Scale(tail, 1))
	z := q.Add(sum, tail2)
	mass := func(x int64) interval.Interval { return q.Div(g[max(x, -x)], z) }
	lost := tail2
	for x := X + 1 - s; x <= X; x++ {
		lost = q.Add(lost, interval.Union(interval.Int(0), g[x]))
	}
	rest = q.Div(lost, sum)
	step := new(big.Rat).Mul(inv, new(big.Rat).SetInt64(s)) // s/2σ²
	for x := -X; x <= X; x++ {
		o := Outcome{P: p.Round(mass(x)), Loss: RatLoss(new(big.Rat).Mul(step, new(big.Rat).SetInt64(s-2*x))), Exact: true}
		if y := x - s; y >= -X {
			o.Q = p.Round(mass(y))
		} else {
			o.Q = p.Round(q.Div(gauss(y), z))
		}
		out = append(out, o)
	}
	return out, interval.Union(interval.Int(0), p.Round(rest)), true
}
