// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"fmt"
	"math/big"
	"strings"

	"dpverify/certify/evidence/coq"
	"dpverify/certify/evidence/statement"
	"dpverify/mechanism"
)

// atomTerms are the masses of an atom.
func atomTerms(a statement.Atom) (p, q coq.Term) {
	times := func(r *big.Rat, f *statement.Factor) coq.Term {
		if f == nil || r.Sign() == 0 {
			return coq.Fraction(r)
		}
		if r.Cmp(statement.RatOne) == 0 {
			return f.Term
		}
		return coq.Operation('*', coq.Fraction(r), f.Term)
	}
	p, q = times(a.P, a.FactorP), times(a.Q, a.FactorQ)
	switch {
	case a.Mix == nil || a.Mix.Sign() == 0:
	case coq.IsZero(p):
		p = times(a.Mix, a.FactorQ)
	default:
		p = coq.Operation('+', p, times(a.Mix, a.FactorQ))
	}
	return p, q
}

// finite writes the file of a composition of finite pairs.
func (f *coqFile) finite(ds []mechanism.Direction) error {
	for _, p := range f.parts {
		if _, ok := p.Pair.(statement.Finite); !ok || p.Count > maxCoqCount {
			return ErrNone
		}
	}
	if !f.exact && (!f.separated || f.terms(maxCoqTerms) > maxCoqTerms) {
		return ErrNone
	}
	f.WriteString(coq.Finite)
	f.linef("\n(** * The claim *)\n")
	f.definitions()
	losses := "idtac"
	if f.exact {
		losses = f.losses()
	}
	for _, d := range ds {
		all := "[" + strings.Join(f.masses(d), "; ") + "]"
		delta := fmt.Sprintf("delta %s %s", coq.Rational(f.eps), f.composition(d))
		if f.lower {
			f.linef("Theorem %s : %s < %s.", d, coq.Rational(f.delta), delta)
			f.linef("Proof. exact (above %d %s %s %s ltac:(vm_cast_no_check (eq_refl true))). Qed.\n", f.digits(),
				coq.Fraction(f.eps).Expression(), all, coq.Fraction(f.delta).Expression())
			continue
		}
		f.linef("Theorem %s : %s <= %s.", d, delta, coq.Rational(f.delta))
		if !f.exact {
			f.linef("Proof. exact (at_most %d %s %s %s ltac:(vm_cast_no_check (eq_refl true))). Qed.\n", f.digits(),
				coq.Fraction(f.eps).Expression(), all, coq.Fraction(f.delta).Expression())
			continue
		}
		f.basic(all, losses)
	}
	return nil
}

// definitions writes the pairs of the parts, as real numbers and as expressions.
func (f *coqFile) definitions() {
	for i, p := range f.parts {
		var reals, expressions []string
		for _, a := range p.Pair.(statement.Finite).List() {
			x, y := atomTerms(a)
			reals = append(reals, fmt.Sprintf("(%s, %s)", x.Real(), y.Real()))
			expressions = append(expressions, fmt.Sprintf("(%s, %s)", x.Expression(), y.Expression()))
		}
		f.linef("Definition part%d : pair :=\n  [%s].\n", i+1, strings.Join(reals, ";\n   "))
		f.linef("Definition masses%d : list (mass * mass) :=\n  [%s].\n", i+1, strings.Join(expressions, ";\n   "))
	}
}

// composition is the composed pair in a direction.
func (f *coqFile) composition(d mechanism.Direction) string {
	return "(compose [" + strings.Join(f.powers(d, "part", "exchange"), "; ") + "])"
}

// masses are the expressions of its parts.
func (f *coqFile) masses(d mechanism.Direction) []string { return f.powers(d, "masses", "turned") }

// powers are the names of what belongs to the parts, turned round for the direction add, with their counts.
func (f *coqFile) powers(d mechanism.Direction, of, turn string) []string {
	var parts []string
	for i, p := range f.parts {
		name := fmt.Sprintf("%s%d", of, i+1)
		if d == mechanism.Add {
			name = turn + " " + name
		}
		parts = append(parts, fmt.Sprintf("(%s, %d%%nat)", name, p.Count))
	}
	return parts
}

// unfolded has the tactic that unfolds the expressions of the parts.
func (f *coqFile) unfolded() string {
	var names []string
	for i := range f.parts {
		names = append(names, fmt.Sprintf("masses%d", i+1))
	}
	if names == nil {
		return "idtac"
	}
	return "cbv [" + strings.Join(names, " ") + "]"
}

// losses writes lemmas on the greatest losses of discrete Laplace noise, and returns the tactic that uses them.
func (f *coqFile) losses() string {
	tactic := ""
	for i, p := range f.parts {
		noise, ok := p.Pair.(statement.DiscreteLaplace)
		if !ok {
			continue
		}
		loss, _ := noise.Greatest()
		// e^(λs) in terms of the e^−λ of the masses
		f.linef("Lemma losses%d : exp (%s * / %s) = / exp (%s * / %s) ^ %d.", i+1, loss.Num(), loss.Denom(),
			new(big.Int).Neg(noise.Lambda.Num()), noise.Lambda.Denom(), noise.Shift)
		f.linef("Proof. apply exp_opposite. simpl; field. Qed.\n")
		tactic += fmt.Sprintf("try rewrite losses%d; ", i+1)
	}
	return tactic + "idtac"
}

