// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"math/big"

	"dpverify/ask/noise"
	"dpverify/ask/noise/optimum"
	"dpverify/exact/interval"
	"dpverify/float/learn"
	"dpverify/internal/shown"
)

// An Optimum bounds what is least, δ or the utility loss, of any symmetric falling noise of the range. Certified.
type Optimum struct {
	Lo string `json:"lo"`
}

// bound is the certified lower bound that a solution's dual proves: of δ or of the utility loss. With
// δ + wU ≥ b, δ ≥ b − wu for U ≤ u, and U ≥ (b − δ*)/w for δ ≤ δ*.
func (s *search) bound(sol learn.Solution) (*Optimum, error) {
	const bits = 48
	c := optimum.Certificate{Epsilon: s.wish.Epsilon, Sensitivity: s.wish.Sensitivity, Cell: s.grid.Cell,
		Norm: s.wish.Norm, Price: new(big.Rat)}
	c.Price.SetFloat64(sol.Price)
	for _, x := range sol.Phi {
		c.Phi = append(c.Phi, new(big.Rat).SetFrac64(int64(x*(1<<bits)), 1<<bits))
	}
	b, err := c.Bound()
	if err != nil {
		return nil, err
	}
	p := interval.Prec(96)
	if s.wish.Delta == nil {
		u := s.wish.Utility
		if s.wish.Norm == noise.L2 {
			u = new(big.Rat).Mul(u, u)
		}
		b.Sub(b, new(big.Rat).Mul(c.Price, u))
	} else {
		if c.Price.Sign() == 0 {
			return nil, nil
		}
		b.Sub(b, s.wish.Delta)
		b.Quo(b, c.Price)
	}
	if b.Sign() <= 0 {
		return nil, nil
	}
	x := p.Rat(b)
	if s.wish.Delta != nil && s.wish.Norm == noise.L2 {
		x = p.Sqrt(x)
	}
	lo, _ := x.Decimal(Digits)
	return &Optimum{Lo: lo}, nil
}

// Digits is how many significant digits enclosures are printed with.
const Digits = 12

const precision = interval.Prec(128)

// ends are the ends of an enclosure, in decimals rounded outward.
func ends(x interval.Interval) shown.Bounds { return shown.BoundsOf(x.Decimal(Digits)) }
