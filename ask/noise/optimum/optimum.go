// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package optimum bounds from below what any noise of a range can do in one release, in
// rational arithmetic.
package optimum

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpverify/ask/noise"
	"dpverify/exact/interval"
)

// A Certificate is a test φ : R → [0, 1], constant on the cells [i, i+1)·Cell, i = −N … N−1, and 0
// outside, and a price w ≥ 0 of the utility loss. Any one proves a bound.
type Certificate struct {
	Epsilon, Sensitivity, Cell *big.Rat
	Phi                        []*big.Rat // of 2N cells, in [0, 1]
	Price                      *big.Rat   // ≥ 0
	Norm                       noise.Norm // L1: of E|X|; L2: of E X²
}

// Bound returns a number that δ(ε) + w·U is not below, for every symmetric noise on [−N, N]·Cell
// that falls from 0, whether it is constant on cells or not, U = E|X| (L1) or E X² (L2).
//
// Such noise is a mixture of uniform distributions on [−a, a], 0 < a ≤ r = N·Cell, and of an atom at 0,
// a → 0. With the density f of one and a shift by s, every test φ has δ ≥ ∫φ(x)·(f(x) − e^ε·f(x + s))dx,
// which is linear in f, and so is U:
//
//	δ + wU ≥ inf_a F(a),  F(a) = (1/2a)·∫_{−a}^{a} (φ(x) − e^ε·φ(x − s))dx + w·c(a),
//
// c(a) = a/2 (L1), a²/3 (L2). Between neighbouring borders u < v of all that φ(±x) and φ(±x − s) are constant on,
// F(a) = A/2a + B/2 + w·c(a) with rational A and B. If A ≤ 0 it rises: least at u, where for
// u = 0 A is 0 and F ≥ B/2. If A > 0 it is convex: at least F(b) − |F′(b)|·(v − u) for any b in [u, v].
// e^ε is taken from above.
//
// An atom at 0 costs nothing, which the value of φ on the cells at 0 and −s does not know: φ is first set
// to 1 on |x| < τ and to 0 on |x + s| < τ, τ = w·Cell²/4.
func (c Certificate) Bound() (*big.Rat, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	p := interval.Prec(160)
	grow, ok := p.Exp(p.Rat(c.Epsilon)).UpperRat()
	if !ok {
		return nil, fmt.Errorf("optimum: epsilon = %s is too large", c.Epsilon.RatString())
	}
	borders := c.borders()
	var least *big.Rat
	sum := new(big.Rat) // ∫_{−u}^{u}
	for i := 1; i < len(borders); i++ {
		u, v := borders[i-1], borders[i]
		x := new(big.Rat).Add(u, v)
		x.Quo(x, big.NewRat(2, 1))
		height := new(big.Rat)
		for _, y := range []*big.Rat{x, new(big.Rat).Neg(x)} {
			height.Add(height, c.phi(y))
			height.Sub(height, new(big.Rat).Mul(grow, c.phi(new(big.Rat).Sub(y, c.Sensitivity))))
		}
		piece := piece{c, new(big.Rat).Sub(sum, new(big.Rat).Mul(height, u)), height, u, v}
		if b := piece.least(); least == nil || b.Cmp(least) < 0 {
			least = b
		}
		sum = new(big.Rat).Add(piece.a, new(big.Rat).Mul(height, v))
	}
	return least, nil
}

func (c Certificate) check() error {
	one := big.NewRat(1, 1)
	for i, x := range c.Phi {
		if x.Sign() < 0 || x.Cmp(one) > 0 {
			return fmt.Errorf("optimum: φ = %s on cell %d, want a number in [0, 1]", x.RatString(), i-len(c.Phi)/2)
		}
	}
	if n := len(c.Phi); n == 0 || n%2 != 0 || c.Price.Sign() < 0 || c.Cell.Sign() <= 0 || c.Sensitivity.Sign() <= 0 {
		return fmt.Errorf("optimum: %d cells of %s, sensitivity %s, price %s", n, c.Cell.RatString(),
			c.Sensitivity.RatString(), c.Price.RatString())
	}
	return nil
}

func (c Certificate) radius() *big.Rat {
	return new(big.Rat).Mul(c.Cell, big.NewRat(int64(len(c.Phi)/2), 1))
}

// tau is τ, at most half a cell and a quarter of the sensitivity.
func (c Certificate) tau() *big.Rat {
	t := new(big.Rat).Mul(c.Price, new(big.Rat).Mul(c.Cell, c.Cell))
	t.Mul(t, big.NewRat(1, 4))
	for _, most := range []*big.Rat{new(big.Rat).Mul(c.Cell, big.NewRat(1, 2)),
		new(big.Rat).Mul(c.Sensitivity, big.NewRat(1, 4))} {
		if t.Cmp(most) > 0 {
			t = most
		}
	}
	return t
}

