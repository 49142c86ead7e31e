// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"math"
	"math/big"
	"slices"
)

// W is the number of fraction bits of enclosures. It is set for each chain of a certificate,
// and everything below is sound for every W: too few bits widen, and what is too wide is
// rejected.
var W uint

var unit, oneUnit = new(big.Int), big.NewInt(1) // 1, and 2^−W
var rootTwoPi iv                                // 1/√(2π)

func setPrecision(bits uint) {
	W, unit = bits, new(big.Int).Lsh(oneUnit, bits)
	rootTwoPi = pi().add(pi()).sqrt().inv()
}

// An iv encloses a real number x: lo ≤ x·2^W ≤ hi. Every operation rounds lo down and hi up.
type iv struct{ lo, hi *big.Int }

func integer(n int64) iv { return fraction(big.NewInt(n), 0) }

func rational(r *big.Rat) iv {
	n := new(big.Int).Lsh(r.Num(), W)
	return iv{floorDiv(n, r.Denom()), ceilDiv(n, r.Denom())}
}

// fraction is n·2^−p.
func fraction(n *big.Int, p uint) iv {
	x := new(big.Int).Lsh(n, W)
	return iv{new(big.Int).Rsh(x, p), rshUp(x, p)}
}

// negated is −x. By it floorDiv and ceilDiv round x/y for y > 0, and rshUp x·2^−n: Div and Rsh of math/big round to −∞.
func negated(x *big.Int) *big.Int       { return new(big.Int).Neg(x) }
func floorDiv(x, y *big.Int) *big.Int   { return new(big.Int).Div(x, y) }
func ceilDiv(x, y *big.Int) *big.Int    { return negated(floorDiv(negated(x), y)) }
func rshUp(x *big.Int, n uint) *big.Int { return negated(new(big.Int).Rsh(negated(x), n)) }

func (x iv) add(y iv) iv { return iv{new(big.Int).Add(x.lo, y.lo), new(big.Int).Add(x.hi, y.hi)} }
func (x iv) neg() iv     { return iv{negated(x.hi), negated(x.lo)} }
func (x iv) sub(y iv) iv { return iv{new(big.Int).Sub(x.lo, y.hi), new(big.Int).Sub(x.hi, y.lo)} }

func (x iv) mul(y iv) iv {
	spendProduct(x.hi.BitLen(), y.hi.BitLen())
	ends := []*big.Int{new(big.Int).Mul(x.lo, y.lo), new(big.Int).Mul(x.hi, y.hi)}
	if x.lo.Sign() < 0 || y.lo.Sign() < 0 {
		ends = append(ends, new(big.Int).Mul(x.lo, y.hi), new(big.Int).Mul(x.hi, y.lo))
	}
	lo, hi := slices.MinFunc(ends, (*big.Int).Cmp), slices.MaxFunc(ends, (*big.Int).Cmp)
	return iv{new(big.Int).Rsh(lo, W), rshUp(hi, W)}
}

// times multiplies by a whole number n ≥ 0, and over divides by one > 0.
func (x iv) times(n *big.Int) iv {
	spendProduct(x.hi.BitLen(), n.BitLen())
	return iv{new(big.Int).Mul(x.lo, n), new(big.Int).Mul(x.hi, n)}
}
func (x iv) over(n int64) iv { return iv{floorDiv(x.lo, big.NewInt(n)), ceilDiv(x.hi, big.NewInt(n))} }

// inv is 1/x for x > 0.
func (x iv) inv() iv {
	rejectIf(x.lo.Sign() <= 0, "division by what may be 0: too few bits")
	spendProduct(x.hi.BitLen(), int(W))
	n := new(big.Int).Lsh(unit, W)
	return iv{floorDiv(n, x.hi), ceilDiv(n, x.lo)}
}

func (x iv) div(y iv) iv { return x.mul(y.inv()) }

// sqrt is √max(0, x): the root of the integer x·2^W is the root of x, times 2^W.
func (x iv) sqrt() iv {
	lo, hi := new(big.Int).Lsh(positive(x.lo), W), new(big.Int).Lsh(positive(x.hi), W)
	return iv{lo.Sqrt(lo), hi.Add(hi.Sqrt(hi), oneUnit)}
}

func positive(n *big.Int) *big.Int  { return larger(n, new(big.Int)) }
func larger(x, y *big.Int) *big.Int { return slices.MaxFunc([]*big.Int{x, y}, (*big.Int).Cmp) }

// max and min enclose the greater and the lesser of two numbers.
func (x iv) max(y iv) iv { return iv{larger(x.lo, y.lo), larger(x.hi, y.hi)} }
func (x iv) min(y iv) iv { return x.neg().max(y.neg()).neg() }

// point is a point of an enclosure.
func (x iv) point() iv      { return iv{x.lo, x.lo} }
func (x iv) low() *big.Rat  { return new(big.Rat).SetFrac(x.lo, unit) }
func (x iv) high() *big.Rat { return new(big.Rat).SetFrac(x.hi, unit) }

// pow is x^n for x ≥ 0.
func (x iv) pow(n int64) iv {
	if n == 0 {
		return integer(1)
	}
	y := x.pow(n >> 1)
	if y = y.mul(y); n&1 == 1 {
		y = y.mul(x)
	}
	return y
}

