// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package optimum

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// Rotated returns a number that δ(ε) of one release of a vector of d entries is not below, for vectors x with an even
// direction and a radius drawn from symmetric noise (noise.Rotation), where neighbours move the answer by the
// sensitivity s of the noise in 2-norm.
//
// With the ball B of radius η < s about the answer, δ ≥ P(x ∈ B) − e^ε·P(x + v ∈ B), |v| = s. The first is the
// probability F(η) of radii up to η. For the second the radius lies in [s − η, s + η] and the direction in the
// cone that sees B, of half angle θ, sin θ = η/s. Its part of the sphere is I(sin²θ)/2, I(y) = ∫_0^y t^((d−3)/2)·(1 −
// t)^(−1/2)dt over the same integral up to 1. (1 − t)^(−1/2) rises, so that I(y)/y^((d−1)/2) does, which is 1 at y = 1:
// the part is at most (η/s)^(d−1)/2. Hence
//
//	δ ≥ F(η) − e^ε·P(s − η ≤ |R| ≤ s + η)·(η/s)^(d−1)/2
//
// for every η, here the η of whole cells. In high dimensions nearly nothing is
// subtracted for η below s: δ is about P(|R| < s), however private R itself is. For d = 1 the sphere is two points, and
// x is the noise itself: δ is at least the sum of all (p − e^ε·q)₊ for the shift by s.
func Rotated(e mechanism.AdditiveNoise, d int, eps *big.Rat) (*big.Rat, error) {
	switch {
	case d < 1 || d > 1<<20:
		return nil, fmt.Errorf("optimum: dimension = %d, want an integer in [1, %d]", d, 1<<20)
	case e.Kind != mechanism.Density || !e.Symmetric():
		return nil, fmt.Errorf("optimum: want symmetric noise on cells")
	case eps.Sign() < 0:
		return nil, fmt.Errorf("optimum: epsilon = %s, want a number >= 0", eps.RatString())
	}
	const p = interval.Prec(160)
	grow, ok := p.Exp(p.Rat(eps)).UpperRat()
	if !ok {
		return nil, fmt.Errorf("optimum: epsilon = %s is too large", eps.RatString())
	}
	if d > 1 {
		return byBalls(e, d, grow), nil
	}
	sum := new(big.Rat)
	ps, qs := e.Shifted(e.Sensitivity)
	for i, x := range ps {
		if y := new(big.Rat).Mul(grow, qs[i]); y.Cmp(x) < 0 {
			sum.Add(sum, y.Sub(x, y))
		}
	}
	return sum, nil
}

// byBalls is the greatest of these bounds by a ball of whole cells, for an upper bound of e^ε.
func byBalls(e mechanism.AdditiveNoise, d int, grow *big.Rat) *big.Rat {
	const p = interval.Prec(160)
	most, n := new(big.Rat), len(e.Probabilities)/2
	within := make([]*big.Rat, n+1) // of radii up to k cells
	within[0] = new(big.Rat)
	for k := range n {
		mass := e.Probabilities[n+k]
		within[k+1] = new(big.Rat).Add(within[k], new(big.Rat).Add(mass, mass))
	}
	steps := new(big.Rat).Quo(e.Sensitivity, e.Cell)
	// the greatest whole number < steps
	last := new(big.Int).Quo(new(big.Int).Sub(steps.Num(), big.NewInt(1)), steps.Denom())
	for k := 1; last.IsInt64() && int64(k) <= last.Int64() && k <= n; k++ {
		eta := big.NewRat(int64(k), 1)
		ratio := new(big.Rat).Quo(eta, steps)
		part := p.Scale(p.PowInt(p.Rat(ratio), int64(d-1)), -1)
		bound, ok := part.UpperRat()
		if !ok {
			continue
		}
		low, high := floorOf(new(big.Rat).Sub(steps, eta)), floorOf(new(big.Rat).Add(steps, eta))+1
		ring := new(big.Rat).Sub(within[min(high, n)], within[min(low, n)])
		x := new(big.Rat).Mul(grow, ring.Mul(ring, bound))
		if x.Sub(within[k], x); x.Cmp(most) > 0 {
			most = x
		}
	}
	return most
}

// RotatedNote says for people what is known of such vectors: at an ε, written as text, unless that is "".
func RotatedNote(e mechanism.AdditiveNoise, d int, eps *big.Rat, text string) (string, error) {
	note := "what is certified of the noise does not hold of vectors, see docs/noise.md"
	if d == 1 {
		note = "a vector of one entry is the noise itself"
	}
	if text == "" {
		return note, nil
	}
	least, err := Rotated(e, d, eps)
	if err != nil {
		return "", err
	}
	lo, _ := interval.Prec(64).Rat(least).Decimal(4) // rounded down
	return fmt.Sprintf("%s; of one vector δ(%s) ≥ %s", note, text, lo), nil
}

// floorOf is ⌊x⌋ for x ≥ 0, at most 2^30.
func floorOf(x *big.Rat) int {
	n := new(big.Int).Quo(x.Num(), x.Denom())
	if !n.IsInt64() || n.Int64() > 1<<30 {
		return 1 << 30
	}
	return int(n.Int64())
}
