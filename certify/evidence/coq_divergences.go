// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"dpverify/certify"
	"dpverify/certify/evidence/coq"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// coqGuard is how many bits Coq has more than what finds that a proof will do.
const (
	coqGuard   = 16
	maxCoqBits = 1024
)

// coqDivergences returns the file for a claim of Rényi divergences or of ρ-zCDP.
func coqDivergences(ctx context.Context, o *certify.Outcome, text string) ([]byte, error) {
	if !decidedOne(o) {
		return nil, ErrNone
	}
	r, err := read(o.Claim.LessPrivate, o.Claim.Relation)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	for _, p := range r.parts {
		if p.kind != finite || p.count > maxCoqCount {
			return nil, ErrNone
		}
	}
	ds := []mechanism.Direction{mechanism.Remove, mechanism.Add}
	if o.Claim.Direction != mechanism.Both {
		ds = []mechanism.Direction{o.Claim.Direction}
	}
	f := &coqFile{task: task{parts: r.parts, lower: o.Verdict == certify.Refuted}}
	f.header(o, r.statement(o.Claim.Direction, text))
	f.WriteString(coq.Finite)
	f.WriteString(coq.Divergence)
	f.linef("\n(** * The claim *)\n")
	f.definitions()
	proved := 0
	for _, d := range ds {
		shown, err := f.divergences(ctx, o.Claim.Statement, d)
		if err != nil {
			return nil, err
		}
		if shown {
			proved++
		}
		if shown == f.lower {
			break // refuted in one direction, or not shown in one
		}
	}
	if proved == 0 || !f.lower && proved < len(ds) {
		return nil, ErrNone
	}
	return []byte(f.String()), nil
}

// divergences writes the theorem of a direction; false where it finds no proof.
func (f *coqFile) divergences(ctx context.Context, s certify.Statement, d mechanism.Direction) (bool, error) {
	var parts []coq.Part
	for _, p := range f.parts {
		x := coq.Part{Count: p.count}
		for _, a := range p.atoms {
			p, q := a.terms()
			if d == mechanism.Add {
				p, q = q, p
			}
			x.Outcomes = append(x.Outcomes, [2]coq.Term{p, q})
		}
		parts = append(parts, x)
	}
	for bits := interval.Prec(64); bits <= maxCoqBits; bits *= 2 {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		proof := coqProof{coqFile: f, Curve: coq.NewCurve(parts, bits), direction: d, digits: int(bits) + coqGuard}
		var shown bool
		switch s := s.(type) {
		case certify.Renyi:
			shown = proof.orders(s)
		case certify.Concentrated:
			shown = proof.concentrated(s.Rho)
		}
		if shown {
			return true, nil
		}
	}
	return false, nil
}

// A coqProof is of one direction.
type coqProof struct {
	*coqFile
	*coq.Curve
	direction mechanism.Direction
	digits    int
}

// all are the expressions of all parts.
func (f coqProof) all() string { return "[" + strings.Join(f.masses(f.direction), "; ") + "]" }

// orders writes the theorem for divergences of some orders.
func (f coqProof) orders(s certify.Renyi) bool {
	if !f.Known(len(s.Points)) {
		return false
	}
	var statements, proofs []string
	for _, p := range s.Points {
		order, value := coq.Fraction(p.Order), coq.Fraction(p.Value)
		relation := "at_most"
		if f.lower {
			relation = "above"
		}
		switch at := f.AtMost(p.Order, p.Value); {
		case f.lower && at != interval.False:
			continue
		case !f.lower && at != interval.True:
			return false
		}
		proof := fmt.Sprintf("renyi_%s %d %s %s %s", relation, f.digits, order.Expression(), f.all(), value.Expression())
		if f.Infinite() {
			proof = fmt.Sprintf("renyi_infinite %d %s %s %s", f.digits, order.Real(), f.all(), value.Real())
		}
		statements = append(statements, fmt.Sprintf("divergence_%s %s %s %s", relation, order.Real(), f.composition(f.direction), value.Real()))
		proofs = append(proofs, fmt.Sprintf("exact (%s ltac:(vm_cast_no_check (eq_refl true)))", proof))
		if f.lower {
			break
		}
	}
	if statements == nil {
		return false
	}
	f.linef("Theorem %s :\n  %s.", f.direction, strings.Join(statements, " /\\\n  "))
	f.linef("Proof.\nrepeat match goal with |- _ /\\ _ => split end.\n- %s.\nQed.\n", strings.Join(proofs, ".\n- "))
	return true
}

// concentrated writes the theorem for ρ-zCDP.
func (f coqProof) concentrated(rho *big.Rat) bool {
	if !f.Known(1) {
		return false
	}
	theorem := fmt.Sprintf("concentrated %s %s", coq.Rational(rho), f.composition(f.direction))
	if f.lower {
		proof := fmt.Sprintf("zcdp_infinite %d %s %s", f.digits, coq.Rational(rho), f.all())
		if !f.Infinite() {
			alpha, ok := f.Exceeds(rho)
			if !ok {
				return false
			}
			proof = fmt.Sprintf("not_zcdp %d %s %s %s", f.digits, coq.Fraction(rho).Expression(), coq.Fraction(alpha).Expression(), f.all())
		}
		f.linef("Theorem %s : ~ %s.", f.direction, theorem)
		f.linef("Proof. exact (%s ltac:(vm_cast_no_check (eq_refl true))). Qed.\n", proof)
		return true
	}
	w, ok := f.Walk(rho)
	if !ok {
		return false
	}
	var parts, steps []string
	for i, m := range f.masses(f.direction) {
		parts = append(parts, fmt.Sprintf("(%s, %s)", m, coq.Fraction(w.Bounds[i]).Expression()))
	}
	for _, s := range w.Steps {
		steps = append(steps, fmt.Sprintf("(%s, %s)", coq.Fraction(s.Tangent).Expression(), coq.Fraction(s.Order).Expression()))
	}
	f.linef("Theorem %s : %s.", f.direction, theorem)
	f.linef("Proof.\nrefine (zcdp %d %s [%s]\n  [%s] _ ltac:(vm_cast_no_check (eq_refl true))).", f.digits, coq.Fraction(rho).Expression(),
		strings.Join(parts, "; "), strings.Join(steps, ";\n   "))
	f.linef("%s.\nunit_masses.\nQed.\n", f.unfolded())
	return true
}