// basic writes the proof by basic composition.
func (f *coqFile) basic(all, losses string) {
	var bounds []string
	for _, p := range f.parts {
		loss, infinite := p.Greatest()
		bounds = append(bounds, fmt.Sprintf("((%s # %s)%%Q, (%s # %s)%%Q)", loss.Num(), loss.Denom(), infinite.Num(),
			infinite.Denom()))
	}
	f.linef("Proof.\nrefine (basic_composition 60 (%s # %s) %s\n  [%s] (%s # %s)", f.eps.Num(), f.eps.Denom(), all,
		strings.Join(bounds, "; "), f.delta.Num(), f.delta.Denom())
	f.linef("  ltac:(vm_cast_no_check (eq_refl true)) _ ltac:(vm_cast_no_check (eq_refl true))).")
	f.linef("%s.\nbounded_parts ltac:(%s).\nQed.\n", f.unfolded(), losses)
}

// Limits of copies of Laplace noise: k of them have some k²/2 terms of k bits and more. 1,000 take coqc 20 seconds.
const (
	maxCoqCopies = 2_000
	maxCoqLoss   = 2_000 // of all copies together
)

// laplaces writes the file of copies of Laplace noise. Beside the theory, it has the integers over which the sum of
// coq/laplaces.v, which is about ε ≥ 0, is computed: shift = st/D, ε = e/D, (k·shift − ε)/2 = N/D, and 2^digits, the
// unit's inverse.
func (f *coqFile) laplaces(noise statement.Laplace, ds []mechanism.Direction) error {
	p := f.parts[0]
	k := big.NewInt(p.Count)
	all := new(big.Rat).Mul(noise.Shift, new(big.Rat).SetInt(k))
	nothing := f.eps.Cmp(all) >= 0 // which basic composition shows
	if f.eps.Sign() < 0 || p.Count > maxCoqCopies || all.Cmp(big.NewRat(maxCoqLoss, 1)) > 0 || nothing || !f.separated {
		return ErrNone
	}
	f.WriteString(coq.Laplaces)
	f.linef("\n(** * The claim *)\n")
	f.linef("Definition shift : R := %s.\nDefinition eps : R := %s.", coq.Rational(noise.Shift), coq.Rational(f.eps))
	f.linef("Definition p (x : R) : R := lap (x - shift).\nDefinition q (x : R) : R := lap x.\n")
	mul := func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
	d := mul(big.NewInt(2), mul(noise.Shift.Denom(), f.eps.Denom()))
	st := mul(big.NewInt(2), mul(noise.Shift.Num(), f.eps.Denom()))
	e := mul(big.NewInt(2), mul(f.eps.Num(), noise.Shift.Denom()))
	n := new(big.Int).Sub(mul(k, st), e)
	n.Rsh(n, 1) // both are even
	digits := f.digits()
	f.linef("(** shift = %d / %d, eps = %d / %d. *)", st, d, e, d)
	f.linef("Definition sum : Z := Eval vm_compute in rest_of %t %d %d %d %d (2 ^ %d).", f.lower, k, d, st, n, digits)
	f.linef("Lemma sum_is : rest_of %t %d %d %d %d (2 ^ %d) = sum.\nProof. vm_cast_no_check (eq_refl sum). Qed.", f.lower,
		k, d, st, n, digits)
	f.linef("Definition scale : Z := Eval vm_compute in (2 ^ %d)%%Z.\n", int64(digits)+p.Count)
	for _, dir := range ds {
		sides, moved := "p q", "(forth shift)"
		if dir == mechanism.Add {
			sides, moved = "q p", "(back shift)"
		}
		which := map[bool]string{false: "left", true: "right"}[dir == mechanism.Add]
		switch {
		case f.lower:
			f.linef("Theorem %s : %s < delta %s %d 1 (exp eps).\nProof.", dir, coq.Rational(f.delta), sides, k)
			f.linef("apply (laplaces_above shift %s %d %d %d %d %d (2 ^ %d) scale sum).", moved, k, d, st, e, n, digits)
		default:
			f.linef("Theorem %s : delta %s %d 1 (exp eps) <= %s.\nProof.", dir, sides, k, coq.Rational(f.delta))
			f.linef("apply (laplaces_at_most shift %s %d %d %d %d %d (2 ^ %d) scale sum).", moved, k, d, st, e, n, digits)
		}
		f.linef("- %s; reflexivity.\n- vm_compute; reflexivity.\n- unfold shift; lra.\n- unfold eps; lra.\n- exact sum_is.",
			which)
		f.linef("- unfold sum, scale; interval with (i_prec %d).\nQed.\n", digits)
	}
	return nil
}
