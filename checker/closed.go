// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"math/big"
	"slices"
)

// maxTerms bounds the outcomes of a composition that are written out.
const maxTerms = 200_000

// closed bounds δ(ε) of a claim in a direction without evidence. For pairs that only bound from
// above, the lower bound is 0.
func (c *claim) closed(add bool) (least, most *big.Rat) {
	setPrecision(256)
	least, most = new(big.Rat), big.NewRat(1, 1)
	if bound, ok := c.basic(); ok {
		if most = bound; most.Cmp(c.delta) <= 0 {
			return least, most
		}
	}
	var d iv
	if len(c.factors) == 1 && (c.factors[0].count == 1 && c.factors[0].kind != "finite" || c.factors[0].summed()) {
		d = c.sharp(add)
	} else if written, ok := c.written(add); ok {
		d = written
	} else {
		return least, most
	}
	if high := d.high(); high.Cmp(most) < 0 {
		most = high
	}
	if slices.ContainsFunc(c.factors, func(f *factor) bool { return f.bounded }) {
		return least, most
	}
	return d.low(), most
}

func (x iv) low() *big.Rat  { return new(big.Rat).SetFrac(x.lo, unit) }
func (x iv) high() *big.Rat { return new(big.Rat).SetFrac(x.hi, unit) }

// summed reports whether the copies are composed by a sum.
func (f *factor) summed() bool { return f.kind == "laplace" && f.rate == nil && f.clamp == nil }

// sharp is δ(ε) of one pair that is not finite, or of copies of Laplace noise, with twice the bits until it decides the claim or these are 4096.
func (c *claim) sharp(add bool) iv {
	for bits := uint(256); ; bits *= 2 {
		setPrecision(bits)
		var d iv
		if f := c.factors[0]; f.count > 1 {
			d = f.composed(c.epsilon, bits)
		} else {
			d = f.profile(add, rational(c.epsilon).exp())
		}
		if bits == 4096 || d.high().Cmp(c.delta) <= 0 || d.low().Cmp(c.delta) > 0 {
			return d
		}
	}
}

// basic is basic composition: if losses of the factors are at most e_i, but for P-mass m_i
// where they are infinite, then δ(ε) ≤ 1 − Π(1 − m_i) for ε ≥ Σ e_i: outside of an event
// of that P-mass, p ≤ e^ε·q. In rationals, so that it may be equal to the claim.
func (c *claim) basic() (bound *big.Rat, ok bool) {
	one, loss, finite := big.NewRat(1, 1), new(big.Rat), big.NewRat(1, 1)
	for _, f := range c.factors {
		e, m := f.worst()
		if e == nil || m.Sign() > 0 && (f.count > 1000 || int64(m.Denom().BitLen())*f.count > 1<<17) {
			return nil, false
		}
		loss.Add(loss, new(big.Rat).Mul(e, big.NewRat(f.count, 1)))
		for range f.count {
			if m.Sign() == 0 {
				break
			}
			finite.Mul(finite, new(big.Rat).Sub(one, m))
		}
	}
	return finite.Sub(one, finite), loss.Cmp(c.epsilon) <= 0
}

// worst is the greatest finite loss and the P-mass of infinite loss; nil where they are not
// known exactly. A sample of Laplace noise has smaller losses than the noise.
func (f *factor) worst() (loss, infinite *big.Rat) {
	switch {
	case (f.kind == "laplace" || f.kind == "logistic") && f.clamp == nil:
		return f.shift, new(big.Rat)
	case f.kind == "finite" && f.eps != nil:
		return f.eps, f.inf
	}
	return nil, nil
}

// written is Σ (P − e^ε·Q)₊ over the outcomes of a composition of finite pairs, those with equal
// numbers of each atom together, a term, and the P-mass where Q is 0.
func (c *claim) written(add bool) (iv, bool) {
	number := int64(1) // of terms
	bits := uint(256)
	for _, f := range c.factors {
		if f.kind != "finite" {
			return iv{}, false
		}
		k := int64(0)
		for _, m := range f.outcomes(add) {
			if m.p.hi.Sign() > 0 && m.q.hi.Sign() > 0 {
				k++
			}
		}
		// count from k kinds: C(count + k − 1, k − 1)
		n := big.NewInt(maxTerms + 1)
		if f.count <= maxTerms {
			n.Binomial(f.count+max(k, 1)-1, max(k, 1)-1)
		}
		if n.Cmp(big.NewInt(maxTerms/number)) > 0 {
			return iv{}, false
		}
		number *= n.Int64()
		bits += uint(min(f.count, 1<<20)) * uint(new(big.Int).SetInt64(k).BitLen())
	}
	exponent, _ := c.epsilon.Float64()
	bits += uint(max(exponent, 0)*1.5) + 64
	if bits > 1<<15 {
		return iv{}, false
	}
	spend(float64(number) * power158(float64(bits)/64) * 50)
	setPrecision(bits)
	terms, finite := []mass{{integer(1), integer(1)}}, integer(1)
	for _, f := range c.factors {
		var atoms []mass
		known, all := integer(0), true
		for _, m := range f.outcomes(add) {
			if m.q.hi.Sign() > 0 {
				known = known.add(m.p)
				if m.p.hi.Sign() > 0 {
					atoms = append(atoms, m)
				}
			} else if m.p.hi.Sign() > 0 {
				all = false
			}
		}
		if !all { // otherwise no loss is infinite
			finite = finite.mul(known.pow(f.count))
		}
		var next []mass
		for _, t := range powers(atoms, f.count) {
			for _, u := range terms {
				next = append(next, mass{t.p.mul(u.p), t.q.mul(u.q)})
			}
		}
		terms = next
	}
	alpha, sum := rational(c.epsilon).exp(), integer(1).sub(finite).max(integer(0))
	for _, t := range terms {
		sum = sum.add(t.p.sub(alpha.mul(t.q)).max(integer(0)))
	}
	return sum, true
}

// powers are the terms of n copies of a finite pair: multinomial coefficients times products of
// powers. Choosing i of n for the first atom leaves n − i for the others.
func powers(atoms []mass, n int64) []mass {
	if len(atoms) == 0 {
		if n == 0 {
			return []mass{{integer(1), integer(1)}}
		}
		return nil
	}
	a := atoms[0]
	if len(atoms) == 1 {
		return []mass{{a.p.pow(n), a.q.pow(n)}}
	}
	var out []mass
	p, q, choose := integer(1), integer(1), big.NewInt(1)
	for i := int64(0); i <= n; i++ {
		for _, t := range powers(atoms[1:], n-i) {
			out = append(out, mass{p.mul(t.p).times(choose), q.mul(t.q).times(choose)})
		}
		p, q = p.mul(a.p), q.mul(a.q)
		choose = new(big.Int).Div(choose.Mul(choose, big.NewInt(n-i)), big.NewInt(i+1))
	}
	return out
}