// borders of what is constant in x ∈ [0, r].
func (c Certificate) borders() []*big.Rat {
	r, tau, s := c.radius(), c.tau(), c.Sensitivity
	out := []*big.Rat{new(big.Rat), r}
	add := func(x *big.Rat) {
		if x.Sign() > 0 && x.Cmp(r) < 0 {
			out = append(out, x)
		}
	}
	at := func(i int) *big.Rat { return new(big.Rat).Mul(c.Cell, big.NewRat(int64(i), 1)) }
	// φ has borders at cells, ±τ and −s ± τ. The borders of φ(x − s) are s more, the borders of φ(−x) are mirrored, and
	// so on.
	whole := new(big.Rat).Quo(s, c.Cell).IsInt()
	for i := -len(c.Phi) / 2; i <= len(c.Phi)/2; i++ {
		x := at(i)
		add(x)
		if !whole {
			add(new(big.Rat).Add(x, s))
			add(new(big.Rat).Neg(new(big.Rat).Add(x, s)))
		}
	}
	for _, t := range []*big.Rat{tau, new(big.Rat).Neg(tau)} {
		add(t)
		add(new(big.Rat).Add(s, t))
	}
	slices.SortFunc(out, (*big.Rat).Cmp)
	return slices.CompactFunc(out, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
}

// phi returns φ(x), where x is no border.
func (c Certificate) phi(x *big.Rat) *big.Rat {
	tau := c.tau()
	if new(big.Rat).Abs(x).Cmp(tau) < 0 {
		return big.NewRat(1, 1)
	}
	if y := new(big.Rat).Add(x, c.Sensitivity); y.Abs(y).Cmp(tau) < 0 {
		return new(big.Rat)
	}
	q := new(big.Rat).Quo(x, c.Cell)
	i := new(big.Int).Div(q.Num(), q.Denom()) // floor
	j := i.Int64() + int64(len(c.Phi)/2)
	if !i.IsInt64() || j < 0 || j >= int64(len(c.Phi)) {
		return new(big.Rat)
	}
	return c.Phi[j]
}

// A piece is F(a) = A/2a + B/2 + w·c(a) on [u, v].
type piece struct {
	Certificate
	a, b, u, v *big.Rat
}

// least returns a lower bound of F on the piece.
func (p piece) least() *big.Rat {
	switch {
	case p.a.Sign() <= 0 && p.u.Sign() == 0:
		// The first piece: A = 0.
		return new(big.Rat).Mul(p.b, big.NewRat(1, 2))
	case p.a.Sign() <= 0:
		value, _ := p.at(p.u)
		return value
	}
	x := p.stationary()
	value, slope := p.at(x)
	slope.Abs(slope)
	return value.Sub(value, slope.Mul(slope, new(big.Rat).Sub(p.v, p.u)))
}

// at returns F(x) and, with the right sign, F′(x), for x > 0; at an end of the piece from which F leads upward
// the derivative is 0: nothing is below.
func (p piece) at(x *big.Rat) (value, slope *big.Rat) {
	half := big.NewRat(1, 2)
	inverse := new(big.Rat).Quo(p.a, x)
	inverse.Mul(inverse, half) // A/2x
	value = new(big.Rat).Add(inverse, new(big.Rat).Mul(p.b, half))
	slope = new(big.Rat).Neg(new(big.Rat).Quo(inverse, x))
	wx := new(big.Rat).Mul(p.Price, x)
	if p.Norm == noise.L2 {
		third := big.NewRat(1, 3)
		value.Add(value, new(big.Rat).Mul(third, new(big.Rat).Mul(wx, x)))
		slope.Add(slope, new(big.Rat).Mul(big.NewRat(2, 3), wx))
	} else {
		value.Add(value, new(big.Rat).Mul(half, wx))
		slope.Add(slope, new(big.Rat).Mul(half, p.Price))
	}
	if x.Cmp(p.u) == 0 && slope.Sign() > 0 || x.Cmp(p.v) == 0 && slope.Sign() < 0 {
		slope.SetInt64(0) // F is convex, and least at this end
	}
	return value, slope
}

// stationary returns a point of the piece near where F is least, if A > 0; which one does not matter.
func (p piece) stationary() *big.Rat {
	a, _ := p.a.Float64()
	w, _ := p.Price.Float64()
	x := math.Sqrt(a / w)
	if p.Norm == noise.L2 {
		x = math.Cbrt(3 * a / (4 * w))
	}
	u, _ := p.u.Float64()
	v, _ := p.v.Float64()
	switch {
	case !(x > u):
		if p.u.Sign() == 0 {
			return new(big.Rat).Set(p.v)
		}
		return p.u
	case !(x < v):
		return p.v
	}
	out := new(big.Rat)
	out.SetFloat64(x)
	if out.Cmp(p.u) < 0 {
		return p.u
	}
	if out.Cmp(p.v) > 0 {
		return p.v
	}
	return out
}
