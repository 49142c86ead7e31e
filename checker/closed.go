// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import "math/big"

// closed bounds δ(ε) of a claim in a direction without evidence: by basic composition, then by a
// formula with twice the bits until it decides the claim, the first with more where e^ε is large.
func (c *claim) closed(d direction) (least, most *big.Rat) {
	least, most = new(big.Rat), c.basic()
	size := new(big.Int).Quo(c.epsilon.Num(), c.epsilon.Denom()) // about ε
	precision := min(256+3*uint(size.Abs(size).Int64()), maxBits)
	for ; precision <= maxBits && most.Cmp(c.delta) > 0 && least.Cmp(c.delta) <= 0; precision *= 2 {
		setPrecision(precision)
		delta := c.formula(d)
		least, most = delta.low(), delta.high()
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
		} else if isLaplace && oneLess(noise.rate).Sign() == 0 {
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
		number, most := new(big.Int).Binomial(min(f.count, maxBits)+kinds-1, kinds-1), maxTerms/int64(max(len(terms), 1))
		rejectIf(kinds > 1 && f.count > maxBits || number.Cmp(big.NewInt(most)) > 0, "no short formula is known for it")
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

// composed encloses δ(ε) of the copies of Laplace noise (docs/checker.md, theorem 5), to about W bits, and raises W:
// with s the shift, k the count and u_m = ((k − 2m)s − ε)/2,
//
//	δ(ε) = e^(−u_0)·2^(1−k)·Σ_{m: u_m > 0} C(k, m)·Σ_{n≥1} f_(n−1)·u_m^n/n!,
//
// f_n being the coefficients of (1−z)^(m−1)·(1+z)^(k−m−1), by (1−z²)·f' = (k − 2m − (k−2)z)·f, up to two in a row that
// are 0. Powers are rounded down to units of 2^(−p−k), and the sums end at one that is 0, from 2u_m on; at most (n +
// 2)·2^(−p) of δ is missing then.
func (l laplace) composed(k int64, eps *big.Rat) iv {
	p, choose := W+40, big.NewInt(1)
	top := new(big.Rat).Mul(l.shift, big.NewRat(k, 1))
	top.Sub(top, eps).Mul(top, big.NewRat(1, 2)) // u_0
	size, _ := top.Float64()
	more := float64(k) + 1.5*max(size, 0)
	spend(float64(k) * more * more / 10) // and what is done, below
	u, sum, longest := new(big.Rat).Set(top), new(big.Int), int64(0)
	for m := int64(0); m <= k && u.Sign() > 0; m++ {
		power := floorDiv(new(big.Int).Lsh(u.Num(), p+uint(k)), u.Denom()) // u_m^n/n!
		now, before, inner, n := big.NewInt(1), new(big.Int), new(big.Int), int64(1)
		for ; (now.Sign() != 0 || before.Sign() != 0) && (power.Sign() != 0 || u.Cmp(big.NewRat(n, 2)) > 0); n++ {
			spendProduct(power.BitLen(), now.BitLen()+u.Denom().BitLen()+500)
			next := new(big.Int)
			inner.Add(inner, next.Mul(now, power))
			next.Sub(next.Mul(now, big.NewInt(k-2*m)), before.Mul(before, big.NewInt(k-n)))
			now, before = next.Quo(next, big.NewInt(n)), now
			power.Quo(power.Mul(power, u.Num()), new(big.Int).Mul(u.Denom(), big.NewInt(n+1)))
		}
		longest = max(longest, n)
		sum.Add(sum, inner.Mul(inner, choose))
		choose.Quo(choose.Mul(choose, big.NewInt(k-m)), big.NewInt(m+1))
		u.Sub(u, l.shift)
	}
	setPrecision(p + uint(1.5*max(size, 0)) + 32)
	d := fraction(sum, p+uint(2*k)-1).mul(rational(top.Neg(top)).exp())
	missing := fraction(big.NewInt(longest+2), p)
	return iv{d.sub(missing).lo, d.add(missing).hi}.max(integer(0))
}

// A point is a divergence of an order above 1, or of the order ∞ if it is nil. A claim is true if all are at most
// enough, and false if one is above the most that it allows.
type point struct{ order, enough, most *big.Rat }

// An outcome has p, q > 0: log p, and log p/q.
type outcome struct{ log, loss iv }

// divergences decides a claim of Rényi divergences in a direction: VERIFIED, REFUTED or neither. What is between two
// of many thresholds is one outcome of a density, and what P or Q may not have is left out: by neither do divergences
// rise, and nothing is VERIFIED then.
func (c *claim) divergences(d direction) string {
	setPrecision(512)
	var terms [][]outcome
	points, verdict, quarters := c.points, "VERIFIED", make([]int64, 113) // from −14 to 14
	for i := range quarters {
		quarters[i] = int64(i-56) << (thresholdBits - 2)
	}
	for _, f := range c.factors {
		ts, thresholds := []outcome(nil), []int64(nil)
		if _, isFinite := f.pair.(*finite); !isFinite {
			thresholds, verdict = quarters, ""
		}
		for _, m := range f.cells(thresholds, d) {
			if m.p.lo.Sign() > 0 && m.q.hi.Sign() == 0 {
				return "REFUTED" // every divergence is ∞
			} else if m.p.lo.Sign() > 0 && m.q.lo.Sign() > 0 {
				l := m.p.log()
				ts = append(ts, outcome{l, l.sub(m.q.log())})
			} else if m.p.hi.Sign() > 0 {
				verdict = ""
			}
		}
		rejectIf(ts == nil, "nothing that both may have in %s", f.name)
		terms = append(terms, ts)
	}
	if c.rho != nil {
		points = everyOrder(c.rho, c.divergence(terms, nil).high())
	}
	for _, p := range points {
		x := c.divergence(terms, p.order)
		if p.most != nil && x.low().Cmp(p.most) > 0 {
			return "REFUTED"
		} else if x.high().Cmp(p.enough) > 0 {
			verdict = ""
		}
	}
	return verdict
}

// everyOrder are points for D_α ≤ ρα for all α > 1. As D_α does not fall with α, D_a ≤ ρ shows it up to
// a = 1 + 2^−10, and D_∞ ≤ ρa from a on. Between, (α − 1)·D_α is convex: from a to b, it is below the tangent of
// ρα(α − 1) at (a + b)/2 if it is at both, where the tangent is ρ((b − a)/2)² = ρ(h/32)² lower, with h = a − 1 and
// b − 1 = 17h/16. So it is enough that D_a ≤ ρ(a − h/1024) at each.
func everyOrder(rho, greatest *big.Rat) (points []point) {
	one := big.NewRat(1, 1)
	for h, most := big.NewRat(1, 1024), new(big.Rat); len(points) == 0 || greatest.Cmp(most) > 0 && len(points) < 1000; {
		a, enough := new(big.Rat).Add(one, h), new(big.Rat).Mul(h, big.NewRat(1023, 1024))
		most = new(big.Rat).Mul(rho, a)
		points = append(points, point{a, enough.Mul(rho, enough.Add(one, enough)), most})
		h = new(big.Rat).Mul(h, big.NewRat(17, 16))
	}
	points[0].enough = rho
	return append(points, point{enough: points[len(points)-1].most})
}

// divergence is D_α, the sum over all copies of log(Σ p^α·q^(1−α))/(α − 1) = l + log(Σ p·e^((α−1)·(log p/q − l)))/(α −
// 1), where l = max log p/q, which is D_∞.
func (c *claim) divergence(terms [][]outcome, alpha *big.Rat) iv {
	total := integer(0)
	for i, ts := range terms {
		d := ts[0].loss
		for _, t := range ts {
			d = d.max(t.loss)
		}
		if alpha != nil {
			more, sum := new(big.Rat).Sub(alpha, big.NewRat(1, 1)), integer(0)
			for _, t := range ts {
				sum = sum.add(t.log.add(rational(more).mul(t.loss.sub(d.point()))).exp())
			}
			d = d.point().add(sum.log().mul(rational(more.Inv(more))))
		}
		total = total.add(d.times(big.NewInt(c.factors[i].count)))
	}
	return total
}
