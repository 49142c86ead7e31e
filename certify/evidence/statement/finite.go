// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package statement

import (
	"fmt"
	"math/big"

	"dpverify/certify/evidence/coq"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// A Finite pair has a list of atoms.
type Finite interface {
	Listed
	// List has the atoms.
	List() []Atom
}

// An Atom has the masses p·ep + mix·eq and q·eq; ep and eq are 1 where they are nil.
type Atom struct {
	P, Q, Mix        *big.Rat
	FactorP, FactorQ *Factor
}

// A Factor of a mass is a real number with a name, and in closed form.
type Factor struct {
	name  string
	value fixed.Real
	Term  coq.Term
}

// Atoms is what all finite pairs have in common, and a pair of which nothing else is known.
type Atoms []Atom

// List has the atoms.
func (as Atoms) List() []Atom { return as }

// Greatest is unknown: losses are logarithms.
func (as Atoms) Greatest() (loss, infinite *big.Rat) { return nil, nil }

// renamed compares atoms with those of (Q, P), by their text.
func renamed(as []Atom) bool {
	text := func(r *big.Rat, f *Factor) string {
		if f == nil {
			return r.RatString()
		}
		return r.RatString() + f.name
	}
	left := make(map[string]int)
	for _, a := range as {
		if a.Mix != nil {
			return false
		}
		left[text(a.P, a.FactorP)+" "+text(a.Q, a.FactorQ)]++
		left[text(a.Q, a.FactorQ)+" "+text(a.P, a.FactorP)]--
	}
	for _, n := range left {
		if n != 0 {
			return false
		}
	}
	return true
}

// Outcomes are the masses of the atoms in a direction.
func (as Atoms) Outcomes(d mechanism.Direction) []Mass {
	value := func(r *big.Rat, f *Factor) fixed.Real {
		if f == nil {
			return Three.Rat(r)
		}
		return Three.Mul(Three.Rat(r), f.value)
	}
	var out []Mass
	for _, a := range as {
		m := Mass{value(a.P, a.FactorP), value(a.Q, a.FactorQ)}
		if a.Mix != nil {
			m.P = Three.Add(m.P, value(a.Mix, a.FactorQ))
		}
		out = append(out, m.In(d))
	}
	return out
}

// Profile is Σ (p − αq)₊.
func (as Atoms) Profile(d mechanism.Direction, alpha fixed.Real) fixed.Real {
	sum := fixed.Int(0)
	for _, m := range as.Outcomes(d) {
		if d := Three.Sub(m.P, Three.Mul(alpha, m.Q)); d.Positive() == interval.True {
			sum = Three.Add(sum, d)
		}
	}
	return sum
}

// A Response is randomized response.
type Response struct{ Atoms }

// A Guarantee is the pair of approximate randomized response, which every mechanism with the guarantee (ε, δ) is
// dominated by.
type Guarantee struct {
	Atoms
	Eps, Delta *big.Rat
}

// Greatest is ε, and δ.
func (g Guarantee) Greatest() (loss, infinite *big.Rat) { return g.Eps, g.Delta }

// logistic is 1/(1 + e^x).
func logistic(x *big.Rat) *Factor {
	value := Three.Inv(Three.Add(fixed.Int(1), Three.Exp(Three.Rat(x))))
	return &Factor{name: "logistic " + x.RatString(), value: value}
}

func newGuarantee(eps, delta *big.Rat) Guarantee {
	keep := new(big.Rat).Sub(RatOne, delta)
	zero := new(big.Rat)
	one, e := coq.Fraction(RatOne), coq.Exp(eps)
	most, least := logistic(new(big.Rat).Neg(eps)), logistic(eps)
	most.Term = coq.Operation('/', e, coq.Operation('+', one, e))
	least.Term = coq.Operation('/', one, coq.Operation('+', one, e))
	return Guarantee{Eps: eps, Delta: delta, Atoms: Atoms{
		{P: delta, Q: zero},
		{P: keep, FactorP: most, Q: keep, FactorQ: least},
		{P: keep, FactorP: least, Q: keep, FactorQ: most},
		{P: zero, Q: delta},
	}}
}

// A Promise is ρ-zCDP, which any pair may have that keeps it: two atoms, once they are chosen.
type Promise struct {
	Atoms
	Rho *big.Rat
}

// A DiscreteLaplace pair is geometric noise on both sides, e^(−λ|x|), and the same shifted, grouped by its losses.
type DiscreteLaplace struct {
	Atoms
	Lambda *big.Rat
	Shift  int64
}

// Greatest is λ·shift.
func (p DiscreteLaplace) Greatest() (loss, infinite *big.Rat) {
	return new(big.Rat).Mul(p.Lambda, big.NewRat(p.Shift, 1)), new(big.Rat)
}

func newDiscreteLaplace(lambda *big.Rat, s int64) DiscreteLaplace {
	p := DiscreteLaplace{Lambda: lambda, Shift: s}
	less := new(big.Rat).Neg(lambda)
	r, one := Three.Exp(Three.Rat(less)), coq.Fraction(RatOne)
	at := func(j int64) *Factor {
		power := Three.Exp(Three.Rat(new(big.Rat).Mul(lambda, big.NewRat(-j, 1))))
		x := Three.Div(power, Three.Add(fixed.Int(1), r))
		var closed coq.Term = coq.Operation('/', coq.Power(coq.Exp(less), j), coq.Operation('+', one, coq.Exp(less)))
		if j != 0 && j != s {
			x = Three.Mul(x, Three.Sub(fixed.Int(1), r))
			closed = coq.Operation('*', closed, coq.Operation('-', one, coq.Exp(less)))
		}
		return &Factor{fmt.Sprintf("geometric %s %d %d", lambda.RatString(), s, j), x, closed}
	}
	for j := int64(0); j <= s; j++ {
		p.Atoms = append(p.Atoms, Atom{P: RatOne, FactorP: at(j), Q: RatOne, FactorQ: at(s - j)})
	}
	return p
}

// A SampledFinite pair is a Poisson sample of a finite one. What it loses at most may be known by that.
type SampledFinite struct {
	Atoms
	Base           Finite
	Rate           *big.Rat
	Visible        bool
	loss, infinite *big.Rat
}

// Greatest is what is known by the pair that is sampled.
func (p SampledFinite) Greatest() (loss, infinite *big.Rat) { return p.loss, p.infinite }

// sampleFinite is the pair that is seen with the probability rate where it is visible whether it was; elsewhere only P
// is a mixture.
func sampleFinite(base Finite, rate *big.Rat, visible bool) SampledFinite {
	keep := new(big.Rat).Sub(RatOne, rate)
	p := SampledFinite{Base: base, Rate: rate, Visible: visible}
	if visible {
		p.Atoms = append(p.Atoms, Atom{P: keep, Q: keep})
		if loss, infinite := base.Greatest(); loss != nil {
			p.loss, p.infinite = loss, new(big.Rat).Mul(rate, infinite)
		}
	}
	for _, a := range base.List() {
		b := Atom{P: new(big.Rat).Mul(rate, a.P), Q: a.Q, FactorP: a.FactorP, FactorQ: a.FactorQ}
		if visible {
			b.Q = new(big.Rat).Mul(rate, a.Q)
		} else {
			b.Mix = new(big.Rat).Mul(keep, a.Q)
		}
		p.Atoms = append(p.Atoms, b)
	}
	return p
}
