// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package coq

import (
	"math"
	"math/big"

	"dpverify/exact/interval"
)

// Limits of walks. An exponential of 80 bits takes coqc some 10 ms.
const (
	maxExps  = 4000 // in all
	maxOrder = 60   // log2 of the steps between orders, and of 1 over them
	minOrder = 500
)

// A Part is a pair that is composed Count times: the masses of its outcomes under P and Q.
type Part struct {
	Count    int64
	Outcomes [][2]Term
}

// A Curve has what divergence.v computes for a composition, in the same way.
type Curve struct {
	bits     interval.Prec
	parts    []losses
	outcomes int
	known    bool // masses are 0 as they are written, or above 0
	infinite bool
}

// losses are the masses and losses of the outcomes that P has, of one copy.
type losses struct {
	count      int64
	mass, loss []interval.Interval
}

// NewCurve computes with so many bits.
func NewCurve(parts []Part, bits interval.Prec) *Curve {
	c := &Curve{bits: bits, known: true}
	for _, x := range parts {
		l := losses{count: x.Count}
		for _, o := range x.Outcomes {
			if IsZero(o[0]) {
				continue
			}
			c.outcomes++
			p, q := o[0].Enclose(bits), o[1].Enclose(bits)
			switch {
			case p.Positive() == interval.True && IsZero(o[1]):
				c.infinite = true
			case p.Positive() == interval.True && q.Positive() == interval.True:
				l.mass, l.loss = append(l.mass, p), append(l.loss, bits.Sub(bits.Log(p), bits.Log(q)))
			default:
				c.known = false
			}
		}
		c.parts = append(c.parts, l)
	}
	return c
}

// atMost answers whether D_α ≤ v.
func (c *Curve) atMost(alpha, v *big.Rat) interval.Truth {
	if c.infinite {
		return interval.False
	}
	more := new(big.Rat).Sub(alpha, big.NewRat(1, 1))
	return c.logSum(alpha).LessEqRat(more.Mul(more, v))
}

// logSum encloses log Σ p^α·q^(1−α) = (α − 1)·D_α.
func (c *Curve) logSum(alpha *big.Rat) interval.Interval {
	p := c.bits
	more, total := p.Rat(new(big.Rat).Sub(alpha, big.NewRat(1, 1))), interval.Int(0)
	for _, l := range c.parts {
		sum := interval.Int(0)
		for i, x := range l.loss {
			sum = p.Add(sum, p.Mul(l.mass[i], p.Exp(p.Mul(more, x))))
		}
		total = p.Add(total, p.Mul(interval.Int(l.count), p.Log(sum)))
	}
	return total
}

// exceeds returns an order α with D_α > ρ·α: 1 + 2^k.
func (c *Curve) exceeds(rho *big.Rat) (alpha *big.Rat, ok bool) {
	for k := range int(c.bits) {
		for _, e := range []int{k, -k} {
			if e > maxOrder {
				continue
			}
			alpha := power2(e)
			alpha.Add(alpha, big.NewRat(1, 1))
			if c.atMost(alpha, new(big.Rat).Mul(rho, alpha)) == interval.False {
				return alpha, true
			}
		}
	}
	return nil, false
}

func power2(e int) *big.Rat {
	x := new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
	if e < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), x)
	}
	return new(big.Rat).SetInt(x)
}

// A step goes to an order. The tangent at another of the parabola ρα(α − 1) is above log Σ p^α·q^(1−α) at both ends,
// and so between them, as that is convex.
type step struct{ tangent, order *big.Rat }

// A walk shows that D_α ≤ ρ·α for all α > 1: by steps from order 1, and from the last order on by bounds of the losses
// of one copy of each part, whose sum over all copies is at most ρ times that order.
type walk struct {
	steps  []step
	bounds []*big.Rat
}

// walk returns one for a ρ; false where it finds none. Steps are powers of two, as large as can be.
func (c *Curve) walk(rho *big.Rat) (w walk, ok bool) {
	last, ok := c.bounds(&w)
	at, value, h := big.NewRat(1, 1), interval.Int(0), 0
	if !ok || c.infinite || !c.known {
		return w, false
	}
	for tries := 0; last.Cmp(new(big.Rat).Mul(rho, at)) > 0; tries++ {
		if tries*c.outcomes > 3*maxExps || len(w.steps)*c.outcomes > maxExps || rho.Sign() == 0 || h > maxOrder ||
			h < -minOrder {
			return w, false
		}
		width := power2(h)
		next := new(big.Rat).Add(at, width)
		m := big.NewRat(1, 1)
		if at.Cmp(m) > 0 {
			m.Add(at, width.Quo(width, big.NewRat(2, 1)))
		}
		there := c.logSum(next)
		if value.LessEqRat(tangent(rho, m, at)) != interval.True || there.LessEqRat(tangent(rho, m, next)) != interval.True {
			h--
			continue
		}
		w.steps = append(w.steps, step{m, next})
		at, value = next, there
		h++
	}
	return w, true
}

// tangent is ρ((2m − 1)α − m²), the tangent of ρα(α − 1) at m.
func tangent(rho, m, alpha *big.Rat) *big.Rat {
	y := new(big.Rat).Add(m, m)
	y.Sub(y, big.NewRat(1, 1)).Mul(y, alpha)
	return y.Sub(y, new(big.Rat).Mul(m, m)).Mul(y, rho)
}

// bounds finds short bounds of the losses, and returns their sum over all copies.
func (c *Curve) bounds(w *walk) (sum *big.Rat, ok bool) {
	sum = new(big.Rat)
	for _, l := range c.parts {
		most := 0.0
		for _, x := range l.loss {
			hi, _ := x.Hi().Float64()
			most = math.Max(most, hi)
		}
		bound := new(big.Rat).SetFloat64(float64(float32(most*(1+0x1p-20) + 0x1p-100)))
		if bound == nil {
			return nil, false
		}
		w.bounds = append(w.bounds, bound)
		sum.Add(sum, new(big.Rat).Mul(bound, big.NewRat(l.count, 1)))
	}
	return sum, true
}
