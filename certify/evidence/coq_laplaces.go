// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"math/big"

	"dpverify/certify/evidence/coq"
	"dpverify/certify/evidence/statement"
	"dpverify/mechanism"
)

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
