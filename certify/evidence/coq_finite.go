// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"fmt"
	"math/big"
	"strings"

	"dpverify/mechanism"
)

// A term is a mass in closed form. It has two texts: as a real number, and as an expression of
// coq/finite.v, whose value is that number.
type term interface {
	real() string
	expression() string
}

type (
	fractionTerm struct{ r *big.Rat }
	expTerm      struct{ r *big.Rat }
	powerTerm    struct {
		x term
		n int64
	}
	pairTerm struct {
		op   byte // one of +-*/
		x, y term
	}
)

func (t fractionTerm) real() string { return rational(t.r) }
func (t fractionTerm) expression() string {
	return fmt.Sprintf("(Frac (%s) %s)", t.r.Num(), t.r.Denom())
}
func (t expTerm) real() string         { return "exp " + rational(t.r) }
func (t expTerm) expression() string   { return fmt.Sprintf("(Exp (%s) %s)", t.r.Num(), t.r.Denom()) }
func (t powerTerm) real() string       { return fmt.Sprintf("(%s) ^ %d", t.x.real(), t.n) }
func (t powerTerm) expression() string { return fmt.Sprintf("(Pow %s %d)", t.x.expression(), t.n) }
func (t pairTerm) real() string        { return fmt.Sprintf("(%s %c %s)", t.x.real(), t.op, t.y.real()) }

func (t pairTerm) expression() string {
	name := map[byte]string{'+': "Plus", '-': "Minus", '*': "Times", '/': "Over"}[t.op]
	return fmt.Sprintf("(%s %s %s)", name, t.x.expression(), t.y.expression())
}

// terms are the masses of an atom.
func (a atom) terms() (p, q term) {
	times := func(r *big.Rat, f *factor) term {
		if f == nil || r.Sign() == 0 {
			return fractionTerm{r}
		}
		if r.Cmp(ratOne) == 0 {
			return f.term
		}
		return pairTerm{'*', fractionTerm{r}, f.term}
	}
	p, q = times(a.p, a.ep), times(a.q, a.eq)
	if a.mix != nil {
		p = pairTerm{'+', p, times(a.mix, a.eq)}
	}
	return p, q
}

// finite writes the file of a composition of finite pairs.
func (f *coqFile) finite(ds []mechanism.Direction) error {
	losses := ""
	for _, p := range f.parts {
		if p.kind != finite || p.count > maxCoqCount {
			return ErrNone
		}
	}
	if !f.exact && (!f.separated || f.terms(maxCoqTerms) > maxCoqTerms) {
		return ErrNone
	}
	f.WriteString(finiteTheory)
	f.linef("\n(** * The claim *)\n")
	var composed, reversed, masses, turned, names, bounds []string
	for i, p := range f.parts {
		var reals, expressions []string
		for _, a := range p.atoms {
			x, y := a.terms()
			reals = append(reals, fmt.Sprintf("(%s, %s)", x.real(), y.real()))
			expressions = append(expressions, fmt.Sprintf("(%s, %s)", x.expression(), y.expression()))
		}
		f.linef("Definition part%d : pair :=\n  [%s].\n", i+1, strings.Join(reals, ";\n   "))
		f.linef("Definition masses%d : list (mass * mass) :=\n  [%s].\n", i+1, strings.Join(expressions, ";\n   "))
		composed = append(composed, fmt.Sprintf("(part%d, %d%%nat)", i+1, p.count))
		reversed = append(reversed, fmt.Sprintf("(exchange part%d, %d%%nat)", i+1, p.count))
		masses = append(masses, fmt.Sprintf("(masses%d, %d%%nat)", i+1, p.count))
		names = append(names, fmt.Sprintf("masses%d", i+1))
		turned = append(turned, fmt.Sprintf("(turned masses%d, %d%%nat)", i+1, p.count))
		if f.exact {
			bounds = append(bounds, fmt.Sprintf("((%s # %s)%%Q, (%s # %s)%%Q)", p.eps.Num(), p.eps.Denom(), p.inf.Num(), p.inf.Denom()))
			if p.lambda != nil { // e^(λs) in terms of the e^−λ of the masses
				s := int64(len(p.atoms) - 1)
				f.linef("Lemma losses%d : exp (%s * / %s) = / exp (%s * / %s) ^ %d.", i+1, p.eps.Num(), p.eps.Denom(),
					new(big.Int).Neg(p.lambda.Num()), p.lambda.Denom(), s)
				f.linef("Proof. apply exp_opposite. simpl; field. Qed.\n")
				losses += fmt.Sprintf("try rewrite losses%d; ", i+1)
			}
		}
	}
	for _, d := range ds {
		parts, expressions := composed, masses
		if d == mechanism.Add {
			parts, expressions = reversed, turned
		}
		delta := fmt.Sprintf("delta %s (compose [%s])", rational(f.eps), strings.Join(parts, "; "))
		all := "[" + strings.Join(expressions, "; ") + "]"
		if f.lower {
			f.linef("Theorem %s : %s < %s.", d, rational(f.delta), delta)
			f.linef("Proof. exact (above %d %s %s %s ltac:(vm_compute; reflexivity)). Qed.\n", f.digits(),
				fractionTerm{f.eps}.expression(), all, fractionTerm{f.delta}.expression())
			continue
		}
		f.linef("Theorem %s : %s <= %s.", d, delta, rational(f.delta))
		if !f.exact {
			f.linef("Proof. exact (at_most %d %s %s %s ltac:(vm_compute; reflexivity)). Qed.\n", f.digits(),
				fractionTerm{f.eps}.expression(), all, fractionTerm{f.delta}.expression())
			continue
		}
		f.linef("Proof.\nrefine (basic_composition 60 (%s # %s) %s\n  [%s] (%s # %s)", f.eps.Num(), f.eps.Denom(), all,
			strings.Join(bounds, "; "), f.delta.Num(), f.delta.Denom())
		f.linef("  ltac:(vm_compute; reflexivity) _ ltac:(vm_compute; reflexivity)).")
		if len(names) > 0 {
			f.linef("cbv [%s].", strings.Join(names, " "))
		}
		f.linef("bounded_parts ltac:(%sidtac).\nQed.\n", losses)
	}
	return nil
}