// series encloses S = Σ T_k, T_0 = 1 and T_k = T_(k−1)·x/d_k, for x ≥ 0 and the divisors d_1 = d ≥ 1, d + step, d +
// 2·step, …. Its n terms are for the least x, and each is rounded down by less than a unit. As the divisors rise, a
// unit less in one term is at most S units less in all terms from there on. What follows the last term, which is
// rounded to 0, is at most that term, as x/d is at most 1/2 by then, which is S units again. So S is at most sum + (n +
// 1)·S units. For an x that is w units larger, S is at most e^w times that, as S' ≤ S: k ≤ d_k. Both together are a
// factor of at most 1 + 2(n + 1 + w) units, if 2(n + 1 + w) units are at most 1.
func series(x iv, d, step int64) iv {
	term, sum := new(big.Int).Set(unit), new(big.Int).Set(unit)
	slack := new(big.Int).Sub(x.hi, x.lo)
	for ; term.Sign() > 0 || x.hi.Cmp(integer(d).over(2).lo) > 0; d += step {
		spendProduct(term.BitLen(), x.lo.BitLen())
		term.Mul(term, x.lo)
		term.Quo(term.Rsh(term, W), big.NewInt(d))
		sum.Add(sum, term)
		slack.Add(slack, oneUnit)
	}
	slack.Lsh(slack.Add(slack, oneUnit), 1)
	rejectIf(slack.Cmp(unit) > 0, "too few bits for a series")
	return iv{sum, new(big.Int).Add(sum, rshUp(slack.Mul(slack, sum), W))}
}

// exp is e^x = (e^y)^(2^k), y = x/2^k ≤ 2^−5, with e^y = Σ y^n/n!; for x < 0, it is 1/e^−x.
func (x iv) exp() iv {
	switch {
	case x.hi.Cmp(integer(-int64(W)).hi) < 0: // e^−W < 2^−W
		return iv{new(big.Int), oneUnit}
	case x.lo.Sign() < 0 && x.hi.Sign() > 0:
		return iv{iv{x.lo, x.lo}.exp().lo, iv{x.hi, x.hi}.exp().hi}
	case x.lo.Sign() < 0:
		return x.neg().exp().inv()
	}
	rejectIf(x.hi.BitLen() > int(W)+17, "an exponent beyond 130,000")
	k := uint(max(0, x.hi.BitLen()-int(W)+5))
	return series(iv{new(big.Int).Rsh(x.lo, k), rshUp(x.hi, k)}, 1, 1).pow(1 << k)
}

// log is log y for y > 0: x + log(1 + u) for any x, u = y·e^−x − 1, and u − u² ≤ log(1 + u) ≤ u for u ≥ −1/2, as
// log(1 + u) − u + u² has the derivative u(1 + 2u)/(1 + u). So x may come from float64 and Newton's steps.
func (y iv) log() iv {
	x := dyadic(logarithm(y))
	u := func() iv { return y.mul(x.neg().exp()).sub(integer(1)) }
	for known := uint(40); known < W; known *= 2 {
		x = x.add(u()).point()
	}
	gap := u()
	rejectIf(gap.lo.Cmp(integer(-1).over(2).hi) < 0, "a logarithm of what may be 0: too few bits")
	return iv{x.add(gap.sub(gap.mul(gap))).lo, x.add(gap).hi}
}

// pi is 6·arcsin(1/2) = 3·Σ c_n/(2n + 1), where c_n = C(2n, n)/16^n = c_(n−1)·(2n − 1)/8n. All are rounded down: power,
// which is 3c_n, misses less than 2 units, a term less than 3, and all that follow a power of 0 are less than 3.
func pi() iv {
	n, sum := int64(0), new(big.Int)
	for power := integer(3).lo; power.Sign() > 0; n++ {
		sum.Add(sum, floorDiv(power, big.NewInt(2*n+1)))
		power = floorDiv(power.Mul(power, big.NewInt(2*n+1)), big.NewInt(8*n+8))
	}
	return iv{sum, new(big.Int).Add(sum, big.NewInt(3*n+3))}
}

// density is φ(z) = e^(−z²/2)/√(2π).
func density(z iv) iv { return z.mul(z).over(2).neg().exp().mul(rootTwoPi) }

// above is P(N > z) for a standard normal N, z being narrow and phi = φ(z). With the density φ,
//
//	P(0 < N < z) = φ(z)·z·Σ_{n≥0} z^(2n)/(1·3·5⋯(2n+1)):
//
// the sum s = z + z³/3 + … has s' = 1 + z·s, so that (φ·s)' = φ. And P(N > z) ≤ φ(z)·∫ e^(−zu) du ≤ φ(z) for z ≥ 1,
// which is the better one far out.
func above(z, phi iv) iv {
	if z.hi.Sign() < 0 {
		return integer(1).sub(above(z.neg(), phi))
	}
	most, square := integer(1), z.mul(z).max(integer(0))
	if z.lo.Cmp(unit) >= 0 {
		most = phi
	}
	if square.lo.Cmp(integer(2*int64(W)).hi) >= 0 { // φ(z) < 2^−W
		return iv{new(big.Int), most.hi}
	}
	return integer(1).over(2).sub(series(square, 3, 2).mul(z).mul(phi)).max(integer(0)).min(most)
}

// logarithm is about log x, for a first guess; nothing relies on it.
func logarithm(x iv) float64 {
	part := new(big.Float)
	exponent := new(big.Float).SetInt(x.lo).MantExp(part)
	m, _ := part.Float64()
	return math.Log(m) + (float64(exponent)-float64(W))*math.Ln2
}

// dyadic is near a float64.
func dyadic(f float64) iv {
	rejectIf(math.IsNaN(f) || math.Abs(f) > 1e9, "a threshold out of range")
	x, _ := new(big.Float).SetMantExp(big.NewFloat(f), int(W)).Int(nil)
	return iv{x, x}
}
