// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"math/big"
	"slices"
)

// closed bounds δ(ε) of a claim in a direction without evidence: by basic composition, then by a
// formula with twice the bits until it decides the claim, the first with more where e^ε is large. For pairs that only
// bound from above, the lower bound is 0.
func (c *claim) closed(d direction) (least, most *big.Rat) {
	least, most = new(big.Rat), c.basic()
	size := new(big.Int).Quo(c.epsilon.Num(), c.epsilon.Denom()) // about ε
	precision := min(256+3*uint(size.Abs(size).Int64()), maxBits)
	for ; precision <= maxBits && most.Cmp(c.delta) > 0 && least.Cmp(c.delta) <= 0; precision *= 2 {
		setPrecision(precision)
		delta := c.formula(d)
		if most = delta.high(); !slices.ContainsFunc(c.factors, func(f *factor) bool { return f.bounded }) {
			least = delta.low()
		}
	}
	return least, most
}

// formula is δ(ε) of one pair that has a density, of copies of Laplace noise, or of a composition of finite pairs.
func (c *claim) formula(d direction) iv {
	if len(c.factors) == 1 {
		f := c.factors[0]
		noise, isLaplace := f.pair.(laplace)
		if _, isFinite := f.pair.(*finite); !isFinite && f.count == 1 {
			return f.profile(d, rational(c.epsilon).exp())
		} else if isLaplace {
			return noise.composed(f.count, c.epsilon)
		}
	}
	return c.written(d)
}

// basic is basic composition: if losses of the factors are at most e_i, but for P-mass m_i
// where they are infinite, then δ(ε) ≤ 1 − Π(1 − m_i) for ε ≥ Σ e_i: outside of a set
// of that P-mass, p ≤ e^ε·q. In rationals, so that it may be equal to the claim; where it says nothing, 1.
func (c *claim) basic() (bound *big.Rat) {
	one, loss, finite := big.NewRat(1, 1), new(big.Rat), big.NewRat(1, 1)
	for _, f := range c.factors {
		if f.eps == nil || f.inf.Sign() > 0 && float64(f.count)*float64(f.inf.Denom().BitLen()) > 1<<17 {
			return one
		}
		n, kept := big.NewInt(f.count), new(big.Rat).Sub(one, f.inf)
		loss.Add(loss, new(big.Rat).Mul(f.eps, new(big.Rat).SetInt(n)))
		finite.Mul(finite, new(big.Rat).SetFrac(new(big.Int).Exp(kept.Num(), n, nil), new(big.Int).Exp(kept.Denom(), n, nil)))
	}
	if loss.Cmp(c.epsilon) > 0 {
		return one
	}
	return finite.Sub(one, finite)
}

// written is Σ (P − e^ε·Q)₊ over the outcomes of a composition of finite pairs, those with equal
// numbers of each atom together, a term, and the P-mass where Q is 0.
func (c *claim) written(d direction) iv {
	terms, kept := []mass{{integer(1), integer(1)}}, integer(1)
	for _, f := range c.factors {
		p, isFinite := f.pair.(*finite)
		rejectIf(!isFinite, "no formula is known for it")
		atoms, lost := []mass(nil), integer(0)
		for _, m := range p.outcomes(d) {
			if m.q.hi.Sign() == 0 {
				lost = lost.add(m.p)
			} else if m.p.hi.Sign() > 0 {
				atoms = append(atoms, m)
			}
		}
		// There are C(count + kinds − 1, kinds − 1) terms, with coefficients of up to count·log kinds bits.
		kinds := max(int64(len(atoms)), 1)
		long := kinds > 1 && f.count > maxBits
		number := new(big.Int).Binomial(min(f.count, maxBits)+kinds-1, kinds-1)
		long = long || number.Cmp(big.NewInt(maxTerms/int64(max(len(terms), 1)))) > 0
		rejectIf(long, "no formula is known for it that is short")
		kept = kept.mul(integer(1).sub(lost).pow(f.count))
		var next []mass
		for _, t := range powers(atoms, f.count) {
			for _, u := range terms {
				next = append(next, mass{t.p.mul(u.p), t.q.mul(u.q)})
			}
		}
		terms = next
	}
	return excess(terms, rational(c.epsilon).exp()).add(integer(1).sub(kept).max(integer(0)))
}

// powers are the terms of n copies of a finite pair: multinomial coefficients times products of
// powers. Choosing i of n for the first atom leaves n − i for the others.
func powers(atoms []mass, n int64) (out []mass) {
	if len(atoms) == 0 {
		return nil // n is at least 1
	}
	a, p, q, choose := atoms[0], integer(1), integer(1), big.NewInt(1)
	if len(atoms) == 1 {
		return []mass{{a.p.pow(n), a.q.pow(n)}}
	}
	for i := int64(0); i <= n; i++ {
		for _, t := range powers(atoms[1:], n-i) {
			out = append(out, mass{p.mul(t.p).times(choose), q.mul(t.q).times(choose)})
		}
		p, q = p.mul(a.p), q.mul(a.q)
		choose = new(big.Int).Div(choose.Mul(choose, big.NewInt(n-i)), big.NewInt(i+1))
	}
	return out
}
